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
}
