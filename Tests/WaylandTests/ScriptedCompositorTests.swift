import FrameTiming
import Raster
import RunLoops
import Simulation
import WaylandTesting
import XCTest

/// The scripted compositor by itself, with a client that is driven by hand.
final class ScriptedCompositorTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000_000))))
    let compositor: ScriptedCompositor
    let client: RawClient
    let window: RawWindow
    var shown: [ShownFrame] = []

    init(
      globals: CompositorGlobals = .all, clock: CompositorClock = .monotonic, output: CompositorOutput = CompositorOutput(),
      size: (Int, Int)? = (64, 48)
    ) throws {
      compositor = try ScriptedCompositor(outputs: [output], globals: globals, clock: clock, loop: loop)
      compositor.newWindowSize = size.map { (width: $0.0, height: $0.1) }
      client = try RawClient(compositor, on: loop)
      window = try RawWindow(client)
      client.run(for: .milliseconds(1))
      compositor.onShown = { [unowned self] in shown.append($1) }
    }

    var now: MonotonicTime { loop.clock.now }
    var rules: [ProtocolViolation.Rule] { compositor.violations.map(\.rule) }
    var shownWindow: CompositorWindow { compositor.windows[0] }

    /// Runs to just after a vblank.
    func toVBlank() {
      let next = compositor.grids[0].time(ofVBlank: compositor.grids[0].vblank(after: now))
      client.run(for: next - now + .microseconds(10))
    }

    func pixel(_ x: Int, _ y: Int) throws -> UInt32? {
      try shownWindow.copyShownImage().map { $0.row(y).load(fromByteOffset: 4 * x, as: UInt32.self) }
    }

    func end() {
      client.disconnect()
      client.run(for: .milliseconds(1))
      XCTAssertEqual(compositor.clientCount, 0)
      compositor.invalidate()
    }
  }

  private func run(_ stage: @MainActor () throws -> Stage, _ body: @MainActor (Stage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try stage()
      try body(stage)
      stage.end()
    }
  }

  private func run(_ body: @MainActor (Stage) throws -> Void) throws { try run({ try Stage() }, body) }

  func testAFrameIsSeenAtTheNextVBlankAndTold() throws {
    try run { stage in
      stage.window.begin()
      XCTAssertTrue(stage.window.size == (64, 48))
      XCTAssertEqual(stage.window.clockNumber, 1)
      let buffer = try stage.window.makeBuffer(64, 48)
      buffer.fill(0xff_102030)
      stage.toVBlank()
      let vblank = stage.compositor.grids[0].vblank(after: stage.now)
      stage.window.commit(buffer)
      stage.client.run(for: .milliseconds(10))
      XCTAssertEqual(stage.shown, [])
      stage.client.run(for: .milliseconds(10))
      let time = stage.compositor.grids[0].time(ofVBlank: vblank)
      XCTAssertEqual(stage.shown.map(\.time), [time])
      XCTAssertEqual(stage.shown.map(\.commit), [2])
      XCTAssertEqual(stage.window.feedback, ["1 at \(time.nanoseconds), refresh 16666667, vblank \(vblank)"])
      XCTAssertEqual(stage.window.doneCallbacks, 1)
      XCTAssertEqual(try stage.pixel(63, 47), 0xff_102030)
      XCTAssertEqual(buffer.releases, 0)
      XCTAssertEqual(stage.compositor.violations, [])
    }
  }

  func testACommitAfterTheDeadlineIsSeenOneIntervalLater() throws {
    try run { stage in
      stage.window.begin()
      let buffer = try stage.window.makeBuffer(64, 48)
      stage.toVBlank()
      let vblank = stage.compositor.grids[0].vblank(after: stage.now)
      stage.client.run(for: .milliseconds(15))
      stage.window.commit(buffer)
      stage.client.run(for: .milliseconds(30))
      XCTAssertEqual(stage.shown.map(\.vblank), [vblank + 1])
    }
  }

  func testACommitThatIsOvertakenIsDiscardedAndItsBufferFree() throws {
    try run { stage in
      stage.window.begin()
      let buffers = try (0..<2).map { _ in try stage.window.makeBuffer(64, 48) }
      stage.toVBlank()
      buffers[1].fill(7)
      for buffer in buffers { stage.window.commit(buffer) }
      stage.client.run(for: .milliseconds(20))
      XCTAssertEqual(stage.window.feedback.count, 2)
      XCTAssertTrue(stage.window.feedback.contains("1 discarded"))
      XCTAssertEqual(buffers.map(\.releases), [1, 0])
      XCTAssertEqual(try stage.pixel(0, 0), 7)
    }
  }

  func testBuffersAreGivenBackByThePolicy() throws {
    for (release, releases) in [
      (CompositorPolicy.Release.copied, [1, 1]), (.replaced(vblanksLater: 0), [1, 0]), (.replaced(vblanksLater: 9), [0, 0]),
      (.withheld, [0, 0]),
    ] {
      try run { stage in
        stage.compositor.policy.release = release
        stage.window.begin()
        let buffers = try (0..<2).map { _ in try stage.window.makeBuffer(64, 48) }
        for buffer in buffers {
          stage.window.commit(buffer)
          stage.toVBlank()
          stage.toVBlank()
        }
        XCTAssertEqual(buffers.map(\.releases), releases, "\(release)")
        guard release == .withheld else { return }
        stage.compositor.policy.release = .copied
        stage.client.run(for: .milliseconds(1))
        XCTAssertEqual(buffers.map(\.releases), [1, 0])
      }
    }
  }

  func testFeedbackFollowsThePolicy() throws {
    try run { stage in
      stage.compositor.policy.toldRefresh = .milliseconds(99)
      stage.window.begin()
      let buffers = try (0..<3).map { _ in try stage.window.makeBuffer(64, 48) }
      @MainActor func commit(_ number: Int, _ feedback: CompositorPolicy.Feedback) {
        stage.compositor.policy.feedback = feedback
        stage.window.commit(buffers[number % 3])
        stage.toVBlank()
        stage.client.run(for: .milliseconds(1))
      }
      commit(1, .withheld)
      commit(2, .discarded)
      XCTAssertEqual(stage.window.feedback, ["2 discarded"])
      commit(3, .swapped)
      XCTAssertEqual(stage.window.feedback.count, 1)
      commit(4, .swapped)
      XCTAssertEqual(stage.window.feedback.map { $0.prefix(1) }, ["2", "4", "3"])
      XCTAssertTrue(stage.window.feedback[1].contains("refresh 99000000"))
      commit(5, .told(after: .milliseconds(50)))
      XCTAssertEqual(stage.window.feedback.count, 3)
      stage.client.run(for: .milliseconds(50))
      XCTAssertEqual(stage.window.feedback.count, 4)
      XCTAssertEqual(stage.window.doneCallbacks, 5)
      XCTAssertEqual(stage.compositor.violations, [])
    }
  }

  func testWithheldCallbacksComeWhenThePolicyAllows() throws {
    try run { stage in
      stage.compositor.policy.callbacks = .withheld
      stage.window.begin()
      stage.window.commit(try stage.window.makeBuffer(64, 48))
      stage.client.run(for: .seconds(1))
      XCTAssertEqual(stage.window.doneCallbacks, 0)
      XCTAssertEqual(stage.window.feedback.count, 1)
      stage.compositor.policy.callbacks = .sent(after: .zero)
      stage.client.run(for: .milliseconds(1))
      XCTAssertEqual(stage.window.doneCallbacks, 1)
    }
  }

  func testAHiddenWindowIsNotAnswered() throws {
    try run { stage in
      stage.window.begin()
      stage.shownWindow.isHidden = true
      let buffers = try (0..<2).map { _ in try stage.window.makeBuffer(64, 48) }
      for buffer in buffers { stage.window.commit(buffer) }
      stage.client.run(for: .seconds(10))
      XCTAssertEqual(stage.window.doneCallbacks, 0)
      XCTAssertEqual(stage.window.feedback, [])
      stage.shownWindow.isHidden = false
      stage.client.run(for: .milliseconds(17))
      XCTAssertEqual(stage.window.doneCallbacks, 2)
      XCTAssertEqual(stage.shown.count, 1)
    }
  }

  func testRAWStampsAreThoseOfAnotherClock() throws {
    let clock = CompositorClock.raw(ahead: .seconds(12), gain: 100)
    try run({ try Stage(clock: clock) }) { stage in
      stage.window.begin()
      XCTAssertEqual(stage.window.clockNumber, 4)
      stage.window.commit(try stage.window.makeBuffer(64, 48))
      stage.client.run(for: .milliseconds(20))
      let told = try XCTUnwrap(Int64(stage.window.feedback[0].dropFirst(5).prefix { $0 != "," }))
      let ahead = 12 + 0.0001 * stage.shown[0].time.seconds
      XCTAssertEqual(Double(told - stage.shown[0].time.nanoseconds), ahead * 1e9, accuracy: 2)
    }
  }

  func testTheConnectionEndsAtTheChosenRequest() throws {
    for last in 1..<9 {
      try MainActor.assumeIsolated {
        let loop = FrameLoop(clock: .manual(ManualClock()))
        let compositor = try ScriptedCompositor(loop: loop)
        compositor.lastRequest = last
        let client = try RawClient(compositor, on: loop)
        let window = try RawWindow(client)
        window.begin()
        window.commit(try window.makeBuffer(64, 48))
        client.run(for: .milliseconds(40))
        XCTAssertEqual(compositor.clientCount, 0)
        XCTAssertNotEqual(client.error, 0)
        XCTAssertEqual(compositor.windows.count, 0)
        XCTAssertEqual(compositor.violations, [])
        client.disconnect()
        compositor.invalidate()
      }
    }
  }
}
