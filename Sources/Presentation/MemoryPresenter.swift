package import FrameTiming
package import LinuxSystem
package import Raster
package import RenderTree

/// Keeps the newest frame in memory, for tests and pictures. Nobody sees it.
///
/// It is as asynchronous as a screen: a frame counts as shown at the first vblank after it was handed over.
@MainActor
package final class MemoryPresenter: Presenter {
  package let width: Int
  package let height: Int
  package var onEvent: (@MainActor (PresenterEvent) -> Void)?
  /// The number of frames that were shown.
  package private(set) var shownFrames: UInt64 = 0

  private let bitmaps: [Bitmap]
  private var flip: FlipState
  private let clock: SystemClock
  /// Says when frames are shown, where it is added to a loop.
  package let wait: VBlankWait

  /// - Parameters:
  ///   - ticker: says when frames are shown.
  ///   - clock: the clock of the loop that the display is added to.
  package init(
    width: Int, height: Int, buffering: Buffering = .double, ticker: DisplayTicker, clock: SystemClock
  ) throws(BitmapError) {
    self.width = width
    self.height = height
    self.clock = clock
    flip = FlipState(count: buffering.count)
    bitmaps = try (0..<buffering.count).map { _ throws(BitmapError) in try Bitmap(width: width, height: height) }
    wait = VBlankWait(ticker: ticker)
    wait.handler = { [weak self] vblank in self?.show(at: vblank) }
  }

  package var shownBitmap: Bitmap? { flip.shown.map { bitmaps[$0] } }

  package func acquireBuffer() -> PresentationBuffer? {
    flip.free.map { PresentationBuffer(target: bitmaps[$0], index: $0) }
  }

  package func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) {
    if flip.submit(buffer.index) { wait.start(after: clock.now) }
  }

  /// Forgets the frames that are pending: they are not shown.
  func cancel() {
    wait.cancel()
    flip.cancel()
  }

  package func invalidate() {
    wait.invalidate()
    flip.cancel()
    onEvent = nil
  }

  private func show(at vblank: VBlank) {
    guard flip.complete() else { return }
    if flip.pending != nil { wait.start(after: vblank.timestamp) }
    shownFrames += 1
    onEvent?(.presented(PresentationFeedback(timestamp: vblank.timestamp, sequence: vblank.sequence)))
  }
}
