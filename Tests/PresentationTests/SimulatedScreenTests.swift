import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import Simulation
import XCTest

/// When a simulated screen shows what it is given. At 100 Hz, vblank 0 being the start.
final class SimulatedScreenTests: XCTestCase {
  @MainActor
  private final class Stage {
    let clock = ManualClock(start: MonotonicTime(nanoseconds: 1_000_000_000))
    let start: MonotonicTime
    let loop: FrameLoop
    let vblanks: SimulatedVBlankSource
    let screen: SimulatedScreen
    private(set) var feedback: [PresentationFeedback] = []
    private(set) var told: [MonotonicTime] = []

    init(_ buffering: Buffering = .double) throws {
      start = clock.now
      loop = FrameLoop(clock: .manual(clock))
      vblanks = SimulatedVBlankSource(refreshRate: try XCTUnwrap(RefreshRate(hertz: 100)), clock: .manual(clock))
      screen = try SimulatedScreen(
        width: 8, height: 8, vblanks: vblanks, takeOverTime: .milliseconds(1), buffering: buffering, clock: .manual(clock))
      screen.presenter.onEvent = { [unowned self] event in
        guard case .presented(let feedback?) = event else { return }
        self.feedback.append(feedback)
        told.append(loop.clock.now)
      }
      screen.add(to: loop, mode: .default)
    }

    func run(until milliseconds: Int64) {
      let limit = start + .milliseconds(milliseconds)
      loop.run(mode: .default, until: limit)
      clock.advance(to: limit)
    }

    func present() throws {
      let buffer = try XCTUnwrap(screen.presenter.acquireBuffer())
      try screen.presenter.present(buffer, damage: DamageRegion())
    }

    func vblank(_ number: UInt64) -> PresentationFeedback {
      PresentationFeedback(timestamp: start + .milliseconds(10) * Int64(number), sequence: number)
    }
  }

  private func onMain(_ body: @MainActor () throws -> Void) throws { try MainActor.assumeIsolated(body) }

  func testAFrameIsSeenAtTheFirstVBlankThatCanTakeIt() throws {
    try onMain {
      let stage = try Stage()
      XCTAssertEqual(stage.screen.name, "simulated screen 8x8@100.00")
      stage.run(until: 8)
      try stage.present()
      XCTAssertNil(stage.screen.presenter.acquireBuffer())
      stage.run(until: 10)
      XCTAssertEqual(stage.feedback, [stage.vblank(1)])
      // The vblank is less than a millisecond away.
      stage.clock.advance(to: stage.start + .microseconds(19_001))
      try stage.present()
      stage.run(until: 25)
      XCTAssertEqual(stage.feedback, [stage.vblank(1)])
      stage.run(until: 35)
      XCTAssertEqual(stage.feedback, [stage.vblank(1), stage.vblank(3)])
      stage.screen.invalidate()
    }
  }

  /// Late, lost and wrong events do not change what is seen when.
  func testALateEventTellsOfTheVBlankThatWas() throws {
    try onMain {
      let stage = try Stage()
      stage.vblanks.faults.lateWakeUps = 1
      stage.vblanks.faults.latestWakeUp = .milliseconds(40)
      stage.vblanks.faults.lostEvents = 1
      try stage.present()
      stage.run(until: 60)
      XCTAssertEqual(stage.feedback, [stage.vblank(1)])
      XCTAssertEqual(stage.told, [stage.vblanks.grid.delivery(ofVBlank: 1)])
      XCTAssertGreaterThan(try XCTUnwrap(stage.told.first), stage.vblank(1).timestamp)
      stage.screen.invalidate()
    }
  }

  /// With three buffers one frame waits, and takes the vblank after that of the one before it.
  func testAFrameThatWaitedTakesTheNextVBlank() throws {
    try onMain {
      let stage = try Stage(.triple)
      try stage.present()
      try stage.present()
      XCTAssertNil(stage.screen.presenter.acquireBuffer())
      stage.run(until: 45)
      XCTAssertEqual(stage.feedback, [stage.vblank(1), stage.vblank(2)])
      stage.screen.invalidate()
    }
  }

  func testInvalidatedItTellsNothing() throws {
    try onMain {
      let stage = try Stage()
      try stage.present()
      stage.screen.invalidate()
      stage.run(until: 45)
      XCTAssertEqual(stage.feedback, [])
    }
  }
}
