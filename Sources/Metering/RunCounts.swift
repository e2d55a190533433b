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

extension FPSMeter {
  /// The counts of the run so far; of hitch time that of frames that were seen.
  var countsSoFar: RunCounts {
    var counts = RunCounts(run.counts(before: run.number(at: nil) + 1))
    counts.hitchTime = run.counts.hitchTime
    return counts
  }
}
