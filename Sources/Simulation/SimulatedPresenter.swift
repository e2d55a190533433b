import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops

/// Shows frames at the vblanks of a simulated display, without a screen.
///
/// As on a screen the flip's event comes with the vblank's or before a later one's, and has the vblank's stamp.
@MainActor
final class SimulatedPresenter: Presenter {
  let width: Int
  let height: Int
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  var shownBitmap: Bitmap? { flip.shown.map { bitmaps[$0] } }

  private let vblanks: SimulatedVBlankSource
  private let ticker: DisplayTicker
  private let takeOverTime: Nanoseconds
  private let clock: SystemClock
  private let bitmaps: [Bitmap]
  private var flip: FlipState
  private(set) lazy var alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.flipped() })
  /// The vblank at which the pending frame is seen.
  private var vblank: UInt64?

  init(
    width: Int, height: Int, vblanks: SimulatedVBlankSource, ticker: DisplayTicker, takeOverTime: Nanoseconds,
    buffering: Buffering, clock: SystemClock
  ) throws(BitmapError) {
    self.width = width
    self.height = height
    self.vblanks = vblanks
    self.ticker = ticker
    self.takeOverTime = takeOverTime
    self.clock = clock
    flip = FlipState(count: buffering.count)
    bitmaps = try (0..<buffering.count).map { _ throws(BitmapError) in try Bitmap(width: width, height: height) }
    vblanks.onEvent = { [weak self] number in
      while let self, let vblank, vblank < number { flipped() }
    }
  }

  func acquireBuffer() -> PresentationBuffer? { flip.free.map { PresentationBuffer(target: bitmaps[$0], index: $0) } }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion, target: MonotonicTime?) {
    if flip.submit(buffer.index) { begin() }
  }

  func invalidate() {
    alarm.invalidate()
    vblanks.onEvent = nil
    vblank = nil
    flip.cancel()
    onEvent = nil
  }

  private func begin() {
    let next = vblanks.grid.vblank(after: clock.now + takeOverTime)
    vblank = next
    alarm.fireTime = vblanks.grid.delivery(ofVBlank: next)
  }

  private func flipped() {
    guard let vblank else { return }
    self.vblank = nil
    alarm.fireTime = nil
    guard flip.complete() else { return }
    let stamp = vblanks.grid.timestamp(ofVBlank: vblank) + ticker.stampOffset
    // The display gets the frame that waited now, as a kernel does, which takes one flip at a time.
    if flip.pending != nil { begin() }
    onEvent?(.presented(PresentationFeedback(timestamp: stamp, sequence: vblank)))
  }
}
