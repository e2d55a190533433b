import FrameTiming
import LinuxSystem
import Metering
import TestLength
import Testing

/// An output at 100 Hz as the meter sees it: interval n begins at n · 10 ms.
struct Feed {
  let meter: FPSMeter
  static let interval = Nanoseconds.milliseconds(10)

  init() throws {
    meter = FPSMeter(refreshRate: try #require(RefreshRate(numerator: 100, denominator: 1)))
  }

  func at(_ number: UInt64) -> MonotonicTime { .zero + Self.interval * Int64(number + 1) }

  func tick(
    _ number: UInt64, missed: UInt64 = 0, delayed: Nanoseconds = .zero, late: Nanoseconds = .zero, every step: Int = 1
  ) {
    let start = at(number) + delayed
    meter.record(
      .tick(
        DisplayLink.Tick(
          timestamp: at(number), targetTimestamp: at(number + 1), duration: Self.interval, frameNumber: number,
          start: start, delivered: start + late, missed: missed, intervalsPerTick: step)))
  }

  func frame(_ number: UInt64, work: Nanoseconds, shownAfter intervals: UInt64 = 1) -> FrameRecord {
    var record = FrameRecord()
    record.frameNumber = number
    record.tickTimestamp = at(number)
    record.target = at(number + 1)
    record.animationTime = record.target
    record.submitted = at(number) + work
    record.presented = at(number + intervals)
    record.phases[.composite] = work
    return record
  }

  /// A tick, its frame and its feedback.
  func whole(
    _ number: UInt64, work: Nanoseconds = .milliseconds(2), shownAfter: UInt64 = 1, missed: UInt64 = 0, every step: Int = 1
  ) {
    tick(number, missed: missed, every: step)
    show(frame(number, work: work, shownAfter: shownAfter))
  }

  /// Records a frame that is handed over and seen.
  func show(_ frame: FrameRecord) {
    meter.record(.committed(frame))
    meter.record(.presented(frame))
  }
}

@Suite struct FPSMeterTests {
  /// From the callbacks to the vblank that shows the frame, and only of frames that were seen.
  @Test func latencyIsFromTheBeginningToTheScreen() throws {
    let feed = try Feed()
    for number in 0..<100 as Range<UInt64> {
      feed.tick(number)
      var record = feed.frame(number, work: .milliseconds(2), shownAfter: number == 50 ? 3 : 1)
      record.delivered = feed.at(number) + .milliseconds(4)
      feed.meter.record(.committed(record))
      if number != 60 { feed.meter.record(.presented(record)) }
    }
    let latency = feed.meter.report().latency
    #expect(latency.count == 99)
    #expect(abs((latency.p50 ?? .zero).milliseconds - 6) < 0.02)
    #expect(latency.maximum == .milliseconds(26))
    // The window ends before the vblank at which the last frame is seen.
    #expect(feed.meter.recentReport(at: feed.at(99)).latency.maximum == .milliseconds(26))
  }

  /// The same causes as those of a profile, and told for each frame.
  @Test func causesOfLateFramesAreCounted() throws {
    let feed = try Feed()
    for number in 0..<20 as Range<UInt64> { feed.whole(number) }
    var slow = feed.frame(20, work: .milliseconds(12), shownAfter: 2)
    slow.start = slow.tickTimestamp
    #expect(feed.meter.record(.presented(slow))?.main == .phase(.composite))
    var prompt = feed.frame(22, work: .milliseconds(2), shownAfter: 2)
    prompt.start = prompt.tickTimestamp
    #expect(feed.meter.record(.presented(prompt))?.main == .scanOut)
    #expect(feed.meter.record(.presented(feed.frame(24, work: .milliseconds(2)))) == nil)
    prompt = feed.frame(26, work: .milliseconds(2), shownAfter: 2)
    feed.meter.record(.presented(prompt))
    #expect(
      feed.meter.report().lateCauses == [
        LateCount(cause: .scanOut, frames: 2), LateCount(cause: .phase(.composite), frames: 1),
      ])
  }

  /// A tick that a policy puts off is not late.
  @Test func latenessCountsFromTheTimeAtWhichATickWasDue() throws {
    let feed = try Feed()
    for number in 0..<600 as Range<UInt64> { feed.tick(number, delayed: .milliseconds(6), late: .microseconds(100)) }
    #expect(feed.meter.report().tickLateness.maximum == .microseconds(100))
  }

  @Test func aSteadyRunHasFourEqualRates() throws {
    let feed = try Feed()
    for number in 0..<600 as Range<UInt64> { feed.whole(number) }
    for report in [feed.meter.report(), feed.meter.recentReport(at: feed.at(599) + 1)] {
      #expect(report.refreshRate == 100)
      #expect(report.tickRate == 100)
      #expect(report.frameRate == 100)
      #expect(report.presentedRate == 100)
      #expect((report.late, report.missed, report.idle) == (0, 0, 0))
      #expect(report.hitchTimeRatio == 0)
      #expect(report.hitchSeverity == .good)
      #expect(report.frameInterval.p50 == Feed.interval)
      #expect(report.frameInterval.p99 == Feed.interval)
      #expect(report.work.p50 == .milliseconds(2))
      #expect(report.workShare == 0.2)
      #expect(report.tickLateness.maximum == 0)
    }
    #expect(feed.meter.report().ticks == 600)
    #expect(feed.meter.report().intervals == 600)
    // Two seconds of complete intervals: the one in progress is left out.
    #expect(feed.meter.recentReport(at: feed.at(599) + 1).ticks == 200)
  }

  /// The run ends before the vblank of its last frame. A frame that newer ones have overtaken, or the display refuses, is lost.
  @Test func aFrameThatIsPendingAtTheEndIsNotLost() throws {
    let feed = try Feed()
    // The first frame of a run needs no tick.
    feed.show(feed.frame(0, work: .milliseconds(2)))
    for number in 1..<100 as Range<UInt64> { feed.whole(number) }
    feed.tick(100)
    feed.meter.record(.committed(feed.frame(100, work: .milliseconds(2))))
    let report = feed.meter.report()
    #expect((report.ticks, report.unticked) == (100, 1))
    #expect((report.frames, report.presented, report.pending) == (101, 100, 1))
    #expect((report.tickRate, report.frameRate, report.presentedRate) == (100, 100, 100))
    feed.meter.record(.committed(feed.frame(101, work: .milliseconds(2))))
    feed.show(feed.frame(102, work: .milliseconds(2)))
    #expect(feed.meter.report().pending == 0)
    feed.meter.record(.committed(feed.frame(103, work: .milliseconds(2))))
    feed.meter.record(.refused(SystemError(call: "present", errno: 5)))
    #expect(feed.meter.report().pending == 0)
    // Nor is it seen on a screen that shows nothing.
    var dark = FrameReport(nominalRefreshRate: .hertz60)
    (dark.intervals, dark.frames, dark.pending, dark.time) = (37, 1, 1, .seconds(1))
    #expect(dark.presentedRate == 0)
  }

  @Test func theFourRatesAreFourNumbers() throws {
    let feed = try Feed()
    // Ticked in two of three intervals, a frame for half of the ticks, half of those seen.
    for number in 0..<600 as Range<UInt64> where number % 3 != 2 {
      feed.tick(number, missed: number % 3 == 0 && number > 0 ? 1 : 0)
      if number % 3 == 0 {
        let frame = feed.frame(number, work: .milliseconds(1))
        feed.meter.record(.committed(frame))
        if number % 6 == 0 { feed.meter.record(.presented(frame)) }
      }
    }
    let report = feed.meter.report()
    #expect((report.intervals, report.ticks, report.frames, report.presented) == (599, 400, 200, 100))
    #expect((report.missed, report.idle) == (199, 0))
    #expect(report.refreshRate == 100)
    #expect(report.tickRate == 100.0 * 400 / 599)
    #expect(report.frameRate == 100.0 * 200 / 599)
    // The last frame is pending.
    #expect(report.presentedRate == 100.0 * 101 / 599)
  }

  @Test func idleIntervalsAreNotMissedAndNotFrameIntervals() throws {
    let feed = try Feed()
    for number in 0..<100 as Range<UInt64> { feed.whole(number) }
    feed.meter.record(.idle)
    // While nothing is wanted the live figures show idle intervals.
    let paused = feed.meter.recentReport(at: feed.at(149) + 1)
    #expect((paused.intervals, paused.ticks, paused.missed, paused.idle) == (149, 100, 0, 49))
    for number in 200..<300 as Range<UInt64> { feed.whole(number) }
    let report = feed.meter.report()
    #expect((report.intervals, report.ticks, report.missed, report.idle) == (300, 200, 0, 100))
    #expect(report.frameInterval.maximum == Feed.interval)
    #expect(report.frameInterval.count == 198)
    #expect(report.hitchTime == 0)
    let recent = feed.meter.recentReport(at: feed.at(299) + 1)
    #expect((recent.intervals, recent.ticks, recent.idle) == (200, 100, 100))
  }

  @Test func aRunThatEndsIdleCountsItsIdleTime() throws {
    let feed = try Feed()
    // One picture, made before the first tick, and nothing more.
    let frame = feed.frame(0, work: .milliseconds(1))
    feed.show(frame)
    feed.meter.record(.idle)
    for report in [feed.meter.report(at: feed.at(100) + 1), feed.meter.recentReport(at: feed.at(100) + 1)] {
      #expect((report.intervals, report.ticks, report.frames, report.presented) == (100, 0, 1, 1))
      #expect((report.missed, report.idle) == (0, 99))
      #expect(report.frameRate == 1)
    }
    // It goes on with a tick: the time between is not a frame interval.
    feed.whole(200)
    #expect(feed.meter.report().idle == 199)
    #expect(feed.meter.report().frameInterval.count == 0)
  }

  /// A frame every second or third interval: those between are left out, and neither idle nor missed.
  @Test(arguments: [2, 3]) func intervalsThatARateLeavesOut(step: Int) throws {
    let feed = try Feed()
    let count: UInt64 = 100
    for number in 0..<count { feed.whole(number * UInt64(step), every: step) }
    let last = (count - 1) * UInt64(step)
    let run = feed.meter.report()
    #expect((run.intervals, run.ticks, run.missed, run.idle) == (Int(last) + 1, 100, 0, 0))
    #expect(run.leftOut == 99 * (step - 1))
    #expect(run.frameInterval.count == 99)
    #expect(run.frameInterval.maximum == Feed.interval * Int64(step))
    #expect(run.animationError.count == 99)
    #expect(run.animationError.maximum == .zero)
    #expect(run.hitchTime == .zero)
    #expect(abs(try #require(run.tickRate) - 100.0 / Double(step)) < 0.5)
    // Also those after the last tick, until the next one is due.
    for further in 1..<UInt64(step) {
      for report in [feed.meter.report(at: feed.at(last + further)), feed.meter.recentReport(at: feed.at(last + further))] {
        #expect((report.missed, report.idle, report.hitchTime) == (0, 0, .zero), "\(further)")
        #expect(report.ticks + report.leftOut == report.intervals, "\(further)")
      }
    }
    // Two ticks are overdue.
    let end = feed.at(last + 2 * UInt64(step)) + Feed.interval
    for report in [feed.meter.report(at: end), feed.meter.recentReport(at: end)] {
      #expect((report.missed, report.idle) == (2, 0))
      #expect(report.hitchTime == Feed.interval * Int64(2 * step))
    }
  }

  /// A tick that is missed is one, and what stands on the screen meanwhile stands as long as its intervals last.
  @Test(arguments: [2, 3]) func whatASlowerRateMisses(step: Int) throws {
    let feed = try Feed()
    let step = UInt64(step)
    for number in 0..<10 as Range<UInt64> { feed.whole(number * step, every: Int(step)) }
    feed.whole(13 * step, missed: 3, every: Int(step))
    let report = feed.meter.report()
    #expect((report.ticks, report.missed, report.idle) == (11, 3, 0))
    #expect(report.ticks + report.missed + report.leftOut == report.intervals)
    #expect(report.hitchTime == Feed.interval * Int64(3 * step))
    #expect(report.frameInterval.count == 10)
    let recent = feed.meter.recentReport(at: feed.at(13 * step) + Feed.interval)
    #expect((recent.ticks, recent.missed, recent.leftOut, recent.idle) == (11, 3, report.leftOut, 0))
    // A pause, and after it two that were missed: what is before them and their intervals is idle.
    feed.meter.record(.idle)
    feed.whole(30 * step, missed: 2, every: Int(step))
    let resumed = feed.meter.report()
    #expect((resumed.missed, resumed.idle) == (5, Int(14 * step)))
    #expect(resumed.frameInterval.count == 10)
    #expect(resumed.ticks + resumed.missed + resumed.leftOut + resumed.idle == resumed.intervals)
  }

  @Test func aFrameOutOfIdleIsMadeWithoutATick() throws {
    let feed = try Feed()
    for number in 0..<10 as Range<UInt64> { feed.whole(number) }
    feed.meter.record(.idle)
    let first = feed.frame(20, work: .milliseconds(1))
    feed.show(first)
    feed.whole(21)
    let report = feed.meter.report()
    #expect((report.intervals, report.ticks, report.frames, report.missed, report.idle) == (22, 11, 12, 0, 10))
    #expect(report.frameInterval.maximum == Feed.interval)
    #expect(report.frameInterval.count == 10)
  }

  /// The first frame takes as long as the screen needs to be switched on. Frames are wanted meanwhile, and it is no hitch.
  @Test func whatPassesBeforeTheFirstTickIsNeitherIdleNorMissed() throws {
    let feed = try Feed()
    let first = feed.frame(1, work: .milliseconds(300), shownAfter: 31)
    feed.meter.record(.committed(first))
    for report in [feed.meter.report(at: feed.at(25) + 1), feed.meter.recentReport(at: feed.at(25) + 1)] {
      #expect((report.intervals, report.frames, report.missed, report.idle) == (24, 1, 0, 0))
      #expect(report.hitchTime == 0)
    }
    var seen = first
    seen.target = seen.presented
    feed.meter.record(.presented(seen))
    // The link had an earlier tick, of which the meter knows nothing.
    for number in 31..<50 as Range<UInt64> { feed.whole(number, missed: number == 31 ? 20 : 0) }
    for report in [feed.meter.report(), feed.meter.recentReport(at: feed.at(50))] {
      #expect((report.intervals, report.ticks, report.frames) == (49, 19, 20))
      #expect((report.missed, report.leftOut, report.idle) == (0, 29, 0))
      #expect(report.hitchTime == 0)
    }
    // From then on a screen that stops is missing.
    #expect(feed.meter.report(at: feed.at(60) + 1).missed == 10)
  }

  /// 48 frames a second on a display that could show 144: while one is seen nothing is missed.
  @Test func anIntervalOfAVariableDisplayLastsAsLongAsItLikes() throws {
    let rate = try #require(RefreshRate(hertz: 144))
    let meter = FPSMeter(refreshRate: rate)
    let length = Nanoseconds.microseconds(20_833)
    func at(_ number: UInt64) -> MonotonicTime { .zero + .seconds(5) + length * Int64(number) }
    for number in 1...480 as ClosedRange<UInt64> {
      // Once the display counts an interval that nobody was told of.
      if number == 100 { continue }
      meter.record(
        .tick(
          DisplayLink.Tick(
            timestamp: at(number), targetTimestamp: at(number) + rate.interval, duration: rate.interval,
            frameNumber: number, delivered: at(number), missed: number == 101 ? 1 : 0, isVariable: true)))
      var frame = FrameRecord()
      frame.frameNumber = number
      frame.tickTimestamp = at(number)
      frame.presented = at(number + 1)
      frame.isTargetKnown = false
      frame.target = frame.presented
      frame.animationTime = at(number) + rate.interval
      meter.record(.committed(frame))
      meter.record(.presented(frame))
    }
    let end = at(481) - .milliseconds(1)
    let run = meter.report(at: end)
    #expect((run.intervals, run.ticks, run.missed, run.idle, run.late) == (480, 479, 1, 0, 0))
    #expect(run.hitchTime == rate.interval)
    // The ratio is that of ten seconds, and not of as many of the shortest intervals.
    let ratio = try #require(run.hitchTimeRatio)
    #expect(abs(ratio - rate.interval.milliseconds / 10) < 0.001, "\(ratio)")
    #expect(abs(try #require(run.tickRate) - 48) < 0.2)
    let recent = meter.recentReport(at: end)
    #expect((recent.missed, recent.idle, recent.hitchTime) == (0, 0, .zero))
    // At least 120 intervals, and no more than two seconds have.
    #expect(recent.intervals == 120)
    meter.record(.idle)
    let paused = meter.report(at: at(480) + .seconds(10))
    #expect((paused.ticks, paused.missed) == (479, 1))
    #expect(abs(paused.idle - 480) <= 1)
    #expect(abs(try #require(paused.tickRate) - 24) < 0.1)
  }

  @Test func aRateTakesTwoTenthsOfASecond() throws {
    let feed = try Feed()
    feed.whole(0)
    // One frame in two intervals is not half as many frames as there could be.
    #expect(feed.meter.report(at: feed.at(2)).frameRate == nil)
    for number in 1..<19 as Range<UInt64> { feed.whole(number) }
    let short = feed.meter.report()
    #expect((short.intervals, short.tickRate, short.frameRate, short.presentedRate) == (19, nil, nil, nil))
    feed.whole(19)
    let report = feed.meter.report()
    #expect((report.intervals, report.tickRate, report.frameRate, report.presentedRate) == (20, 100, 100, 100))
    // A slow display has one with its first interval.
    let slow = FPSMeter(refreshRate: try #require(RefreshRate(numerator: 1, denominator: 1)))
    slow.record(.committed(FrameRecord()))
    #expect(slow.report().frameRate == 1)
  }

  @Test func tooFewFramesHaveNoPercentiles() throws {
    let feed = try Feed()
    #expect(feed.meter.report().tickRate == nil)
    #expect(feed.meter.report().hitchTimeRatio == nil)
    #expect(feed.meter.recentReport(at: .zero).intervals == 0)
    for number in 0..<99 as Range<UInt64> { feed.whole(number) }
    #expect(feed.meter.report().work.p50 != nil)
    #expect(feed.meter.report().work.p99 == nil)
    feed.whole(99)
    #expect(feed.meter.report().work.p99 != nil)
  }

  /// Random runs against sums that the test keeps by itself, and the window against the same run.
  @Test func countsAddUp() throws {
    for seed in some(4, of: 1...20 as ClosedRange<UInt64>) {
      var random = SplitMix64(seed: seed)
      let feed = try Feed()
      let step = UInt64.random(in: 1...3, using: &random)
      var number: UInt64 = 0
      var (ticks, missed, idle, frames, late) = (0, 0, 0, 0, 0)
      for _ in 0..<5000 {
        let skipped = Int.random(in: 0...19, using: &random) == 0 ? UInt64.random(in: 1...30, using: &random) : 0
        let wanted = UInt64.random(in: 0...skipped, using: &random)
        if ticks > 0 {
          number += (1 + skipped) * step
          missed += Int(wanted)
          idle += Int((skipped - wanted) * step)
        }
        feed.tick(number, missed: ticks > 0 ? wanted : 0, every: Int(step))
        ticks += 1
        if Bool.random(using: &random) {
          let shownAfter = UInt64.random(in: 1...3, using: &random)
          let frame = feed.frame(
            number, work: Nanoseconds(Int64.random(in: 0...20_000_000, using: &random)), shownAfter: shownAfter)
          feed.show(frame)
          frames += 1
          if shownAfter > 1 { late += 1 }
        }
        if Int.random(in: 0...99, using: &random) == 0 {
          let recent = feed.meter.recentReport(at: feed.at(number) + 1)
          #expect(recent.ticks + recent.missed + recent.leftOut + recent.idle == recent.intervals, "seed \(seed)")
        }
      }
      let report = feed.meter.report()
      #expect((report.ticks, report.missed, report.idle) == (ticks, missed, idle), "seed \(seed)")
      #expect((report.frames, report.presented, report.late) == (frames, frames, late), "seed \(seed)")
      #expect(report.ticks + report.missed + report.leftOut + report.idle == report.intervals, "seed \(seed)")
    }
  }
}
