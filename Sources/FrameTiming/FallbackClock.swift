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
  public let isDisplay = false
  /// Why the display's own vblanks are not used: "no DRM device".
  public let reason: String
  /// The grid's origin. Its sequence is 0.
  public let start: MonotonicTime
  public var onVBlank: (@MainActor (VBlank) -> Void)?

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

  public var name: String { "fallback clock \(refreshRate): \(reason)" }

  /// Asks for the first grid point after now.
  public func requestVBlank() {
    guard let timer, let fireTime = grid.request(now: clock.now) else { return }
    timer.nextFireTime = fireTime
  }

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

/// The arithmetic of a fallback clock: which grid point is asked for, and which one is delivered. A pure value.
struct FallbackGrid {
  let rate: RefreshRate
  /// Grid point 0.
  let start: MonotonicTime
  private var requested: Int64?
  private var delivered: Int64 = 0

  init(rate: RefreshRate, start: MonotonicTime) {
    self.rate = rate
    self.start = start
  }

  /// - Returns: when to fire; nil if a point is asked for already.
  mutating func request(now: MonotonicTime) -> MonotonicTime? {
    guard requested == nil else { return nil }
    let next = max(delivered, rate.intervals(in: now - start)) + 1
    requested = next
    return start + rate.offset(ofInterval: next)
  }

  /// The latest point that is not after now.
  func newest(now: MonotonicTime) -> VBlank { point(rate.intervals(in: now - start)) }

  private func point(_ k: Int64) -> VBlank {
    VBlank(timestamp: start + rate.offset(ofInterval: k), sequence: UInt64(bitPattern: k))
  }

  /// - Returns: the point that was asked for, or after a stall the latest one not after now; nil if none was asked for.
  mutating func fire(now: MonotonicTime) -> VBlank? {
    guard let due = requested else { return nil }
    requested = nil
    delivered = max(due, rate.intervals(in: now - start))
    return point(delivered)
  }
}
