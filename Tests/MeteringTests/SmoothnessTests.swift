import FrameTiming
import LinuxSystem
import Metering
import Testing

/// The smoothness of what is seen: hitches and animation errors.
@Suite struct SmoothnessTests {
  /// A late frame is shown with too long a step before it and too short a one after it; a pause is neither.
  @Test func animationErrorIsTheDifferenceOfTheSteps() throws {
    let feed = try Feed()
    for number in 0..<20 as Range<UInt64> { feed.whole(number) }
    #expect(feed.meter.report().animationError.maximum == .zero)
    // Made for interval 21, shown in 22; the next one is in time.
    feed.whole(20, shownAfter: 2)
    #expect(feed.meter.report().animationError.maximum == Feed.interval)
    feed.whole(22, missed: 1)
    #expect(feed.meter.report().animationError.maximum == Feed.interval)
    feed.meter.record(.idle)
    feed.whole(90)
    let error = feed.meter.report().animationError
    #expect(error.maximum == Feed.interval)
    #expect(error.count == 21)
  }

  /// The times of the pictures count, whatever their targets were.
  @Test func animationErrorIsOfThePictures() throws {
    let feed = try Feed()
    for number in 0..<100 as Range<UInt64> {
      var frame = feed.frame(number, work: .milliseconds(1))
      // A 100th of an interval too slow.
      frame.animationTime = frame.target - .microseconds(100) * Int64(number)
      feed.show(frame)
    }
    #expect(feed.meter.report().animationError.maximum == .microseconds(100))
    #expect(feed.meter.report().animationError.count == 99)
  }

  /// The animations of a first frame are evaluated for its target, which is a guess: a run is no less even for it.
  @Test func aGuessIsNoAnimationError() throws {
    let feed = try Feed()
    for number in 0..<100 as Range<UInt64> {
      feed.tick(number)
      var frame = feed.frame(number, work: .milliseconds(1))
      if number == 0 { (frame.isTargetKnown, frame.animationTime) = (false, frame.target - .milliseconds(3)) }
      feed.show(frame)
    }
    let report = feed.meter.report()
    #expect((report.animationError.maximum, report.animationError.count) == (.zero, 98))
    #expect(report.frameInterval.count == 99)
  }

  @Test func aLateFrameIsOneShownHalfAnIntervalAfterItsTarget() throws {
    let feed = try Feed()
    feed.tick(0)
    var frame = feed.frame(0, work: .milliseconds(1))
    frame.presented = frame.target + Feed.interval / 2
    feed.meter.record(.presented(frame))
    #expect(feed.meter.report().late == 0)
    #expect(feed.meter.report().hitchTime == 0)
    frame.presented = frame.target + Feed.interval / 2 + 1
    feed.meter.record(.presented(frame))
    #expect(feed.meter.report().late == 1)
    #expect(feed.meter.report().hitchTime == Feed.interval / 2 + 1)
  }

  /// At a third of the rate a frame is promised for the third vblank, and made for the first: seen at the third it is no hitch, and seen
  /// at the fourth one of an interval.
  @Test func aFrameAtASlowerRateHasItsWholeTime() throws {
    let feed = try Feed()
    for number in stride(from: 0, to: 30, by: 3) as StrideTo<UInt64> {
      feed.tick(number, every: 3)
      var frame = feed.frame(number, work: .milliseconds(25), shownAfter: 3)
      (frame.promised, frame.intervalsPerTick) = (feed.at(number + 3), 3)
      if number == 27 { frame.presented += Feed.interval }
      feed.show(frame)
      #expect(feed.meter.report().hitchTime == (number == 27 ? Feed.interval : .zero), "\(number)")
    }
  }

  /// A frame of three intervals makes the ticks of the same three be missed: the picture stood still once.
  @Test func aLongFrameAndTheTicksThatItMissedAreOneHitch() throws {
    let feed = try Feed()
    for number in 0..<98 as Range<UInt64> { feed.whole(number) }
    feed.tick(98)
    let long = feed.frame(98, work: .milliseconds(35), shownAfter: 4)
    feed.meter.record(.committed(long))
    // The flip's event comes after the next tick here, and before it elsewhere.
    feed.tick(102, missed: 3)
    feed.meter.record(.presented(long))
    let next = feed.frame(102, work: .milliseconds(2))
    feed.show(next)
    let report = feed.meter.report()
    #expect((report.late, report.missed) == (1, 3))
    #expect(report.hitchTime == .milliseconds(30))
    // 30 ms in 103 intervals of 10 ms.
    #expect(try #require(report.hitchTimeRatio) == 30 / 1.03)
    #expect(report.hitchSeverity == .critical)
  }

  /// A picture that should have been replaced stands too long, whether or not one is seen after it.
  @Test func aHitchThatGoesOnCounts() throws {
    let feed = try Feed()
    feed.tick(0)
    feed.meter.record(.committed(feed.frame(0, work: .milliseconds(2))))
    for report in [feed.meter.report(at: feed.at(16) + 1), feed.meter.recentReport(at: feed.at(16) + 1)] {
      // One made, none seen, 15 missed.
      #expect((report.frames, report.presented, report.intervals, report.missed) == (1, 0, 16, 15))
      #expect(report.hitchTime == .milliseconds(150))
      #expect(try #require(report.hitchTimeRatio) == 150 / 0.16)
      #expect(report.hitchSeverity == .critical)
    }
    // Its tick comes, and its frame: nothing is counted twice.
    feed.tick(16, missed: 15)
    #expect(feed.meter.report().hitchTime == .milliseconds(150))
    let late = feed.frame(0, work: .milliseconds(155), shownAfter: 16)
    feed.meter.record(.presented(late))
    #expect(feed.meter.report().hitchTime == .milliseconds(150))
    let next = feed.frame(16, work: .milliseconds(2))
    feed.show(next)
    for report in [feed.meter.report(), feed.meter.recentReport(at: feed.at(17))] {
      #expect((report.late, report.missed) == (1, 15))
      #expect(report.hitchTime == .milliseconds(150))
    }
  }

  /// Skipped intervals are idle at first, and missed once frames are wanted.
  @Test func whatIsMissedAfterAnIdleTimeIsAHitch() throws {
    let feed = try Feed()
    for number in 0..<10 as Range<UInt64> { feed.whole(number) }
    feed.meter.record(.idle)
    feed.whole(44, missed: 7)
    let report = feed.meter.report()
    #expect((report.missed, report.idle) == (7, 27))
    #expect(report.hitchTime == .milliseconds(70))
  }

  /// A tick that brought no frame: nothing was to be shown.
  @Test func whatWasMissedForNothingIsNoHitch() throws {
    let feed = try Feed()
    for number in 0..<10 as Range<UInt64> { feed.whole(number) }
    feed.tick(14, missed: 4)
    feed.meter.record(.idle)
    feed.whole(30)
    #expect(feed.meter.report().missed == 4)
    #expect(feed.meter.report().hitchTime == 0)
  }

  /// 1100 frames at 100 Hz, of which each hundredth is shown 20 ms after the one before: 1 % of the frames, 2 % of the time.
  @Test func lowsAndRarePercentilesNeedTheirFrames() throws {
    let feed = try Feed()
    var number: UInt64 = 0
    for frame in 0..<1100 {
      feed.whole(number, missed: frame > 0 && frame % 100 == 0 ? 1 : 0)
      number += frame % 100 == 99 ? 2 : 1
    }
    let report = feed.meter.report()
    #expect(report.frameInterval.count == 1099)
    // A histogram is exact to 1/512.
    for (figure, milliseconds) in [(report.frameInterval.p95, 10.0), (report.frameInterval.p999, 20)] {
      #expect(abs(try #require(figure).milliseconds / milliseconds - 1) < 1 / 512.0)
    }
    for low in [report.onePercentLow, report.tenthPercentLow] { #expect(abs(try #require(low) / 50 - 1) < 1 / 512.0) }
    // Ten of 1099 are twice as long.
    let part = 10.0 / 1099
    let variance: Double = part * (1 - part) * 1099 / 1098
    let deviation = try #require(report.frameInterval.standardDeviation)
    #expect(abs(deviation.milliseconds - 10 * variance.squareRoot()) < 1e-3)
    let recent = feed.meter.recentReport(at: feed.at(number - 1))
    #expect(recent.frameInterval.p95 != nil && recent.frameInterval.p999 == nil)
    #expect(recent.onePercentLow == 50 && recent.tenthPercentLow == nil)
  }

  @Test func hitchClasses() {
    #expect(HitchSeverity(ratio: 0) == .good)
    #expect(HitchSeverity(ratio: 4.999) == .good)
    #expect(HitchSeverity(ratio: 5) == .warning)
    #expect(HitchSeverity(ratio: 10) == .warning)
    #expect(HitchSeverity(ratio: 10.001) == .critical)
  }
}
