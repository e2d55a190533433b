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

  /// A picture that stood only since the process did is neither a hitch nor a slow frame.
  @Test func aStopIsNoHitchAndNoInterval() throws {
    let feed = try Feed()
    for number in 0..<200 as Range<UInt64> { feed.whole(number) }
    #expect(feed.meter.report().hitchTime == .zero)
    feed.meter.resumed = feed.at(260) - .milliseconds(1)
    feed.whole(260, missed: 60)
    for number in 261..<300 as Range<UInt64> { feed.whole(number) }
    let report = feed.meter.report()
    #expect(report.missed == 60 && report.hitchTime == .zero)
    #expect(report.frameInterval.count == 238 && report.frameInterval.maximum == .milliseconds(10))
    // A second stop, within the work on a frame.
    var late = feed.frame(300, work: .milliseconds(52), shownAfter: 6)
    late.start = late.tickTimestamp
    feed.meter.resumed = late.start + .milliseconds(50)
    feed.tick(300)
    feed.meter.record(.committed(late))
    feed.meter.record(.presented(late))
    #expect(feed.meter.report().hitchTime == .zero)
    #expect(feed.meter.report().frameInterval.count == 238)
    // A standstill of the loop is one.
    feed.whole(306)
    feed.whole(310, missed: 3)
    #expect(feed.meter.report().hitchTime > .zero)
  }

  /// A report between the end of a stop and the next tick tells the stop; the meter asks for it.
  @Test func aStopThatNoTickHasEndedIsNoHitch() throws {
    let feed = try Feed()
    var resumed: MonotonicTime?
    feed.meter.readResumed = { resumed }
    for number in 0..<200 as Range<UInt64> { feed.whole(number) }
    let end = feed.at(260)
    for report in [feed.meter.report(at: end), feed.meter.recentReport(at: end)] {
      #expect((report.missed, report.missedWhileStopped, report.hitchTime) == (60, 0, .milliseconds(600)))
    }
    resumed = end - .milliseconds(1)
    for report in [feed.meter.report(at: end), feed.meter.recentReport(at: end)] {
      #expect((report.missed, report.missedWhileStopped, report.hitchTime) == (60, 60, .zero))
    }
    // Intervals that were missed after a stop are a hitch.
    feed.tick(263, missed: 63)
    feed.tick(266, missed: 2)
    resumed = feed.at(280)
    let report = feed.meter.report(at: feed.at(281))
    #expect((report.missed, report.missedWhileStopped, report.hitchTime) == (79, 77, .milliseconds(20)))
  }

  /// The recent figures have all stops of their time, not the last one alone.
  @Test func recentFiguresKnowEachStop() throws {
    let feed = try Feed()
    var number: UInt64 = 0
    func run(_ count: Int) {
      for _ in 0..<count {
        feed.whole(number)
        number += 1
      }
    }
    run(900)
    for stop in 0..<3 {
      number += 20
      feed.meter.resumed = feed.at(number) - .milliseconds(1)
      feed.whole(number, missed: 20)
      number += 1
      run(10 + stop)
    }
    let recent = feed.meter.recentReport(at: feed.at(number))
    #expect((recent.missed, recent.missedWhileStopped, recent.hitchTime) == (60, 60, .zero))
    #expect(recent.frameInterval.maximum == .milliseconds(10))
    // The log begins after these stops.
    run(4000)
    #expect(feed.meter.log.stops.map(\.index) == [0, 0, 0])
    #expect(feed.meter.recentReport(at: feed.at(number)).missed == 0)
  }

  /// Intervals that a stop took are named for themselves, without the time: the longest frame interval leaves it out.
  @Test func theVerdictNamesTheStop() throws {
    let feed = try Feed()
    var profile = PhaseProfile(refreshRate: feed.meter.refreshRate)
    func add(_ number: UInt64, missed: UInt64 = 0) {
      profile.resumed = feed.meter.resumed
      var frame = feed.frame(number, work: .milliseconds(2))
      (frame.start, frame.delivered) = (frame.tickTimestamp, frame.tickTimestamp + .milliseconds(1))
      frame.missedTime = Feed.interval * Int64(missed)
      feed.tick(number, missed: missed)
      feed.show(frame)
      profile.add(frame)
    }
    for number in 0..<20 as Range<UInt64> { add(number) }
    feed.meter.resumed = feed.at(80) - .milliseconds(1)
    add(80, missed: 60)
    let stop = "60 intervals missed by a stop of the process"
    #expect(feed.meter.report().missedVerdict(interval: Feed.interval) == stop)
    add(84, missed: 3)
    #expect(
      feed.meter.report().missedVerdict(interval: Feed.interval)
        == "63 intervals missed: 60 by a stop of the process, 3 by scheduling; a picture stood for up to 40.00 ms")
  }

  /// A profile tells a stop from other standstills.
  @Test func aStopIsTheCauseOfAStandstill() throws {
    let feed = try Feed()
    var frame = feed.frame(20, work: .milliseconds(2))
    (frame.start, frame.delivered) = (frame.tickTimestamp, frame.tickTimestamp + .milliseconds(1))
    frame.missedTime = .milliseconds(50)
    for (milliseconds, cause) in [(-51, .scheduling), (-49, .stopped), (1, .stopped), (2, .scheduling)]
      as [(Int64, FrameRecord.Cause)]
    {
      var profile = PhaseProfile(refreshRate: feed.meter.refreshRate)
      profile.resumed = frame.start + .milliseconds(milliseconds)
      profile.add(frame)
      #expect(profile.missedCauses == [MissedCount(cause: .standstill(.frame(cause)), intervals: 5)])
      #expect(profile.worstFrames.first?.longestCause == .frame(cause))
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
