import RunLoops
import WaylandTesting
import XCTest

/// Each rule of the scripted compositor finds a client that breaks it, and none other does.
final class CompositorRuleTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let compositor: ScriptedCompositor
    let client: RawClient
    let window: RawWindow

    init(_ globals: CompositorGlobals = .all, scale: Int = 120) throws {
      compositor = try ScriptedCompositor(outputs: [CompositorOutput(scale: scale)], globals: globals, loop: loop)
      compositor.newWindowSize = (64, 48)
      client = try RawClient(compositor, on: loop)
      for index in 0..<compositor.outputs.count where index == 0 { _ = client.bind("wl_output", version: 4) }
      window = try RawWindow(client)
    }

    func wait() { client.run(for: .milliseconds(40)) }

    func buffer(_ width: Int = 64, _ height: Int = 48) throws -> RawBuffer { try window.makeBuffer(width, height) }
  }

  /// Runs a client, and expects the rules to be broken in this order.
  private func expect(
    _ rules: ProtocolViolation.Rule..., globals: CompositorGlobals = .all, scale: Int = 120, line: UInt = #line,
    _ body: @MainActor (Stage) throws -> Void
  ) throws {
    try MainActor.assumeIsolated {
      let stage = try Stage(globals, scale: scale)
      try body(stage)
      stage.wait()
      let found = stage.compositor.violations
      XCTAssertEqual(found.map(\.rule), rules, "\(found)", line: line)
      stage.client.disconnect()
      stage.client.run(for: .milliseconds(1))
      stage.compositor.invalidate()
    }
  }

  func testACommitBeforeTheFirstConfigurationIsNoted() throws {
    try expect(.commitBeforeAck) { $0.window.commit(try $0.buffer()) }
    try expect(.commitBeforeAck) { stage in
      stage.window.acknowledges = false
      stage.window.begin()
      stage.window.commit(try stage.buffer())
    }
  }

  func testASerialIsAcknowledgedOnce() throws {
    try expect(.unknownSerial) { stage in
      stage.window.begin()
      stage.window.acknowledge()
    }
    // The first of two that wait may be answered.
    try expect { stage in
      stage.window.begin()
      stage.window.acknowledges = false
      stage.compositor.windows[0].configure(width: 80, height: 60)
      stage.compositor.windows[0].configure(width: 90, height: 70)
      stage.wait()
      stage.window.shellSurface.send("ack_configure", .uint(stage.window.serials[1]))
      stage.window.commit(try stage.buffer(80, 60))
    }
    try expect(.unknownSerial) { stage in
      stage.window.begin()
      stage.window.shellSurface.send("ack_configure", .uint(12345))
    }
  }

  func testTheSizeIsThatOfTheAcknowledgedConfiguration() throws {
    try expect(.wrongSize) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer(65, 48))
    }
    // A configuration that the client has not acknowledged changes nothing.
    try expect { stage in
      stage.window.begin()
      stage.window.acknowledges = false
      stage.compositor.windows[0].configure(width: 80, height: 60)
      stage.wait()
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.window.acknowledge()
      stage.window.commit(try stage.buffer(80, 60))
    }
    try expect(.wrongSize) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.compositor.windows[0].configure(width: 80, height: 60)
      stage.wait()
      stage.window.commit(try stage.buffer())
    }
    // Neither may the old picture stay.
    try expect(.wrongSize) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.compositor.windows[0].configure(width: 80, height: 60)
      stage.wait()
      stage.window.surface.send("commit")
    }
    try expect { stage in
      stage.compositor.newWindowSize = nil
      stage.window.begin()
      stage.window.commit(try stage.buffer(17, 9))
    }
  }

  func testAWindowsGeometryCountsInsteadOfItsSurface() throws {
    try expect { stage in
      stage.window.begin()
      stage.window.shellSurface.send("set_window_geometry", .int(4), .int(4), .int(64), .int(48))
      stage.window.commit(try stage.buffer(72, 56))
    }
  }

  func testTheBufferHasTheSizeThatItsScaleAsksFor() throws {
    let whole = CompositorGlobals.all.without("wp_fractional_scale_manager_v1")
    // Before the window is on an output, it may have any.
    try expect(globals: whole, scale: 240) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.window.surface.send("set_buffer_scale", .int(2))
      stage.window.commit(try stage.buffer(128, 96))
    }
    try expect(.wrongScale, globals: whole, scale: 240) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.window.commit(try stage.buffer())
    }
    try expect(.wrongScale) { stage in
      stage.window.begin()
      stage.window.surface.send("set_buffer_scale", .int(2))
      stage.window.commit(try stage.buffer(65, 48))
    }
  }

  func testAFractionalScaleRoundsHalfUp() throws {
    for (width, rules) in [(96, []), (95, [ProtocolViolation.Rule.wrongScale])] {
      try MainActor.assumeIsolated {
        let stage = try Stage(scale: 180)
        let manager = try XCTUnwrap(stage.client.bind("wp_fractional_scale_manager_v1", version: 1))
        let viewporter = try XCTUnwrap(stage.client.bind("wp_viewporter", version: 1))
        var told: UInt32 = 0
        manager.send("get_fractional_scale", .new, .object(stage.window.surface))?.onEvent = { told = $0.uint(0) }
        let viewport = viewporter.send("get_viewport", .new, .object(stage.window.surface))
        stage.compositor.newWindowSize = (64, 47)
        stage.window.begin()
        XCTAssertEqual(told, 180)
        viewport?.send("set_destination", .int(64), .int(47))
        // 47 · 1.5 is 70.5.
        stage.window.commit(try stage.buffer(width, 71))
        stage.wait()
        XCTAssertEqual(stage.compositor.violations.map(\.rule), rules)
        stage.client.disconnect()
        stage.compositor.invalidate()
      }
    }
  }

  func testAScaleThatTheClientHasNotReadIsNoFault() throws {
    let whole = CompositorGlobals.all.without("wp_fractional_scale_manager_v1")
    try expect(.wrongScale, globals: whole) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.compositor.setScale(240)
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.window.commit(try stage.buffer())
    }
  }

  /// A window that was never seen was not told of an output, nor of its scale.
  func testAHiddenWindowKnowsNoScale() throws {
    let whole = CompositorGlobals.all.without("wp_fractional_scale_manager_v1")
    try expect(globals: whole) { stage in
      stage.window.begin()
      stage.compositor.windows[0].isHidden = true
      stage.compositor.setScale(240)
      stage.wait()
      stage.window.commit(try stage.buffer())
    }
  }

  func testAViewportHasASize() throws {
    try expect(.wrongViewport, .wrongSize, .wrongScale) { stage in
      stage.window.begin()
      let viewport = stage.client.bind("wp_viewporter", version: 1)?.send(
        "get_viewport", .new, .object(stage.window.surface))
      viewport?.send("set_destination", .int(0), .int(48))
      stage.window.commit(try stage.buffer())
    }
    try expect(.wrongViewport) { stage in
      stage.window.begin()
      let viewport = stage.client.bind("wp_viewporter", version: 1)?.send(
        "get_viewport", .new, .object(stage.window.surface))
      viewport?.send("set_source", .fixed(10), .fixed(0), .fixed(60), .fixed(48))
      viewport?.send("set_destination", .int(64), .int(48))
      stage.window.commit(try stage.buffer())
    }
  }

  func testDamageIsAllThatChangedInAtMost32Rectangles() throws {
    try expect(.tooMuchDamage) { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer(), damage: Array(repeating: (0, 0, 64, 48), count: 33))
    }
    try expect { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer(), damage: Array(repeating: (0, 0, 64, 48), count: 32))
    }
    for (width, rules) in [(9, [ProtocolViolation.Rule.missingDamage]), (10, [])] {
      try MainActor.assumeIsolated {
        let stage = try Stage()
        stage.window.begin()
        stage.window.commit(try stage.buffer())
        stage.wait()
        let next = try stage.buffer()
        for x in 0..<10 { next.pixels[64 * 5 + x] = 1 }
        stage.window.commit(next, damage: [(0, 5, width, 1)])
        stage.wait()
        XCTAssertEqual(stage.compositor.violations.map(\.rule), rules)
        stage.client.disconnect()
        stage.compositor.invalidate()
      }
    }
  }

  func testAHeldBufferIsLeftAlone() throws {
    try expect(.heldBuffer) { stage in
      stage.window.begin()
      let buffer = try stage.buffer()
      stage.window.commit(buffer)
      stage.wait()
      stage.window.commit(buffer)
    }
    try expect(.changedBuffer) { stage in
      stage.window.begin()
      let buffer = try stage.buffer()
      stage.window.commit(buffer)
      stage.wait()
      buffer.fill(3)
      stage.window.commit(try stage.buffer())
    }
    try expect(.destroyedBuffer) { stage in
      stage.window.begin()
      let buffer = try stage.buffer()
      stage.window.commit(buffer)
      buffer.object.send("destroy")
    }
    try expect { stage in
      stage.window.begin()
      let buffer = try stage.buffer()
      stage.window.commit(buffer)
      stage.wait()
      stage.window.commit(try stage.buffer())
      stage.wait()
      buffer.object.send("destroy")
    }
  }

  func testObjectsEndInTheirOrder() throws {
    try expect(.wrongOrder) { stage in
      stage.window.begin()
      stage.window.surface.send("destroy")
    }
    try expect { stage in
      stage.window.begin()
      stage.window.commit(try stage.buffer())
      stage.wait()
      stage.window.toplevel.send("destroy")
      stage.window.shellSurface.send("destroy")
      stage.window.surface.send("destroy")
    }
    try expect(.wrongOrder) { stage in
      let viewporter = stage.client.bind("wp_viewporter", version: 1)
      for _ in 0..<2 { viewporter?.send("get_viewport", .new, .object(stage.window.surface)) }
    }
  }

  func testAMessageThatLibwaylandRefusesIsNoted() throws {
    try expect(.malformed) { stage in
      stage.window.surface.send("attach", .object(stage.window.toplevel), .int(0), .int(0))
    }
  }
}
