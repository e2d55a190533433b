import FrameTiming
import LinuxSystem

/// The figures that the lines of a frame log tell together: those of a profile of the same run.
package struct LoggedRun: Equatable, Sendable {
  package let verdict: String
  /// The report of the run; if the log is not complete, with nothing but what the verdict needs, and the distributions.
  let report: FrameReport
  /// False for the log of an earlier program, which lacks counts that belong to no frame.
  package let isComplete: Bool
  /// True if the log has missed intervals.
  let hasMissed: Bool
  let budget: Nanoseconds
  let framesOverBudget: Int
  /// See `PhaseProfile.ownBudget`.
  package let ownBudget: OwnBudget?
  /// See `PhaseProfile.spareRule`.
  package let spareRule: String?

  /// - Parameters:
  ///   - stream: has these frames.
  ///   - interval: the usual time from a tick to the next. It stands for the rate that the display told in logs of earlier programs.
  /// - Returns: nil if the lines do not tell when frames were due.
  init?(_ frames: [FrameLogReader.Frame], of stream: FrameCapture.Stream, interval: Nanoseconds?) {
    let measured = interval.flatMap { RefreshRate(numerator: 1_000_000_000, denominator: $0.count) }
    guard let rate = frames.first?.toldRate ?? measured else { return nil }
    var profile = PhaseProfile(refreshRate: rate, budget: frames.first?.budget.map { Nanoseconds($0) })
    var report = FrameReport(nominalRefreshRate: rate)
    var predictionErrors = DurationHistogram()
    // Several layers may have one name, and the name of a layer may change: the last one stands for it.
    var names: [UInt32: String] = [:]
    var counts = RunCounts()
    for frame in frames {
      counts += frame.counts
      if frame.outcome != .noFrame { report.frames += 1 }
      switch frame.outcome {
      case .noFrame: break
      case .pending: report.pending += 1
      case .lost: report.lost += 1
      case .discarded:
        report.discarded += 1
        report.discardedWork += Nanoseconds(frame.work ?? 0)
      case .presented:
        report.presented += 1
        report.assumed += frame.isPresentedKnown ? 0 : 1
        if report.firstPresented == nil { report.firstPresented = frame.presented.map { MonotonicTime(nanoseconds: $0) } }
        if let error = frame.predictionError { predictionErrors.add(Nanoseconds(error).size) }
        if let layer = frame.layer, let name = frame.layerName { names[layer] = name }
        profile.add(LoggedFrame(frame), layer: frame.layer)
      }
    }
    (isComplete, hasMissed) = (frames.allSatisfy(\.hasCounts), frames.contains(where: \.hasMissed))
    report.take(counts)
    report.late = profile.lateFrames
    report.take(frameIntervals: DurationHistogram(stream.intervals))
    report.latency = FrameReport.Distribution(DurationHistogram(stream.latencies))
    report.inputLatency = FrameReport.Distribution(DurationHistogram(stream.inputLatencies))
    report.animationError = FrameReport.Distribution(DurationHistogram(stream.animationErrors.map(\.size)))
    report.predictionError = FrameReport.Distribution(predictionErrors)
    report.lateCauses = profile.lateCauses
    report.missedCauses = profile.missedCounts(of: report)
    report = profile.report(report)
    if frames.first?.toldRate == nil { report.budgetReasons = ["by its ticks"] }
    self.report = report
    (budget, framesOverBudget) = (profile.budget, profile.framesOverBudget)
    (ownBudget, spareRule) = (profile.ownBudget, profile.spareRule)
    let judgement = profile.verdict(of: report) { names[$0] }
    // Without a count of missed intervals, a long time is all that tells of them.
    let longest = report.frameInterval.maximum ?? .zero
    let isSilent = hasMissed || !Verdict.isLong(longest, beside: budget)
    verdict = judgement + (isSilent ? "" : "; \(Verdict.standing(longest))")
  }

  /// The time of all refresh intervals; nil where the log does not tell it.
  var time: Nanoseconds? { isComplete ? report.time : nil }
}

extension FrameReport {
  /// Takes the counts of a run. Ticks are not told apart from intervals that needed none.
  fileprivate mutating func take(_ counts: RunCounts) {
    (intervals, missed, missedWhileStopped) = (counts.intervals, counts.missed, counts.missedWhileStopped)
    (ticks, idle, early) = (counts.ticks, counts.idle, counts.early)
    (time, hitchTime) = (counts.time, counts.hitchTime)
    if time > .zero { refreshRate = Double(intervals) / time.seconds }
  }
}

extension DurationHistogram {
  fileprivate init(_ durations: [Nanoseconds]) {
    self.init()
    for duration in durations { add(duration) }
  }
}

extension Nanoseconds {
  fileprivate var size: Nanoseconds { max(self, -self) }
}

extension LoggedFrame {
  /// A frame with all that a profile's verdict needs: all work is in one phase.
  fileprivate init(_ frame: FrameLogReader.Frame) {
    var record = FrameRecord()
    if let tick = frame.tick {
      record.tickTimestamp = MonotonicTime(nanoseconds: tick)
      record.promised = frame.promised.map { MonotonicTime(nanoseconds: $0) }
    }
    record.isTargetKnown = frame.isTargetKnown
    record.intervalsPerTick = frame.intervalsPerTick
    record.phases[.callbacks] = Nanoseconds(frame.work ?? 0)
    record.processorTime = frame.processorTime.map { Nanoseconds($0) }
    self.init(record: record, outcome: frame.outcome)
    causes = frame.cause.map { FrameRecord.Causes(main: $0) }
    (standstill, missedBehindLateFrames) = (frame.standstill, frame.behindLate)
  }
}
