import LinuxSystem

/// Picks a link's ticks from its display's, and counts those that it missed. A pure value.
struct LinkSchedule: Sendable {
  /// A paused link has no ticks.
  private(set) var isPaused = false
  /// The link's last tick.
  private(set) var tick: DisplayLink.Tick?
  private(set) var divisor: FrameDivisor
  /// The largest divisor since the last tick: what it left out was not missed, also if the link wants more ticks since.
  private var largestDivisor: FrameDivisor
  /// The interval that `divisor` was made for.
  private var dividedInterval: Nanoseconds
  /// The first delivery for the link. One that begins to want frames inside a callback is called at the next delivery.
  private var firstDelivery: UInt64 = 0
  /// The link's intervals since its last tick whose vblanks the display did not tell of.
  private var lostVBlanks: UInt64 = 0
  /// The display's intervals since the link's last tick that passed while nobody knew where vblanks lie.
  private var unknownIntervals: UInt64 = 0
  /// When the first vblank was requested that came when the link's next tick was due, or later.
  private var request: MonotonicTime?
  /// True while the link has wanted frames ever since its last tick.
  private var isContinuous = false

  init(rate: RefreshRate) {
    divisor = FrameDivisor(.default, of: rate)
    largestDivisor = divisor
    dividedInterval = rate.interval
  }

  // MARK: - Wishes

  /// The link wants ticks from a delivery on.
  mutating func begin(at delivery: UInt64) {
    isPaused = false
    firstDelivery = delivery
  }

  mutating func pause() {
    isPaused = true
    isContinuous = false
  }

  /// The link wants no tick for a while: those until its next were not missed.
  mutating func interrupt() { isContinuous = false }

  /// Sets the distance of the link's ticks.
  ///
  /// - Parameter least: the smallest number of intervals between two ticks.
  mutating func divide(_ range: FrameRateRange, of rate: RefreshRate, least: UInt64) {
    divisor = FrameDivisor(range, of: rate, least: least)
    if divisor.count > largestDivisor.count { largestDivisor = divisor }
    dividedInterval = rate.interval
  }

  // MARK: - Ticks

  /// True if the divisor was made for another rate of the display than the tick's.
  func isOutdated(by shared: DisplayLink.Tick) -> Bool { shared.duration != dividedInterval }

  /// True if the link has wanted frames since before the delivery, and ticks in the interval.
  func wants(_ shared: DisplayLink.Tick, delivery: UInt64) -> Bool {
    guard !isPaused, firstDelivery <= delivery else { return false }
    return divisor.count == 1 || isDue(shared)
  }

  /// Makes the tick the link's last, if it is the link's.
  mutating func take(_ shared: DisplayLink.Tick, delivery: UInt64) -> Bool {
    if shared.lostVBlanks > 0 {
      let before = shared.frameNumber &- shared.lostVBlanks &- 1
      lostVBlanks &+= divisor.intervals(between: before, and: shared.frameNumber)
    }
    unknownIntervals &+= shared.unknownIntervals
    if request == nil, shared.timestamp > (tick?.targetTimestamp ?? .zero) - shared.duration / 2 {
      request = shared.requested
    }
    guard wants(shared, delivery: delivery) else { return false }
    var missed: UInt64 = 0
    // On a variable display an interval without a tick was none: it was not missed.
    if isContinuous, let last = tick, !shared.isVariable || divisor.count == 1 {
      // In intervals of this tick's length.
      let end = shared.frameNumber &- unknownIntervals
      missed = largestDivisor.intervals(between: last.frameNumber, and: end) * largestDivisor.count / divisor.count
    }
    largestDivisor = divisor
    var own = shared
    own.missed = missed
    own.lostVBlanks = min(lostVBlanks, missed)
    lostVBlanks = 0
    own.unknownIntervals = unknownIntervals
    unknownIntervals = 0
    own.requested = request ?? .zero
    request = nil
    own.intervalsPerTick = Int(divisor.count)
    own.targetTimestamp += shared.duration * Int64(divisor.count - 1)
    tick = own
    isContinuous = true
    return true
  }

  private func isDue(_ shared: DisplayLink.Tick) -> Bool {
    guard shared.isVariable else { return divisor.includes(shared.frameNumber) }
    guard isContinuous, let last = tick else { return true }
    // A quarter less, since stamps tremble.
    return shared.timestamp - last.timestamp >= shared.duration * Int64(divisor.count) - shared.duration / 4
  }
}
