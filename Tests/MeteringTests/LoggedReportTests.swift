import FrameTiming
import LinuxSystem
import Testing

@testable import Metering

/// The report of a log is that of its run. The numbers are worked by hand: at 100 Hz, ten milliseconds an interval.
@Suite struct LoggedReportTests {
  /// A meter, and the log of what it is told of.
  private final class Run {
    let feed: Feed
    private var ledger = FrameLedger()
    private(set) var frames: [LoggedFrame] = []

    init() throws { feed = try Feed() }

    func record(_ event: FrameEvent) {
      let causes = feed.meter.record(event)
      ledger.handle(event, of: feed.meter, causes: causes) { frames.append($0) }
    }

    func tick(_ number: UInt64, _ duration: Nanoseconds = Feed.interval, missed: UInt64 = 0) {
      let time = feed.at(number)
      record(
        .tick(
          DisplayLink.Tick(
            timestamp: time, targetTimestamp: time + duration, duration: duration, frameNumber: number, delivered: time,
            missed: missed)))
    }

    /// A tick and its frame, which is seen after so many intervals.
    func frame(_ number: UInt64, shownAfter intervals: UInt64 = 1, missed: UInt64 = 0, isKnown: Bool = true) {
      tick(number, missed: missed)
      var frame = feed.frame(number, work: .milliseconds(2), shownAfter: intervals)
      (frame.promised, frame.start, frame.delivered) = (frame.target, frame.tickTimestamp, frame.tickTimestamp)
      (frame.missedTime, frame.isPresentedKnown) = (Feed.interval * Int64(missed), isKnown)
      record(.committed(frame))
      record(.presented(frame))
    }

    /// Both ends: the meter's report and the log's.
    ///
    /// - Parameter column: its values are taken from the log.
    func end(at end: MonotonicTime? = nil, without column: String? = nil) throws -> (run: FrameReport, log: CaptureReport) {
      ledger.end { frames.append($0) }
      if let rest = ledger.rest(of: feed.meter, at: end) { frames.append(rest) }
      var bytes = FrameLogFormat.csv.header
      for frame in frames { FrameLogFormat.csv.append(frame.told(.init(numerator: 100, denominator: 1)), to: &bytes) }
      if let column, let index = FrameLogFormat.columns.firstIndex(of: column) {
        let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map { line in
          var cells = line.split(separator: ",", omittingEmptySubsequences: false)
          cells.remove(at: index)
          return cells.joined(separator: ",") + "\n"
        }
        bytes = Array(lines.joined().utf8)
      }
      return (feed.meter.report(at: end), CaptureReport(try FrameCapture(bytes).streams[0]))
    }
  }

  /// Work is that of frames that were seen, in the summary of a run as in the report of its log.
  @Test func onlyFramesThatWereSeenHaveWork() throws {
    let run = try Run()
    for number in 0..<50 as Range<UInt64> { run.frame(number) }
    let unseen = (50..<53 as Range<UInt64>).map { run.feed.frame($0, work: .milliseconds(9)) }
    run.record(.discarded(unseen[0]))
    run.record(.committed(unseen[1]))
    run.record(.lost(unseen[1]))
    run.record(.committed(unseen[2]))
    let (report, log) = try run.end()
    #expect((report.discarded, report.lost, report.pending) == (1, 1, 1))
    #expect(report.work.count == 50 && report.work.maximum == .milliseconds(2))
    #expect(report.work == log.work && report.discardedWork == .milliseconds(9))
  }

  /// Counts that are not there are not taken for 0.
  @Test(arguments: ["intervals", "intervalTime", "ticks", "missed", "idle", "hitchTime"])
  func aLogWithoutACountHasNoReportOfItsRun(column: String) throws {
    func log(without column: String?) throws -> CaptureReport {
      let run = try Run()
      for number in 0..<50 as Range<UInt64> { run.frame(number) }
      return try run.end(without: column).log
    }
    #expect(try log(without: nil).runReport != nil)
    let report = try log(without: column)
    #expect(report.runReport == nil && report.frames == 50)
    #expect(!report.text(width: 80).contains("hitches") && !report.text(width: 80).contains("idle"))
  }

  /// 200 frames in 2 s of intervals that somebody could see; five seconds between them are in no rate.
  @Test func hiddenTimeIsInNoRate() throws {
    let run = try Run()
    for number in 0..<100 as Range<UInt64> { run.frame(number) }
    run.feed.meter.isHidden = true
    for number in stride(from: 200, to: 700, by: 100) as StrideTo<UInt64> { run.tick(number, .seconds(1)) }
    run.feed.meter.isHidden = false
    for number in 700..<800 as Range<UInt64> { run.frame(number) }
    let (whole, log) = try run.end()
    #expect(whole.intervals == 200 && whole.time == .seconds(2) && whole.presentedRate == 100)
    #expect(log.presentedRate == 100 && log.loggedTime == .seconds(2))
    #expect(log.text(width: 80) == whole.text(width: 80))
  }

  /// 100 intervals: 62 have frames, one of which is early and one late, 25 are idle between them and ten at the end, and three are missed, one
  /// of them behind the late frame.
  @Test func earlyIdleAndHitchesAreLogged() throws {
    let run = try Run()
    for number in 0..<30 as Range<UInt64> { run.frame(number) }
    // Two intervals of standstill: hitch time of 20 ms.
    run.frame(32, missed: 2)
    run.record(.idle)
    for number in 58..<86 as Range<UInt64> { run.frame(number) }
    // Seen at its tick, an interval early.
    run.frame(86, shownAfter: 0)
    // A frame that is late by one interval: 10 ms more.
    run.frame(87, shownAfter: 2)
    run.frame(89, missed: 1)
    run.record(.idle)
    let (whole, log) = try run.end(at: run.feed.at(100))
    let report = try #require(log.runReport)
    #expect(report.intervals == 100 && report.time == .seconds(1) && report.frames == 62)
    #expect(report.early == 1 && report.late == 1 && report.missed == 3 && report.idle == 35)
    #expect(report.hitchTime == .milliseconds(30) && report.hitchTimeRatio == whole.hitchTimeRatio)
    #expect(log.text(width: 80) == whole.text(width: 80))
    let counts = "frames    62 made, 62 presented, 1 late, 1 early, 3 missed, 35 idle\n"
    #expect(log.text(width: 80).hasPrefix(counts), "\(log.text(width: 80))")
    #expect(log.text(width: 80).contains("\nhitches   46.2 ms/s, critical\n"), "\(log.text(width: 80))")
  }

  /// A desktop that does not tell when frames are seen is named; where a few answers are lost, they are counted below the verdict.
  @Test func timesThatAreAssumedAreSaid() throws {
    for (assumed, line, clause) in [
      (100, "assumed   when frames were seen, as the desktop does not tell\n", true),
      (5, "assumed   when 5 of 100 frames were seen, as the desktop did not tell\n", true),
      (4, "assumed   when 4 of 100 frames were seen, as the desktop did not tell\n", false),
      (0, nil, false),
    ] as [(UInt64, String?, Bool)] {
      let run = try Run()
      for number in 0..<100 as Range<UInt64> { run.frame(number, isKnown: number >= assumed) }
      let (whole, log) = try run.end()
      #expect(whole.assumed == assumed)
      let text = whole.text(width: 80)
      #expect(log.text(width: 80) == text)
      #expect(line.map { text.contains("\n\($0)") } ?? !text.contains("assumed"), "\(text)")
      let end = "is assumed: the desktop \(assumed == 100 ? "does" : "did") not tell"
      #expect(log.verdict.hasSuffix(end) == clause && log.verdict.contains("assumed") == clause, "\(log.verdict)")
    }
  }
}

extension LoggedFrame {
  fileprivate func told(_ rate: RefreshRate?) -> LoggedFrame {
    var frame = self
    frame.toldRate = rate
    return frame
  }
}
