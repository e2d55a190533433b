import Framepace
import Input
import Interaction
import LinuxSystem
import Simulation
import TestLength
import WaylandTesting
import XCTest

@testable import Wayland

/// Pens on tablets, and gestures on touchpads.
@preconcurrency @MainActor final class TabletTests: XCTestCase {
  private func run(
    _ globals: CompositorGlobals = .all, _ body: (SeatStage, CompositorTablet, CompositorWindow) throws -> Void
  ) throws {
    let stage = try SeatStage(globals: globals)
    try body(stage, stage.window.compositor.tablet, XCTUnwrap(stage.window.window))
    stage.end()
  }

  func testAPenIsToldFrameByFrame() throws {
    try run { stage, tablet, window in
      tablet.bring(.pen, over: window, x: 50, y: 25)
      XCTAssertEqual(stage.taken(), ["pen pen near 0.25 0.25 pressure 0.0 tilt 0.0 0.0"])
      tablet.change(isDown: true, x: 100, y: 50, pressure: 0.6, tilt: (x: 10, y: -20))
      tablet.change(pressure: 1)
      tablet.change(button: (code: 331, isDown: true))
      tablet.change(isDown: false, pressure: 0, button: (code: 331, isDown: false))
      tablet.takeAway()
      XCTAssertEqual(
        stage.taken(),
        [
          "pen pen down 0.5 0.5 pressure 0.6 tilt 10.0 -20.0",
          "pen pen down 0.5 0.5 pressure 1.0 tilt 10.0 -20.0",
          "button BTN_STYLUS down", "pen pen near 0.5 0.5 pressure 0.0 tilt 10.0 -20.0", "button BTN_STYLUS up",
          "pen pen away 0.5 0.5 pressure 0.0 tilt 10.0 -20.0",
        ])
    }
  }

  func testToolsAreToldApart() throws {
    try run { stage, tablet, window in
      for tool in CompositorTablet.Tool.allCases {
        tablet.bring(tool, over: window, x: 0, y: 0, tells: false)
        let name = tool == .finger ? "pen" : "\(tool)"
        XCTAssertEqual(stage.taken().last, "pen \(name) near 0.0 0.0", "\(tool)")
      }
      XCTAssertEqual(stage.input.devices.filter { $0.abilities == .pen }.count, 1)
      XCTAssertEqual(stage.input.devices.last?.outputName, stage.window.display.inputName)
    }
  }

  /// Layers hear of it as of a pen without a desktop.
  func testLayersGetItsTouches() throws {
    try run { stage, tablet, window in
      final class Paper: Responder {
        var log: [String] = []
        override func touchBegan(_ touch: Touch) { log.append("began \(touch.location)") }
        override func touchMoved(_ touch: Touch) { log.append("moved \(touch.pressure ?? -1)") }
        override func touchEnded(_ touch: Touch) { log.append("ended") }
        override func touchCancelled(_ touch: Touch) { log.append("cancelled") }
      }
      let paper = Paper()
      stage.window.engine.inputRouter.lastResponder = paper
      tablet.bring(.pen, over: window, x: 50, y: 25)
      tablet.change(isDown: true)
      stage.wait()
      tablet.change(x: 60, y: 25, pressure: 1)
      stage.wait()
      tablet.change(isDown: false)
      stage.wait()
      XCTAssertEqual(paper.log, ["began \(Point(50, 25))", "moved 1.0", "ended"])
      tablet.change(isDown: true)
      stage.wait()
      stage.window.compositor.disconnectAll()
      stage.wait()
      XCTAssertEqual(paper.log.count, 5)
      XCTAssertTrue(["ended", "cancelled"].contains(paper.log.last))
    }
  }

  func testItHasACursorAndPressesTheFrame() throws {
    try run(CompositorGlobals.all.without("zxdg_decoration_manager_v1")) { stage, tablet, window in
      stage.input.cursor = .text
      tablet.bring(.pen, over: window, x: 50, y: 25)
      stage.wait()
      XCTAssertEqual(tablet.cursor, 9)
      stage.input.cursor = .hidden
      stage.wait()
      XCTAssertNil(tablet.cursor)
      _ = stage.taken()
      tablet.bring(.pen, over: window, x: 100, y: -10)
      tablet.change(isDown: true)
      tablet.change(isDown: false)
      stage.wait()
      XCTAssertEqual(tablet.cursor, 1)
      XCTAssertEqual(window.wishes, [.move])
      let width = Double(try XCTUnwrap(window.contentSize?.width))
      tablet.bring(.pen, over: window, x: width - 10, y: -10)
      tablet.change(isDown: true)
      tablet.change(isDown: false)
      stage.wait()
      XCTAssertEqual(stage.window.events.last, "close")
      XCTAssertEqual(stage.taken().filter { !$0.contains("away") }, [])
    }
  }

  func testGesturesOfTouchpadsAreTold() throws {
    try run { stage, _, window in
      stage.seat.movePointer(window, x: 100, y: 50)
      XCTAssertEqual(stage.taken(), ["position 0.5 0.5"])
      XCTAssertEqual(stage.input.devices.last?.abilities, [.pointer, .gestures])
      stage.seat.beginGesture(.swipe, fingers: 3)
      stage.seat.changeGesture(.swipe, x: 4, y: -2.5)
      stage.seat.endGesture(.swipe)
      stage.seat.beginGesture(.pinch, fingers: 2)
      stage.seat.changeGesture(.pinch, x: 1, y: 0, scale: 1.5, rotation: 30)
      stage.seat.endGesture(.pinch, isCancelled: true)
      stage.seat.beginGesture(.hold, fingers: 4)
      stage.seat.endGesture(.hold)
      XCTAssertEqual(
        stage.gestures(),
        [
          .began(.swipe, fingers: 3), .changed(translation: Point(4, -2.5), scale: 1, rotation: 0), .ended,
          .began(.pinch, fingers: 2), .changed(translation: Point(1, 0), scale: 1.5, rotation: 30), .cancelled,
          .began(.hold, fingers: 4), .ended,
        ])
    }
    // Those of sway have no hold.
    try run(.sway) { stage, _, window in
      stage.seat.movePointer(window, x: 100, y: 50)
      stage.seat.beginGesture(.hold, fingers: 4)
      stage.seat.beginGesture(.swipe, fingers: 3)
      stage.seat.endGesture(.swipe)
      XCTAssertEqual(stage.gestures(), [.began(.swipe, fingers: 3), .ended])
    }
  }

  /// Pens and gestures come, go and change in any order, while windows and desktops end: each pen that is down is lifted, each gesture ends.
  func testRandomScripts() throws {
    for seed in some(40, of: 0..<10_000) {
      try play(UInt64(seed))
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }

  private func play(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try SeatStage(
      globals: [.all, .sway, .all.without("wp_cursor_shape_manager_v1")].randomElement(using: &random) ?? .all)
    let paper = Balance()
    stage.window.engine.inputRouter.lastResponder = paper
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      let tablet = stage.window.compositor.tablet
      let (x, y) = (Double.random(in: -20...220, using: &random), Double.random(in: -20...120, using: &random))
      let gesture = CompositorSeat.Gesture.allCases.randomElement(using: &random) ?? .swipe
      switch Int.random(in: 0..<10, using: &random) {
      case 0, 1:
        if let window = stage.window.window {
          tablet.bring(CompositorTablet.Tool.allCases.randomElement(using: &random) ?? .pen, over: window, x: x, y: y)
        }
      case 2, 3: tablet.change(isDown: random.chance(0.5), x: x, y: y, pressure: random.chance(0.5) ? 0.3 : nil)
      case 4: tablet.takeAway()
      case 5: stage.seat.movePointer(random.chance(0.8) ? stage.window.window : nil, x: x, y: y)
      case 6: stage.seat.beginGesture(gesture, fingers: 3)
      case 7: stage.seat.changeGesture(gesture, x: x, y: y, scale: 2)
      case 8: stage.seat.endGesture(gesture, isCancelled: random.chance(0.5))
      default:
        if random.chance(0.3) {
          stage.window.compositor.disconnectAll()
          stage.wait()
          try stage.window.restart()
          stage.input.reconnect(to: stage.window.display.connection)
          stage.wait(100)
        } else if random.chance(0.5) {
          stage.seat.devices = random.chance(0.5) ? [.keyboard] : .all
        }
      }
      stage.wait(Int64.random(in: 0...20, using: &random))
    }
    stage.window.compositor.tablet.takeAway()
    stage.seat.devices = []
    stage.wait(50)
    XCTAssertEqual(paper.down, 0, "seed \(seed)")
    XCTAssertFalse(paper.isInGesture, "seed \(seed)")
    stage.end()
  }

  private final class Balance: Responder {
    var down = 0
    var isInGesture = false
    override func touchBegan(_ touch: Touch) { down += 1 }
    override func touchMoved(_ touch: Touch) {}
    override func touchEnded(_ touch: Touch) { down -= 1 }
    override func touchCancelled(_ touch: Touch) { down -= 1 }
    override func touchpadGesture(_ gesture: InputEvent.TouchpadGesture, at point: Point, time: MonotonicTime) {
      isInGesture = gesture != .ended && gesture != .cancelled
    }
  }
}

extension SeatStage {
  /// The gestures since the last call.
  fileprivate func gestures() -> [InputEvent.TouchpadGesture] {
    wait()
    defer { _ = taken() }
    return events.compactMap { if case .gesture(let gesture) = $0.action { gesture } else { nil } }
  }
}
