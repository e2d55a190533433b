import FrameTiming
import LinuxSystem
import Metering
import Testing

/// A process that is stopped, as by Ctrl-Z, misses what comes meanwhile, and is not to blame.
@Suite struct StoppedProcessTests {
  @Test func whatAStopMissesIsCountedForItself() throws {
    let feed = try Feed()
    for number in 0..<20 as Range<UInt64> { feed.whole(number) }
    feed.whole(25, missed: 5)
    // A vblank before the stop may still be reported after it.
    feed.meter.resumed = feed.at(90) + .milliseconds(3)
    feed.tick(26, late: .milliseconds(644))
    feed.whole(91, missed: 64)
    feed.whole(95, missed: 3)
    for report in [feed.meter.report(), feed.meter.recentReport(at: feed.at(96))] {
      #expect(report.missed == 72)
      #expect(report.missedWhileStopped == 64)
    }
  }

  @Test func aFrameThatAStopMadeLateHasItAsItsCause() throws {
    let feed = try Feed()
    for number in 0..<20 as Range<UInt64> { feed.whole(number) }
    var late = feed.frame(20, work: .milliseconds(52), shownAfter: 6)
    late.start = late.tickTimestamp
    #expect(feed.meter.record(.presented(late))?.main == .phase(.composite))
    for (milliseconds, cause) in [
      (-1, .phase(.composite)), (1, .stopped), (51, .stopped), (53, .phase(.composite)),
    ] as [(Int64, FrameRecord.Cause)] {
      feed.meter.resumed = late.start + .milliseconds(milliseconds)
      #expect(feed.meter.record(.presented(late))?.main == cause)
    }
    #expect(feed.meter.record(.presented(feed.frame(30, work: .milliseconds(2)))) == nil)
    #expect(feed.meter.report().lateCauses.contains(LateCount(cause: .stopped, frames: 2)))
  }
}
