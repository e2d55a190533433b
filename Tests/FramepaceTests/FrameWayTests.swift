import Framepace
import FramepaceTesting
import XCTest

/// The way of a frame, on manual time: what happens in which turn, and how often.
///
/// XCTest: these run on the process's main thread.
final class FrameWayTests: XCTestCase {
  func testTwoMarksInOneTurnGiveOneLayoutOneDrawAndOneFrame() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let layer = ProbeLayer(frame: Rect(x: 10, y: 10, width: 20, height: 20))
      stage.root.addSublayer(layer)
      let before = stage.settle(layer)

      let timer = stage.at(.milliseconds(5)) {
        layer.setNeedsLayout()
        layer.setNeedsDisplay()
        layer.setNeedsLayout()
        layer.setNeedsDisplay()
      }
      stage.run(for: .milliseconds(100))

      XCTAssertFalse(timer.isValid)
      XCTAssertEqual(layer.layouts, 1)
      XCTAssertEqual(layer.draws, 1)
      XCTAssertEqual(stage.frames.count - before, 1)
    }
  }

  func testAMarkFromATimerIsCommittedInItsTurnAndPresentedOnceAVBlank() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let layer = ProbeLayer(frame: Rect(x: 10, y: 10, width: 20, height: 20))
      stage.root.addSublayer(layer)
      let before = stage.settle(layer)

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
  }

  func testALateCallbackGivesMissedFramesAndNoDoubledTick() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let layer = stage.addSquare(side: 10)
      var ticks: [DisplayLink.Tick] = []
      stage.engine.makeDisplayLink { link in
        guard let tick = link.tick else { return }
        ticks.append(tick)
        Transaction.withoutActions { layer.position.x += 1 }
        // The fifth callback takes two and a half intervals.
        if ticks.count == 5 { stage.clock.advance(by: .microseconds(41_667)) }
      }
      stage.run(for: .milliseconds(500))

      let missed = ticks.reduce(0) { $0 + $1.missed }
      XCTAssertEqual(missed, 2)
      for (earlier, later) in zip(ticks, ticks.dropFirst()) {
        XCTAssertGreaterThanOrEqual((later.timestamp - earlier.timestamp).count, 16_666_666)
        XCTAssertEqual(later.frameNumber, earlier.frameNumber + 1 + later.missed)
      }
      XCTAssertEqual(ticks.count + Int(missed), 30)
    }
  }

  func testAsynchronousContentsAppearInTheTurnInWhichTheyArrive() throws {
    try onMain {
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
  }

  func testNothingToDoMeansNoWakeUp() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      stage.root.backgroundColor = .white
      stage.run(for: .milliseconds(100))
      let frames = stage.frames.count
      var turns = 0
      let observer = FrameLoop.Observer(.afterWaiting, .onMain { _, _ in turns += 1 })
      stage.loop.add(observer, to: .common)
      stage.run(for: .seconds(10))
      XCTAssertEqual(frames, 1)
      XCTAssertEqual(stage.frames.count, 1)
      XCTAssertLessThanOrEqual(turns, 1, "only the end of the ten seconds itself may wake the loop")
    }
  }

  func testTheFirstFrameIsInTimeWheneverItIsShown() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      stage.root.backgroundColor = .white
      // Off the display's grid: what the engine takes for the next vblank is none.
      stage.clock.advance(by: .milliseconds(9))
      stage.run(for: .milliseconds(100))
      let frame = try XCTUnwrap(stage.frames.first)
      XCTAssertEqual(frame.target, frame.presented)
      XCTAssertEqual((frame.presented - MonotonicTime(nanoseconds: 1_000_000_000_000)).count, 16_666_667)
    }
  }

  func testAnAnimationRendersOnceAVBlankAndThenStops() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      let layer = stage.addSquare(side: 10)
      stage.run(for: .milliseconds(100))
      let before = stage.frames.count
      // The implicit animation lasts a quarter of a second: 15 intervals.
      let timer = stage.at(.milliseconds(1), withActions: true) { layer.position.x += 40 }
      stage.run(for: .seconds(2))
      XCTAssertFalse(timer.isValid)
      let frames = stage.frames.dropFirst(before)
      XCTAssertGreaterThanOrEqual(frames.count, 14)
      XCTAssertLessThanOrEqual(frames.count, 17)
      XCTAssertFalse(stage.engine.context.isAnimating)
    }
  }

  func testFramesOutOfIdleAreShownAtTheNextVBlank() throws {
    try onMain {
      let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
      stage.run(for: .milliseconds(100))
      let before = stage.frames.count
      // 3 ms after the vblank at 166.667 ms.
      let timer = stage.at(.microseconds(69_667)) { stage.root.backgroundColor = .white }
      stage.run(for: .seconds(1))
      _ = timer
      let frame = try XCTUnwrap(stage.frames.dropFirst(before).first)
      XCTAssertEqual((frame.presented - frame.target).count, 0, accuracy: 2)
      XCTAssertLessThan((frame.presented - frame.submitted).count, 16_666_667)
    }
  }

  /// Wherever the first turn falls between two vblanks: the first frame, made before there was a tick, has an interval of its
  /// own, and the first tick has its frame.
  func testNoIntervalIsLostOrDoubledAtTheStart() throws {
    try onMain {
      for offset in stride(from: 0, to: 16_666_667 as Int64, by: 521_739) {
        let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
        let layer = stage.addSquare(side: 8)
        // The display's grid begins with the stage.
        stage.clock.advance(by: Nanoseconds(offset))
        stage.engine.makeDisplayLink { _ in Transaction.withoutActions { layer.position.x += 1 } }
        stage.run(for: .milliseconds(200))
        XCTAssertEqual(stage.frames.map(\.frameNumber), Array(0..<UInt64(stage.frames.count)), "offset \(offset) ns")
        XCTAssertGreaterThanOrEqual(stage.frames.count, 11, "offset \(offset) ns")
        for (earlier, later) in zip(stage.frames, stage.frames.dropFirst()) {
          XCTAssertEqual((later.presented - earlier.presented).count, 16_666_667, accuracy: 1, "offset \(offset) ns")
        }
      }
    }
  }
}

extension ManualStage {
  /// Lets the first frames pass; what the probes count and what comes after `result` frames is of the test alone.
  fileprivate func settle(_ probe: ProbeLayer) -> Int {
    run(for: .milliseconds(50))
    (probe.layouts, probe.draws) = (0, 0)
    return frames.count
  }

  /// Calls `body` once, `delay` from now.
  fileprivate func at(
    _ delay: Nanoseconds, withActions: Bool = false, _ body: @escaping @MainActor () -> Void
  ) -> FrameLoop.Timer {
    let timer = FrameLoop.Timer(
      fireTime: clock.now + delay,
      .onMain { _ in withActions ? body() : Transaction.withoutActions(body) })
    loop.add(timer, to: .common)
    return timer
  }
}

/// Counts what the engine does with it.
private final class ProbeLayer: Layer {
  var layouts = 0
  var draws = 0

  override func layoutSublayers() { layouts += 1 }

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
