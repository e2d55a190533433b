public import FrameTiming
public import LinuxSystem

/// The figures of a run, or of its last moments. T is the refresh interval.
///
/// Refresh rate, tick rate, frame rate and presented rate are four numbers: how often the display refreshes, how often the
/// application was asked for a frame, how many frames it made, and how many of them were seen. Rates count whole refresh
/// intervals: 60 ticks in 60 intervals are exactly the refresh rate, wherever the second begins.
public struct FrameReport: Equatable, Sendable {
  /// The distribution of a duration. A figure is nil where there are not enough frames; see `PercentileRule`.
  public struct Distribution: Equatable, Sendable {
    /// The number of measured durations.
    public var count = 0
    public var p50: Nanoseconds?
    public var p95: Nanoseconds?
    public var p99: Nanoseconds?
    /// The 99.9th percentile.
    public var p999: Nanoseconds?
    public var maximum: Nanoseconds?
    /// The standard deviation of a sample; nil below two durations.
    public var standardDeviation: Nanoseconds?

    public init() {}
  }

  /// The rate that the display's mode or the clock gives.
  public var nominalRefreshRate: RefreshRate
  /// The refresh rate by the stamps of the vblanks, in hertz, the mean where it has changed; nil before the second tick.
  public var refreshRate: Double?
  /// Refresh intervals that the figures cover: ticks + unticked + missed + leftOut + idle.
  public var intervals = 0
  /// The time of these intervals.
  public var time = Nanoseconds.zero
  /// Intervals that were ticked.
  public var ticks = 0
  /// Intervals that had a frame but needed no tick, such as a run's first one.
  public var unticked = 0
  /// Frames that were made. In the figures of a whole run each has one end: together `presented`, `discarded`, `lost` and `pending` are
  /// `frames`. In those of the last moments they need not be: a frame is made in its own interval, and presented in the one that showed it.
  public var frames = 0
  /// Frames that were seen.
  public var presented = 0
  /// Those of them of which nobody tells when they were seen: some desktops do not. It is assumed, and with it all that follows from it.
  public var assumed = 0
  /// Frames that were handed over and wait for their vblank at the end of the run. In the figures of a whole run only.
  public var pending = 0
  /// When the first frame was seen.
  public var firstPresented: MonotonicTime?
  /// Frames that were seen, more than T/2 after the vblank that link callbacks were promised.
  public var late = 0
  /// Frames that were seen, more than T/2 before the vblank that they were made for.
  public var early = 0
  /// Frames that are never seen since the display was away, went, or refused them, or showed a newer one. They were handed over or not.
  public var lost = 0
  /// Frames that are never seen since newer ones took their place before a buffer was free. They were not handed over.
  public var discarded = 0
  /// The work of the discarded frames.
  public var discardedWork = Nanoseconds.zero
  /// Intervals without a tick although frames were wanted. A variable display counts its own intervals: a long one is one.
  public var missed = 0
  /// Those of the missed intervals in a gap between ticks in which a stop of the process ended, as by Ctrl-Z; see `FPSMeter.resumed`.
  public var missedWhileStopped = 0
  /// Intervals that need no tick: those between two frames of an output that makes a frame every second, third … interval, those
  /// between a run's first frame and its first tick, and those that passed while nobody knew where vblanks lie.
  public var leftOut = 0
  /// Intervals in which nothing was wanted: no tick, no frame, nothing missed and nothing left out. Not dropped frames.
  public var idle = 0
  /// From one frame seen to the next one seen; not across idle intervals, or a stop of the process.
  public var frameInterval = Distribution()
  /// The rate of frames in the slowest hundredth of the time, in hertz, by `LowRule`; nil below 100 frame intervals.
  public var onePercentLow: Double?
  /// The rate of frames in the slowest thousandth of the time, in hertz, by `LowRule`; nil below 1000 frame intervals.
  public var tenthPercentLow: Double?
  /// The parts of frame intervals that are longer than those of 60, 30 and 20 frames a second; nil without frame intervals.
  public var longIntervals: LongIntervals?
  /// The work of a frame in all its phases; of frames that were seen. That of discarded frames is `discardedWork`.
  public var work = Distribution()
  /// From the time at which a tick was to be delivered, its vblank or a deadline, to its delivery.
  public var tickLateness = Distribution()
  /// From the beginning of a frame, when its link callbacks were called, to the vblank that showed it.
  public var latency = Distribution()
  /// From the arrival of input to the vblank that showed the first frame after it; of frames that carried input. See `FrameRecord.input`.
  public var inputLatency = Distribution()
  /// How unevenly time passes in what is seen: how much the step from the time of one picture's animations to the next
  /// one's differs from the step between the vblanks that showed them, in either direction; not across idle intervals, nor after a frame
  /// that was made for a guess. See `FrameStep.animationError`.
  public var animationError = Distribution()
  /// How far from the vblank that a frame was made for was the one that showed it, in either direction; of frames that were in time or late
  /// by the prediction, and whose target was no guess.
  public var predictionError = Distribution()
  /// The causes of late frames, the most frequent first, but stuffing last, which follows from others: together they are `late`. In the
  /// figures of a whole run only.
  public var lateCauses: [LateCount] = []
  /// The causes of all missed intervals, the most frequent first: together they are `missed`. In the figures of a whole run only.
  public var missedCauses: [MissedCount] = []
  /// How long pictures stood that should have been replaced: how long after its target each frame was seen, and T for each missed
  /// interval, and those left out with it, that no late frame accounts for, also while no frame has been seen since. Intervals after which
  /// nothing was to be shown do not count.
  public var hitchTime = Nanoseconds.zero

  public init(nominalRefreshRate: RefreshRate) {
    self.nominalRefreshRate = nominalRefreshRate
  }

  /// Ticks a second, with intervals whose frame needed none; nil for less than `shortestTime`.
  public var tickRate: Double? { rate(of: ticks + unticked) }
  /// Frames made a second, also those that were not seen; nil for less than `shortestTime`.
  public var frameRate: Double? { rate(of: frames) }
  /// Frames seen a second, with those pending at the end of a run, which are not lost; nil for less than `shortestTime`. Of a screen
  /// that has shown nothing, it is not known that it will.
  public var presentedRate: Double? { rate(of: presented == 0 ? 0 : presented + pending) }

  /// The shortest time that rates are computed from: in less, one frame more or less would make another rate.
  public static let shortestTime = Nanoseconds.milliseconds(200)

  /// The time that a frame may take: from a tick to the next at the rate that most frames were asked for at, or one that was given. Nil for
  /// that of `nominalRefreshRate`.
  public var budget: Nanoseconds?
  /// The source of the budget in words. In the figures of a whole run only.
  package var budgetReasons: [String] = []

  /// The median work of a frame as a part of its budget; 1 is all of it.
  public var workShare: Double? {
    work.p50.map { Double($0.count) / Double((budget ?? nominalRefreshRate.interval).count) }
  }

  /// Milliseconds of hitch time in a second in which frames were wanted; nil when none were.
  public var hitchTimeRatio: Double? {
    guard intervals > idle, time > .zero else { return nil }
    let wanted = time.seconds * Double(intervals - idle) / Double(intervals)
    return hitchTime.milliseconds / wanted
  }

  /// The class of the hitch time ratio; nil when there is none.
  public var hitchSeverity: HitchSeverity? { hitchTimeRatio.map(HitchSeverity.init(ratio:)) }

  private func rate(of count: Int) -> Double? {
    // The next interval counts too: 200 ms need not be a whole number of intervals.
    guard intervals > 0, nominalRefreshRate.offset(ofInterval: Int64(intervals) + 1) > Self.shortestTime else { return nil }
    return time > .zero ? Double(count) / time.seconds : nil
  }
}

/// How bad a hitch time ratio is, by Apple's classes for scrolling and animation.
public enum HitchSeverity: String, Equatable, Sendable, CaseIterable {
  /// Below 5 ms/s: hardly noticed.
  case good
  /// From 5 to 10 ms/s: noticed.
  case warning
  /// Above 10 ms/s: disturbing.
  case critical

  /// - Parameter ratio: milliseconds of hitch time a second.
  public init(ratio: Double) {
    self = ratio < 5 ? .good : ratio <= 10 ? .warning : .critical
  }
}
