import FrameTiming
import Framepace
import Metering
import Simulation
import TestLength
import WaylandTesting
import WindowScripts
import XCTest

@testable import Wayland

/// A window with an engine behind it, on the scripted compositor.
final class WindowTests: XCTestCase {
  private func run(_ stage: @MainActor () throws -> WindowStage, _ body: @MainActor (WindowStage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try stage()
      try body(stage)
      try stage.end()
    }
  }

  private func run(_ body: @MainActor (WindowStage) throws -> Void) throws { try run({ try WindowStage() }, body) }

  func testItShowsAFrameAtEveryVBlank() throws {
    try run { stage in
      stage.animate()
      // Between two vblanks.
      stage.run(for: .milliseconds(1010))
      XCTAssertEqual(stage.display.state, .showing)
      XCTAssertTrue(stage.display.ticker.name.hasPrefix("presentation feedback"), stage.display.reason)
      stage.forget()
      stage.run(for: .seconds(5))
      XCTAssertEqual(stage.shown.count, 300)
      XCTAssertEqual(stage.presented.count, 300)
      XCTAssertEqual(stage.presented.map(\.presented), stage.shown.map { $0.time as MonotonicTime? })
      XCTAssertTrue(stage.presented.allSatisfy { abs($0.lateness.count) < 1000 && $0.isPresentedKnown })
      try stage.checkPicture()
    }
  }

  /// An observer of the display's state hears of its pace as soon as that is known.
  func testThePaceIsToldWhenItIsKnown() throws {
    for isSilent in [false, true] {
      try run { stage in
        if isSilent { stage.compositor.policy.feedback = .withheld }
        var told: [String] = []
        let watch = stage.display.observe { event in
          if case .stateChanged = event { told.append("\(stage.display.isPaceKnown) \(stage.display.reason)") }
        }
        stage.animate()
        stage.run(for: .milliseconds(200))
        watch.invalidate()
        XCTAssertEqual(
          told,
          [
            "false fallback clock 60.00 Hz: it ticks until the desktop tells of a frame",
            isSilent
              ? "true fallback clock 60.00 Hz: the desktop does not tell when frames are seen"
              : "true presentation feedback, 60.00 Hz",
          ])
        stage.window.isHidden = true
        stage.run(for: .seconds(5))
        XCTAssertEqual(stage.display.state, .waiting(.hidden))
        XCTAssertTrue(stage.display.isPaceKnown, "hiding the window forgets nothing")
      }
    }
  }

  func testAStillWindowDoesNothing() throws {
    try run { stage in
      stage.run(for: .seconds(1))
      try stage.checkPicture()
      stage.forget()
      stage.run(for: .seconds(60))
      XCTAssertEqual(stage.shown.count, 0)
      // The end of the run is one.
      XCTAssertLessThanOrEqual(stage.wakeUps, 1)
    }
  }

  func testAfterAPauseTheFirstFrameIsNotHeldUp() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .seconds(1))
      stage.rest()
      stage.run(for: .seconds(30))
      stage.forget()
      Transaction.withoutActions { stage.ball.position = Point(x: 30, y: 30) }
      stage.run(for: .milliseconds(34))
      XCTAssertEqual(stage.shown.count, 1)
      XCTAssertEqual(stage.presented.count, 1)
    }
  }

  func testACompositorThatTellsNothing() throws {
    for globals in [CompositorGlobals.sway, .sway.without("wp_presentation")] {
      try run({
        let stage = try WindowStage(globals: globals)
        stage.compositor.policy.feedback = .withheld
        return stage
      }) { stage in
        stage.animate()
        stage.run(for: .seconds(1))
        XCTAssertEqual(stage.display.state, .showing)
        XCTAssertEqual(
          stage.display.reason, "fallback clock 60.00 Hz: the desktop does not tell when frames are seen")
        stage.forget()
        stage.run(for: .seconds(5))
        XCTAssertEqual(stage.shown.count, 300)
        XCTAssertEqual(stage.presented.count, 300)
        XCTAssertTrue(stage.presented.allSatisfy { !$0.isPresentedKnown }, "nobody told when they were seen")
        try stage.checkPicture()
      }
    }
  }

  func testItFindsFeedbackThatBeginsLate() throws {
    try run { stage in
      stage.compositor.policy.feedback = .withheld
      stage.animate()
      stage.run(for: .seconds(1))
      XCTAssertTrue(stage.display.reason.hasPrefix("fallback clock"))
      // The question that is open is never answered. A window that was hidden asks anew.
      stage.compositor.policy.feedback = .told(after: .zero)
      stage.window.isHidden = true
      stage.run(for: .seconds(1))
      stage.window.isHidden = false
      stage.run(for: .seconds(1))
      XCTAssertTrue(stage.display.reason.hasPrefix("presentation feedback"), stage.display.reason)
    }
  }

  // MARK: - Hidden windows

  func testAHiddenWindowDrawsNothingAndComesBackWithinAFrame() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .seconds(2))
      stage.window.isHidden = true
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.display.state, .waiting(.hidden))
      stage.forget()
      let commits = stage.window.commitCount
      stage.run(for: .seconds(20))
      XCTAssertEqual(stage.window.commitCount, commits)
      XCTAssertLessThanOrEqual(stage.wakeUps, 21)
      XCTAssertLessThanOrEqual(stage.ticks, 21)
      XCTAssertGreaterThanOrEqual(stage.ticks, 19)
      stage.forget()
      stage.window.isHidden = false
      stage.run(for: .milliseconds(34))
      XCTAssertEqual(stage.display.state, .showing)
      XCTAssertGreaterThanOrEqual(stage.shown.count, 1)
      stage.forget()
      stage.run(for: .seconds(1))
      XCTAssertGreaterThanOrEqual(stage.shown.count, 59)
      try stage.checkPicture()
    }
  }

  func testASuspendedWindowDrawsNothing() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .seconds(2))
      stage.window.configure(width: 64, height: 48, states: [.suspended])
      stage.run(for: .milliseconds(20))
      XCTAssertEqual(stage.display.state, .waiting(.hidden))
      stage.forget()
      stage.run(for: .seconds(20))
      XCTAssertEqual(stage.shown.count, 0)
      XCTAssertLessThanOrEqual(stage.wakeUps, 21)
      stage.forget()
      stage.window.configure(width: 64, height: 48, states: [.activated])
      stage.run(for: .milliseconds(34))
      XCTAssertGreaterThanOrEqual(stage.shown.count, 1)
    }
  }

  /// A compositor that never answers a frame, as weston's kiosk shell without a seat.
  func testSilenceFromTheBeginning() throws {
    try run({
      let stage = try WindowStage()
      stage.compositor.policy.callbacks = .withheld
      stage.compositor.policy.feedback = .withheld
      return stage
    }) { stage in
      stage.animate()
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.display.state, .waiting(.hidden))
      stage.forget()
      stage.run(for: .seconds(10))
      XCTAssertLessThanOrEqual(stage.wakeUps, 11)
      stage.compositor.policy.callbacks = .sent(after: .zero)
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.display.state, .showing)
    }
  }

  // MARK: - Sizes

  func testTheRootFollowsTheWindow() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .milliseconds(500))
      XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 64, height: 48))
      stage.window.configure(width: 100, height: 30)
      stage.run(for: .milliseconds(34))
      XCTAssertEqual(stage.root.bounds, Rect(x: 0, y: 0, width: 100, height: 30))
      XCTAssertEqual(stage.shown.last.map { [$0.width, $0.height] }, [100, 30])
      try stage.checkPicture()
    }
  }

  /// Resized at any moment: the compositor notes a frame of the wrong size, and one that answers no proposal.
  func testRandomSizes() throws {
    for index in 0..<(isLongRun ? 200 : 5) {
      let seed = UInt64(runSeed) &* 1000 &+ UInt64(index)
      try run { stage in
        var random = SplitMix64(seed: seed)
        stage.animate()
        for _ in 0..<60 {
          stage.run(for: .microseconds(Int64.random(in: 0...25_000, using: &random)))
          guard !stage.compositor.windows.isEmpty else { continue }
          stage.window.configure(
            width: Int.random(in: 0...90, using: &random), height: Int.random(in: 0...90, using: &random))
        }
        stage.window.configure(width: 70, height: 50)
        stage.run(for: .milliseconds(100))
        XCTAssertEqual(stage.shown.last.map { [$0.width, $0.height] }, [70, 50], "seed \(seed)")
        try stage.checkPicture("seed \(seed)")
      }
    }
  }

  func testScales() throws {
    let whole = CompositorGlobals.all.without("wp_fractional_scale_manager_v1")
    let cases: [(CompositorGlobals, Int, Double)] = [
      (.all, 120, 1), (.all, 150, 1.25), (.all, 180, 1.5), (.all, 240, 2), (whole, 240, 2), (whole, 180, 2), (whole, 120, 1),
    ]
    for (globals, scale, factor) in cases {
      try run({ try WindowStage(globals: globals, outputs: [CompositorOutput(scale: scale)]) }) { stage in
        stage.animate()
        stage.run(for: .seconds(1))
        XCTAssertEqual(stage.display.geometry.scale, factor, "\(scale)")
        XCTAssertEqual(stage.root.bounds.width, 64, accuracy: 0.5, "\(scale)")
        XCTAssertEqual(stage.shown.last?.width, Int((64 * factor + 0.5).rounded(.down)), "\(scale)")
        // From the first frame on.
        XCTAssertEqual(stage.shown.first?.width, stage.shown.last?.width, "\(scale)")
        try stage.checkPicture("scale \(scale)")
      }
    }
  }

  func testItMovesToAnotherOutput() throws {
    let outputs = [CompositorOutput("A"), CompositorOutput("B", scale: 240)]
    for globals in [CompositorGlobals.all, .sway] {
      try run({ try WindowStage(globals: globals, outputs: outputs) }) { stage in
        stage.animate()
        stage.run(for: .milliseconds(500))
        XCTAssertEqual(stage.display.geometry.scale, 1)
        stage.window.move(toOutput: 1)
        stage.run(for: .milliseconds(500))
        XCTAssertEqual(stage.display.geometry.scale, 2)
        XCTAssertEqual(stage.root.bounds.width, 64)
        XCTAssertEqual(stage.shown.last?.width, 128)
        try stage.checkPicture()
      }
    }
  }

  /// The figures of an output's rate begin anew with another output.
  func testAnotherOutputsRateIsTold() throws {
    for globals in [CompositorGlobals.all, .sway] {
      let outputs = [CompositorOutput("A"), CompositorOutput("B", rate: try XCTUnwrap(RefreshRate(hertz: 120)))]
      try run({ try WindowStage(globals: globals, outputs: outputs) }) { stage in
        let meter = FPSMeter(refreshRate: stage.display.ticker.refreshRate)
        stage.engine.output.observe { meter.record($0) }.keep()
        stage.display.observe { event in
          if case .stateChanged = event { meter.refreshRate = stage.display.ticker.refreshRate }
        }.keep()
        stage.animate()
        stage.run(for: .seconds(3))
        stage.window.move(toOutput: 1)
        stage.run(for: .seconds(3))
        let report = meter.recentReport(at: stage.clock.now)
        XCTAssertEqual(report.refreshRate ?? 0, 120, accuracy: 1)
        XCTAssertEqual(report.presentedRate ?? 0, 120, accuracy: 3)
        // Three seconds of each.
        let all = meter.report(at: stage.clock.now)
        XCTAssertEqual(all.time.seconds, 6, accuracy: 0.1)
        XCTAssertEqual(all.refreshRate ?? 0, 90, accuracy: 1.5)
        XCTAssertEqual(all.presentedRate ?? 0, 90, accuracy: 2)
      }
    }
  }

  /// The time in which a window is hidden is no time of its frames.
  func testFiguresLeaveHiddenTimeOut() throws {
    try run { stage in
      let meter = FPSMeter(refreshRate: stage.display.ticker.refreshRate)
      stage.engine.output.observe { meter.record($0) }.keep()
      stage.display.observe { event in
        guard case .stateChanged(let state) = event else { return }
        meter.isHidden = state == .waiting(.hidden)
        if !meter.isHidden { meter.refreshRate = stage.display.ticker.refreshRate }
      }.keep()
      stage.animate()
      stage.run(for: .seconds(3))
      for isHiddenAtEnd in [true, false] {
        stage.window.isHidden = isHiddenAtEnd
        stage.run(for: .seconds(10))
        XCTAssertEqual(meter.isHidden, isHiddenAtEnd)
        let report = meter.report(at: stage.clock.now)
        XCTAssertEqual(report.refreshRate ?? report.nominalRefreshRate.hertz, 60, accuracy: 0.1)
        // It takes six intervals to see that the window is hidden.
        XCTAssertEqual(report.presentedRate ?? 0, 60, accuracy: isHiddenAtEnd ? 6 : 1)
        let recent = meter.recentReport(at: stage.clock.now)
        XCTAssertEqual(recent.presentedRate ?? -1, isHiddenAtEnd ? 0 : 60, accuracy: 1)
      }
    }
  }

  // MARK: - Wishes

  func testWishes() throws {
    let options = WindowOptions(
      title: "Clock", applicationID: "org.example.Clock", width: 64, height: 48, inhibitsIdle: true)
    try run({ try WindowStage(options: options) }) { stage in
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(stage.window.title, "Clock")
      XCTAssertEqual(stage.window.appID, "org.example.Clock")
      XCTAssertTrue(stage.window.inhibitsIdle)
      XCTAssertEqual(stage.window.decoration, .byCompositor)
      stage.display.title = "Watch"
      stage.display.inhibitsIdle = false
      stage.run(for: .milliseconds(10))
      XCTAssertEqual(stage.window.title, "Watch")
      XCTAssertFalse(stage.window.inhibitsIdle)
    }
  }

  func testClosingEndsTheRun() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .milliseconds(100))
      let timer = FrameLoop.Timer(fireTime: stage.clock.now + .seconds(1), .onMain { _ in stage.window.close() })
      stage.loop.add(timer, to: .common)
      let begun = stage.clock.now
      stage.engine.run()
      XCTAssertEqual((stage.clock.now - begun).milliseconds, 1000, accuracy: 20)
    }
  }

  // MARK: - Loss

  func testALostConnectionIsToldAndCanBeReplaced() throws {
    try run { stage in
      stage.animate()
      stage.run(for: .seconds(1))
      stage.compositor.disconnectAll()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(stage.losses.count, 1)
      XCTAssertEqual(stage.display.state, .waiting(.hidden))
      stage.run(for: .seconds(3))
      try stage.reconnect()
      stage.run(for: .milliseconds(100))
      stage.forget()
      stage.run(for: .seconds(1))
      XCTAssertEqual(stage.shown.count, 60)
      XCTAssertEqual(stage.display.state, .showing)
      try stage.checkPicture()
    }
  }

  /// The compositor goes after any message.
  func testALossAtAnyMessage() throws {
    let last = 140
    for message in stride(from: 1, through: last, by: isLongRun ? 1 : 3) {
      try run { stage in
        stage.compositor.lastRequest = message
        stage.animate()
        stage.run(for: .seconds(2))
        XCTAssertEqual(stage.losses.count, 1, "message \(message)")
        XCTAssertEqual(stage.display.state, .waiting(.hidden), "message \(message)")
        try stage.reconnect()
        stage.forget()
        stage.run(for: .seconds(1))
        XCTAssertGreaterThan(stage.shown.count, 55, "message \(message)")
      }
    }
  }

  func testACompositorWithoutAShell() throws {
    try run({ try WindowStage(globals: .all.without("xdg_wm_base")) }) { stage in
      stage.animate()
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(stage.losses, [.missing(interface: "xdg_wm_base", version: 1)])
    }
  }
}
