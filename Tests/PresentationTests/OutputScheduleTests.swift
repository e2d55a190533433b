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
      schedule.endTurn(isFrameWanted: isFrameWanted)
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
}
