public import FrameTiming
public import LinuxSystem
public import Raster
public import RenderTree
public import RunLoops

/// Shows frames to nobody: keeps the newest one in memory, for tests and pictures.
///
/// As asynchronous as a screen: a frame counts as shown at the first vblank after it was handed over, for which the
/// presenter asks its ticker itself.
@MainActor
public final class MemoryPresenter: Presenter {
  public let width: Int
  public let height: Int
  public var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// How many frames were shown.
  public private(set) var shownFrames: UInt64 = 0

  private let buffers: [PresentationBuffer]
  private var flip: FlipState
  private let clock: SystemClock
  private var wait: VBlankWait?

  /// - Parameters:
  ///   - ticker: says when frames are shown.
  ///   - clock: the clock of the loop that the display is added to.
  public init(
    width: Int, height: Int, buffering: Buffering = .double, ticker: DisplayTicker, clock: SystemClock
  ) throws(BitmapError) {
    self.width = width
    self.height = height
    self.clock = clock
    flip = FlipState(count: buffering.count)
    var buffers: [PresentationBuffer] = []
    for index in 0..<flip.count {
      buffers.append(PresentationBuffer(bitmap: try Bitmap(width: width, height: height), index: index))
    }
    self.buffers = buffers
    wait = VBlankWait(ticker: ticker) { [weak self] vblank in self?.show(at: vblank) }
  }

  /// The frame that is shown; nil before the first. Overwritten from the frame after the next one on.
  public var shownBitmap: Bitmap? { flip.shown.map { buffers[$0].bitmap } }

  public func acquireBuffer() -> PresentationBuffer? {
    flip.free.map { buffers[$0] }
  }

  public func present(_ buffer: PresentationBuffer, damage: DamageRegion) {
    if flip.submit(buffer.index) { wait?.start(after: clock.now) }
  }

  /// Lets `loop` serve the presenter in `mode`.
  public func add(to loop: FrameLoop, mode: FrameLoop.Mode) {
    wait?.add(to: loop, mode: mode)
  }

  public func invalidate() {
    wait?.invalidate()
    wait = nil
    flip.cancel()
    onEvent = nil
  }

  private func show(at vblank: VBlank) {
    guard flip.complete() else { return }
    if flip.pending != nil { wait?.start(after: vblank.timestamp) }
    shownFrames += 1
    onEvent?(.presented(PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence)))
  }
}
