public import LinuxSystem

/// The counts of a run that its frames do not have by themselves. A log shares them out among its lines: what its lines have together is what
/// the run's `FrameReport` has.
public struct RunCounts: Hashable, Sendable {
  /// See `FrameReport.intervals`.
  public var intervals = 0
  /// Those of them with a tick, or with a frame that needed none.
  public var ticks = 0
  /// See `FrameReport.missed`.
  public var missed = 0
  /// See `FrameReport.missedWhileStopped`.
  public var missedWhileStopped = 0
  /// See `FrameReport.idle`.
  public var idle = 0
  /// See `FrameReport.early`.
  public var early = 0
  /// See `FrameReport.time`.
  public var time = Nanoseconds.zero
  /// See `FrameReport.hitchTime`.
  public var hitchTime = Nanoseconds.zero

  public init() {}

  init(_ report: FrameReport) {
    (intervals, ticks, idle) = (report.intervals, report.ticks + report.unticked, report.idle)
    (missed, missedWhileStopped, early) = (report.missed, report.missedWhileStopped, report.early)
    (time, hitchTime) = (report.time, report.hitchTime)
  }

  static func += (counts: inout RunCounts, more: RunCounts) {
    counts.intervals += more.intervals
    counts.ticks += more.ticks
    counts.missed += more.missed
    counts.missedWhileStopped += more.missedWhileStopped
    counts.idle += more.idle
    counts.early += more.early
    counts.time += more.time
    counts.hitchTime += more.hitchTime
  }

  /// The counts since `earlier`. They may be below zero: an interval that counted as idle may turn out to be missed.
  static func - (counts: RunCounts, earlier: RunCounts) -> RunCounts {
    var more = counts
    more.intervals -= earlier.intervals
    more.ticks -= earlier.ticks
    more.missed -= earlier.missed
    more.missedWhileStopped -= earlier.missedWhileStopped
    more.idle -= earlier.idle
    more.early -= earlier.early
    more.time -= earlier.time
    more.hitchTime -= earlier.hitchTime
    return more
  }
}

extension FrameTally {
  /// The counts up to the last interval that had a tick or a frame; of hitch time that of frames that were seen. A log asks for them with
  /// each frame: they cost less than a report, whose distributions would be made for nothing.
  ///
  /// It changes nothing; but where it did not say that it may, the meter's tally would be copied for it.
  mutating func countsSoFar() -> RunCounts {
    var result = RunCounts()
    guard let start else { return result }
    let unticked = untickedSoFar
    result.intervals = intervals(from: start, before: lastNumber + 1)
    result.time = time(from: start, before: lastNumber + 1)
    result.ticks = counts.ticks + unticked
    (result.missed, result.missedWhileStopped) = (counts.missed, counts.missedWhileStopped)
    result.idle = max(0, result.intervals - result.ticks - result.missed - counts.leftOut)
    (result.early, result.hitchTime) = (counts.early, counts.hitchTime)
    return result
  }
}
