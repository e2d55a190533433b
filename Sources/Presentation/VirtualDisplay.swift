public import FrameTiming
public import LinuxSystem
public import Raster
public import RunLoops

/// A display without a screen: frames are paced by a clock and kept in memory.
@MainActor
public final class VirtualDisplay: Display {
  public let name: String
  public let reason: String
  public let ticker: DisplayTicker
  public let observers = Observers<DisplayEvent>()

  private let memory: MemoryPresenter

  /// A display driven by any source of vblanks, such as a simulated one.
  ///
  /// - Parameters:
  ///   - reason: why it is used.
  ///   - clock: the clock of the loop that the display is added to.
  public init(
    width: Int, height: Int, source: any VBlankSource, reason: String, buffering: Buffering = .double,
    clock: SystemClock = .monotonic
  ) throws(BitmapError) {
    let rate = source.refreshRate.description.dropLast(3)
    name = "virtual display \(width)x\(height)@\(rate)"
    self.reason = reason
    ticker = DisplayTicker(source: source)
    memory = try MemoryPresenter(
      width: width, height: height, buffering: buffering, ticker: ticker, clock: clock)
  }

  /// A display driven by a `FallbackClock`.
  ///
  /// - Parameter reason: why there is no other display: "no DRM device".
  public convenience init(
    width: Int, height: Int, refreshRate: RefreshRate, reason: String, clock: SystemClock = .monotonic
  ) throws(BitmapError) {
    let source = FallbackClock(refreshRate: refreshRate, reason: reason, clock: clock)
    try self.init(width: width, height: height, source: source, reason: source.name, clock: clock)
  }

  public var presenter: any Presenter { memory }
  /// The presenter as what it is.
  public var memoryPresenter: MemoryPresenter { memory }
  /// The newest frame that was shown; nil before the first. Overwritten from the frame after the next one on.
  public var shownBitmap: Bitmap? { memory.shownBitmap }

  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    memory.add(to: loop, mode: mode)
  }

  public func invalidate() {
    observers.removeAll()
    memory.invalidate()
    ticker.invalidate()
  }
}
