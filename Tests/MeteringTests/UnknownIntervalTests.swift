import LinuxSystem
import Metering
import Testing

@testable import FrameTiming

/// Intervals that pass while nobody knows where vblanks lie, as when a window's desktop begins to tell of them.
@Suite struct UnknownIntervalTests {
  /// They are neither missed nor idle, and time goes on in them: the refresh rate stays.
  @Test func theRefreshRateStaysWhereASourceTakesOver() throws {
    let interval = RefreshRate.hertz60.interval
    let meter = FPSMeter(refreshRate: .hertz60)
    var sequencer = TickSequencer(refreshRate: .hertz60)
    var schedule = LinkSchedule(rate: .hertz60)
    schedule.begin(at: 0)
    var time = MonotonicTime.zero + .seconds(1)
    func tick(requested: MonotonicTime, sequence: UInt64) throws {
      let outcome = sequencer.advance(
        to: VBlank(timestamp: time, sequence: sequence), requested: requested, now: time, rate: .hertz60)
      guard case .tick(let vblank, let number) = outcome else {
        Issue.record("no tick: \(outcome)")
        return
      }
      var shared = DisplayLink.Tick(
        timestamp: vblank.timestamp, targetTimestamp: vblank.timestamp + interval, duration: interval,
        frameNumber: number, delivered: time, missed: 0)
      (shared.lostVBlanks, shared.unknownIntervals) = (sequencer.lostVBlanks, sequencer.unknownIntervals)
      let isTaken = schedule.take(shared, delivery: number)
      #expect(isTaken)
      meter.record(.tick(try #require(schedule.tick)))
    }
    for number in 1...20 as ClosedRange<UInt64> {
      time += interval
      try tick(requested: time - interval * 9 / 10, sequence: number)
    }
    sequencer.change(to: .hertz60, isVariable: false, isMeasured: false, isDisplay: true)
    // The first vblanks that the desktop tells come two intervals and one later than they could.
    for intervals in [3, 2] + Array(repeating: 1, count: 20) as [Int64] {
      let requested = time + .milliseconds(1)
      time += interval * intervals
      try tick(requested: requested, sequence: 0)
    }
    let report = meter.report()
    #expect(abs((report.refreshRate ?? 0) - 60) < 0.01, "\(report)")
    #expect(abs((meter.recentReport(at: time).refreshRate ?? 0) - 60) < 0.01, "\(report)")
    #expect((report.ticks, report.missed, report.idle, report.hitchTime) == (42, 0, 0, .zero), "\(report)")
    #expect(report.intervals == report.ticks + report.leftOut && report.leftOut >= 2, "\(report)")
  }
}
