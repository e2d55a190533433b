import FrameTiming
import LinuxSystem
import Metering
import Testing

@Suite struct TickDistancesTests {
  /// Frames of a link at every second vblank have two intervals, in the figures of the run and in those of its last moments.
  @Test func theBudgetIsThatOfTheTicks() throws {
    let feed = try Feed()
    for number in 0..<600 as Range<UInt64> where number % 2 == 0 {
      var frame = FrameRecord()
      frame.frameNumber = number
      (frame.tickTimestamp, frame.intervalsPerTick) = (feed.at(number), 2)
      frame.target = feed.at(number) + Feed.interval * 2
      (frame.promised, frame.presented) = (frame.target, frame.target)
      frame.phases[.callbacks] = .milliseconds(15)
      feed.meter.record(.committed(frame))
      feed.meter.record(.presented(frame))
    }
    for report in [feed.meter.report(), feed.meter.recentReport(at: feed.at(600))] {
      #expect(report.budget == Feed.interval * 2 && report.workShare == 0.75 && report.late == 0)
    }
  }

  /// Prometheus is told the budget of the last frame: a program that changes its rate after a day has the new one at once. A frame without
  /// a tick has none.
  @Test func theBudgetOfMetricsIsThatOfTheLastFrame() throws {
    let feed = try Feed()
    func budget(_ number: UInt64, every intervals: Int, hasTick: Bool = true) -> Nanoseconds {
      var frame = feed.frame(number, work: .milliseconds(1))
      frame.intervalsPerTick = intervals
      frame.promised = hasTick ? frame.target : nil
      feed.meter.record(.committed(frame))
      return feed.meter.takeMetrics(of: "a", at: feed.at(number)).budget
    }
    #expect(feed.meter.takeMetrics(of: "a", at: .zero).budget == Feed.interval)
    for number in 0..<10 as Range<UInt64> { #expect(budget(number, every: 1) == Feed.interval) }
    #expect(budget(10, every: 3) == Feed.interval * 3)
    #expect(budget(13, every: 1, hasTick: false) == Feed.interval * 3)
    #expect(
      MetricsPage(frames: [feed.meter.takeMetrics(of: "a", at: feed.at(14))]).text
        .contains("\nframepace_frame_budget_seconds{display=\"a\"} 0.03\n"))
    #expect(budget(14, every: 1) == Feed.interval)
  }
}
