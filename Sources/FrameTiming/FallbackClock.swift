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
/// A timer at the nominal 60 Hz slips a whole frame every 21 s against a display at 59.953 Hz. So where a display's stamps are
/// to be had, the clock can be disciplined by them: it takes their rate and phase, and keeps both when they end.
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
  /// Of the stamps that it is told.
  private var stamps: VBlankModel
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
    stamps = VBlankModel(refreshRate: refreshRate)
    timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
  }

  public var name: String { "fallback clock \(refreshRate): \(reason)" }

  /// Asks for the first grid point after now.
  public func requestVBlank() {
    guard let timer, let fireTime = grid.request(now: clock.now) else { return }
    timer.nextFireTime = fireTime
  }

  // MARK: - Discipline

  /// Takes rate and phase from what is known of a display, and keeps them: of the one that the clock stands in for, or of another
  /// that it is to keep step with. No sequence is told twice, and none is left out.
  ///
  /// - Returns: false if the display is too little known, or runs at another rate; then nothing changes.
  @discardableResult
  public func discipline(by model: VBlankModel) -> Bool {
    guard model.isSettled, !model.isVariable, let point = model.prediction(after: clock.now),
      point.isKnown(period: model.period), let rate = RefreshRate(period: model.period),
      abs(rate.hertz - refreshRate.hertz) < refreshRate.hertz * 0.01
    else { return false }
    if let fireTime = grid.follow(rate, phase: point.timestamp) { timer?.nextFireTime = fireTime }
    return true
  }

  /// A vblank of the display that the clock stands in for, learnt in another way: from the stamp of a flip. After 60 that lie on a
  /// grid the clock follows them.
  ///
  /// One without a sequence is no vblank: drivers without any complete a flip at once. As flips follow the clock's own
  /// ticks, it would be disciplined by itself.
  public func observe(_ vblank: VBlank) {
    guard vblank.sequence != 0 else { return }
    if stamps.observe(vblank) == .accepted { discipline(by: stamps) }
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
