public import FrameTiming
public import LinuxSystem

/// Where the time of frames goes: each phase against the budget, and what made frames late.
///
/// Memory is fixed however many frames are added; percentiles are exact to 1/512 (see `DurationHistogram`), maximum and share
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

  /// How many frames were late for one cause.
  public struct LateCount: Equatable, Sendable {
    public var cause: FrameRecord.Cause
    public var frames: Int
  }

  public let refreshRate: RefreshRate
  /// Frames added.
  public private(set) var frames = 0
  /// Frames that were seen more than half an interval after their target.
  public private(set) var lateFrames = 0

  private var phases: [DurationHistogram]
  private var work = DurationHistogram()
  private var classifier = LateFrameClassifier()
  private var causes = [Int](repeating: 0, count: FrameRecord.Cause.allCases.count)

  public init(refreshRate: RefreshRate) {
    self.refreshRate = refreshRate
    phases = Array(repeating: DurationHistogram(), count: FrameRecord.Phase.allCases.count)
  }

  /// What a frame may take: one refresh interval.
  public var budget: Nanoseconds { refreshRate.interval }

  /// Adds a frame that has been seen; every one, in their order. Allocates nothing.
  public mutating func add(_ frame: FrameRecord) {
    frames += 1
    for phase in FrameRecord.Phase.allCases { phases[Int(phase.rawValue)].add(frame.phases[phase]) }
    work.add(frame.work)
    guard let cause = classifier.cause(of: frame, interval: budget) else { return }
    lateFrames += 1
    causes[cause.index] += 1
  }

  /// One row for each phase, in their order.
  public var rows: [Row] {
    FrameRecord.Phase.allCases.map { row($0, phases[Int($0.rawValue)]) }
  }

  /// All phases together.
  public var total: Row { row(nil, work) }

  /// What made frames late, the most frequent first; causes without a frame are left out.
  public var lateCauses: [LateCount] {
    FrameRecord.Cause.allCases.map { LateCount(cause: $0, frames: causes[$0.index]) }
      .filter { $0.frames > 0 }
      .sorted { ($1.frames, $0.cause.index) < ($0.frames, $1.cause.index) }
  }

  private func row(_ phase: FrameRecord.Phase?, _ histogram: DurationHistogram) -> Row {
    Row(
      phase: phase, p50: histogram.percentile(50), p95: histogram.percentile(95), p99: histogram.percentile(99),
      maximum: histogram.maximum,
      share: frames == 0 ? nil : histogram.sum.seconds / Double(frames) / budget.seconds)
  }
}

extension FrameRecord.Cause {
  /// The place in `allCases`.
  fileprivate var index: Int {
    let phases = FrameRecord.Phase.allCases.count
    return switch self {
    case .phase(let phase): Int(phase.rawValue)
    case .scheduling: phases
    case .commitMissed: phases + 1
    case .prediction: phases + 2
    case .scanOut: phases + 3
    }
  }
}
