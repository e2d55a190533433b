import FrameTiming
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import Simulation
import XCTest

/// When a simulated screen shows what it is given. At 100 Hz, vblank 0 being the start.
@preconcurrency @MainActor final class SimulatedScreenTests: XCTestCase {
  private static func makeStage(_ buffering: Buffering = .double) throws -> PresenterStage<SimulatedScreen> {
    try PresenterStage(hertz: 100) { vblanks, clock in
      try SimulatedScreen(
        width: 8, height: 8, vblanks: vblanks, takeOverTime: .milliseconds(1), buffering: buffering, clock: clock)
    }
  }

  private func onMain(_ body: @MainActor () throws -> Void) throws { try MainActor.assumeIsolated(body) }

  func testAFrameIsSeenAtTheFirstVBlankThatCanTakeIt() throws {
    let stage = try Self.makeStage()
    XCTAssertEqual(stage.display.name, "simulated screen 8x8@100.00")
    stage.run(until: 8)
    try stage.present()
    XCTAssertNil(stage.display.presenter.acquireBuffer())
    stage.run(until: 10)
    XCTAssertEqual(stage.feedback, [stage.vblank(1)])
    // The vblank is less than a millisecond away.
    stage.clock.advance(to: stage.vblanks.grid.start + .microseconds(19_001))
    try stage.present()
    stage.run(until: 25)
    XCTAssertEqual(stage.feedback, [stage.vblank(1)])
    stage.run(until: 35)
    XCTAssertEqual(stage.feedback, [stage.vblank(1), stage.vblank(3)])
    stage.display.invalidate()
  }

  /// Late, lost and wrong events do not change what is seen when.
  func testALateEventTellsOfTheVBlankThatWas() throws {
    let stage = try Self.makeStage()
    stage.vblanks.faults.lateWakeUps = 1
    stage.vblanks.faults.latestWakeUp = .milliseconds(40)
    stage.vblanks.faults.lostEvents = 1
    try stage.present()
    stage.run(until: 60)
    XCTAssertEqual(stage.feedback, [stage.vblank(1)])
    XCTAssertEqual(stage.told, [stage.vblanks.grid.delivery(ofVBlank: 1)])
    XCTAssertGreaterThan(try XCTUnwrap(stage.told.first), stage.vblank(1).timestamp)
    stage.display.invalidate()
  }

  /// With three buffers one frame waits, and takes the vblank after that of the one before it.
  func testAFrameThatWaitedTakesTheNextVBlank() throws {
    let stage = try Self.makeStage(.triple)
    try stage.present()
    try stage.present()
    XCTAssertNil(stage.display.presenter.acquireBuffer())
    stage.run(until: 45)
    XCTAssertEqual(stage.feedback, [stage.vblank(1), stage.vblank(2)])
    stage.display.invalidate()
  }

  func testInvalidatedItTellsNothing() throws {
    let stage = try Self.makeStage()
    try stage.present()
    stage.display.invalidate()
    stage.run(until: 45)
    XCTAssertEqual(stage.feedback, [])
  }
}

extension PresenterStage {
  fileprivate func run(until milliseconds: Int64) { run(until: vblanks.grid.start + .milliseconds(milliseconds)) }

  fileprivate func vblank(_ number: UInt64) -> PresentationFeedback {
    PresentationFeedback(timestamp: vblanks.grid.time(ofVBlank: number), sequence: number)
  }
}
