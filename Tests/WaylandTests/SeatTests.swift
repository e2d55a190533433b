import Framepace
import Geometry
import Input
import Interaction
import LinuxSystem
import WaylandTesting
import XCTest

@testable import Wayland

/// The input of a desktop, as windows hear it.
@preconcurrency @MainActor final class SeatTests: XCTestCase {
  private func run(_ globals: CompositorGlobals = .all, _ body: (SeatStage) throws -> Void) throws {
    let stage = try SeatStage(globals: globals)
    try body(stage)
    stage.end()
  }

  func testThePointerIsAPartOfItsWindow() throws {
    try run { stage in
      let window = try XCTUnwrap(stage.window.window)
      stage.seat.movePointer(window, x: 50, y: 25)
      XCTAssertEqual(stage.taken(), ["position 0.25 0.25"])
      stage.seat.movePointer(window, x: 100, y: 100)
      stage.seat.button(isDown: true)
      stage.seat.button(isDown: false)
      XCTAssertEqual(stage.taken(), ["position 0.5 1.0", "button BTN_LEFT down", "button BTN_LEFT up"])
      XCTAssertEqual(stage.window.engine.inputRouter.visiblePointer, Point(100, 100.0.nextDown))
      stage.seat.movePointer(nil)
      XCTAssertEqual(stage.taken(), ["left"])
      XCTAssertNil(stage.window.engine.inputRouter.visiblePointer)
      // Another size is another place.
      window.configure(width: 400, height: 100)
      stage.wait(50)
      stage.seat.movePointer(window, x: 100, y: 50)
      XCTAssertEqual(stage.taken(), ["position 0.25 0.5"])
    }
  }

  /// It may be there when the window comes, long before anything listens.
  func testThePointerThatLiesOverAWindow() throws {
    let window = try PictureStage(outputs: [CompositorOutput()], globals: .all, policy: CompositorPolicy(), size: (200, 100))
    window.run(for: .milliseconds(50))
    let seat = window.compositor.seat
    seat.movePointer(window.window, x: 50, y: 25)
    window.run(for: .milliseconds(50))
    var events: [String] = []
    let input = WaylandInput(connection: window.display.connection) { event in
      if case .added = event.action { return }
      events.append(event.action.words)
    }
    window.run(for: .milliseconds(5))
    XCTAssertEqual(events, ["position 0.25 0.25"])
    seat.movePointer(window.window, x: 100, y: 50)
    window.run(for: .milliseconds(5))
    XCTAssertEqual(events, ["position 0.25 0.25", "position 0.5 0.5"])
    input.invalidate()
    window.end()
  }

  func testALayoutOfBeforeIsNotCompiledAgain() throws {
    try run { stage in
      let first = try XCTUnwrap(stage.keyboards.last?.0)
      stage.seat.devices = [.pointer]
      stage.wait()
      XCTAssertNil(stage.keyboards.last?.0)
      stage.seat.devices = .all
      stage.wait()
      let second = try XCTUnwrap(stage.keyboards.last?.0)
      XCTAssertTrue(second !== first && second.layout === first.layout)
    }
  }

  func testScrollingIsToldInFrames() throws {
    for (version, half) in [(8, "scroll wheel 0.0 0.5"), (7, "scroll continuous 0.0 5.0")] {
      try run(CompositorGlobals.all.with("wl_seat", version: version)) { stage in
        stage.seat.movePointer(stage.window.window, x: 1, y: 1)
        _ = stage.taken()
        stage.seat.turnWheel(240)
        stage.seat.turnWheel(-120, isHorizontal: true)
        stage.seat.turnWheel(60)
        XCTAssertEqual(stage.taken(), ["scroll wheel 0.0 2.0", "scroll wheel -1.0 0.0", half])
        stage.seat.scroll(x: 3, y: -4)
        stage.seat.scroll(x: nil, y: nil)
        XCTAssertEqual(stage.taken(), ["scroll fingers 3.0 -4.0", "scroll ended"])
      }
    }
  }

  func testKeysHaveTheDesktopsLayoutAndModifiers() throws {
    try run { stage in
      let (keyboard, keyRepeat) = try XCTUnwrap(stage.keyboards.last)
      let router = stage.window.engine.inputRouter
      let typist = Typist()
      (router.keyboard, router.keyRepeat, router.lastResponder) = (keyboard, keyRepeat, typist)
      XCTAssertEqual(keyRepeat?.delay, .milliseconds(600))
      XCTAssertEqual(keyRepeat?.interval, .milliseconds(40))
      XCTAssertNil(stage.input.layoutProblem)
      // Before it has the keyboard, keys are none of the window's.
      stage.seat.key(30, isDown: true)
      stage.seat.focusKeyboard(stage.window.window, keys: [30])
      stage.seat.key(30, isDown: false)
      stage.seat.modifiers.locked = 2
      stage.seat.key(48, isDown: true)
      stage.seat.modifiers.locked = 0
      stage.seat.key(48, isDown: false)
      stage.seat.modifiers.depressed = 1
      stage.seat.key(30, isDown: true)
      stage.seat.modifiers.depressed = 0
      stage.wait(700)
      XCTAssertEqual(typist.taken(), ["down B", "up ", "down A", "repeated A", "repeated A", "repeated A"])
      // Another window takes the keyboard: nobody lifted the key.
      stage.seat.focusKeyboard(nil)
      stage.wait(1000)
      XCTAssertEqual(typist.taken(), ["cancelled "])
      stage.seat.focusKeyboard(stage.window.window)
      stage.seat.key(48, isDown: true)
      stage.wait()
      XCTAssertEqual(typist.taken(), ["down b"])
    }
  }

  private final class Typist: Responder {
    private var log: [String] = []
    override func keyChanged(_ key: KeyEvent) { log.append("\(key.phase) \(key.characters)") }
    func taken() -> [String] {
      defer { log = [] }
      return log
    }
  }

  func testARepeatRateOfZeroIsNone() throws {
    let stage = try SeatStage()
    stage.seat.repeatRate = 0
    stage.seat.devices = [.pointer]
    stage.wait()
    XCTAssertNil(stage.keyboards.last?.0)
    stage.seat.devices = .all
    stage.wait()
    XCTAssertNotNil(stage.keyboards.last?.0)
    XCTAssertNil(stage.keyboards.last?.1)
    stage.end()
  }

  func testADamagedLayoutIsTold() throws {
    let stage = try SeatStage()
    stage.seat.devices = []
    stage.seat.keymap = "xkb_keymap {"
    stage.seat.devices = .all
    stage.wait()
    XCTAssertNotNil(stage.input.layoutProblem)
    XCTAssertNil(stage.keyboards.last?.0)
    stage.end()
  }

  func testFingersHaveSlotsAndAreCancelled() throws {
    try run { stage in
      let window = try XCTUnwrap(stage.window.window)
      stage.seat.touchDown(7, window, x: 20, y: 10)
      stage.seat.touchDown(9, window, x: 40, y: 20)
      stage.seat.touchUp(7)
      stage.seat.touchDown(3, window, x: 100, y: 50)
      stage.seat.touchMoved(9, x: 60, y: 30)
      stage.seat.cancelTouches()
      XCTAssertEqual(
        stage.taken(),
        [
          "touch 0 down 0.1 0.1", "touch 1 down 0.2 0.2", "touch 0 up", "touch 0 down 0.5 0.5", "touch 1 moved 0.3 0.3",
          "touch 1 cancelled", "touch 0 cancelled",
        ])
      stage.seat.touchDown(1, window, x: 0, y: 0)
      stage.wait()
      // Without a touch screen the finger is gone too.
      stage.seat.devices = [.keyboard]
      XCTAssertEqual(stage.taken().last, "removed")
    }
  }

  func testTheCursorIsShownOnArrival() throws {
    try run { stage in
      stage.seat.movePointer(stage.window.window)
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .shape(1))
      stage.input.cursor = .text
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .shape(9))
      stage.input.cursor = .hidden
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .hidden)
      stage.seat.movePointer(nil)
      stage.seat.movePointer(stage.window.window)
      stage.wait()
      XCTAssertEqual(stage.seat.cursor, .hidden)
    }
    // Without shapes, a theme has its picture; libwayland has one of its own.
    try run(CompositorGlobals.all.without("wp_cursor_shape_manager_v1")) { stage in
      for shape in CursorShape.allCases {
        stage.seat.movePointer(nil)
        stage.input.cursor = shape
        stage.seat.movePointer(stage.window.window)
        stage.wait(40)
        switch stage.seat.cursor {
        case .surface: XCTAssertNotEqual(shape, .hidden)
        case .hidden: XCTAssertEqual(shape, .hidden)
        default: XCTFail("\(shape) is \(stage.seat.cursor)")
        }
      }
    }
  }

  func testALostConnectionTakesItsDevicesAndAnotherBringsItsOwn() throws {
    try run { stage in
      stage.seat.movePointer(stage.window.window)
      stage.seat.touchDown(0, try XCTUnwrap(stage.window.window), x: 0, y: 0)
      stage.wait()
      XCTAssertEqual(stage.input.devices.count, 3)
      stage.window.compositor.disconnectAll()
      stage.wait()
      XCTAssertEqual(stage.input.devices, [])
      try stage.window.restart()
      stage.input.reconnect(to: stage.window.display.connection)
      stage.wait(100)
      stage.seat.movePointer(stage.window.window, x: 100, y: 50)
      XCTAssertEqual(stage.taken().last, "position 0.5 0.5")
    }
  }

  func testStampsAreTimesOfTheLoop() {
    var clock = InputStampClock()
    let now = MonotonicTime(nanoseconds: 5_000_000_123_456_789)
    let stamp = UInt32(truncatingIfNeeded: now.nanoseconds / 1_000_000)
    XCTAssertEqual(clock.time(of: stamp, now: now).nanoseconds, 5_000_000_123_000_000)
    XCTAssertEqual(clock.time(of: stamp &- 30, now: now).nanoseconds, 5_000_000_093_000_000)
    // Another base is learned: the event that was read soonest tells the most.
    var random = SplitMix64(seed: 3)
    let base = UInt32.random(in: 0...(.max), using: &random) &+ 5_000_000
    for step in 0..<2000 {
      let event = now + .milliseconds(Int64(step) * 16)
      let delay = step == 20 ? 0 : Int64.random(in: 0...30, using: &random)
      let read = event + .milliseconds(delay)
      let time = clock.time(of: stamp &+ base &+ UInt32(step * 16), now: read)
      XCTAssertLessThanOrEqual(time, read)
      if step > 20 { XCTAssertEqual(time, event, "step \(step)") }
    }
    // Virtual keyboards that come one after the other, and each count from 0.
    for seconds in 100..<120 {
      let read = now + .milliseconds(Int64(seconds) * 700)
      XCTAssertEqual(clock.time(of: 0, now: read), read)
    }
  }
}
