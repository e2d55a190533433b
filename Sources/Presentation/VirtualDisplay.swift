public import FrameTiming
public import LinuxSystem
public import Raster
public import RunLoops

/// A display without a screen: frames are paced by a clock and kept in memory.
///
/// It stands in for a screen where there is none, is looked at by tests, and makes pictures for files.
///
/// ```swift
/// let display = try VirtualDisplay(width: 1280, height: 720, refreshRate: .hertz60, reason: "no screen wanted")
/// let engine = Engine(display: display, root: root)
/// ```
@MainActor
public final class VirtualDisplay: Display {
  public let name: String
  public let reason: String
  public let ticker: DisplayTicker
  public let observers = Observers<DisplayEvent>()

  /// True to treat the display as invisible, like a window that is covered: nothing is drawn, and its links tick once a second,
  /// so that animations end. The display must have been made with a refresh rate.
  public var isHidden = false {
    didSet { if isHidden != oldValue { hide() } }
  }
  /// By how much the picture is turned. The root layer has the turned size.
  public var rotation = DisplayRotation.none {
    didSet { if rotation != oldValue { stable.reset() } }
  }

  private let memory: MemoryPresenter
  private let stable: ReplaceablePresenter
  private let clock: SystemClock
  /// Makes the clock that ticks while the display can be seen; nil if the display was given a source.
  private let makeClock: (@MainActor () -> FallbackClock)?

  /// A display driven by any source of vblanks, such as a simulated one.
  ///
  /// - Parameters:
  ///   - reason: why it is used.
  ///   - clock: the clock of the loop that the display is added to.
  public convenience init(
    width: Int, height: Int, source: any VBlankSource, reason: String, buffering: Buffering = .double,
    clock: SystemClock = .monotonic
  ) throws(BitmapError) {
    try self.init(
      width: width, height: height, source: source, makeClock: nil, reason: reason, buffering: buffering, clock: clock)
  }

  /// A display driven by a `FallbackClock`.
  ///
  /// - Parameter reason: why there is no other display: "no DRM device".
  public convenience init(
    width: Int, height: Int, refreshRate: RefreshRate, reason: String, clock: SystemClock = .monotonic
  ) throws(BitmapError) {
    let makeClock: @MainActor () -> FallbackClock = {
      FallbackClock(refreshRate: refreshRate, reason: reason, clock: clock)
    }
    let source = makeClock()
    try self.init(
      width: width, height: height, source: source, makeClock: makeClock, reason: source.name, buffering: .double,
      clock: clock)
  }

  private init(
    width: Int, height: Int, source: any VBlankSource, makeClock: (@MainActor () -> FallbackClock)?, reason: String,
    buffering: Buffering, clock: SystemClock
  ) throws(BitmapError) {
    let rate = source.refreshRate.description.dropLast(3)
    name = "virtual display \(width)x\(height)@\(rate)"
    self.reason = reason
    self.clock = clock
    self.makeClock = makeClock
    ticker = DisplayTicker(source: source)
    memory = try MemoryPresenter(width: width, height: height, buffering: buffering, ticker: ticker, clock: clock)
    stable = ReplaceablePresenter(memory)
  }

  public var presenter: any Presenter { stable }
  public var state: DisplayState { isHidden ? .waiting(.hidden) : .showing }
  public var geometry: DisplayGeometry {
    DisplayGeometry(width: memory.width, height: memory.height, rotation: rotation)
  }
  /// The number of frames that were shown.
  public var shownFrames: UInt64 { memory.shownFrames }
  /// The newest frame that was shown; nil before the first. It is overwritten from the frame after the next one on.
  public var shownBitmap: Bitmap? { memory.shownBitmap }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    memory.wait.add(to: loop, mode: mode)
  }

  public func invalidate() {
    observers.removeAll()
    stable.invalidate()
    ticker.invalidate()
  }

  private func hide() {
    if let makeClock {
      let second = RefreshRate(numerator: 1, denominator: 1) ?? ticker.refreshRate
      ticker.change(
        to: isHidden
          ? FallbackClock(refreshRate: second, reason: "\(name) is hidden", clock: clock) : makeClock())
    }
    memory.cancel()
    stable.replace(with: isHidden ? nil : memory)
    observers.notify(.stateChanged(state))
  }
}
