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

  /// The standard deviation of a sample; nil below two values.
  public var standardDeviation: Nanoseconds? {
    var deviation = RunningDeviation()
    for value in sorted { deviation.add(value) }
    return deviation.value
  }

  /// The value at which the longest ones, added up, reach `percent` of the sum of all; see `LowRule`.
  ///
  /// - Returns: nil when there are not enough values: `PercentileRule.requiredCount(percent)`.
  public func longest(_ percent: Double) -> Nanoseconds? {
    guard count >= PercentileRule.requiredCount(percent) else { return nil }
    var rest = LowRule.part(percent, of: sorted.reduce(.zero, +))
    for value in sorted.reversed() {
      rest -= Double(value.count)
      if rest <= 0 { return value }
    }
    return sorted.first
  }
}

extension FrameStatistics {
  /// How many values are at most as long as each of `bounds`.
  func counts(upTo bounds: [Nanoseconds]) -> [Int] {
    bounds.map { bound in sorted.count { $0 <= bound } }
  }
}

/// The rule by which the lows of a frame rate are computed.
///
/// The 1 % low is the rate of the frame interval at which the longest intervals, added up, reach 1 % of the time: in a hundredth
/// of the time frames came that slowly or more slowly. It is the "1 % low integral" of CapFrameX and the "1 % low" of MSI
/// Afterburner, and not the mean of the slowest frames, nor the p99 of their number, which MangoHud prints under this name. A low needs
/// as many intervals as the percentile of the same part: 100 for 1 %, 1000 for 0.1 %.
package enum LowRule {
  /// A part of a sum, in nanoseconds.
  static func part(_ percent: Double, of sum: Nanoseconds) -> Double { Double(sum.count) * percent / 100 }
}

/// The standard deviation of values that are not kept, by Welford's recurrence: exact also where it is small beside the mean.
struct RunningDeviation: Sendable {
  private var count = 0.0
  private var mean = 0.0
  private var squares = 0.0

  mutating func add(_ duration: Nanoseconds) {
    let value = Double(duration.count)
    count += 1
    let difference = value - mean
    mean += difference / count
    squares += difference * (value - mean)
  }

  /// The standard deviation of a sample; nil below two values.
  var value: Nanoseconds? { count < 2 ? nil : .seconds((squares / (count - 1)).squareRoot() / 1e9) }
}

/// The rule by which percentiles are computed; printed with the figures.
///
/// Percentile P of N sorted values is found by linear interpolation at the position P/100 · (N − 1), counted from 0, and
/// rounded to the nearest nanosecond. It needs at least 100/p values, where p is the per cent of values in the smaller part
/// that it cuts off: p50 needs 2, p95 20, p99 100, p99.9 1000. From fewer it would be little more than the largest value,
/// and "not enough frames" is the honest answer.
package enum PercentileRule {
  /// The rule in one line, for reports.
  package static let summary =
    "percentile P: linear interpolation at P/100 x (N - 1) of the sorted values; needs 100/(100 - P) values (p99: 100)"

  /// The same for values that were counted in a `DurationHistogram`.
  package static let histogramSummary = summary + "; read from a histogram, which is exact to 1/512 (0.2 %)"

  /// How many values percentile `percent` needs. `percent` is brought into 0...100; its ends need 1.
  package static func requiredCount(_ percent: Double) -> Int {
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
