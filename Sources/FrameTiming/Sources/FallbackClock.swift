public import LinuxSystem
public import RunLoops

/// A source of vblanks for a display that gives none: a timer on the exact grid start + k·T.
///
///     let clock = FallbackClock(refreshRate: .hertz60, reason: "no DRM device", clock: loop.clock)
///     let ticker = DisplayTicker(source: clock)
///
/// The rate is a fraction and each grid point is rounded by itself, so that the clock has not drifted by a nanosecond after
/// any number of ticks.
///
/// A vblank carries the ideal stamp, that of its grid point, however late the timer was. (Weston's virtual outputs report
/// the ideal time unless the timer is more than 1.5 ms late, and then the time now. But now is not on the grid: one late
/// wake-up would move the phase of all that follow. So here lateness never reaches the stamp; `DisplayLink.Tick.delivered`
/// shows it.) After a stall of an interval or more the vblank is the latest grid point that is not after now; those before it
/// are never delivered, but the sequence counts them.
///
/// A timer at the nominal 60 Hz slips a whole frame every 21 s against a display at 59.953 Hz. So a clock that replaces a
/// known display, or keeps step with another one, is disciplined by that display's model: it takes rate and phase, and keeps
/// both. (Stamps of flips are no use: the kernel gives them a sequence and the time of a vblank only if it has vblanks to
/// deliver anyway. Otherwise a flip bears the time at which it was handed over or noticed.)
@MainActor
public final class FallbackClock: VBlankSource {
  public let refreshRate: RefreshRate
  public let isDisplay = false
  /// Why the display's own vblanks are not used: "no DRM device".
  public let reason: String
  /// The grid's origin. Its sequence is 0.
  public let start: MonotonicTime
  public var onVBlank: (@MainActor (VBlank) -> Void)?

  /// The measured rate; nil while the nominal one is used.
  public var disciplinedRate: RefreshRate? { grid.rate == refreshRate ? nil : grid.rate }

  private let clock: SystemClock
  private lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.fire() })
  private var grid: FallbackGrid

  /// - Parameters:
  ///   - refreshRate: the display's if there is one, so that the clock does not slip frames against it.
  ///   - reason: why the fallback is used; part of `name`.
  ///   - start: the grid's origin; nil for now. A clock that takes over from a lost display continues from its last
  ///     vblank.
  ///   - clock: the clock of the loop that the source is added to.
  public init(refreshRate: RefreshRate, reason: String, start: MonotonicTime? = nil, clock: SystemClock) {
    self.refreshRate = refreshRate
    self.reason = reason
    self.clock = clock
    self.start = start ?? clock.now
    grid = FallbackGrid(rate: refreshRate, start: self.start)
  }

  public var name: String {
    disciplinedRate.map { "fallback clock \($0), as the display has it: \(reason)" }
      ?? "fallback clock \(refreshRate): \(reason)"
  }

  /// Requests the first grid point after now.
  public func requestVBlank() {
    if let fireTime = grid.request(now: clock.now) { alarm.fireTime = fireTime }
  }

  // MARK: - Discipline

  /// Takes rate and phase from the model of a display that the clock replaces, or keeps step with, and keeps them. No sequence is
  /// delivered twice, and none is left out.
  ///
  /// After a pause a display's rate is known but not its phase: then the clock takes the rate, in its own phase.
  ///
  /// - Returns: false if the display's rate is too uncertain, or another one; then nothing changes.
  @discardableResult
  public func discipline(by model: VBlankModel) -> Bool {
    // 0.05 % is an interval in half a minute.
    guard !model.isVariable, model.periodUncertainty < model.period * 0.000_5, let rate = RefreshRate(period: model.period),
      abs(rate.hertz - refreshRate.hertz) < refreshRate.hertz * 0.01
    else { return false }
    let point = model.prediction(after: clock.now)
    let isPhaseKnown = point?.isKnown ?? false
    let phase = isPhaseKnown ? point?.timestamp : nil
    if let fireTime = grid.follow(rate, phase: phase ?? grid.newest(now: clock.now).timestamp) {
      alarm.fireTime = fireTime
    }
    return true
  }

  // MARK: - VBlankSource

  public func newestVBlank() -> VBlank? { grid.newest(now: clock.now) }

  public var loopItem: any FrameLoop.Item { alarm }

  public func invalidate() {
    alarm.invalidate()
    onVBlank = nil
  }

  private func fire() {
    if let vblank = grid.fire(now: clock.now) { onVBlank?(vblank) }
  }
}
