public import FrameTiming
public import LinuxSystem

/// The number of frames that were late for one cause.
public struct LateCount: Equatable, Sendable {
  public var cause: FrameRecord.Cause
  public var frames: Int

  public init(cause: FrameRecord.Cause, frames: Int) {
    self.cause = cause
    self.frames = frames
  }
}

/// Why an interval was missed.
public enum MissedCause: Hashable, Sendable {
  /// Nothing else accounts for it: the cause of the standstill that it was in.
  case standstill(FrameRecord.StandstillCause)
  /// The frame before it took that interval too, and was late.
  case lateFrame
  /// No frame was seen after it: the run ended, or the frame was lost.
  case noFrame

  /// The cause's name in tables and files.
  public var name: String {
    switch self {
    case .standstill(let cause): cause.name
    case .lateFrame: "late frame"
    case .noFrame: "no frame after it"
    }
  }
}

/// The number of intervals that were missed for one cause.
public struct MissedCount: Equatable, Sendable {
  public var cause: MissedCause
  public var intervals: Int

  public init(cause: MissedCause, intervals: Int) {
    self.cause = cause
    self.intervals = intervals
  }
}

/// How long a picture stood since intervals were missed before the frame that replaced it, and why.
public struct Standstill: Equatable, Sendable {
  /// The time for which no late frame before accounts.
  public var time: Nanoseconds
  /// The same as a number of missed intervals, as `FrameReport.missed` counts them.
  public var intervals: Int
  public var cause: FrameRecord.StandstillCause

  public init(time: Nanoseconds, intervals: Int, cause: FrameRecord.StandstillCause) {
    (self.time, self.intervals, self.cause) = (time, intervals, cause)
  }
}

/// Counts the main causes of late frames, and of missed intervals.
package struct LateCauses: Sendable {
  private var classifier = LateFrameClassifier()
  /// One for each cause, in their order.
  private(set) var all = FrameRecord.Cause.allCases.map { LateCount(cause: $0, frames: 0) }
  /// The missed intervals for which no late frame accounts, by cause, in their order.
  private var missed = FrameRecord.StandstillCause.allCases.map { MissedCount(cause: .standstill($0), intervals: 0) }
  /// The missed intervals for which a late frame accounts.
  private var behindLateFrames = 0
  /// Those of them before the last frame.
  private(set) var behind = 0
  /// The standstill that the last frame ended; nil if it ended none.
  private(set) var standstill: Standstill?

  package init() {}

  /// Adds a frame that has been seen. Add every frame of an output, in their order. Allocates nothing.
  ///
  /// - Parameter resumed: when the process last went on after a stop; nil if it never was stopped.
  /// - Returns: why it was late; nil if it was in time.
  @discardableResult
  package mutating func add(
    _ frame: FrameRecord, interval: Nanoseconds, resumed: MonotonicTime? = nil
  ) -> FrameRecord.Causes? {
    var standstill = classifier.standstill(of: frame, interval: interval)
    if let resumed, frame.start - frame.missedTime < resumed, resumed <= frame.delivered {
      standstill?.cause = .frame(.stopped)
    }
    let behind = max(frame.ticks(in: frame.missedTime, interval: interval) - (standstill?.intervals ?? 0), 0)
    var causes = classifier.causes(of: frame, interval: interval)
    if causes != nil, frame.wasStopped(until: resumed) { causes = FrameRecord.Causes(main: .stopped) }
    count(causes, standstill, behind: behind)
    return causes
  }

  /// Adds a frame whose causes are known.
  ///
  /// - Parameter behind: the intervals missed before it for which a late frame accounts.
  mutating func count(_ causes: FrameRecord.Causes?, _ standstill: Standstill?, behind: Int) {
    (self.standstill, self.behind) = (standstill, behind)
    behindLateFrames += behind
    if let standstill {
      for index in missed.indices where missed[index].cause == .standstill(standstill.cause) {
        missed[index].intervals += standstill.intervals
      }
    }
    guard let causes else { return }
    for index in all.indices where all[index].cause == causes.main { all[index].frames += 1 }
  }

  /// The most frequent first, but stuffing, which follows from others, last. Causes without a frame are left out.
  var counts: [LateCount] {
    func rank(_ count: LateCount) -> (Int, Int) { (count.cause == .stuffing ? 1 : 0, -count.frames) }
    return all.filter { $0.frames > 0 }.sorted { rank($0) < rank($1) }
  }

  /// The standstills alone, the most frequent cause first. Causes without an interval are left out.
  var standstillCounts: [MissedCount] { Self.sorted(missed) }

  /// The causes of all intervals that were missed, the most frequent first; together they are `report.missed`.
  package func missedCounts(of report: FrameReport) -> [MissedCount] {
    let stop = MissedCause.standstill(.frame(.stopped))
    var rest = report.missed
    func take(_ cause: MissedCause, _ intervals: Int) -> MissedCount {
      let count = min(intervals, rest)
      rest -= count
      return MissedCount(cause: cause, intervals: count)
    }
    // A meter tells a stop by the ticks around it, of which one may have brought no frame.
    var counts = [take(stop, report.missedWhileStopped)]
    for count in missed where count.cause != stop { counts.append(take(count.cause, count.intervals)) }
    counts.append(take(.lateFrame, behindLateFrames))
    counts.append(take(.noFrame, rest))
    return Self.sorted(counts)
  }

  private static func sorted(_ counts: [MissedCount]) -> [MissedCount] {
    counts.filter { $0.intervals > 0 }.sorted { $0.intervals > $1.intervals }
  }
}

extension FrameRecord {
  /// The number of its link's ticks in a time.
  fileprivate func ticks(in time: Nanoseconds, interval: Nanoseconds) -> Int {
    Int((Double(time.count) / Double(max(interval.count, 1)) / Double(max(intervalsPerTick, 1))).rounded())
  }

  /// True if a stop of the process that ended at `resumed` was in the work on the frame, or before it while the frame was due.
  func wasStopped(until resumed: MonotonicTime?) -> Bool {
    resumed.map { start < $0 && $0 < submitted } ?? false
  }
}

/// Finds the cause of each late frame. A pure value; it learns from the frames that were in time.
///
/// It adds to `FrameRecord.causes(interval:usual:)` the time that each phase usually takes: the moving mean over the frames in time whose work
/// fitted, the newest with a weight of 1/16. Before there are any, the longest is to blame.
package struct LateFrameClassifier: Sendable {
  private var usual: FrameRecord.PhaseDurations?
  /// How much later than it could the last frame was seen; zero if it was in time.
  private var lastLateness = Nanoseconds.zero

  package init() {}

  /// - Parameter frame: a frame that has been seen. Pass every frame of an output, in their order.
  /// - Returns: nil if it was in time.
  package mutating func causes(of frame: FrameRecord, interval: Nanoseconds) -> FrameRecord.Causes? {
    let usual = usual ?? FrameRecord.PhaseDurations()
    let causes = frame.causes(interval: interval, usual: usual)
    // Behind another frame it is late for that one. A render thread moves the target of a frame that is late already.
    let hitch = frame.hitch(interval: interval)
    lastLateness = causes == nil || causes?.main == .stuffing ? hitch : max(hitch, frame.lateness)
    if let causes { return causes }
    // A frame that was in time although its work did not fit came out of idle: its phases are not the usual ones. At half the
    // rate, work of two intervals fits.
    let budget = frame.isTargetKnown ? max(interval, frame.target - frame.start) : interval
    if frame.work <= budget { learn(frame) }
    return nil
  }

  /// The standstill that a frame ends; ask before `causes(of:interval:)`. A frame that takes five intervals is late by five and makes the
  /// ticks of the same five be missed: the lateness of the frame before is taken off.
  ///
  /// - Returns: nil if no interval was missed before it, or a late frame accounts for them.
  package func standstill(of frame: FrameRecord, interval: Nanoseconds) -> Standstill? {
    let time = frame.missedTime - lastLateness
    guard time > interval / 2 else { return nil }
    let cause = frame.standstillCause(time, usual: usual ?? FrameRecord.PhaseDurations())
    return Standstill(time: time, intervals: frame.ticks(in: time, interval: interval), cause: cause)
  }

  private mutating func learn(_ frame: FrameRecord) {
    guard var mean = usual else {
      usual = frame.phases
      return
    }
    for phase in FrameRecord.Phase.allCases { mean[phase] += (frame.phases[phase] - mean[phase]) / 16 }
    usual = mean
  }
}
