public import LinuxSystem

extension FrameRecord {
  /// The cause for which a frame was seen later than it was made for.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// A phase took so long that the frame, begun when it was to begin, could not be ready for its target.
    case phase(Phase)
    /// The work would have fitted, but the frame was begun or continued too late: the tick came late, the loop was busy with
    /// something else, or the process did not run.
    case scheduling
    /// The frame was handed over before its target, but less than `takeOverTime` before it: too late for a display.
    case commitMissed
    /// The frame was handed over in time, and there was no vblank where its target was.
    case prediction
    /// The frame was handed over in time, and yet the display showed it some vblanks later.
    case scanOut
    /// The process was stopped while the frame was due, as by Ctrl-Z. A record alone does not tell this: see
    /// `FPSMeter.resumed`.
    case stopped

    public static var allCases: [Cause] {
      Phase.allCases.map(Cause.phase) + [.scheduling, .commitMissed, .prediction, .scanOut, .stopped]
    }

    /// The cause's name in tables and files.
    public var name: String {
      switch self {
      case .phase(let phase): phase.name
      case .scheduling: "scheduling"
      case .commitMissed: "commit missed"
      case .prediction: "prediction"
      case .scanOut: "scan-out"
      case .stopped: "stopped"
      }
    }
  }

  /// How long before a vblank a display needs the frame: between what Mutter (0.8 ms) and KWin (1.5 ms) leave for it.
  public static let takeOverTime = Nanoseconds.milliseconds(1)

  /// The cause of the frame's lateness by its record alone; nil if it was in time or has not been seen.
  ///
  /// The first that holds:
  /// 1. It was handed over `takeOverTime` or more before its target: `scanOut` if it was seen whole intervals later, to a
  ///    quarter, else `prediction`. (SurfaceFlinger's FrameTimeline tells the two apart in this way.)
  /// 2. It was handed over before its target: `commitMissed`.
  /// 3. Begun at `start` and worked on without a break it would have been handed over by its target: `scheduling`.
  /// 4. The phase that exceeds its usual time most, the earlier one of equals.
  ///
  /// - Parameters:
  ///   - interval: the display's refresh interval.
  ///   - usual: the time that phases usually take; without it the longest phase is to blame.
  public func cause(interval: Nanoseconds, usual: PhaseDurations = PhaseDurations()) -> Cause? {
    guard isLate(interval: interval) else { return nil }
    if submitted + Self.takeOverTime <= target {
      return isLateByWholeIntervals(interval) ? .scanOut : .prediction
    }
    if submitted <= target { return .commitMissed }
    if start + work <= target { return .scheduling }

    var cause = Phase.callbacks
    var largest = Nanoseconds(.min)
    for phase in Phase.allCases {
      let excess = phases[phase] - usual[phase]
      if excess > largest { (cause, largest) = (phase, excess) }
    }
    return .phase(cause)
  }

  /// True if the lateness is whole intervals, to a quarter of one.
  private func isLateByWholeIntervals(_ interval: Nanoseconds) -> Bool {
    let rest = lateness.count % max(interval.count, 1)
    return min(rest, interval.count - rest) <= interval.count / 4
  }
}
