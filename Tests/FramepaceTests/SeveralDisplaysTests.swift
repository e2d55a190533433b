import Framepace
import FramepaceTesting
import RenderTree
import XCTest

/// Several displays on one engine: each goes its own way, whatever becomes of the others.
@preconcurrency @MainActor final class SeveralDisplaysTests: XCTestCase {
  /// The times of frames of two displays are in no figure of a third, whose frames are made in the same turns.
  func testNoFrameCountsWhatThoseOfOtherDisplaysTake() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let roots = [Layer(), Layer()]
    let others = try roots.map { root in
      stage.engine.addOutput(display: try stage.makeDisplay(width: 64, height: 48, hertz: 60), root: root)
    }
    stage.engine.measuresThreads = true
    var frames: [FrameRecord] = []
    for output in [stage.engine.output] + others {
      output.observe { event in
        guard case .committed(let frame) = event else { return }
        frames.append(frame)
        stage.clock.advance(by: .milliseconds(2))
      }.keep()
    }
    for layer in [stage.root] + roots {
      layer.backgroundColor = .white
      layer.add(BasicAnimation(.opacity, from: 0.5, to: 1, duration: .seconds(1)))
    }
    stage.run(for: .milliseconds(500))
    XCTAssertGreaterThan(frames.count, 60)
    XCTAssertEqual(frames.filter { $0.processorTime != .zero }.map(\.processorTime), [])
  }

  /// Two scenes on two displays of 60 and 50 Hz: each shows its own layers, laid out for its own size, at its own rate.
  func testTwoScenes() throws {
    let stage = try ManualStage(width: 64, height: 48, rate: .hertz60)
    let other = try stage.makeDisplay(width: 80, height: 60, hertz: 50)
    let corner = { (display: VirtualDisplay) in try XCTUnwrap(display.shownBitmap).row(0).load(as: UInt32.self) }
    let root = Layer()
    let output = stage.engine.addOutput(display: other, root: root, scale: 2)
    XCTAssertEqual(root.bounds, Rect(x: 0, y: 0, width: 40, height: 30))
    XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 64, height: 48))
    var frames: [FrameRecord] = []
    output.observe { if case .presented(let frame) = $0 { frames.append(frame) } }.keep()
    for (layer, color) in [(stage.root, Color.white), (root, .black)] {
      layer.backgroundColor = color
      layer.add(BasicAnimation(.opacity, from: 0.5, to: 1, duration: .seconds(2)))
    }
    stage.run(for: .seconds(3))
    XCTAssertEqual(stage.frames.count, 120, accuracy: 3)
    XCTAssertEqual(frames.count, 100, accuracy: 3)
    XCTAssertEqual(try corner(stage.display), 0xFFFF_FFFF)
    XCTAssertEqual(try corner(other), 0xFF00_0000)

    // A change of one is no frame of the other.
    let shown = stage.frames.count
    Transaction.withoutActions { root.backgroundColor = .white }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.frames.count, shown)
    XCTAssertEqual(try corner(other), 0xFFFF_FFFF)

    // The layers of an output that is gone are free for another engine.
    stage.engine.remove(output)
    XCTAssertEqual(stage.engine.outputs.count, 1)
    let next = try stage.makeDisplay(width: 32, height: 32, hertz: 50)
    let engine = Engine(display: next, root: root, loop: stage.loop)
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(next.shownFrames, 1)
    engine.invalidate()
    stage.engine.invalidate()
  }

  /// A display that takes a frame and never says that it was seen: the other one does not miss any.
  func testOneThatIsStuckDoesNotDelayTheOther() throws {
    for firstIsStuck in [true, false] {
      let clock = ManualClock()
      let loop = FrameLoop(clock: .manual(clock))
      let stuck = try FaultyDisplay(clock: clock)
      stuck.isStuck = true
      let rate = try XCTUnwrap(RefreshRate(hertz: 50))
      let good = try VirtualDisplay(
        width: 20, height: 20, refreshRate: rate, reason: "a test", clock: .manual(clock))
      let root = Layer()
      let displays: [any Display] = firstIsStuck ? [stuck, good] : [good, stuck]
      let engine = Engine(display: displays[0], root: root, loop: loop)
      engine.mirror(on: displays[1])
      var frames: [FrameRecord] = []
      engine.outputs[firstIsStuck ? 1 : 0].observe { if case .presented(let frame) = $0 { frames.append(frame) } }.keep()
      var hasEnded = false
      Transaction.setCompletion { hasEnded = true }
      root.backgroundColor = .white
      root.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
      loop.run(mode: .default, until: clock.now + .seconds(2))
      XCTAssertEqual(stuck.pending.count, 1)
      XCTAssertEqual(frames.count, 50, accuracy: 2, "the first is stuck: \(firstIsStuck)")
      for frame in frames { XCTAssertEqual(frame.lateness, .zero) }
      XCTAssertTrue(hasEnded)
      engine.invalidate()
    }
  }

  /// The output for which the scene is laid out goes, and the mirror goes on; then it goes too, and the animation does not keep
  /// a loop awake on which nobody shows it.
  func testOutputsGoForGood() throws {
    let stage = try ManualStage(width: 20, height: 10, rate: .hertz60)
    let engine = stage.engine
    let mirror = engine.mirror(on: try stage.makeDisplay(width: 40, height: 40, hertz: 50))
    let child = stage.addSquare(side: 2)
    child.add(BasicAnimation(.rotation, from: 0, to: 6, duration: .seconds(1), repeatCount: .infinity))
    stage.run(for: .seconds(1))
    var (frames, turns) = (0, 0)
    mirror.observe { if case .presented = $0 { frames += 1 } }.keep()
    engine.remove(engine.output)
    stage.run(for: .seconds(1))
    XCTAssertEqual(frames, 50, accuracy: 2)
    XCTAssertEqual(engine.outputs.count, 1)
    engine.remove(mirror)
    XCTAssertEqual(engine.outputs.count, 0)
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { _, _ in turns += 1 })
    stage.loop.add(observer, to: .common)
    stage.run(for: .seconds(1))
    XCTAssertLessThanOrEqual(turns, 1)
    engine.invalidate()
  }

  /// Outputs come and go in callbacks of others.
  func testOutputsComeAndGoInCallbacks() throws {
    let stage = try ManualStage(width: 16, height: 16, rate: .hertz60)
    stage.root.backgroundColor = .white
    stage.root.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
    var mirror: Output?
    var frames = 0
    stage.engine.output.observe { [engine = stage.engine] event in
      guard case .tick(let tick) = event else { return }
      if tick.frameNumber == 10, let display = try? stage.makeDisplay(width: 16, height: 16, hertz: 50) {
        mirror = engine.mirror(on: display)
        mirror?.observe { if case .presented = $0 { frames += 1 } }.keep()
      }
    }.keep()
    stage.engine.output.observe { [engine = stage.engine] event in
      guard case .committed(let frame) = event else { return }
      if frame.frameNumber == 30, let mirror { engine.remove(mirror) }
    }.keep()
    stage.run(for: .seconds(2))
    // Twenty intervals of the first display are a third of a second.
    XCTAssertEqual(frames, 16, accuracy: 2)
    XCTAssertEqual(stage.frames.count, 60, accuracy: 2)
    XCTAssertEqual(stage.engine.outputs.count, 1)
    stage.engine.invalidate()
  }
}
