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
@MainActor
public final class FallbackClock: VBlankSource {
  public let refreshRate: RefreshRate
  /// Why the display's own vblanks are not used: "no DRM device".
  public let reason: String
  /// The grid's origin: the time at which the clock was made. Its sequence is 0.
  public let start: MonotonicTime
  public var onVBlank: (@MainActor (VBlank) -> Void)?

  private let clock: SystemClock
  private var timer: FrameLoop.Timer?
  /// The grid point that was asked for.
  private var requested: Int64?
  /// The last grid point that was delivered.
  private var delivered: Int64 = 0

  /// - Parameters:
  ///   - refreshRate: the display's where there is one, so that the fallback does not slip frames against it.
  ///   - reason: why the fallback is used; part of `name`.
  ///   - clock: the clock of the loop that the source is added to.
  public init(refreshRate: RefreshRate, reason: String, clock: SystemClock) {
    self.refreshRate = refreshRate
    self.reason = reason
    self.clock = clock
    start = clock.now
    timer = FrameLoop.Timer.parked { [weak self] in self?.fire() }
  }

  public var name: String { "fallback clock \(refreshRate): \(reason)" }

  /// Asks for the first grid point after now.
  public func requestVBlank() {
    guard requested == nil, let timer else { return }
    let next = max(delivered, refreshRate.intervals(in: clock.now - start)) + 1
    requested = next
    timer.nextFireTime = start + refreshRate.offset(ofInterval: next)
  }

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
    requested = nil
    onVBlank = nil
  }

  private func fire() {
    guard let requested else { return }
    self.requested = nil
    let point = max(requested, refreshRate.intervals(in: clock.now - start))
    delivered = point
    onVBlank?(VBlank(timestamp: start + refreshRate.offset(ofInterval: point), sequence: UInt64(point)))
  }
}
