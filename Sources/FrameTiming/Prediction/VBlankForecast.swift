public import LinuxSystem

/// The vblanks of a display to come, as its ticker knows them at one moment.
///
/// Take one with `DisplayTicker.forecast` and ask it as often as needed: a forecast is a value, and asking it neither learns
/// nor calls the kernel. Take another one in the next turn, since ticks improve it.
///
///     let forecast = display.ticker.forecast
///     let target = forecast.vblank(after: loop.clock.now)
///     if forecast.isKnown(at: target) { print("the frame will be seen at", target) }
public struct VBlankForecast: BitwiseCopyable, Sendable {
  /// The ticker's outstanding work.
  enum Expectation: BitwiseCopyable, Sendable {
    case nothing
    /// A vblank was requested and has not come.
    case vblank(requested: MonotonicTime)
    /// A tick waits for its deadline.
    case tick(target: MonotonicTime)
  }

  /// The display's nominal rate; the fastest rate of a variable display.
  public let refreshRate: RefreshRate
  /// True for a display whose intervals last as long as the application likes.
  public let isVariable: Bool
  /// One refresh interval at the nominal rate, or at another one that the display was found to run at; the shortest one of a
  /// variable display.
  public let interval: Nanoseconds
  let grid: VBlankGrid?
  let lastTick: TickSequencer.LastTick?
  let expectation: Expectation

  /// The vblank of the last tick; nil before the first.
  public var lastVBlank: VBlank? { lastTick?.vblank }

  /// The first vblank later than `time`. Before the first tick nothing is known: then it is one interval after `time`.
  public func vblank(after time: MonotonicTime) -> MonotonicTime {
    grid?.prediction(after: time).timestamp ?? time + interval
  }

  /// True while the prediction for `time` is more than a guess.
  ///
  /// False before the first tick, and so long after the last known vblank that the display's own rate, which differs a
  /// little from the nominal one, may have moved the grid anywhere. Always false for a variable display: its next vblank
  /// comes when the next frame does.
  public func isKnown(at time: MonotonicTime) -> Bool {
    !isVariable && grid?.prediction(after: time).isKnown ?? false
  }

  /// The number of the interval in which `time` lies, counted as `DisplayLink.Tick.frameNumber` counts: 0 before the first
  /// tick, which is number 1.
  public func frameNumber(at time: MonotonicTime) -> UInt64 {
    guard let last = lastTick else { return 0 }
    let begun = last.vblank.timestamp
    let passed: Int64
    if let grid, let interval = last.interval {
      passed = grid.interval(at: time) &- interval
    } else {
      passed = refreshRate.intervals(in: time - begun)
    }
    // The tick's interval begins with its stamp, wherever the grid has it.
    if time >= begun { return last.frameNumber &+ UInt64(max(passed, 0)) }
    return last.frameNumber - min(min(passed, -1).magnitude, last.frameNumber)
  }

  /// True while a tick is due but has not been delivered: its vblank has come by prediction, or the tick waits for its deadline.
  /// The tick's callbacks are about to change more, so a frame waits for them. After one interval the tick counts as lost.
  public func isTickDue(at now: MonotonicTime) -> Bool {
    switch expectation {
    case .nothing: return false
    case .tick(let target): return now < target + interval
    case .vblank(let requested):
      // On a variable display the vblank may be waiting for the frame.
      guard let last = lastVBlank, !isVariable else { return false }
      // A driver may stamp a vblank, and deliver it, before it is over. The next one is no tick of the same interval: a last stamp that
      // the model does not believe may lie before its own place.
      let due = vblank(after: max(requested, last.timestamp + interval / 2))
      return due <= now && now < due + interval
    }
  }

  /// True while a requested vblank has not come: somebody wants frames.
  package var isAwaitingVBlank: Bool {
    if case .vblank = expectation { true } else { false }
  }

  /// The first vblank later than `time`, given a later one that was delivered: a busy loop hears only of the last of the
  /// vblanks that it missed.
  package func firstVBlank(after time: MonotonicTime, upTo delivered: VBlank) -> VBlank {
    guard isKnown(at: time), let grid else { return delivered }
    let first = grid.prediction(after: time)
    let last = grid.interval(at: delivered.timestamp + interval / 2)
    guard first.interval < last else { return delivered }
    let missed = UInt64(bitPattern: last &- first.interval)
    // A sequence of 0 means that the source gave none.
    return VBlank(
      timestamp: first.timestamp, sequence: delivered.sequence > missed ? delivered.sequence - missed : 0)
  }
}
