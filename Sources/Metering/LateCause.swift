public import FrameTiming
public import LinuxSystem

/// Why a frame was seen later than it was made for.
public enum LateCause: Hashable, Sendable, CaseIterable {
  /// A phase of the frame took longer than usual, and with it the work was more than the interval holds.
  case phase(FrameRecord.Phase)
  /// The work fitted, but the frame was begun or carried on too late: the tick came late, the loop was busy with something
  /// else, or the process did not run.
  case scheduling
  /// The frame was handed over before its vblank, but within `LateFrameClassifier.takeOverTime` of it: too late for a
  /// display to take.
  case commitMissed
  /// The frame was handed over in time, and yet the display showed it later.
  case scanOut

  public static var allCases: [LateCause] {
    FrameRecord.Phase.allCases.map(LateCause.phase) + [.scheduling, .commitMissed, .scanOut]
  }

  /// The cause's name in tables and files.
  public var name: String {
    switch self {
    case .phase(let phase): phase.name
    case .scheduling: "scheduling"
    case .commitMissed: "commit missed"
    case .scanOut: "scan-out"
    }
  }
}

/// Finds the cause of each late frame. A pure value; it learns from the frames that were in time.
///
/// The first that holds for a late frame:
/// 1. It was handed over `takeOverTime` or more before its target: `scanOut`.
/// 2. It was handed over before its target: `commitMissed`.
/// 3. Begun at its vblank and worked on without a break it would have been handed over by its target: `scheduling`.
/// 4. Else the phase that exceeds its usual time most. What is usual is the moving mean over the frames in time whose
///    work fitted, the newest with a weight of 1/16; before there are any it is nothing, and the cause is the longest phase.
public struct LateFrameClassifier: Sendable {
  /// How long before a vblank a display needs the frame: between what Mutter (0.8 ms) and KWin (1.5 ms) leave for it.
  public static let takeOverTime = Nanoseconds.milliseconds(1)

  private var usual: FrameRecord.PhaseDurations?

  public init() {}

  /// - Parameter frame: a frame that has been seen; of an output's frames every one, in their order.
  /// - Returns: nil if it was in time.
  public mutating func cause(of frame: FrameRecord, interval: Nanoseconds) -> LateCause? {
    guard frame.isLate(interval: interval) else {
      // A frame that was in time although its work did not fit came out of idle: it is no measure of what is usual.
      if frame.work <= interval { learn(frame.phases) }
      return nil
    }
    if frame.submitted + Self.takeOverTime <= frame.target { return .scanOut }
    if frame.submitted <= frame.target { return .commitMissed }
    if frame.tick + frame.work <= frame.target { return .scheduling }

    let usual = usual ?? FrameRecord.PhaseDurations()
    var cause = FrameRecord.Phase.callbacks
    var largest = Nanoseconds(.min)
    for phase in FrameRecord.Phase.allCases {
      let excess = frame.phases[phase] - usual[phase]
      if excess > largest { (cause, largest) = (phase, excess) }
    }
    return .phase(cause)
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
