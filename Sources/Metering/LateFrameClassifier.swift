public import FrameTiming
public import LinuxSystem

/// Finds the cause of each late frame. A pure value; it learns from the frames that were in time.
///
/// What it adds to `FrameRecord.cause(interval:usual:)` is the time that each phase usually takes: the moving mean over the
/// frames in time whose work fitted, the newest with a weight of 1/16. Before there are any it is nothing, and the longest
/// phase is to blame.
public struct LateFrameClassifier: Sendable {
  private var usual: FrameRecord.PhaseDurations?

  public init() {}

  /// - Parameter frame: a frame that has been seen; of an output's frames every one, in their order.
  /// - Returns: nil if it was in time.
  public mutating func cause(of frame: FrameRecord, interval: Nanoseconds) -> FrameRecord.Cause? {
    if let cause = frame.cause(interval: interval, usual: usual ?? FrameRecord.PhaseDurations()) { return cause }
    // A frame that was in time although its work did not fit came out of idle: it is no measure of what is usual. At half the
    // rate what takes two intervals fits.
    let budget = frame.isTargetKnown ? max(interval, frame.target - frame.start) : interval
    if frame.work <= budget { learn(frame.phases) }
    return nil
  }

  private mutating func learn(_ phases: FrameRecord.PhaseDurations) {
    guard var mean = usual else {
      usual = phases
      return
    }
    for phase in FrameRecord.Phase.allCases { mean[phase] += (phases[phase] - mean[phase]) / 16 }
    usual = mean
  }
}
