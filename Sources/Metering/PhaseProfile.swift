public import FrameTiming
public import LinuxSystem

/// A table of where the time of frames goes: each phase against the budget, and the causes of late frames.
///
/// Memory is fixed however many frames are added; percentiles are exact to 1/512, maximum and share
/// are exact.
public struct PhaseProfile: Sendable {
  /// One line of the table.
  public struct Row: Equatable, Sendable {
    /// Nil for all phases together.
    public var phase: FrameRecord.Phase?
    /// Nil where there are not enough frames; see `PercentileRule`.
    public var p50: Nanoseconds?
    public var p95: Nanoseconds?
    public var p99: Nanoseconds?
    /// Nil without frames.
    public var maximum: Nanoseconds?
    /// The mean time as a part of the budget, so that the phases add up to the share of all; 1 is the whole budget. Nil
    /// without frames.
    public var share: Double?
  }

  public let refreshRate: RefreshRate
  /// Frames added.
  public private(set) var frames = 0
  /// Frames that were seen more than half an interval after their target.
  public private(set) var lateFrames = 0

  private var phases: [DurationHistogram]
  private var work = DurationHistogram()
  private var causes = LateCauses()

  public init(refreshRate: RefreshRate) {
    self.refreshRate = refreshRate
    phases = Array(repeating: DurationHistogram(), count: FrameRecord.Phase.allCases.count)
  }

  /// The time that a frame may take: one refresh interval.
  public var budget: Nanoseconds { refreshRate.interval }

  /// Adds a frame that has been seen; every one, in their order. Allocates nothing.
  public mutating func add(_ frame: FrameRecord) {
    frames += 1
    for phase in FrameRecord.Phase.allCases { phases[Int(phase.rawValue)].add(frame.phases[phase]) }
    work.add(frame.work)
    if causes.add(frame, interval: budget) != nil { lateFrames += 1 }
  }

  /// One row for each phase, in their order.
  public var rows: [Row] {
    FrameRecord.Phase.allCases.map { row($0, phases[Int($0.rawValue)]) }
  }

  /// All phases together.
  public var total: Row { row(nil, work) }

  /// The causes of late frames, the most frequent first; causes without a frame are left out.
  public var lateCauses: [LateCount] { causes.counts }

  private func row(_ phase: FrameRecord.Phase?, _ histogram: DurationHistogram) -> Row {
    Row(
      phase: phase, p50: histogram.percentile(50), p95: histogram.percentile(95), p99: histogram.percentile(99),
      maximum: histogram.maximum,
      share: frames == 0 ? nil : histogram.sum.seconds / Double(frames) / budget.seconds)
  }
}
