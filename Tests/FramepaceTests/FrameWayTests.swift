import Framepace
import FramepaceTesting
import XCTest

/// The way of a frame, on manual time: what happens in which turn, and how often.
///
/// XCTest: these run on the process's main thread.
@preconcurrency @MainActor final class FrameWayTests: XCTestCase {
  func testAMarkFromATimerIsCommittedInItsTurnAndPresentedOnceAVBlank() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = ProbeLayer(frame: Rect(x: 10, y: 10, width: 20, height: 20))
    stage.root.addSublayer(layer)
    // Lets the first frames pass.
    stage.run(for: .milliseconds(50))
    layer.draws = 0
    let before = stage.frames.count

    // A timer five times as fast as the display.
    var committedInTurn = 0
    var marks = 0
    let timer = FrameLoop.Timer(
      fireTime: stage.clock.now, interval: .microseconds(3_300),
      .onMain { _ in
        marks += 1
        layer.setNeedsDisplay()
      })
    stage.loop.add(timer, to: .common)
    let look = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.afterCommit,
      .onMain { _, _ in
        if layer.draws == marks { committedInTurn += 1 }
      })
    stage.loop.add(look, to: .common)
    stage.run(for: .seconds(1))
    timer.invalidate()

    XCTAssertEqual(marks, 304)
    XCTAssertEqual(layer.draws, marks)
    XCTAssertGreaterThanOrEqual(committedInTurn, marks)
    let frames = stage.frames.dropFirst(before)
    XCTAssertLessThanOrEqual(frames.count, 60)
    XCTAssertGreaterThanOrEqual(frames.count, 58)
    for (earlier, later) in zip(frames, frames.dropFirst()) {
      XCTAssertGreaterThanOrEqual((later.presented - earlier.presented).count, 16_666_666)
    }
  }

  func testAsynchronousContentsAppearInTheTurnInWhichTheyArrive() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let layer = AsynchronousProbe()
    layer.frame = Rect(x: 8, y: 8, width: 16, height: 16)
    stage.root.addSublayer(layer)
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertNil(layer.contents, "drawn on a worker, not yet published")
    stage.engine.context.waitForDrawings()
    let pixel = { try stage.display.capture().row(12).load(fromByteOffset: 12 * 4, as: UInt32.self) }

    // One turn publishes, commits and renders; the vblank after it shows the frame.
    stage.run(for: .milliseconds(40))
    XCTAssertNotNil(layer.contents)
    XCTAssertEqual(try pixel(), 0xFFFF_0000)

    // The old contents stay until the new ones are there.
    let old = layer.contents?.id
    layer.color = Color(red: 0, green: 1, blue: 0)
    layer.setNeedsDisplay()
    stage.turn()
    XCTAssertEqual(layer.contents?.id, old)
    stage.engine.context.waitForDrawings()
    stage.run(for: .milliseconds(40))
    XCTAssertEqual(try pixel(), 0xFF00_FF00)
  }

  /// Wherever the first turn falls between two vblanks: the first frame, made before there was a tick, is in time and has an
  /// interval of its own, and the first tick has its frame.
  func testNoIntervalIsLostOrDoubledAtTheStart() throws {
    for offset in stride(from: 0, to: 16_666_667 as Int64, by: 521_739) {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let layer = stage.addSquare(side: 8)
      // The display's grid begins with the stage.
      stage.clock.advance(by: Nanoseconds(offset))
      stage.engine.makeDisplayLink { _ in Transaction.withoutActions { layer.position.x += 1 } }
      stage.run(for: .milliseconds(200))
      XCTAssertEqual(stage.frames.map(\.frameNumber), Array(0..<UInt64(stage.frames.count)), "offset \(offset) ns")
      XCTAssertGreaterThanOrEqual(stage.frames.count, 11, "offset \(offset) ns")
      XCTAssertEqual(stage.frames.first?.lateness, .zero, "offset \(offset) ns")
      for (earlier, later) in zip(stage.frames, stage.frames.dropFirst()) {
        XCTAssertEqual((later.presented - earlier.presented).count, 16_666_667, accuracy: 1, "offset \(offset) ns")
      }
    }
  }
}

/// Counts how often it is drawn.
private final class ProbeLayer: Layer {
  var draws = 0

  override func draw(in context: DrawingContext) {
    draws += 1
    context.fill(bounds, color: draws.isMultiple(of: 2) ? .white : .black)
  }
}

/// Drawn on a worker: one colour.
private final class AsynchronousProbe: Layer {
  var color = Color(red: 1, green: 0, blue: 0)

  override func makeDrawing() -> (any Drawing)? {
    Fill(color: color)
  }

  private struct Fill: Drawing {
    var color: Color

    func draw(in context: DrawingContext) {
      context.fill(color: color)
    }
  }
}
