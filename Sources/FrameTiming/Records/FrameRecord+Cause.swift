public import LinuxSystem

extension FrameRecord {
  /// The cause for which a frame was seen later than it was made for.
  public enum Cause: Hashable, Sendable, CaseIterable {
    /// A phase took so long that the frame, begun when it was to begin, could not be ready for its target.
    case phase(Phase)
    /// Compositing took so long, as layers lie over each other: each pixel was painted `mostOverdraw` times or more in the mean.
    case overdraw
    /// Compositing took so long, and half of it or more was the painting of pictures and shadows of layers that were not kept.
    case missedPictures
    /// The work would have fitted, but the frame was begun or continued too late: the tick came late, the loop was busy with
    /// something else, or the process did not run.
    case scheduling
    /// The frame was begun or continued too late, or its work took longer, since other threads and processes had the processors. It is told
    /// from the others where the engine measures it, see `Engine.measuresThreads`.
    case machineBusy
    /// The frame was handed over before its target, but less than `takeOverTime` before it: too late for a display.
    case commitMissed
    /// The frame was handed over in time, and there was no vblank where its target was.
    case prediction
    /// The frame was handed over in time, and yet the display showed it some vblanks later.
    case scanOut
    /// The frame was ready in time, but frames before it, themselves late, took its vblank or its buffer.
    case stuffing
    /// The process was stopped while the frame was due, as by Ctrl-Z. A record alone does not tell this: see
    /// `FPSMeter.resumed`.
    case stopped

    public static var allCases: [Cause] {
      Phase.allCases.map(Cause.phase) + [
        .overdraw, .missedPictures, .scheduling, .machineBusy, .commitMissed, .prediction, .scanOut, .stuffing, .stopped,
      ]
    }

    /// The cause's name in tables and files.
    public var name: String {
      switch self {
      case .phase(let phase): phase.name
      case .overdraw: "overdraw"
      case .missedPictures: "cache misses"
      case .scheduling: "scheduling"
      case .machineBusy: "machine busy"
      case .commitMissed: "commit missed"
      case .prediction: "prediction"
      case .scanOut: "scan-out"
      case .stuffing: "stuffing"
      case .stopped: "stopped"
      }
    }
  }

  /// The cause for which intervals were missed before a frame, which may be in time itself.
  public enum StandstillCause: Hashable, Sendable, CaseIterable {
    /// The display did not tell of the vblanks of these intervals.
    case lostVBlank
    /// The cause that the frame would have had if it had been due that much earlier.
    case frame(Cause)

    public static var allCases: [StandstillCause] { [.lostVBlank] + Cause.allCases.map(StandstillCause.frame) }

    /// The cause's name in tables and files.
    public var name: String {
      switch self {
      case .lostVBlank: "lost vblank"
      case .frame(let cause): cause.name
      }
    }
  }

  /// How long before a vblank a display needs the frame: between what Mutter (0.8 ms) and KWin (1.5 ms) leave for it.
  public static let takeOverTime = Nanoseconds.milliseconds(1)

  /// From how many times a pixel on `overdraw` is to blame: three layers to see one. (Android's tool for developers shows what is
  /// painted once or twice in calm colours.)
  public static let mostOverdraw = 3.0

  /// The causes of one frame's lateness.
  public struct Causes: Hashable, Sendable {
    /// The cause that cost most.
    public var main: Cause
    /// The next one, if it cost at least half as much.
    public var other: Cause?

    public init(main: Cause, other: Cause? = nil) {
      self.main = main
      self.other = other
    }
  }

  /// The causes of the frame's lateness by its record alone; nil if it was in time or has not been seen.
  ///
  /// A frame that was seen after its target was late for that; one that was seen at its target was late for the promised
  /// vblank. The first that holds:
  /// 1. It was ready before the promised vblank and seen at its later target: `stuffing`. (Android's name for buffers that wait
  ///    behind each other.)
  /// 2. It was handed over `takeOverTime` or more before its target: `scanOut` if it was seen whole intervals later, to a
  ///    quarter, else `prediction`. (SurfaceFlinger's FrameTimeline tells the two apart in this way.)
  /// 3. It was handed over before its target: `commitMissed`.
  /// 4. Begun at `start` and worked on without a break and with a processor it would have been handed over in time: the longer one of the
  ///    time without work since `start`, `scheduling`, and the time without a processor, `machineBusy`.
  /// 5. The longest of these: each phase beyond its usual time, and the two of 4. The earlier one of equal ones.
  ///    Time without a processor is no phase's: it is taken from the phases that are longest beyond their usual time, but not from the
  ///    wait for drawings, which needs none.
  ///    Of `composite` it says more where it can: `missedPictures` if their painting took half of it or more, else `overdraw`, unless the
  ///    frame's threads waited for half of it or more.
  ///
  /// - Parameters:
  ///   - interval: the display's refresh interval.
  ///   - usual: the time that phases usually take; without it phases count with all their time.
  public func causes(interval: Nanoseconds, usual: PhaseDurations = PhaseDurations()) -> Causes? {
    guard isLate(interval: interval) else { return nil }
    let deadline: MonotonicTime
    if missedTarget(interval: interval) {
      deadline = target
      if submitted + Self.takeOverTime <= target {
        return Causes(main: isLateByWholeIntervals(interval) ? .scanOut : .prediction)
      }
      if submitted <= target { return Causes(main: .commitMissed) }
    } else {
      deadline = due
      if ready <= due { return Causes(main: .stuffing) }
    }
    // A wait in missed intervals is what they were missed for.
    let startDelay = min(startDelay, max(delivered - start, .zero))
    let (first, second) = longest(from: start, to: deadline, startDelay: startDelay, idle: .zero, usual)
    let isBoth = second.time >= Self.takeOverTime && second.time >= first.time / 2
    return Causes(main: first.cause, other: isBoth ? second.cause : nil)
  }

  /// Why the picture before the frame stood for so long, since intervals were missed: the longest of those that `causes` looks at in 5., as if
  /// the frame had been to begin and to be seen earlier by `time`, or else `lostVBlank`, if `lostVBlankTime` is longer.
  ///
  /// A loop that comes a moment too late for a vblank misses a whole interval, most of which it waits for the next one: `missedWait` is no
  /// time of any cause. So 3 ms without a processor that made it late by 2 ms are to blame, and not the 14 ms of waiting.
  ///
  /// - Parameters:
  ///   - time: `missedTime`, or the part of it that no late frame before accounts for.
  ///   - usual: the time that phases usually take; without it phases count with all their time.
  public func standstillCause(_ time: Nanoseconds, usual: PhaseDurations = PhaseDurations()) -> StandstillCause {
    let lost = min(lostVBlankTime, time)
    // A vblank that was asked for before `time` was not missed for that.
    let wait = missedWait + lost < time ? missedWait : .zero
    let longest = longest(
      from: start - time, to: due - time, startDelay: min(startDelay, time + max(delivered - start, .zero)),
      idle: lost + wait, usual
    ).first
    return lost > longest.time ? .lostVBlank : .frame(longest.cause)
  }

  private typealias Share = (cause: Cause, time: Nanoseconds)

  /// The two longest of the causes for which a frame that was to be begun at `start` was not handed over by `deadline`.
  ///
  /// - Parameter idle: the time in which the loop waited for the display, which is no scheduling.
  private func longest(
    from start: MonotonicTime, to deadline: MonotonicTime, startDelay: Nanoseconds, idle: Nanoseconds,
    _ usual: PhaseDurations
  ) -> (first: Share, second: Share) {
    var first: Share = (.scheduling, Nanoseconds(.min))
    var second = first
    func add(_ cause: Cause, _ time: Nanoseconds) {
      if time > first.time {
        (first, second) = ((cause, time), first)
      } else if time > second.time {
        second = (cause, time)
      }
    }
    if start + (work - runDelay) > deadline {
      let excess = excess(beyond: usual)
      for phase in Phase.allCases { add(phase == .composite ? compositeCause : .phase(phase), excess[phase]) }
    }
    add(.scheduling, ready - start - work - startDelay - idle)
    let busy = runDelay + startDelay
    if busy > .zero { add(.machineBusy, busy) }
    return (first, second)
  }

  /// How long the frame's threads had no processor from `start` on.
  package var busyTime: Nanoseconds { runDelay + min(startDelay, max(delivered - start, .zero)) }

  /// The reason why compositing was long, where the renderer tells.
  private var compositeCause: Cause {
    if missedPictures > 0, pictureTime > .zero, pictureTime >= phases[.composite] / 2 { return .missedPictures }
    // Painting keeps processors busy; a frame that waited was not late for it.
    let isPainting = (blockedTime ?? .zero) - phases[.wait] < phases[.composite] / 2
    return isPainting && overdraw >= Self.mostOverdraw ? .overdraw : .phase(.composite)
  }

  /// The phases beyond their usual time, without what they waited for a processor.
  private func excess(beyond usual: PhaseDurations) -> PhaseDurations {
    var excess = phases
    for phase in Phase.allCases { excess[phase] -= usual[phase] }
    var delay = runDelay
    while delay > .zero {
      var longest = Phase.input
      for phase in Phase.allCases where phase != .wait && excess[phase] > excess[longest] { longest = phase }
      guard excess[longest] > .zero else { break }
      let taken = min(delay, excess[longest])
      excess[longest] -= taken
      delay -= taken
    }
    return excess
  }

  /// When the frame could have been handed over.
  var ready: MonotonicTime { submitted - heldBack }

  /// True if the frame was seen whole intervals after its target, to a quarter of one.
  private func isLateByWholeIntervals(_ interval: Nanoseconds) -> Bool {
    let rest = (presented - target).count % max(interval.count, 1)
    return min(rest, interval.count - rest) <= interval.count / 4
  }
}
