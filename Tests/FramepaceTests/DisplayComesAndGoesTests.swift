import Framepace
import FramepaceTesting
import XCTest

@testable import Presentation

/// A display whose screen goes and comes back: layers stay, what is seen afterwards is all of them, at the size that there is.
@preconcurrency @MainActor final class DisplayComesAndGoesTests: XCTestCase {
  func testWhatChangedMeanwhileIsSeenAfterwardsAtTheNewSize() throws {
    let stage = try Self.makeStage()
    var ticks = 0
    stage.engine.output.observe { if case .tick = $0 { ticks += 1 } }.keep()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count, 1)
    let before = ticks
    stage.turn { stage.display.unplug() }
    stage.turn { Transaction.withoutActions { stage.root.backgroundColor = .black } }
    stage.run(for: .seconds(5))
    XCTAssertEqual(stage.frames.count, 1, "a frame was seen without a screen")
    XCTAssertLessThanOrEqual(ticks, before + 3, "a still scene ticks without a screen")

    stage.turn { stage.display.plug(width: 24, height: 40) }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count, 2)
    XCTAssertEqual(stage.frames.last?.paintedPixels, 24 * 40)
    XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 24, height: 40))
    XCTAssertEqual(stage.display.memory?.shownBitmap?.row(39).load(fromByteOffset: 4 * 23, as: UInt32.self), 0xFF00_0000)

    // Another screen of the same size is painted whole too.
    stage.turn { stage.display.plug(width: 24, height: 40) }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.last?.paintedPixels, 24 * 40)
    XCTAssertEqual(stage.frames.count, 3)
    stage.engine.invalidate()
  }

  /// An animation that ends while there is no screen ends in time, tells so, and then nothing ticks.
  func testAnAnimationEndsInTimeWithoutAScreen() throws {
    let stage = try Self.makeStage()
    var (ticks, ended) = (0, nil as MonotonicTime?)
    stage.engine.output.observe { if case .tick = $0 { ticks += 1 } }.keep()
    stage.run(for: .milliseconds(100))
    stage.turn {
      Transaction.setCompletion { ended = stage.clock.now }
      stage.root.add(BasicAnimation(.opacity, from: 1, to: 0, duration: .seconds(1)))
    }
    let start = stage.clock.now
    stage.run(for: .milliseconds(200))
    let before = stage.frames.count
    XCTAssertGreaterThan(before, 5)
    stage.turn { stage.display.unplug() }
    stage.run(for: .seconds(2))
    XCTAssertEqual(stage.frames.count, before)
    let end = try XCTUnwrap(ended, "the animation did not end")
    XCTAssertEqual((end - start).milliseconds, 1000, accuracy: 40)
    let ticksBefore = ticks
    stage.run(for: .seconds(5))
    XCTAssertEqual(ticks, ticksBefore, "a scene at rest ticks")
    stage.engine.invalidate()
  }

  /// A frame whose flip was pending is never reported, and its interval does not keep the next one back.
  func testAFrameThatWasOnItsWayIsForgotten() throws {
    let stage = try Self.makeStage()
    var lost: [FrameRecord] = []
    stage.engine.output.observe { if case .lost(let frame) = $0 { lost.append(frame) } }.keep()
    stage.turn {}
    XCTAssertEqual(stage.frames.count, 0, "the first frame is still on its way")
    stage.turn { stage.display.unplug() }
    stage.run(for: .milliseconds(500))
    // The frame before the loss, and the one that was wanted without a screen.
    XCTAssertEqual(lost.map(\.paintedPixels), [16 * 16, 0])
    stage.turn { stage.display.plug(width: 16, height: 16) }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count, 1)
    XCTAssertEqual(lost.count, 2)
    stage.engine.invalidate()
  }

  private static func makeStage() throws -> ManualStage<GuestDisplay> {
    let stage = try ManualStage { try GuestDisplay(clock: $0) }
    stage.root.backgroundColor = .white
    return stage
  }
}

extension ManualStage {
  /// Displays come and go in a turn.
  fileprivate func turn(_ body: @escaping @MainActor () -> Void) {
    loop.perform(onMain: body)
    run(for: .milliseconds(1))
  }
}
