import LinuxSystem

/// Which of a display's ticks are a link's, and what it has missed: a pure value.
struct LinkSchedule: Sendable {
  /// A paused link has no ticks.
  private(set) var isPaused = false
  /// The last tick that was the link's.
  private(set) var tick: DisplayLink.Tick?
  private(set) var divisor: FrameDivisor
  /// The nominal interval that the divisor was made for.
  private var dividedInterval: Nanoseconds
  /// One that begins to want frames inside a callback has its first tick at the next delivery.
  private var firstDelivery: UInt64 = 0
  /// Whether the link has wanted frames ever since its last tick.
  private var isContinuous = false

  init(rate: RefreshRate) {
    divisor = FrameDivisor(.default, of: rate)
    dividedInterval = rate.interval
  }

  // MARK: - What the link wants

  /// Ticks are wanted from a delivery on.
  mutating func begin(at delivery: UInt64) {
    isPaused = false
    firstDelivery = delivery
  }

  mutating func pause() {
    isPaused = true
    isContinuous = false
  }

  /// No tick is wanted for a while: those until the next were not missed.
  mutating func interrupt() { isContinuous = false }

  /// Ticks are to be evenly spaced, as often as `range` says.
  ///
  /// - Parameter least: every how many intervals at most often.
  mutating func divide(_ range: FrameRateRange, of rate: RefreshRate, least: UInt64) {
    divisor = FrameDivisor(range, of: rate, least: least)
    dividedInterval = rate.interval
  }

  // MARK: - Ticks

  /// Whether the divisor was made for another rate of the display than a tick's.
  func isOutdated(by shared: DisplayLink.Tick) -> Bool { shared.duration != dividedInterval }

  /// Whether the link has wanted frames since before the delivery, and the interval is one of its own.
  func wants(_ shared: DisplayLink.Tick, delivery: UInt64) -> Bool {
    guard !isPaused, firstDelivery <= delivery else { return false }
    return divisor.count == 1 || isDue(shared)
  }

  /// - Returns: whether the tick is the link's; then it is its last.
  mutating func take(_ shared: DisplayLink.Tick, delivery: UInt64) -> Bool {
    guard wants(shared, delivery: delivery) else { return false }
    var missed: UInt64 = 0
    // What a variable display leaves out nobody has missed.
    if isContinuous, let last = tick, !shared.isVariable || divisor.count == 1 {
      missed = divisor.intervals(between: last.frameNumber, and: shared.frameNumber)
    }
    var own = shared
    own.missed = missed
    own.intervalsPerTick = Int(divisor.count)
    tick = own
    isContinuous = true
    return true
  }

  private func isDue(_ shared: DisplayLink.Tick) -> Bool {
    guard shared.isVariable else { return divisor.includes(shared.frameNumber) }
    guard isContinuous, let last = tick else { return true }
    // A quarter less: stamps tremble.
    return shared.timestamp - last.timestamp >= shared.duration * Int64(divisor.count) - shared.duration / 4
  }
}
