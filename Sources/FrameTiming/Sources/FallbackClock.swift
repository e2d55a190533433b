public import LinuxSystem
public import RunLoops

/// Vblanks for a display that gives none: a timer on the exact grid start + k·T.
///
/// The rate is a fraction and each grid point is rounded by itself, so that the clock has not drifted by a nanosecond after
/// any number of ticks.
///
/// A vblank carries the ideal stamp, that of its grid point, however late the timer was. (Weston's virtual outputs report
/// the ideal time unless the timer is more than 1.5 ms late, and then the time now. But now is not on the grid: one late
/// wake-up would move the phase of all that follows. So here lateness never reaches the stamp; `DisplayLink.Tick.delivered`
/// tells it.) After a stall of an interval or more the vblank is the latest grid point that is not after now; those before it
/// are never delivered, the sequence counts them.
///
/// A timer at the nominal 60 Hz slips a whole frame every 21 s against a display at 59.953 Hz. So a clock that stands in for a
/// display that was seen, or that is to keep step with another one, is disciplined by what is known of it: it takes rate and
/// phase, and keeps both. (Not by the stamps of flips: the kernel gives them a sequence, and the time of a vblank, only where it
/// has vblanks to tell of anyway. Elsewhere a flip bears the time at which it was handed over or heard of.)
@MainActor
public final class FallbackClock: VBlankSource {
  public let refreshRate: RefreshRate
  public let isDisplay = false
  /// Why the display's own vblanks are not used: "no DRM device".
  public let reason: String
  /// The grid's origin. Its sequence is 0.
  public let start: MonotonicTime
  public var onVBlank: (@MainActor (VBlank) -> Void)?

  /// The rate that was measured; nil while the nominal one is used.
  public var disciplinedRate: RefreshRate? { grid.rate == refreshRate ? nil : grid.rate }

  private let clock: SystemClock
  private var timer: FrameLoop.Timer?
  private var grid: FallbackGrid

  /// - Parameters:
  ///   - refreshRate: the display's where there is one, so that the fallback does not slip frames against it.
  ///   - reason: why the fallback is used; part of `name`.
  ///   - start: the grid's origin; nil for now. A clock that takes over from a display that is gone goes on from its last
  ///     vblank.
  ///   - clock: the clock of the loop that the source is added to.
  public init(refreshRate: RefreshRate, reason: String, start: MonotonicTime? = nil, clock: SystemClock) {
    self.refreshRate = refreshRate
    self.reason = reason
    self.clock = clock
    self.start = start ?? clock.now
    grid = FallbackGrid(rate: refreshRate, start: self.start)
    timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
  }

  public var name: String {
    disciplinedRate.map { "fallback clock \($0), as the display has it: \(reason)" }
      ?? "fallback clock \(refreshRate): \(reason)"
  }

  /// Asks for the first grid point after now.
  public func requestVBlank() {
    guard let timer, let fireTime = grid.request(now: clock.now) else { return }
    timer.nextFireTime = fireTime
  }

  // MARK: - Discipline

  /// Takes rate and phase from what is known of a display, and keeps them: of the one that the clock stands in for, or of another
  /// that it is to keep step with. No sequence is told twice, and none is left out.
  ///
  /// After a pause a display's phase is unknown although its rate is not: then the clock takes that, in its own phase.
  ///
  /// - Returns: false if the display's rate is too little known, or another one; then nothing changes.
  @discardableResult
  public func discipline(by model: VBlankModel) -> Bool {
    // To 0.05 %, which is an interval in half a minute.
    guard !model.isVariable, model.periodUncertainty < model.period * 0.000_5, let rate = RefreshRate(period: model.period),
      abs(rate.hertz - refreshRate.hertz) < refreshRate.hertz * 0.01
    else { return false }
    let point = model.prediction(after: clock.now)
    let isPhaseKnown = point?.isKnown(period: model.period) ?? false
    let phase = isPhaseKnown ? point?.timestamp : nil
    if let fireTime = grid.follow(rate, phase: phase ?? grid.newest(now: clock.now).timestamp) {
      timer?.nextFireTime = fireTime
    }
    return true
  }

  // MARK: - VBlankSource

  public func newestVBlank() -> VBlank? { grid.newest(now: clock.now) }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.add(timer, to: mode)
  }

  public func remove(from loop: FrameLoop, mode: FrameLoop.Mode) {
    guard let timer else { return }
    loop.remove(timer, from: mode)
  }

  public func invalidate() {
    timer?.invalidate()
    timer = nil
    onVBlank = nil
  }

  private func fire() {
    if let vblank = grid.fire(now: clock.now) { onVBlank?(vblank) }
  }
}
