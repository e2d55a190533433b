import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops

/// Shows frames at the vblanks of a simulated display, to nobody.
///
/// As on a screen the flip's event comes with the vblank's, and has its stamp.
@MainActor
final class SimulatedPresenter: Presenter {
  let width: Int
  let height: Int
  var onEvent: (@MainActor (PresenterEvent) -> Void)?

  private let vblanks: SimulatedVBlankSource
  private let ticker: DisplayTicker
  private let takeOverTime: Nanoseconds
  private let clock: SystemClock
  private let buffers: [PresentationBuffer]
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
    var buffers: [PresentationBuffer] = []
    for index in 0..<flip.count {
      buffers.append(PresentationBuffer(bitmap: try Bitmap(width: width, height: height), index: index))
    }
    self.buffers = buffers
  }

  func acquireBuffer() -> PresentationBuffer? { flip.free.map { buffers[$0] } }

  func present(_ buffer: PresentationBuffer, damage: DamageRegion) {
    if flip.submit(buffer.index) { begin(at: clock.now + takeOverTime) }
  }

  func invalidate() {
    alarm.invalidate()
    vblank = nil
    flip.cancel()
    onEvent = nil
  }

  private func begin(at time: MonotonicTime) {
    let next = vblanks.grid.vblank(after: time)
    vblank = next
    alarm.fireTime = vblanks.grid.delivery(ofVBlank: next)
  }

  private func flipped() {
    guard let vblank, flip.complete() else { return }
    self.vblank = nil
    let stamp = vblanks.grid.timestamp(ofVBlank: vblank) + ticker.stampOffset
    // A frame that waited was handed over long ago: it takes the vblank that follows.
    if flip.pending != nil { begin(at: vblanks.grid.time(ofVBlank: vblank)) }
    onEvent?(.presented(PresentationFeedback(timestamp: stamp, sequence: vblank)))
  }
}
