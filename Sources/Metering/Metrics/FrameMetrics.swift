public import FrameTiming
public import LinuxSystem

/// The figures of one display for a monitoring system, such as Prometheus: counters that begin with the run and never fall.
///
/// `FPSMeter.takeMetrics(of:info:at:)` makes one, and `MetricsPage` prints it.
public struct FrameMetrics: Sendable {
  /// A name for the display that stays the same while its mode changes: it tells these figures from those of other displays.
  public var display: String
  /// More about it, such as its mode and the source of its ticks: names and values of labels.
  public var info: [(name: String, value: String)]
  /// The time that a frame may take: from tick to tick of the link that the last frame was asked for by. Before that, one interval of the
  /// rate that the display's mode or the clock gives.
  public var budget: Nanoseconds
  /// The refresh rate by the stamps of the vblanks, in hertz; nil before the second tick.
  public var refreshRate: Double?

  /// Intervals that were ticked.
  public var ticks: Int
  /// Frames that were made: those that were presented, discarded or lost, and those that are pending.
  public var frames: Int
  /// Frames that were seen.
  public var presented: Int
  /// Frames that were seen late, by their main cause: one element for each cause.
  public var late: [LateCount]
  /// Frames that were seen early.
  public var early: Int
  /// Frames that are never seen since the display was away, went, or refused them, or showed a newer one.
  public var lost: Int
  /// Frames that are never seen since newer ones took their place before a buffer was free.
  public var discarded: Int
  /// Intervals without a tick although frames were wanted. Those of a gap count when it has ended, by a tick.
  public var missed: Int
  /// Intervals in which nothing was wanted.
  public var idle: Int
  /// How long pictures stood that should have been replaced. That of a gap counts when a frame has been seen after it.
  public var hitchTime: Nanoseconds
  /// The work of the discarded frames.
  public var discardedWork: Nanoseconds
  /// The time of all frames that were handed over, by phase.
  public var phaseTimes: FrameRecord.PhaseDurations
  /// From one frame seen to the next one seen; not across idle intervals.
  public var frameIntervals: DurationBuckets
  /// The work of the frames that were handed over.
  public var work: DurationBuckets
  /// From the arrival of input to the vblank that showed the first frame after it; of frames that carried input.
  public var inputLatency: DurationBuckets
}

extension FPSMeter {
  /// Takes the figures of the whole run for a monitoring system. No counter is less than at the call before: idle intervals that turn out
  /// not to have been idle stay counted.
  ///
  /// Costs a walk over two histograms: some microseconds.
  ///
  /// - Parameters:
  ///   - display: the display's `FrameMetrics.display`.
  ///   - info: the display's `FrameMetrics.info`.
  ///   - time: the current time on the loop's clock, so that idle intervals count up to it.
  public func takeMetrics(
    of display: String, info: [(name: String, value: String)] = [], at time: MonotonicTime
  ) -> FrameMetrics {
    refreshResumed()
    let counts = run.counts
    toldIdle = max(toldIdle, run.counts(before: max(run.number(at: nil) + 1, number(at: time))).idle)
    return FrameMetrics(
      display: display, info: info, budget: run.lastBudget, refreshRate: run.measuredRate, ticks: counts.ticks,
      frames: counts.frames, presented: counts.presented, late: lateCauses.all,
      early: counts.early, lost: counts.lost, discarded: counts.discarded,
      missed: counts.missed, idle: toldIdle, hitchTime: counts.hitchTime, discardedWork: counts.discardedWork,
      phaseTimes: run.phaseTimes,
      frameIntervals: run.frameIntervals.buckets(DurationBuckets.frameIntervalBounds),
      work: run.works.buckets(DurationBuckets.workBounds),
      inputLatency: run.inputLatencies.buckets(DurationBuckets.inputLatencyBounds))
  }
}
