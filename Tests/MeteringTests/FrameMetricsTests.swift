import FrameTiming
import LinuxSystem
import TestLength
import Testing

@testable import Metering

/// The counters of a run for a monitoring system.
@Suite struct FrameMetricsTests {
  /// A frame of 2 ms in each of 20 intervals, but for one that takes 12 ms and is seen an interval late, two intervals that are missed, and
  /// four that are idle.
  @Test func theFiguresAreThoseOfTheWholeRun() throws {
    let feed = try Feed()
    for number in 0..<10 as Range<UInt64> { feed.whole(number) }
    feed.tick(10)
    var slow = feed.frame(10, work: .milliseconds(12), shownAfter: 2)
    slow.start = slow.tickTimestamp
    slow.phases[.layout] = .milliseconds(1)
    feed.show(slow)
    feed.whole(13, missed: 2)
    feed.tick(14)
    feed.meter.record(.idle)
    let metrics = feed.meter.takeMetrics(of: "a", at: feed.at(19))
    #expect(metrics.ticks == 13)
    #expect(metrics.frames == 12)
    #expect(metrics.presented == 12)
    #expect(metrics.missed == 2)
    #expect(metrics.idle == 4)
    #expect(metrics.late.filter { $0.frames > 0 } == [LateCount(cause: .phase(.composite), frames: 1)])
    #expect(metrics.late.map(\.cause) == FrameRecord.Cause.allCases)
    // The late frame stood 10 ms too long, and of the two missed intervals one is its own.
    #expect(metrics.hitchTime == .milliseconds(20))
    #expect(metrics.phaseTimes[.composite] == .milliseconds(11 * 2 + 12))
    #expect(metrics.phaseTimes[.layout] == .milliseconds(1))
    #expect(metrics.work.sum == .milliseconds(11 * 2 + 13))
    #expect(metrics.work.count == 12)
    #expect(metrics.frameIntervals.count == 11)
    #expect(abs(try #require(metrics.refreshRate) - 100) < 1e-9)
  }

  /// One frame on its way is lost, and one that was never handed over.
  @Test func lostFramesAreCounted() throws {
    let feed = try Feed()
    for number in 0..<10 as Range<UInt64> { feed.whole(number) }
    feed.tick(10)
    feed.meter.record(.committed(feed.frame(10, work: .milliseconds(2))))
    feed.meter.record(.lost(feed.frame(10, work: .milliseconds(2))))
    feed.meter.record(.lost(feed.frame(11, work: .milliseconds(2))))
    let metrics = feed.meter.takeMetrics(of: "a", at: feed.at(12))
    #expect((metrics.frames, metrics.presented, metrics.lost, metrics.discarded) == (12, 10, 2, 0))
    feed.meter.record(.discarded(feed.frame(12, work: .milliseconds(2))))
    let page = MetricsPage(frames: [feed.meter.takeMetrics(of: "a", at: feed.at(12))]).text
    #expect(page.contains("\nframepace_frames_discarded_total{display=\"a\"} 1\n"))
    let report = feed.meter.report()
    #expect((report.lost, report.pending, report.late) == (2, 0, 0))
    #expect(report.description.contains("1 discarded, 2 lost, 0 late, 0 missed"))
    #expect(feed.meter.recentReport(at: feed.at(12)).lost == 2)
    #expect(MetricsPage(frames: [metrics]).text.contains("\nframepace_frames_lost_total{display=\"a\"} 2\n"))
  }

  /// A bucket holds the durations up to its bound, itself included, and those of the buckets before it.
  @Test func bucketsAreCumulative() {
    var histogram = DurationHistogram()
    for milliseconds in [1, 2, 2, 5, 10, 70_000] as [Int64] { histogram.add(.milliseconds(milliseconds)) }
    histogram.add(.zero)
    let bounds = [0, 1, 2, 4, 10, 1000].map { Nanoseconds.milliseconds(Int64($0)) }
    let buckets = histogram.buckets(bounds)
    #expect(buckets.counts == [1, 2, 4, 4, 6, 6])
    #expect(buckets.count == 7)
    #expect(buckets.sum == .milliseconds(70_020))
    #expect(DurationHistogram().buckets(bounds).counts == [0, 0, 0, 0, 0, 0])
    #expect(histogram.buckets([]).counts.isEmpty)
  }

  /// Against a plain count; a value within 1/512 of a bound may count on either side.
  @Test func bucketsCountWhatTheyShould() {
    for seed in 0..<UInt64(isLongRun ? 500 : 20) {
      var random = SplitMix64(seed: seed)
      let values = (0..<1000).map { _ in
        Nanoseconds(Int64.random(in: 0...(1 << Int64.random(in: 1...38, using: &random)), using: &random))
      }
      var histogram = DurationHistogram()
      for value in values { histogram.add(value) }
      for bounds in [DurationBuckets.frameIntervalBounds, DurationBuckets.workBounds] {
        let buckets = histogram.buckets(bounds)
        for (bound, count) in zip(bounds, buckets.counts) {
          let tolerance = Nanoseconds(bound.count / 256)
          #expect(count >= values.count { $0 <= bound }, "seed \(seed), bound \(bound)")
          #expect(count <= values.count { $0 <= bound + tolerance }, "seed \(seed), bound \(bound)")
        }
        #expect(buckets.counts == buckets.counts.sorted())
      }
    }
  }

  /// At each common rate the frames of a steady display, and those after one or two intervals that were left out, lie well inside one bucket,
  /// each in another one.
  @Test(arguments: [24, 25, 30, 48, 50, 59.94, 60, 72, 75, 90, 100, 120, 144, 165, 240])
  func aSteadyDisplayHasOneBucket(hertz: Double) {
    func bucket(_ seconds: Double) -> Int? {
      DurationBuckets.frameIntervalBounds.firstIndex { $0.seconds >= seconds }
    }
    for count in 1...2 {
      let interval = Double(count) / hertz
      #expect(bucket(interval * 0.965) == bucket(interval * 1.035), "\(count) intervals of \(hertz) Hz")
    }
    #expect(bucket(1 / hertz) != bucket(2 / hertz))
  }

  @Test func boundsRiseAndHoldBudgets() throws {
    for bounds in [DurationBuckets.frameIntervalBounds, DurationBuckets.workBounds] {
      #expect(Set(bounds).count == bounds.count)
      #expect(bounds == bounds.sorted())
    }
    for hertz in [24, 30, 50, 60, 75, 90, 120, 144, 165, 240] as [Int64] {
      let rate = try #require(RefreshRate(numerator: hertz, denominator: 1))
      #expect(DurationBuckets.workBounds.contains(rate.interval))
    }
  }

  /// Whatever happens, in whatever order, no counter falls from one call to the next.
  @Test func countersNeverFall() throws {
    for seed in 0..<UInt64(isLongRun ? 3000 : 100) {
      var random = SplitMix64(seed: seed)
      let feed = try Feed()
      var number: UInt64 = 0
      var before = counters(feed.meter.takeMetrics(of: "a", at: feed.at(0)))
      for _ in 0..<100 {
        let skipped = UInt64.random(in: 0...3, using: &random)
        number += 1 + skipped
        switch Int.random(in: 0...6, using: &random) {
        case 0: feed.meter.record(.idle)
        case 1: feed.show(feed.frame(number, work: .milliseconds(Int64.random(in: 1...30, using: &random))))
        case 2: feed.tick(number, missed: UInt64.random(in: 0...skipped, using: &random))
        case 3: feed.meter.record(.discarded(feed.frame(number, work: .milliseconds(3))))
        case 4: feed.meter.record(.lost(feed.frame(number, work: .milliseconds(3))))
        case 5: feed.meter.record(.committed(feed.frame(number, work: .milliseconds(3))))
        default:
          feed.whole(
            number, shownAfter: UInt64.random(in: 1...4, using: &random),
            missed: UInt64.random(in: 0...skipped, using: &random))
        }
        let time = feed.at(number) + .milliseconds(Int64.random(in: 0...60, using: &random))
        let after = counters(feed.meter.takeMetrics(of: "a", at: time))
        for (index, pair) in zip(before, after).enumerated() {
          #expect(pair.0 <= pair.1, "seed \(seed), counter \(index)")
        }
        before = after
      }
    }
  }

  private func counters(_ metrics: FrameMetrics) -> [Int64] {
    let counts =
      [
        metrics.ticks, metrics.frames, metrics.presented, metrics.early, metrics.lost, metrics.discarded, metrics.missed,
        metrics.idle,
      ]
      + metrics.late.map(\.frames) + metrics.work.counts + metrics.frameIntervals.counts
      + [metrics.work.count, metrics.frameIntervals.count]
    return counts.map(Int64.init)
      + [metrics.hitchTime, metrics.discardedWork, metrics.work.sum, metrics.frameIntervals.sum].map(\.count)
      + FrameRecord.Phase.allCases.map { metrics.phaseTimes[$0].count }
  }
}
