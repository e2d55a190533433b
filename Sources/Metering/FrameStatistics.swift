public import LinuxSystem

/// The distribution of a set of durations, exact: sorted values, percentiles by linear interpolation.
public struct FrameStatistics: Sendable {
  private let sorted: [Nanoseconds]

  /// Copies and sorts the values.
  public init(_ values: some Sequence<Nanoseconds>) {
    sorted = values.sorted()
  }

  public var count: Int { sorted.count }
  /// Nil without values.
  public var maximum: Nanoseconds? { sorted.last }

  /// The value below which `percent` of the values lie, by `PercentileRule`.
  ///
  /// - Returns: nil when there are not enough values: `PercentileRule.requiredCount(percent)`.
  public func percentile(_ percent: Double) -> Nanoseconds? {
    sorted.withUnsafeBufferPointer { PercentileRule.percentile(percent, ofSorted: $0) }
  }
}

/// How percentiles are computed here; printed with the figures.
///
/// Percentile P of N sorted values is found by linear interpolation at the position P/100 · (N − 1), counted from 0, and
/// rounded to the nearest nanosecond. It needs at least 100/p values, where p is the per cent of values in the smaller part
/// that it cuts off: p50 needs 2, p95 20, p99 100, p99.9 1000. From fewer it would be little more than the largest value,
/// and "not enough frames" is the honest answer.
public enum PercentileRule {
  /// The rule in one line, for reports.
  public static let summary =
    "percentile P: linear interpolation at P/100 x (N - 1) of the sorted values; needs 100/(100 - P) values (p99: 100)"

  /// How many values percentile `percent` needs. `percent` is brought into 0...100; its ends need 1.
  public static func requiredCount(_ percent: Double) -> Int {
    let percent = clamped(percent)
    let tail = min(percent, 100 - percent)
    guard tail > 0 else { return 1 }
    // 100 − 99.9 is a little less than 0.1: without the margin it would need 1001.
    return Int((100 / tail - 1e-6).rounded(.up))
  }

  /// Nil if there are fewer values than the percentile needs.
  static func percentile(_ percent: Double, ofSorted values: UnsafeBufferPointer<Nanoseconds>) -> Nanoseconds? {
    guard !values.isEmpty, values.count >= requiredCount(percent) else { return nil }
    let (index, fraction) = position(percent, count: values.count)
    let lower = Double(values[index].count)
    let upper = Double(values[min(index + 1, values.count - 1)].count)
    return Nanoseconds(Int64((lower + (upper - lower) * fraction).rounded()))
  }

  /// The place of the percentile: the index of the value below, and the way to the next one, 0..<1. `count` is above 0.
  static func position(_ percent: Double, count: Int) -> (index: Int, fraction: Double) {
    let position = clamped(percent) / 100 * Double(count - 1)
    let index = Int(position)
    return (index, position - Double(index))
  }

  private static func clamped(_ percent: Double) -> Double { percent >= 0 ? min(percent, 100) : 0 }
}
