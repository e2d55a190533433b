import Glibc
import LinuxSystem

/// The clock of a compositor's stamps: `CLOCK_MONOTONIC` as ours, or another one, such as `CLOCK_MONOTONIC_RAW`, which no daemon sets
/// right and which so drifts from ours.
struct PresentationClock: Hashable, Sendable {
  /// The clock's number for `clock_gettime`.
  var number: UInt32 = UInt32(CLOCK_MONOTONIC)

  /// The time on the loop's clock of a stamp of about now; nil if there is no such clock.
  ///
  /// - Parameters:
  ///   - now: the loop's clock now.
  ///   - read: reads the stamps' clock.
  func convert(
    _ stamp: MonotonicTime, now: MonotonicTime, read: (UInt32) -> MonotonicTime? = Self.read
  ) -> MonotonicTime? {
    if number == UInt32(CLOCK_MONOTONIC) { return stamp }
    return read(number).map { now - ($0 - stamp) }
  }

  /// The stamp for a time on the loop's clock.
  func stamp(
    for time: MonotonicTime, now: MonotonicTime, read: (UInt32) -> MonotonicTime? = Self.read
  ) -> MonotonicTime? {
    if number == UInt32(CLOCK_MONOTONIC) { return time }
    return read(number).map { $0 + (time - now) }
  }

  static func read(_ number: UInt32) -> MonotonicTime? {
    var time = timespec()
    guard clock_gettime(clockid_t(number), &time) == 0 else { return nil }
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// A stamp of the protocol: seconds in two halves, and nanoseconds; nil if it means nothing.
  static func stamp(secondsHigh: UInt32, secondsLow: UInt32, nanoseconds: UInt32) -> MonotonicTime? {
    let seconds = UInt64(secondsHigh) << 32 | UInt64(secondsLow)
    guard seconds < UInt64(Int64.max) / 1_000_000_000, nanoseconds < 1_000_000_000 else { return nil }
    return MonotonicTime(nanoseconds: Int64(seconds) * 1_000_000_000 + Int64(nanoseconds))
  }
}
