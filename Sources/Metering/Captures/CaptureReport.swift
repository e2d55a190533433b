import FrameTiming
public import LinuxSystem

/// The figures of a stream of captured frames, by the same definitions as those of `FrameReport`.
public struct CaptureReport: Equatable, Sendable {
  /// Frames in the file.
  public let frames: Int
  /// Those of them that are known never to have been seen; nil if the file does not tell.
  public let neverSeen: Int?
  /// Frames that wait for their vblank at the end of the file.
  public let pending: Int
  /// The causes of late frames, the most frequent first; nil if the file does not tell which were late.
  public let lateCauses: [LateCount]?
  /// The two moments that an interval lies between.
  public let intervalKind: FrameCapture.IntervalKind
  /// All intervals added up.
  public let time: Nanoseconds
  /// See `FrameCapture.Stream.loggedTime`.
  public let loggedTime: Nanoseconds?
  /// From frame to frame.
  public let frameInterval: FrameReport.Distribution
  /// The rate of frames in the slowest hundredth of the time, in hertz; nil below 100 intervals.
  public let onePercentLow: Double?
  /// The rate of frames in the slowest thousandth of the time, in hertz; nil below 1000 intervals.
  public let tenthPercentLow: Double?
  /// The parts of the intervals that are longer than those of 60, 30 and 20 frames a second; nil without intervals.
  public let longIntervals: LongIntervals?
  /// The run as a whole; nil if the file does not tell.
  package let run: LoggedRun?
  /// The intervals that are longer than 1.5 times the median.
  let longIntervalCount: Int
  public let work: FrameReport.Distribution
  public let latency: FrameReport.Distribution
  /// From the arrival of input until the first frame after it was seen.
  public let inputLatency: FrameReport.Distribution
  /// By how much animations moved on more or less than the time between the two frames.
  public let animationError: FrameReport.Distribution
  /// How much of the file's time the intervals fill; nil if the file does not tell.
  public let coverage: Double?

  public init(_ stream: FrameCapture.Stream) {
    frames = stream.frames
    neverSeen = stream.neverSeen
    pending = stream.pending
    lateCauses = stream.run?.report.lateCauses ?? stream.lateFrames?.sorted { $0.frames > $1.frames }
    intervalKind = stream.intervalKind
    let intervals = FrameStatistics(stream.intervals)
    time = stream.intervals.reduce(.zero, +)
    let median = intervals.percentile(50)
    longIntervalCount = median.map { median in stream.intervals.count { Verdict.isLong($0, beside: median) } } ?? 0
    run = stream.run
    let figures = run?.report ?? Self.figures(of: stream, intervals)
    (frameInterval, longIntervals) = (figures.frameInterval, figures.longIntervals)
    (onePercentLow, tenthPercentLow) = (figures.onePercentLow, figures.tenthPercentLow)
    (work, latency) = (figures.work, figures.latency)
    (inputLatency, animationError) = (figures.inputLatency, figures.animationError)
    coverage = stream.coverage
    loggedTime = stream.loggedTime
  }

  /// The distributions of a file that tells nothing of its run: all of them are exact, and nothing else in the report is known.
  private static func figures(of stream: FrameCapture.Stream, _ intervals: FrameStatistics) -> FrameReport {
    var report = FrameReport(nominalRefreshRate: .hertz60)
    report.take(frameIntervals: intervals)
    report.work = FrameReport.Distribution(FrameStatistics(stream.work))
    report.latency = FrameReport.Distribution(FrameStatistics(stream.latencies))
    report.inputLatency = FrameReport.Distribution(FrameStatistics(stream.inputLatencies))
    report.animationError = FrameReport.Distribution(FrameStatistics(stream.animationErrors.map { max($0, -$0) }))
    return report
  }

  /// Frames that were late; nil if the file does not tell.
  public var late: Int? { lateCauses.map { $0.reduce(0) { $0 + $1.frames } } }

  /// Intervals without a tick although frames were wanted; nil if the file does not tell.
  public var missed: Int? { run.flatMap { $0.hasMissed ? $0.report.missed : nil } }

  /// The causes of all missed intervals, the most frequent first; nil if the file does not tell.
  public var missedCauses: [MissedCount]? { run.flatMap { $0.hasMissed ? $0.report.missedCauses : nil } }

  /// The report of the run; nil if the file does not tell enough of it. It is that of `FPSMeter`, but for what no log has: the lateness of
  /// ticks, intervals that were left out, and those with frames that needed no tick, which are among `ticks`.
  package var runReport: FrameReport? { run.flatMap { $0.isComplete ? $0.report : nil } }

  /// The time that a frame may take; nil if the file does not tell.
  public var budget: Nanoseconds? { run?.budget }

  /// Frames whose work took longer than the budget; nil if the file does not tell.
  public var framesOverBudget: Int? { run?.framesOverBudget }

  /// Frames seen a second, as `FrameReport.presentedRate`; nil where the file tells of calls alone, and for less than
  /// `FrameReport.shortestTime`.
  public var presentedRate: Double? { intervalKind == .displayed ? runReport.map(\.presentedRate) ?? rate : nil }

  /// Calls that present a frame a second; nil where the file tells when frames were seen, and for less than `FrameReport.shortestTime`.
  public var frameRate: Double? { intervalKind == .presentCalls ? rate : nil }

  private var rate: Double? {
    let (count, time) = loggedTime.map { (frames - (neverSeen ?? 0), $0) } ?? (frameInterval.count, time)
    return time < FrameReport.shortestTime ? nil : Double(count) / time.seconds
  }

  /// False if rows are not one frame each: their intervals fill clearly less than the time, or more.
  public var hasEveryFrame: Bool { coverage.map { (0.9...1.1).contains($0) } ?? true }
}

extension CaptureReport {
  /// The report for people.
  ///
  /// - Parameter width: the longest line, in characters.
  package func text(width: Int) -> String {
    if let runReport { return runReport.text(width: width, ownBudget: run?.ownBudget) }
    var counts = ["\(frames) in the file"]
    if let neverSeen {
      counts.append("\(frames - neverSeen - pending) seen")
      if pending > 0 { counts.append("\(pending) pending") }
      counts.append("\(neverSeen) never seen")
    }
    if let late { counts.append("\(late) late") }
    if let missed { counts.append("\(missed) missed") }
    var lines = [("frames", counts)]
    if let lateCauses, !lateCauses.isEmpty {
      lines.append(("late by", lateCauses.map { "\($0.frames) \($0.cause.name)" }))
    }
    if let missedCauses, !missedCauses.isEmpty {
      lines.append(("missed by", missedCauses.map { "\($0.intervals) \($0.cause.name)" }))
    }
    let lack = neverSeen == nil ? "when they were seen" : "the time from one that was seen to the next"
    let end = intervalKind == .displayed ? "" : "; \(lack) is not in the file"
    lines.append(("a second", [rate.map { "\(Text.decimal($0, 2)) frames \(happening)\(end)" } ?? "not enough frames"]))
    if let onePercentLow {
      lines.append(("lows", DistributionTable.lows(onePercentLow, tenthPercentLow)))
    }
    if let longIntervals { lines.append(("intervals", longIntervals.items)) }
    if let run, let median = work.p50 {
      let share = Double(median.count) / Double(max(run.budget.count, 1))
      let used = "\(Text.percent(share)) used at the median"
      lines.append(("budget", ["\(Text.milliseconds(run.budget)) ms"] + run.report.budgetReasons + [used]))
    }
    let rows = [
      ("frame interval", frameInterval), ("work", work), ("latency", latency), ("input latency", inputLatency),
      ("animation error", animationError),
    ]
    let notes = [coverageNote]
    return
      (lines.map { title, items in Text.list(items, title: Text.left(title, 10), width: width) }
      + DistributionTable.lines(rows, run?.ownBudget, width: width)
      + DistributionTable.missing(from: frameInterval.count, width: width)
      + notes.compactMap(\.self).flatMap { ["", Text.paragraph($0, width: width)] })
      .joined(separator: "\n")
  }

  /// The meaning of the figures, for the lines below them.
  package var rules: [String] {
    if let run { return [run.spareRule].compactMap(\.self) + run.report.rules }
    return DistributionTable.rules(onePercentLow, longIntervals) + [PercentileRule.summary]
  }

  /// The moment of a frame that the intervals lie between.
  private var happening: String { intervalKind == .displayed ? "seen" : "presented" }

  /// The rate as a part of the verdict; nil without one.
  var rateText: String? { rate.map { "\(Text.decimal($0, 2)) frames a second \(happening)" } }

  private var coverageNote: String? {
    guard let coverage, !hasEveryFrame else { return nil }
    let what = coverage < 1 ? "other frames are in no figure" : "some frames are in the figures more than once"
    return "the rows are samples, not one for each frame: their times fill \(Text.percent(coverage)) of the file's; \(what)"
  }
}

extension LowRule {
  /// The rule in one line, for reports.
  package static let summary = "1 % low: the rate of the interval at which the longest, added up, reach 1 % of the time"
}
