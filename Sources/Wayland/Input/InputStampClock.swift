import LinuxSystem

/// Turns the time stamps of input events into times of the loop's clock. A pure value.
///
/// A stamp is 32 bits of milliseconds "with an undefined base", as the protocol has it. All compositors that are known count them on
/// `CLOCK_MONOTONIC`, so that one of the last seconds is taken for that. Otherwise the base is learned: an event is read no earlier than it
/// happens, so the smallest distance between the two is the nearest to the truth.
struct InputStampClock: Hashable, Sendable {
  /// The age in milliseconds up to which a stamp is taken for one of the loop's clock.
  private static let oldest: Int32 = 2000
  /// The same for a stamp of another base: an older one begins a base of its own. Each virtual keyboard may count from its beginning, and a
  /// press that seemed old would repeat at once.
  private static let oldestOfOtherBase: Int32 = 100

  /// The smallest distance so far from a stamp to the time at which it was read, in milliseconds, for stamps of another base.
  private var distance: Int32?

  /// - Parameters:
  ///   - stamp: in milliseconds, modulo 2³².
  ///   - now: the time at which the event is read.
  /// - Returns: a time that is not after now.
  mutating func time(of stamp: UInt32, now: MonotonicTime) -> MonotonicTime {
    let milliseconds = now.nanoseconds / 1_000_000
    let age = Int32(bitPattern: UInt32(truncatingIfNeeded: milliseconds) &- stamp)
    if (0...Self.oldest).contains(age) {
      distance = nil
      return MonotonicTime(nanoseconds: (milliseconds - Int64(age)) * 1_000_000)
    }
    // The difference of two distances is right across the turn of 32 bits; the distances themselves mean nothing.
    guard let smallest = distance, age &- smallest >= 0 else {
      distance = age
      return now
    }
    if age &- smallest > Self.oldestOfOtherBase {
      distance = age
      return now
    }
    return now - .milliseconds(Int64(age &- smallest))
  }
}
