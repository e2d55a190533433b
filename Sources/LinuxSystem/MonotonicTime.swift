/// A point in time on `CLOCK_MONOTONIC`, in nanoseconds.
///
/// The clock starts at an arbitrary point, never goes back, and stands still while the machine is suspended. DRM stamps
/// vblanks and page flips on the same clock.
public struct MonotonicTime: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// Nanoseconds since the clock's start.
  public var nanoseconds: Int64

  @inlinable
  public init(nanoseconds: Int64) {
    self.nanoseconds = nanoseconds
  }

  /// The start of the clock.
  @inlinable
  public static var zero: MonotonicTime { MonotonicTime(nanoseconds: 0) }
  /// Later than every other point in time.
  @inlinable
  public static var distantFuture: MonotonicTime { MonotonicTime(nanoseconds: .max) }

  public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool { left.nanoseconds < right.nanoseconds }

  /// The time that passed from `right` to `left`; negative when `left` is earlier.
  public static func - (left: MonotonicTime, right: MonotonicTime) -> Nanoseconds {
    Nanoseconds(left.nanoseconds.saturatingSubtract(right.nanoseconds))
  }

  public static func + (time: MonotonicTime, offset: Nanoseconds) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds.saturatingAdd(offset.count))
  }

  public static func - (time: MonotonicTime, offset: Nanoseconds) -> MonotonicTime {
    MonotonicTime(nanoseconds: time.nanoseconds.saturatingSubtract(offset.count))
  }

  public static func += (time: inout MonotonicTime, offset: Nanoseconds) { time = time + offset }

  /// The time since the start of the clock in seconds; exact to the nanosecond for the first 104 days.
  public var seconds: Double { Double(nanoseconds) / 1e9 }
}

/// A duration in nanoseconds.
public struct Nanoseconds: Hashable, Comparable, BitwiseCopyable, Sendable {
  /// The number of nanoseconds; may be negative.
  public var count: Int64

  @inlinable
  public init(_ count: Int64) {
    self.count = count
  }

  /// A duration to the nanosecond, rounded towards zero and limited to the range.
  public init(_ duration: Duration) {
    let (seconds, attoseconds) = duration.components
    self.init(seconds.saturatingMultiply(1_000_000_000).saturatingAdd(attoseconds / 1_000_000_000))
  }

  @inlinable
  public static var zero: Nanoseconds { Nanoseconds(0) }

  public static func microseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count.saturatingMultiply(1_000)) }
  public static func milliseconds(_ count: Int64) -> Nanoseconds { Nanoseconds(count.saturatingMultiply(1_000_000)) }

  /// `count` seconds to the nearest nanosecond, limited to the range; NaN becomes 0.
  public static func seconds(_ count: Double) -> Nanoseconds {
    let scaled = (count * 1e9).rounded()
    if scaled.isNaN { return .zero }
    return Nanoseconds(Int64(exactly: scaled) ?? (scaled < 0 ? .min : .max))
  }

  public static func < (left: Nanoseconds, right: Nanoseconds) -> Bool { left.count < right.count }
  public static func + (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count.saturatingAdd(right.count))
  }
  public static func - (left: Nanoseconds, right: Nanoseconds) -> Nanoseconds {
    Nanoseconds(left.count.saturatingSubtract(right.count))
  }
  public static func * (left: Nanoseconds, right: Int64) -> Nanoseconds {
    Nanoseconds(left.count.saturatingMultiply(right))
  }
  /// Division towards zero. A divisor of 0 traps.
  public static func / (left: Nanoseconds, right: Int64) -> Nanoseconds { Nanoseconds(left.count / right) }
  public static prefix func - (value: Nanoseconds) -> Nanoseconds { .zero - value }
  public static func += (left: inout Nanoseconds, right: Nanoseconds) { left = left + right }
  public static func -= (left: inout Nanoseconds, right: Nanoseconds) { left = left - right }

  public var seconds: Double { Double(count) / 1e9 }
  public var milliseconds: Double { Double(count) / 1e6 }
  public var microseconds: Double { Double(count) / 1e3 }
}

extension Duration {
  /// The same duration.
  public init(_ time: Nanoseconds) { self = .nanoseconds(time.count) }
}

extension Nanoseconds: CustomStringConvertible {
  /// The duration in the largest unit that leaves a whole part, without trailing zeros: "20 ms", "16.666667 ms", "1.5 s",
  /// "-250 ns".
  public var description: String {
    let units: [(name: String, size: UInt64)] = [("s", 1_000_000_000), ("ms", 1_000_000), ("us", 1_000), ("ns", 1)]
    let size = count.magnitude
    let unit = units.first { size >= $0.size } ?? units[3]
    return (count < 0 ? "-" : "") + decimal(size, per: unit.size) + " " + unit.name
  }
}

extension MonotonicTime: CustomStringConvertible {
  /// Seconds since the clock's start: "1234.5 s".
  public var description: String {
    (nanoseconds < 0 ? "-" : "") + decimal(nanoseconds.magnitude, per: 1_000_000_000) + " s"
  }
}

/// `count / unit` exactly; `unit` is a power of ten.
private func decimal(_ count: UInt64, per unit: UInt64) -> String {
  let (whole, rest) = count.quotientAndRemainder(dividingBy: unit)
  if rest == 0 { return "\(whole)" }
  var digits = Array(String(unit + rest).dropFirst())
  while digits.last == "0" { digits.removeLast() }
  return "\(whole)." + String(digits)
}

// Times come from devices and arguments: an extreme value must give an extreme time instead of a trap.
extension Int64 {
  func saturatingAdd(_ other: Int64) -> Int64 {
    let (sum, overflow) = addingReportingOverflow(other)
    return overflow ? (other < 0 ? .min : .max) : sum
  }

  func saturatingSubtract(_ other: Int64) -> Int64 {
    let (difference, overflow) = subtractingReportingOverflow(other)
    return overflow ? (other < 0 ? .max : .min) : difference
  }

  func saturatingMultiply(_ other: Int64) -> Int64 {
    let (product, overflow) = multipliedReportingOverflow(by: other)
    return overflow ? ((self < 0) == (other < 0) ? .max : .min) : product
  }
}
