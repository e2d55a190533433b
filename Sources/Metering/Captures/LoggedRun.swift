import FrameTiming
import LinuxSystem

/// The figures that the lines of a frame log tell together: the verdict of a profile of the same run.
package struct LoggedRun: Equatable, Sendable {
  package let verdict: String
  /// The causes of late frames, in a profile's order.
  let lateCauses: [LateCount]
  /// Intervals without a tick although frames were wanted; nil if the lines do not tell.
  let missed: Int?
  /// The causes of all of them, the most frequent first.
  let missedCauses: [MissedCount]?
  let budget: Nanoseconds
  let framesOverBudget: Int
  /// The source of the budget in words.
  let budgetReasons: [String]
  /// The work of the frames that were seen, which the verdict is about.
  let work: FrameReport.Distribution

  /// - Parameters:
  ///   - interval: the usual time from a tick to the next. It stands for the rate that the display told in logs of earlier programs.
  ///   - longest: the longest time from one frame seen to the next; nil without one.
  /// - Returns: nil if the lines do not tell when frames were due.
  init?(_ frames: [FrameLogReader.Frame], interval: Nanoseconds?, longest: Nanoseconds?) {
    let measured = interval.flatMap { RefreshRate(numerator: 1_000_000_000, denominator: $0.count) }
    guard let rate = frames.first?.toldRate ?? measured else { return nil }
    var profile = PhaseProfile(refreshRate: rate, budget: frames.first?.budget.map { Nanoseconds($0) })
    var report = FrameReport(nominalRefreshRate: rate)
    // Several layers may have one name, and the name of a layer may change: the last one stands for it.
    var names: [UInt32: String] = [:]
    var missed: Int?
    for frame in frames {
      if let count = frame.missed { missed = (missed ?? 0) + count }
      report.missedWhileStopped += frame.missedWhileStopped
      if frame.outcome == .lost { report.lost += 1 }
      guard frame.outcome == .presented else { continue }
      if let layer = frame.layer, let name = frame.layerName { names[layer] = name }
      profile.add(LoggedFrame(frame), layer: frame.layer)
    }
    lateCauses = profile.lateCauses
    (budget, framesOverBudget) = (profile.budget, profile.framesOverBudget)
    budgetReasons = frames.first?.toldRate == nil ? ["by its ticks"] : profile.frameBudget.reasons
    report.missed = missed ?? 0
    report.frameInterval.maximum = longest
    report.missedCauses = profile.missedCounts(of: report)
    work = FrameReport.Distribution(profile.work)
    (self.missed, missedCauses) = (missed, missed.map { _ in report.missedCauses })
    let judgement = profile.verdict(of: report) { names[$0] }
    // Without a count of missed intervals, a long time is all that tells of them.
    let standing = longest.flatMap { missed == nil && Verdict.isLong($0, beside: profile.budget) ? $0 : nil }
    verdict = ([judgement] + (standing.map { [Verdict.standing($0)] } ?? [])).joined(separator: "; ")
  }
}

extension LoggedFrame {
  /// A frame with all that a profile's verdict needs: all work is in one phase.
  fileprivate init(_ frame: FrameLogReader.Frame) {
    var record = FrameRecord()
    if let tick = frame.tick {
      record.tickTimestamp = MonotonicTime(nanoseconds: tick)
      record.promised = frame.promised.map { MonotonicTime(nanoseconds: $0) }
    }
    record.intervalsPerTick = frame.intervalsPerTick
    // No sum of days overflows.
    let day = Nanoseconds.seconds(86_400)
    record.phases[.callbacks] = min(Nanoseconds(frame.work ?? 0), day)
    record.processorTime = frame.processorTime.map { min(Nanoseconds($0), day) }
    self.init(record: record, outcome: frame.outcome)
    causes = frame.cause.map { FrameRecord.Causes(main: $0) }
    (standstill, missedBehindLateFrames) = (frame.standstill, frame.behindLate)
  }
}
