import Framepace
import FramepaceTesting
import Presentation
import Raster
import RenderTree
import XCTest

/// The processor time of drawing over frames.
@preconcurrency @MainActor final class OverlayTimeTests: XCTestCase {
  /// Takes 3 ms of the thread's time for each frame.
  private final class SlowPainter: FramePainter {
    private let clock: ManualClock

    init(clock: ManualClock) { self.clock = clock }

    func canvas(for buffer: PresentationBuffer) -> Bitmap? { nil }

    func draw(over frame: InspectedFrame) -> DamageRegion {
      clock.advance(by: .milliseconds(3))
      return frame.made.written
    }
  }

  /// A painter has the processor, but not for the frame that it draws over.
  func testDrawingOverFramesIsNoProcessorTimeOfTheirs() throws {
    for isPainted in [false, true] {
      let stage = try ManualStage(width: 64, height: 64, rate: .hertz60)
      stage.engine.measuresThreads = true
      if isPainted { stage.engine.output.inspector = .painter(SlowPainter(clock: stage.clock)) }
      stage.engine.makeDisplayLink { [clock = stage.clock, root = stage.root] link in
        clock.advance(by: .milliseconds(2))
        clock.advance(by: .milliseconds(1), thread: .blocked)
        Transaction.withoutActions { root.backgroundColor = link.frameNumber % 2 == 0 ? .white : .black }
      }
      stage.run(for: .seconds(1))
      let frames = stage.frames.dropFirst(5)
      XCTAssertGreaterThan(frames.count, 40)
      for frame in frames {
        XCTAssertEqual(frame.processorTime, .milliseconds(2), "\(frame)")
        XCTAssertEqual(frame.blockedTime, .milliseconds(1), "\(frame)")
        XCTAssertEqual(frame.submitted - frame.delivered, .milliseconds(isPainted ? 6 : 3), "\(frame)")
      }
      stage.engine.invalidate()
    }
  }
}
