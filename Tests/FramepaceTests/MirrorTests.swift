import Framepace
import FramepaceTesting
import XCTest

/// One scene on several displays, of other sizes and rates.
@preconcurrency @MainActor final class MirrorTests: XCTestCase {
  /// An animation that runs for two seconds: each display shows it at its own rate, at its own vblanks, each of them in time.
  func testEachDisplayHasItsOwnRate() throws {
    let stage = try ManualStage(width: 96, height: 64, rate: .hertz60)
    let other = try stage.makeDisplay(width: 96, height: 64, hertz: 50)
    let mirror = stage.engine.mirror(on: other)
    let proof = try FrameProof(mirror, of: stage.engine)
    let layer = stage.addSquare()
    layer.add(BasicAnimation(.position, from: Point(4, 4), to: Point(92, 60), duration: .seconds(2)))
    stage.run(for: .seconds(3))
    XCTAssertNil(proof.difference)
    for (frames, hertz) in [(stage.frames, 60), (proof.frames, 50)] {
      XCTAssertEqual(frames.count, 2 * hertz, accuracy: 3, "\(hertz) Hz")
      for (earlier, later) in zip(frames, frames.dropFirst()) {
        let interval = Double((later.presented - earlier.presented).count)
        XCTAssertEqual(interval, 1e9 / Double(hertz), accuracy: 1, "\(hertz) Hz")
        XCTAssertEqual(Double(later.lateness.count), 0, accuracy: 1, "\(hertz) Hz")
      }
    }
    XCTAssertFalse(stage.engine.context.isAnimating)
    stage.engine.invalidate()
  }

  /// A scene that a link of the first display moves, at 60 Hz, on a mirror of 75 Hz: its changes come at any time between the
  /// mirror's vblanks. What comes too late for the next one waits for the tick, and is in time for that after it.
  func testAMirrorIsNotLateForWhatItCannotReach() throws {
    let stage = try ManualStage(width: 96, height: 64, rate: .hertz60)
    let slow = try FaultyDisplay(width: 96, height: 64, hertz: 75, time: .milliseconds(4), clock: stage.clock)
    let mirror = stage.engine.mirror(on: slow)
    let layer = stage.addSquare()
    stage.engine.makeDisplayLink { link in
      Transaction.withoutActions { layer.position.x = 10 + Double(link.frameNumber % 60) }
    }
    // Until it is known how long frames take.
    stage.run(for: .seconds(1))
    var frames: [FrameRecord] = []
    mirror.observe { if case .presented(let frame) = $0 { frames.append(frame) } }.keep()
    let before = stage.frames.count
    stage.run(for: .seconds(4))
    let late = frames.count { $0.isLate(interval: slow.ticker.refreshRate.interval) }
    XCTAssertEqual(late, 0)
    XCTAssertEqual(stage.frames.count - before, 240, accuracy: 2)
    // Every change but those that meet with the one before it: none is worth waiting for.
    XCTAssertEqual(frames.count, 240, accuracy: 3)
    stage.engine.invalidate()
  }

  /// Two displays and nothing to show: one frame each, and nothing wakes.
  func testAStillSceneWakesNobody() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    stage.root.backgroundColor = .white
    let other = try stage.makeDisplay(width: 80, height: 48, hertz: 50)
    stage.engine.mirror(on: other)
    stage.run(for: .milliseconds(200))
    var turns = 0
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { _, _ in turns += 1 })
    stage.loop.add(observer, to: .common)
    stage.run(for: .seconds(10))
    XCTAssertEqual(stage.frames.count, 1)
    XCTAssertEqual(other.shownFrames, 1)
    XCTAssertLessThanOrEqual(turns, 1, "only the end of the ten seconds itself may wake the loop")
    stage.engine.invalidate()
  }

  /// It does not wait for the next change, also where it comes after the commit of its turn.
  func testAMirrorThatComesWhenItsTurnIsOverHasItsFrame() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    stage.root.backgroundColor = .white
    let other = try stage.makeDisplay(width: 64, height: 48, hertz: 60)
    stage.run(for: .milliseconds(200))
    stage.loop.perform(onMain: { Transaction.setCompletion { stage.engine.mirror(on: other) } })
    stage.loop.wakeUp()
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(other.shownFrames, 1)
    stage.run(for: .seconds(1))
    XCTAssertEqual(other.shownFrames, 1)
    stage.engine.invalidate()
  }

  /// The picture is placed as gravity says, and what it leaves free is black, whatever reaches beyond the root.
  func testGravityPlacesThePicture() throws {
    let stage = try ManualStage(width: 40, height: 20, rate: .hertz60, scale: 2)
    stage.root.backgroundColor = .white
    let beyond = Layer(frame: Rect(x: -50, y: -50, width: 200, height: 200))
    beyond.backgroundColor = .white
    stage.root.addSublayer(beyond)
    let expected: [(ContentsGravity, IntRect)] = [
      (.resizeAspect, IntRect(x: 0, y: 15, width: 60, height: 30)),
      (.resize, IntRect(x: 0, y: 0, width: 60, height: 60)),
      (.resizeAspectFill, IntRect(x: 0, y: 0, width: 60, height: 60)),
      (.center, IntRect(x: 10, y: 20, width: 40, height: 20)),
      (.bottomRight, IntRect(x: 20, y: 40, width: 40, height: 20)),
    ]
    let displays = try expected.map { gravity, _ in
      let display = try stage.makeDisplay(width: 60, height: 60, hertz: 60)
      stage.engine.mirror(on: display, gravity: gravity)
      return display
    }
    stage.run(for: .milliseconds(100))
    for (display, (gravity, rect)) in zip(displays, expected) {
      let image = try display.capture()
      var wrong = 0
      for y in 0..<60 {
        for x in 0..<60 {
          let color: UInt32 = rect.contains(IntRect(x: x, y: y, width: 1, height: 1)) ? 0xFFFF_FFFF : 0xFF00_0000
          if image.row(y).load(fromByteOffset: 4 * x, as: UInt32.self) != color { wrong += 1 }
        }
      }
      XCTAssertEqual(wrong, 0, "\(gravity)")
    }
    stage.engine.invalidate()
  }
}

extension ManualStage {
  /// One more display on the stage's time.
  func makeDisplay(width: Int, height: Int, hertz: Double) throws -> VirtualDisplay {
    let rate = try XCTUnwrap(RefreshRate(hertz: hertz))
    return try VirtualDisplay(
      width: width, height: height, refreshRate: rate, reason: "manual time", clock: .manual(clock))
  }
}
