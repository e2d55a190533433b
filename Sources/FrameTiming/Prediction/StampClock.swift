import LinuxSystem

/// Puts the stamps of a source on the loop's clock. A pure value.
///
/// In a time namespace the kernel's clock is hours away from the program's, and some drivers stamp the vblank before the one that
/// they tell of. Two kinds of stamps cannot be right:
/// - Stamps more than half an interval in the future. (Drivers do stamp up to a blanking time ahead: the start of scan-out, not of
///   the interrupt.)
/// - Stamps from before the request whose events took three quarters of an interval or more. (The vblank that answers a request
///   follows it.)
///
/// A single such stamp is wrong. After eight in a row another clock made them: from then on the distance of the two clocks is added,
/// estimated from the event that came soonest. Later events that came before what it makes of their stamps show that
/// it is too large; nothing shows that it is too small, as any event may be late. So it shrinks slowly, by less than a display's rate
/// differs from its mode's, and while eight in a row show it: single stamps that are wrong do not move it.
///
/// The distance is forgotten when the source's clock is set right: after eight stamps in a row that could be right as they are, while
/// by the distance they are early, half an interval late, or less than that from where they are anyway.
struct StampClock: BitwiseCopyable {
  /// The distance from the source's clock to ours, which is added to stamps; zero while they are right.
  private(set) var offset = Nanoseconds.zero
  /// The newest stamp, as the source gave it, and its time on our clock.
  private var newest: (stamp: MonotonicTime, time: MonotonicTime?)?
  /// The number of impossible stamps in a row, those of them that are possible as they are, and the least age of their events.
  private var suspects = (count: 0, asTheyAre: 0, leastAge: Nanoseconds.zero)

  /// The number of events in a row that came before their time on our clock, up to `proof`.
  private var early = 0
  /// The number of events in a row whose stamps are more likely right without the distance.
  private var needless = 0
  /// True while the distance is measured again, and used as it is.
  private var isMeasuring = false

  private static let proof = 8

  /// Returns the time of a stamp on our clock; nil if it cannot be right.
  ///
  /// - Parameters:
  ///   - requested: when the vblank was requested; nil if that is not known.
  ///   - now: the time of the event.
  ///   - interval: the display's refresh interval.
  mutating func read(
    _ stamp: MonotonicTime, requested: MonotonicTime?, now: MonotonicTime, interval: Nanoseconds
  ) -> MonotonicTime? {
    // The same event again proves nothing.
    if let newest, newest.stamp == stamp { return newest.time }
    let time = judge(stamp, requested: requested, now: now, interval: interval)
    newest = (stamp, time)
    return time
  }

  /// Measures the distance again, from the next eight events. Call it when a mode was set: a driver that stamps the vblank before is
  /// an interval behind, and another one in another mode.
  mutating func remeasure() {
    isMeasuring = offset != .zero
    suspects.count = 0
  }

  private mutating func judge(
    _ stamp: MonotonicTime, requested: MonotonicTime?, now: MonotonicTime, interval: Nanoseconds
  ) -> MonotonicTime? {
    let isRight = !isImpossible(stamp, requested: requested, now: now, interval: interval)
    forgetIfNeedless(now - stamp - offset, isRight: isRight, interval)
    let time = stamp + offset
    let isSuspect = isImpossible(time, requested: requested, now: now, interval: interval)
    guard isSuspect || isMeasuring else {
      suspects.count = 0
      shrink(now - time, interval)
      return time
    }
    let age = now - time
    if suspects.count == 0 { suspects = (0, 0, age) }
    suspects = (suspects.count + 1, suspects.asTheyAre + (isRight ? 1 : 0), min(age, suspects.leastAge))
    guard suspects.count == Self.proof else { return isSuspect ? nil : time }
    offset += suspects.leastAge
    // The clocks are the same again if half of the stamps could be right as they are: others may be wild.
    if isSmall(interval) || suspects.asTheyAre >= Self.proof / 2 { offset = .zero }
    (suspects.count, isMeasuring) = (0, false)
    let corrected = stamp + offset
    return isImpossible(corrected, requested: requested, now: now, interval: interval) ? nil : corrected
  }

  private mutating func forgetIfNeedless(_ age: Nanoseconds, isRight: Bool, _ interval: Nanoseconds) {
    let isNeedless = isRight && offset != .zero && (isSmall(interval) || age < .zero || age >= interval / 2)
    needless = isNeedless ? needless + 1 : 0
    if needless == Self.proof { (offset, needless, early, suspects.count, isMeasuring) = (.zero, 0, 0, 0, false) }
  }

  private func isSmall(_ interval: Nanoseconds) -> Bool {
    offset < interval / 2 && Nanoseconds.zero - offset < interval / 2
  }

  private mutating func shrink(_ age: Nanoseconds, _ interval: Nanoseconds) {
    early = offset != .zero && age < .zero ? min(early + 1, Self.proof) : 0
    if early == Self.proof { offset -= min(.zero - age, interval / 10_000) }
  }

  private func isImpossible(
    _ time: MonotonicTime, requested: MonotonicTime?, now: MonotonicTime, interval: Nanoseconds
  ) -> Bool {
    let age = now - time
    let wasOver = requested.map { time < $0 } ?? false
    return age < Nanoseconds.zero - interval / 2 || (wasOver && age >= interval * 3 / 4)
  }
}
