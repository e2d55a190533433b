import FrameTiming
import LinuxSystem
import RunLoops
import XCTest

@testable import Presentation

/// An output's schedule: the times that it writes into the record of a frame.
@preconcurrency @MainActor final class OutputScheduleTests: XCTestCase {
  /// A frame is due at its tick, also when it is made a little later because no buffer was free; a change after a tick that brought
  /// no frame is due when it is made.
  func testWhatIsDueAtATick() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let source = FallbackClock(refreshRate: .hertz60, reason: "a test", clock: .manual(clock))
    let ticker = DisplayTicker(source: source)
    let interval = RefreshRate.hertz60.interval
    let tick = DisplayLink.Tick(
      timestamp: clock.now, targetTimestamp: clock.now + interval, duration: interval, frameNumber: 7,
      start: clock.now + .milliseconds(1), delivered: clock.now + .milliseconds(2), missed: 0)
    let begun = clock.now + .milliseconds(5)
    for isFrameWanted in [true, false] {
      var schedule = OutputSchedule()
      schedule.didTick(tick)
      var record = schedule.newRecord(for: tick.targetTimestamp, begun: begun, forecast: ticker.forecast)
      XCTAssertEqual(
        [record.tickTimestamp, record.start, record.delivered], [tick.timestamp, tick.start, tick.delivered])
      schedule.endTurn(isFrameWanted: isFrameWanted, at: clock.now + .milliseconds(3))
      record = schedule.newRecord(for: tick.targetTimestamp, begun: begun, forecast: ticker.forecast)
      XCTAssertEqual(record.tickTimestamp, tick.timestamp)
      XCTAssertEqual(record.frameNumber, 7)
      XCTAssertEqual([record.start, record.delivered], isFrameWanted ? [tick.start, tick.delivered] : [begun, begun])
      schedule.didRender(for: tick.targetTimestamp)
      record = schedule.newRecord(for: tick.targetTimestamp, begun: begun, forecast: ticker.forecast)
      XCTAssertEqual(record.start, begun, "the tick has its frame")
    }
    ticker.invalidate()
  }

  /// A frame that finds no buffer at its tick waits for one: that is no work of it, and no reason to make it for a later vblank.
  func testAWaitForABufferIsNoWork() {
    let clock = ManualClock(start: .zero + .seconds(1))
    let ticker = DisplayTicker(source: FallbackClock(refreshRate: .hertz60, reason: "a test", clock: .manual(clock)))
    defer { ticker.invalidate() }
    let begin = clock.now
    let interval = RefreshRate.hertz60.interval
    let tick = DisplayLink.Tick(
      timestamp: begin, targetTimestamp: begin + interval, duration: interval, frameNumber: 7, start: begin,
      delivered: begin, missed: 0)
    var schedule = OutputSchedule()
    schedule.didTick(tick)
    schedule.endTurn(isFrameWanted: true, at: begin + .milliseconds(2))
    // Turns in between change nothing.
    schedule.endTurn(isFrameWanted: true, at: begin + .milliseconds(5))
    var turn = TurnWork()
    turn.phases[.callbacks] = .milliseconds(1)
    let now = begin + .milliseconds(12)
    let record = schedule.newRecord(for: tick.targetTimestamp, turn, nil, at: now, ticker.forecast)
    XCTAssertEqual(record.delivered, begin)
    XCTAssertEqual(record.heldBack, .milliseconds(9))
    // Two of its eight milliseconds are over, so that it is ready six after the turn began. A ticker without a tick expects a vblank one
    // interval after any time.
    let target = schedule.target(
      at: now, begun: begin + .milliseconds(11), every: 1, budget: .milliseconds(8), forecast: ticker.forecast)
    XCTAssertEqual(target, begin + .milliseconds(17) + interval)
  }
}
