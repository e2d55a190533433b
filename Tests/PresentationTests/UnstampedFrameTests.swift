import Compositing
import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import XCTest

/// A display that tells that it has taken a frame, and never when the frame was seen.
final class UnstampedFrameTests: XCTestCase {
  func testAFrameWithoutAStampIsSeenAtTheNextVBlank() throws {
    try MainActor.assumeIsolated {
      let clock = ManualClock(start: .zero + .seconds(1))
      let loop = FrameLoop(clock: .manual(clock))
      let display = try UnstampedDisplay(clock: loop.clock)
      let content = Output.Content(tree: { _ in TreeSnapshot() }, isAnimating: { true })
      let output = Output(display: display, content: content, renderer: Compositor(), clock: loop.clock)
      var frames: [FrameRecord] = []
      let observation = output.observe { [unowned output] event in
        if case .presented(let frame) = event { frames.append(frame) }
        if case .tick = event { output.setNeedsFullRepaint() }
      }
      display.add(to: loop, mode: .default)
      output.add(to: loop, mode: .default)
      let turnEnd = FrameLoop.Observer(
        .beforeWaiting, .onMain { _, _ in output.renderIfNeeded(turn: FrameRecord.PhaseDurations()) })
      loop.add(turnEnd, to: .default)
      while clock.now < .zero + .milliseconds(1500) { loop.run(mode: .default, until: clock.now + .milliseconds(1)) }
      XCTAssertGreaterThan(frames.count, 25)
      for frame in frames {
        XCTAssertGreaterThan(frame.presented, frame.submitted)
        XCTAssertLessThanOrEqual(frame.presented - frame.submitted, RefreshRate.hertz60.interval)
      }
      for (frame, next) in zip(frames, frames.dropFirst()) { XCTAssertLessThan(frame.presented, next.presented) }
      observation.invalidate()
      turnEnd.invalidate()
      output.invalidate()
      display.invalidate()
    }
  }
}

@MainActor
private final class UnstampedDisplay: Display, Presenter {
  let name = "unstamped"
  let reason = "a test"
  let ticker: DisplayTicker
  let observers = Observers<DisplayEvent>()
  let (width, height) = (4, 4)
  var onEvent: (@MainActor (PresenterEvent) -> Void)?
  private let buffer: PresentationBuffer
  private let clock: SystemClock
  private var loop: FrameLoop?

  init(clock: SystemClock) throws {
    self.clock = clock
    ticker = DisplayTicker(source: FallbackClock(refreshRate: .hertz60, reason: "a test", clock: clock))
    buffer = PresentationBuffer(bitmap: try Bitmap(width: 4, height: 4), index: 0)
  }

  var presenter: any Presenter { self }
  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { self.loop = loop }
  func acquireBuffer() -> PresentationBuffer? { buffer }
  func present(_ buffer: PresentationBuffer, damage: DamageRegion) {
    let event = FrameLoop.Timer(
      fireTime: clock.now + .milliseconds(1), .onMain { [weak self] _ in self?.onEvent?(.presented(nil)) })
    loop?.add(event, to: .default)
  }
  func invalidate() { ticker.invalidate() }
}
