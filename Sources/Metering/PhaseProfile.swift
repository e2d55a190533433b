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

  /// One of the frames that kept the picture before them on screen too long, as they were late or came after missed intervals, or else one of
  /// those with most work.
  public struct WorstFrame: Sendable {
    public var record: FrameRecord
    /// Why it was late; nil if it was in time.
    public var causes: FrameRecord.Causes?
    /// How long the picture before it stood, since intervals were missed, and why; nil if none were, or a late frame accounts for them.
    public var standstill: Standstill?
    /// The refresh interval by which it was late or in time.
    var interval: Nanoseconds
  }

  /// The rate that the display told at the beginning.
  public let refreshRate: RefreshRate
  /// The rate by which frames are late, as `FPSMeter.refreshRate`: set it when the display's changes.
  public var currentRate: RefreshRate
  /// The end of the last stop of the process, see `FPSMeter.resumed`. Set it before each frame.
  public var resumed: MonotonicTime?
  /// Frames added.
  public private(set) var frames = 0
  /// Frames that were seen more than half an interval after their target.
  public private(set) var lateFrames = 0
  /// Frames that were wanted and never seen, as the display was away, went, or refused them.
  public private(set) var lostFrames = 0
  /// The tick of the first frame that was added; nil before it.
  public private(set) var firstTick: MonotonicTime?
  /// The worst frames, at most `worstCount` of them, the worst first.
  public private(set) var worstFrames: [WorstFrame] = []
  public static let worstCount = 5

  private(set) var frameBudget: FrameBudget
  /// The numbers of frames by the refresh intervals of their own that their work needs.
  var needs: [Int: Int] = [:]
  /// The works of frames in millionths of the refresh interval that each had.
  var parts = DurationHistogram()
  var overGivenBudget = 0
  private var phases: [DurationHistogram]
  var work = DurationHistogram()
  private var processor = DurationHistogram()
  private var causes = LateCauses()
  /// The numbers of late frames by the phase that was to blame and the layer that took most of it.
  private var blamed: [FrameRecord.Cause: [UInt32: Int]] = [:]

  /// - Parameters:
  ///   - refreshRate: the rate that the display tells.
  ///   - budget: the time that a frame may take; nil for that of the rate at which most frames were asked for: from a tick of their link to
  ///     its next one, which is one refresh interval, or two for a scene that asks for half the display's rate. The interval is that
  ///     which the display really has, whatever it tells.
  public init(refreshRate: RefreshRate, budget: Nanoseconds? = nil) {
    (self.refreshRate, currentRate) = (refreshRate, refreshRate)
    frameBudget = FrameBudget(refreshRate: refreshRate, given: budget)
    needs.reserveCapacity(64)
    worstFrames.reserveCapacity(Self.worstCount + 1)
    phases = Array(repeating: DurationHistogram(), count: FrameRecord.Phase.allCases.count)
  }

  /// Adds a frame that has been seen; every one, in their order. Allocates nothing, but for a layer that makes one late first, and in a
  /// run whose frames need more than some 60 different numbers of intervals.
  public mutating func add(_ frame: FrameRecord) {
    let late = causes.add(frame, interval: currentRate.interval, resumed: resumed)
    add(frame, late, causes.standstill, layer: late?.layer(of: frame))
  }

  /// Adds a frame that was seen and logged, with the causes that the log has.
  ///
  /// - Parameter layer: the number of the layer that the log names.
  mutating func add(_ frame: LoggedFrame, layer: UInt32?) {
    causes.count(frame.causes, frame.standstill, behind: frame.missedBehindLateFrames)
    add(frame.record, frame.causes, frame.standstill, layer: layer)
  }

  private mutating func add(
    _ frame: FrameRecord, _ causes: FrameRecord.Causes?, _ standstill: Standstill?, layer: UInt32?
  ) {
    frames += 1
    if firstTick == nil { firstTick = frame.tickTimestamp }
    for phase in FrameRecord.Phase.allCases { phases[Int(phase.rawValue)].add(frame.phases[phase]) }
    work.add(frame.work)
    if let time = frame.processorTime { processor.add(time) }
    count(work: frame.work, interval: frameBudget.add(frame))
    if let causes {
      lateFrames += 1
      if let layer { blamed[causes.main, default: [:]][layer, default: 0] += 1 }
    }
    keep(WorstFrame(record: frame, causes: causes, standstill: standstill, interval: currentRate.interval))
  }

  /// Adds a frame that is never seen, see `FrameEvent.lost`: only to the verdict.
  public mutating func addLost() { lostFrames += 1 }

  private mutating func keep(_ frame: WorstFrame) {
    let place = worstFrames.firstIndex { frame.isWorse(than: $0) } ?? worstFrames.count
    guard place < Self.worstCount else { return }
    worstFrames.insert(frame, at: place)
    if worstFrames.count > Self.worstCount { worstFrames.removeLast() }
  }

  /// One row for each phase, in their order.
  public var rows: [Row] {
    FrameRecord.Phase.allCases.map { row($0, phases[Int($0.rawValue)]) }
  }

  /// All phases together.
  public var total: Row { row(nil, work) }

  /// The report of a meter of the same run, with this budget, and with the work of the frames that were added here, which may be fewer.
  ///
  /// - Parameter end: the end of the run, see `FPSMeter.report(at:)`.
  package func report(of meter: FPSMeter, at end: MonotonicTime? = nil) -> FrameReport {
    report(meter.report(at: end))
  }

  /// A report of the same run with the budget and the work of this profile.
  func report(_ report: FrameReport) -> FrameReport {
    var report = report
    (report.budget, report.budgetReasons) = (budget, frameBudget.reasons)
    report.work = FrameReport.Distribution(work)
    return report
  }

  /// The time for which the threads of a frame had a processor; nil where that was not measured.
  public var processorTime: Row? { processor.count == frames && frames > 0 ? row(nil, processor) : nil }

  /// The causes of late frames, the most frequent first, but stuffing, which follows from others, last; together they are `lateFrames`.
  /// Causes without a frame are left out.
  public var lateCauses: [LateCount] { causes.counts }

  /// The causes of the missed intervals for which no late frame accounts, the most frequent first.
  package var missedCauses: [MissedCount] { causes.standstillCounts }

  /// The causes of all missed intervals of a report of these frames.
  func missedCounts(of report: FrameReport) -> [MissedCount] { causes.missedCounts(of: report) }

  /// The layer that made most frames late by this cause, and how many. Nil where no layer took half of the phase.
  public func blamedLayer(_ cause: FrameRecord.Cause) -> (layer: UInt32, frames: Int)? {
    guard let most = blamed[cause]?.max(by: { ($0.value, $1.key) < ($1.value, $0.key) }) else { return nil }
    return (most.key, most.value)
  }

  private func row(_ phase: FrameRecord.Phase?, _ histogram: DurationHistogram) -> Row {
    Row(
      phase: phase, p50: histogram.percentile(50), p95: histogram.percentile(95), p99: histogram.percentile(99),
      maximum: histogram.maximum,
      share: frames == 0 ? nil : histogram.sum.seconds / Double(frames) / budget.seconds)
  }
}

extension FrameRecord.Causes {
  /// The layer that took half or more of the phase that was to blame.
  public func layer(of frame: FrameRecord) -> UInt32? {
    guard case .phase(let phase) = main, let slowest = frame.slowestLayer, slowest.phase == phase,
      slowest.time >= frame.phases[phase] / 2
    else { return nil }
    return slowest.layer
  }
}

extension PhaseProfile.WorstFrame {
  /// How late it was; zero if it was in time.
  package var lateness: Nanoseconds { causes == nil ? .zero : record.lateness }

  /// For how many refresh intervals too many the picture before it stood: that is what can be seen.
  private var delay: Int64 {
    let time = lateness + (standstill?.time ?? .zero)
    return Int64(saturating: (Double(time.count) / Double(max(interval.count, 1))).rounded())
  }

  /// The cause of the longer one of lateness and standstill; nil without either.
  package var longestCause: FrameRecord.StandstillCause? {
    guard let standstill, standstill.time > lateness else { return causes.map { .frame($0.main) } }
    return standstill.cause
  }

  /// The layer that took half of the phase that is this cause, or more; nil if none did.
  package var blamedLayer: UInt32? {
    guard case .frame(let cause) = longestCause else { return nil }
    return FrameRecord.Causes(main: cause).layer(of: record)
  }

  /// The one with the longer delay; of equal ones one that was late itself, whose cause is its own, and then the one with more work.
  fileprivate func isWorse(than other: Self) -> Bool {
    (delay, causes == nil ? 0 : 1, record.work) > (other.delay, other.causes == nil ? 0 : 1, other.record.work)
  }
}
