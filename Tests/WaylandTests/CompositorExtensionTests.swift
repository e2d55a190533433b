import FrameTiming
import RunLoops
import Simulation
import WaylandTesting
import XCTest

/// The rest of what the scripted compositor offers: fifo, commit timing, states, decorations, outputs, devices.
final class CompositorExtensionTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock(start: MonotonicTime(nanoseconds: 5_000_000_000))))
    let compositor: ScriptedCompositor
    let client: RawClient
    let window: RawWindow
    var shown: [ShownFrame] = []

    init(outputs: [CompositorOutput] = [CompositorOutput()], clock: CompositorClock = .monotonic) throws {
      compositor = try ScriptedCompositor(outputs: outputs, clock: clock, loop: loop)
      compositor.newWindowSize = (64, 48)
      client = try RawClient(compositor, on: loop)
      window = try RawWindow(client)
      window.begin()
      compositor.onShown = { [unowned self] in shown.append($1) }
    }

    func wait(_ milliseconds: Int64 = 1) { client.run(for: .milliseconds(milliseconds)) }
  }

  private func run(_ stage: @MainActor () throws -> Stage, _ body: @MainActor (Stage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try stage()
      try body(stage)
      XCTAssertEqual(stage.compositor.violations, [])
      stage.client.disconnect()
      stage.compositor.invalidate()
    }
  }

  private func run(_ body: @MainActor (Stage) throws -> Void) throws { try run({ try Stage() }, body) }

  func testFramesBehindABarrierAreSeenOneAVBlank() throws {
    try run { stage in
      let fifo = stage.client.bind("wp_fifo_manager_v1", version: 1)?.send("get_fifo", .new, .object(stage.window.surface))
      for _ in 0..<4 {
        fifo?.send("set_barrier")
        fifo?.send("wait_barrier")
        stage.window.commit(try stage.window.makeBuffer(64, 48))
      }
      stage.wait(100)
      XCTAssertEqual(stage.shown.count, 4)
      let first = try XCTUnwrap(stage.shown.first?.vblank)
      XCTAssertEqual(stage.shown.map(\.vblank), (0..<4).map { first + $0 })
      XCTAssertEqual(stage.window.feedback.filter { $0.contains("discarded") }, [])
    }
  }

  func testAFrameWithATimeIsSeenAtTheFirstVBlankThatIsNotBefore() throws {
    for clock in [CompositorClock.monotonic, .raw(ahead: .seconds(3), gain: 0)] {
      try run({ try Stage(clock: clock) }) { stage in
        let timer = stage.client.bind("wp_commit_timing_manager_v1", version: 1)?
          .send("get_timer", .new, .object(stage.window.surface))
        let grid = stage.compositor.grids[0]
        let vblank = grid.vblank(after: stage.loop.clock.now) + 5
        let target = clock.time(at: grid.time(ofVBlank: vblank) - .milliseconds(1)).nanoseconds
        timer?.send(
          "set_timestamp", .uint(0), .uint(UInt32(target / 1_000_000_000)), .uint(UInt32(target % 1_000_000_000)))
        stage.window.commit(try stage.window.makeBuffer(64, 48))
        stage.wait(200)
        XCTAssertEqual(stage.shown.map(\.vblank), [vblank])
      }
    }
  }

  func testAWindowFillsItsOutputWhenItAsks() throws {
    try run({ try Stage(outputs: [CompositorOutput(width: 1920, height: 1080, scale: 180)]) }) { stage in
      stage.window.toplevel.send("set_fullscreen", .object(nil))
      stage.wait()
      XCTAssertTrue(stage.window.size == (1280, 720))
      XCTAssertEqual(stage.window.states, [2, 4])
      stage.window.toplevel.send("unset_fullscreen")
      stage.wait()
      XCTAssertTrue(stage.window.size == (64, 48))
      XCTAssertEqual(stage.window.states, [4])
    }
  }

  func testOldClientsAreNotTold() throws {
    try run { stage in
      stage.compositor.windows[0].configure(width: 64, height: 48, states: [.suspended])
      stage.wait()
      XCTAssertEqual(stage.window.states, [9])
      XCTAssertEqual(stage.window.toplevel.count("configure_bounds"), 1)
    }
    try MainActor.assumeIsolated {
      let loop = FrameLoop(clock: .manual(ManualClock()))
      let compositor = try ScriptedCompositor(globals: .sway, loop: loop)
      let client = try RawClient(compositor, on: loop)
      let window = try RawWindow(client)
      window.begin()
      compositor.windows[0].configure(width: 64, height: 48, states: [.suspended])
      client.run(for: .milliseconds(1))
      XCTAssertEqual(window.states, [])
      XCTAssertEqual(window.toplevel.count("configure_bounds"), 0)
      XCTAssertFalse(client.interfaces.contains("wp_fifo_manager_v1"))
      client.disconnect()
      compositor.invalidate()
    }
  }

  func testDecorationIdleAndClose() throws {
    try run { stage in
      var mode: UInt32 = 0
      let window = try XCTUnwrap(stage.compositor.windows.first)
      let decoration = stage.client.bind("zxdg_decoration_manager_v1", version: 1)?
        .send("get_toplevel_decoration", .new, .object(stage.window.toplevel))
      decoration?.onEvent = { mode = $0.uint(0) }
      decoration?.send("set_mode", .uint(2))
      let inhibitor = stage.client.bind("zwp_idle_inhibit_manager_v1", version: 1)?
        .send("create_inhibitor", .new, .object(stage.window.surface))
      stage.wait()
      XCTAssertEqual(mode, 2)
      XCTAssertTrue(window.inhibitsIdle)
      inhibitor?.send("destroy")
      window.close()
      stage.wait()
      XCTAssertFalse(window.inhibitsIdle)
      XCTAssertEqual(stage.window.toplevel.count("close"), 1)
    }
  }

  func testAWindowGoesToAnotherOutput() throws {
    try run({ try Stage(outputs: [CompositorOutput("A"), CompositorOutput("B", scale: 240)]) }) { stage in
      // The client knows one of them.
      let output = stage.client.bind("wl_output", version: 4)
      var scale = 0
      output?.onEvent = { if $0.name == "scale" { scale = $0.int(0) } }
      stage.window.commit(try stage.window.makeBuffer(64, 48))
      stage.wait(40)
      XCTAssertEqual(scale, 2)
      XCTAssertEqual(stage.window.surface.count("enter"), 0)
      stage.compositor.windows[0].move(toOutput: 1)
      stage.wait()
      XCTAssertEqual(stage.window.surface.count("enter"), 1)
      stage.compositor.windows[0].move(toOutput: 0)
      stage.wait()
      XCTAssertEqual(stage.window.surface.count("leave"), 1)
    }
  }

  func testTheRateChangesAtAVBlank() throws {
    try run { stage in
      let output = stage.client.bind("wl_output", version: 4)
      var rates: [Int] = []
      output?.onEvent = { if $0.name == "mode" { rates.append($0.int(3)) } }
      stage.wait()
      let before = stage.compositor.grids[0].vblank(after: stage.loop.clock.now)
      let rate = try XCTUnwrap(RefreshRate(numerator: 120, denominator: 1))
      stage.compositor.setRate(rate)
      stage.wait()
      XCTAssertEqual(rates, [60_000, 120_000])
      let grid = stage.compositor.grids[0]
      XCTAssertEqual(grid.time(ofVBlank: before + 12) - grid.time(ofVBlank: before), .milliseconds(100))
    }
  }

  func testDevicesSpeakToTheirWindow() throws {
    try run { stage in
      let (seat, window) = (stage.compositor.seat, stage.compositor.windows[0])
      seat.keymap = "xkb_keymap { };"
      let object = try XCTUnwrap(stage.client.bind("wl_seat", version: 8))
      var events: [String] = []
      let (keyboard, pointer, touch) = (
        object.send("get_keyboard", .new), object.send("get_pointer", .new), object.send("get_touch", .new)
      )
      keyboard?.onEvent = { event in
        switch event.name {
        case "keymap": events.append("keymap of \(event.uint(2)) bytes")
        case "repeat_info": events.append("repeat \(event.int(0)) \(event.int(1))")
        case "enter": events.append("enter with \(event.array(2))")
        case "key": events.append("key \(event.uint(2)) \(event.uint(3))")
        default: events.append(event.name)
        }
      }
      var entered: UInt32 = 0
      pointer?.onEvent = { event in
        if event.name == "enter" { entered = event.uint(0) }
        let value = event.name == "axis" ? " \(event.fixed(2))" : event.name == "axis_value120" ? " \(event.int(1))" : ""
        events.append(event.name + value)
      }
      touch?.onEvent = { events.append("touch \($0.name)") }
      stage.wait()
      seat.focusKeyboard(window, keys: [30])
      seat.key(31, isDown: true)
      seat.focusKeyboard(nil)
      seat.movePointer(window, x: 3, y: 4)
      stage.wait()
      pointer?.send("set_cursor", .uint(entered), .object(nil), .int(0), .int(0))
      seat.turnWheel(60)
      seat.movePointer(nil)
      seat.touchDown(0, window, x: 1, y: 1)
      seat.cancelTouches()
      stage.wait()
      XCTAssertEqual(
        events,
        [
          "keymap of 16 bytes", "repeat 25 600", "enter with [30]", "modifiers", "key 31 1", "leave", "enter", "frame",
          "axis_source",
          "axis_value120 60", "axis 5.0", "frame", "leave", "frame", "touch down", "touch frame", "touch cancel",
        ])
      XCTAssertEqual(seat.cursor, .hidden)
    }
  }

  func testACursorNeedsTheSerialOfAnArrival() throws {
    try MainActor.assumeIsolated {
      let stage = try Stage()
      let seat = stage.compositor.seat
      var arrivals: [UInt32] = []
      let pointer = stage.client.bind("wl_seat", version: 8)?.send("get_pointer", .new)
      pointer?.onEvent = { if $0.name == "enter" { arrivals.append($0.uint(0)) } }
      stage.wait()
      for _ in 0..<2 {
        seat.movePointer(nil)
        seat.movePointer(stage.compositor.windows[0])
        stage.wait()
      }
      // One of an earlier arrival is late, and does nothing.
      pointer?.send("set_cursor", .uint(arrivals[0]), .object(nil), .int(0), .int(0))
      stage.wait()
      XCTAssertEqual(stage.compositor.violations, [])
      XCTAssertEqual(seat.cursor, .unknown)
      pointer?.send("set_cursor", .uint(12345), .object(nil), .int(0), .int(0))
      stage.wait()
      XCTAssertEqual(stage.compositor.violations.map(\.rule), [.unknownInput])
      XCTAssertEqual(seat.cursor, .unknown)
      stage.client.disconnect()
      stage.compositor.invalidate()
    }
  }
}
