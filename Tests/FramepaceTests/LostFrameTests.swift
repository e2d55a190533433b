import Framepace
import FramepaceTesting
import XCTest

/// Frames that the display refuses or loses: nothing stale is handed over, and nothing is missing afterwards.
@preconcurrency @MainActor final class LostFrameTests: XCTestCase {
  func testARefusedFrameIsPaintedAgainAtTheNextTick() throws {
    let stage = try ManualStage()
    stage.display.refusals = 1
    stage.root.backgroundColor = .white
    var errors = 0
    stage.engine.output.observe { if case .refused = $0 { errors += 1 } }.keep()
    stage.run(for: .milliseconds(200))
    XCTAssertEqual(errors, 1)
    XCTAssertEqual(stage.frames.map(\.paintedPixels), [16 * 16])
    XCTAssertEqual(stage.display.shown.map(\.pixel), [0xFFFF_FFFF])
    stage.engine.invalidate()
  }

  /// A slower output holds quick frames back. What is held when the buffers are lost is not handed over.
  func testWhatIsHeldBackGoesWithItsBuffers() throws {
    for isRefused in [false, true] {
      let stage = try ManualStage()
      stage.addUnevenWork()
      @MainActor func heldBack(in duration: Nanoseconds) -> Int {
        let before = stage.frames.count
        stage.run(for: duration)
        return stage.frames.dropFirst(before).count { $0.heldBack > .zero }
      }
      XCTAssertGreaterThan(heldBack(in: .seconds(5)), 20)
      XCTAssertEqual(stage.engine.output.automaticInterval?.intervals, 2)

      // At all times of an interval.
      let loss = FrameLoop.Timer(
        fireTime: stage.clock.now, interval: .milliseconds(101),
        .onMain { _ in
          stage.display.loseBuffers(isRefused ? .refused(SystemError(call: "a test", errno: 22)) : .reset)
        })
      stage.loop.add(loss, to: .common)
      stage.run(for: .seconds(10))
      loss.invalidate()
      XCTAssertEqual(stage.display.staleFrames, 0)
      XCTAssertGreaterThan(stage.display.lostBuffers, 10, "no buffer was lost before it was handed over")
      XCTAssertGreaterThan(heldBack(in: .seconds(2)), 20, "it goes on")
      stage.engine.invalidate()
    }
  }
}
