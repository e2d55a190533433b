public import FrameTiming
package import LinuxSystem

/// The number of frames that were late, or never seen, for one cause.
public struct LateCount: Equatable, Sendable {
  public var cause: FrameRecord.Cause
  public var frames: Int

  public init(cause: FrameRecord.Cause, frames: Int) {
    self.cause = cause
    self.frames = frames
  }
}

/// Counts the main causes of late frames.
struct LateCauses: Sendable {
  private var classifier = LateFrameClassifier()
  /// One for each cause, in their order.
  private(set) var all = FrameRecord.Cause.allCases.map { LateCount(cause: $0, frames: 0) }

  /// Adds a frame that has been seen. Add every frame of an output, in their order. Allocates nothing.
  ///
  /// - Parameter resumed: when the process last went on after a stop; nil if it never was stopped.
  /// - Returns: why it was late; nil if it was in time.
  @discardableResult
  mutating func add(
    _ frame: FrameRecord, interval: Nanoseconds, resumed: MonotonicTime? = nil
  ) -> FrameRecord.Causes? {
    guard var causes = classifier.causes(of: frame, interval: interval) else { return nil }
    if let resumed, frame.start < resumed, resumed < frame.submitted { causes = FrameRecord.Causes(main: .stopped) }
    for index in all.indices where all[index].cause == causes.main { all[index].frames += 1 }
    return causes
  }

  /// Adds a frame that is never seen, see `FrameEvent.lost`.
  mutating func addLost() {
    for index in all.indices where all[index].cause == .displayLoss { all[index].frames += 1 }
  }

  /// The most frequent first, but stuffing, which follows from others, last. Causes without a frame are left out.
  var counts: [LateCount] {
    func rank(_ count: LateCount) -> (Int, Int) { (count.cause == .stuffing ? 1 : 0, -count.frames) }
    return all.filter { $0.frames > 0 }.sorted { rank($0) < rank($1) }
  }
}

/// Finds the cause of each late frame. A pure value; it learns from the frames that were in time.
///
/// It adds to `FrameRecord.causes(interval:usual:usualWait:)` the time that each phase, and the wait for drawings, usually takes: the
/// moving mean over the frames in time whose work fitted, the newest with a weight of 1/16. Before there are any, the longest is to blame.
package struct LateFrameClassifier: Sendable {
  private var usual: FrameRecord.PhaseDurations?
  private var usualWait = Nanoseconds.zero

  package init() {}

  /// - Parameter frame: a frame that has been seen. Pass every frame of an output, in their order.
  /// - Returns: nil if it was in time.
  package mutating func causes(of frame: FrameRecord, interval: Nanoseconds) -> FrameRecord.Causes? {
    let usual = usual ?? FrameRecord.PhaseDurations()
    if let causes = frame.causes(interval: interval, usual: usual, usualWait: usualWait) { return causes }
    // A frame that was in time although its work did not fit came out of idle: its phases are not the usual ones. At half the
    // rate, work of two intervals fits.
    let budget = frame.isTargetKnown ? max(interval, frame.target - frame.start) : interval
    if frame.work + frame.drawingWait <= budget { learn(frame) }
    return nil
  }

  private mutating func learn(_ frame: FrameRecord) {
    guard var mean = usual else {
      (usual, usualWait) = (frame.phases, frame.drawingWait)
      return
    }
    for phase in FrameRecord.Phase.allCases { mean[phase] += (frame.phases[phase] - mean[phase]) / 16 }
    usual = mean
    usualWait += (frame.drawingWait - usualWait) / 16
  }
}
