import FrameTiming
import LinuxSystem
import Metering
import TestLength
import Testing

/// Each frame that was made has one end, and each late one a cause.
@Suite struct FrameOutcomeTests {
  /// Random events of an output, and what they come to by a count of its own.
  private struct RandomRun {
    let feed: Feed
    var random: SplitMix64
    var number: UInt64 = 0
    var pending: [FrameRecord] = []
    var (made, presented, late, discarded, lost) = (0, 0, 0, 0, 0)
    var profile: PhaseProfile

    init(seed: UInt64) throws {
      feed = try Feed()
      random = SplitMix64(seed: seed)
      profile = PhaseProfile(refreshRate: feed.meter.refreshRate)
    }

    private mutating func frame() -> FrameRecord {
      let work = Nanoseconds(Int64.random(in: 0...20_000_000, using: &random))
      var frame = feed.frame(number, work: work, shownAfter: 0)
      frame.presented = .zero
      return frame
    }

    mutating func step() {
      number += UInt64.random(in: 1...3, using: &random)
      feed.tick(number, missed: UInt64.random(in: 0...2, using: &random))
      switch Int.random(in: 0...11, using: &random) {
      case 0:
        // A newer one took its place.
        feed.meter.record(.discarded(frame()))
        (made, discarded) = (made + 1, discarded + 1)
      case 1:
        // The display was away.
        lose(frame())
        made += 1
      case 2 where !pending.isEmpty: lose(pending.remove(at: Int.random(in: pending.indices, using: &random)))
      case 3:
        lost += pending.count
        pending = []
        feed.meter.record(.refused(SystemError(call: "present", errno: 5)))
      case 4: feed.meter.record(.idle)
      case 5 where !pending.isEmpty: show(pending.count - 1)
      case 6...8 where !pending.isEmpty: show(0)
      default:
        guard pending.count < 3 else { break }
        let frame = frame()
        feed.meter.record(.committed(frame))
        pending.append(frame)
        made += 1
      }
    }

    private mutating func lose(_ frame: FrameRecord) {
      feed.meter.record(.lost(frame))
      lost += 1
    }

    /// Frames before the one that is seen are never seen.
    private mutating func show(_ index: Int) {
      var frame = pending[index]
      pending.removeFirst(index + 1)
      frame.presented = frame.target + Feed.interval * Int64.random(in: 0...2, using: &random)
      feed.meter.record(.presented(frame))
      profile.add(frame)
      (lost, presented) = (lost + index, presented + 1)
      if frame.presented > frame.target { late += 1 }
    }
  }

  @Test func everyFrameHasOneEndAndEveryLateOneACause() throws {
    for seed in some(20, of: 1...500 as ClosedRange<UInt64>) {
      var run = try RandomRun(seed: seed)
      for _ in 0..<1000 { run.step() }
      let report = run.feed.meter.report()
      #expect(
        (report.frames, report.presented, report.discarded) == (run.made, run.presented, run.discarded), "seed \(seed)")
      #expect((report.lost, report.pending, report.late) == (run.lost, run.pending.count, run.late), "seed \(seed)")
      #expect(
        report.frames == report.presented + report.discarded + report.lost + report.pending, "seed \(seed)")
      #expect(report.lateCauses.reduce(0) { $0 + $1.frames } == report.late, "seed \(seed)")
      #expect(run.profile.lateCauses.reduce(0) { $0 + $1.frames } == run.profile.lateFrames, "seed \(seed)")
      #expect(run.profile.lateFrames == run.late, "seed \(seed)")
      #expect(run.discarded > 0 && run.lost > 0 && run.late > 0, "seed \(seed)")
    }
  }

  /// A frame that was handed over before a window was hidden is lost; one that is only wanted meanwhile is in no figure.
  @Test func aFrameIsLostWithAWindowThatIsHidden() throws {
    let feed = try Feed()
    for number in 0..<3 as Range<UInt64> { feed.whole(number) }
    let last = feed.frame(3, work: .milliseconds(2))
    feed.meter.record(.committed(last))
    feed.meter.isHidden = true
    feed.meter.record(.lost(last))
    feed.meter.record(.lost(feed.frame(4, work: .milliseconds(2))))
    let report = feed.meter.report()
    #expect((report.frames, report.presented, report.lost, report.pending) == (4, 3, 1, 0))
  }

  /// A meter remembers 16 pending frames: one that it has taken for lost is seen all the same, or lost, and counts once.
  @Test func aFrameThatHadToMakeRoomCountsOnce() throws {
    let feed = try Feed()
    let frames = (0..<20 as Range<UInt64>).map { feed.frame($0, work: .milliseconds(2)) }
    for frame in frames { feed.meter.record(.committed(frame)) }
    #expect((feed.meter.report().frames, feed.meter.report().lost, feed.meter.report().pending) == (20, 4, 16))
    for frame in frames.prefix(3) { feed.meter.record(.presented(frame)) }
    feed.meter.record(.lost(frames[3]))
    for frame in frames.dropFirst(4) { feed.meter.record(.presented(frame)) }
    feed.whole(20)
    let report = feed.meter.report()
    #expect((report.frames, report.presented, report.lost, report.pending) == (21, 20, 1, 0))
  }

  /// A meter that comes when a frame is on its way counts that frame as the others.
  @Test func aFrameThatWasHandedOverBeforeTheMeterWasMade() throws {
    let feed = try Feed()
    feed.meter.record(.presented(feed.frame(0, work: .milliseconds(2))))
    feed.whole(1)
    let report = feed.meter.report()
    #expect((report.frames, report.presented, report.pending) == (2, 2, 0))
  }

  /// Classes without a frame are left out.
  @Test func theReportNamesTheEnds() throws {
    let feed = try Feed()
    for number in 0..<100 as Range<UInt64> { feed.whole(number) }
    #expect(feed.meter.report().description.hasPrefix("frames    100 made, 100 presented, 0 late, 0 missed, 0 idle\n"))
    feed.tick(100)
    feed.meter.record(.discarded(feed.frame(100, work: .milliseconds(2))))
    feed.tick(101)
    feed.meter.record(.lost(feed.frame(101, work: .milliseconds(2))))
    feed.tick(102)
    feed.meter.record(.committed(feed.frame(102, work: .milliseconds(2))))
    #expect(
      feed.meter.report().text(width: 200).hasPrefix(
        "frames    103 made, 100 presented, 1 pending, 1 discarded, 1 lost, 0 late, 0 missed, 0 idle\n"))
  }
}
