public import LinuxSystem

/// Decides when a display's ticks are delivered, so that frames are begun as late as they can still be ready in time.
///
/// An application sets `FramePolicy.lateStart` on its output, whose ticker has a pacer. Use one by itself in a loop of frames without
/// a `DisplayTicker`, such as that of another engine: it is told of each tick and frame, and `start` says when to begin the next.
///
/// A pure value that reads no clock; each display has its own. Under `FramePolicy.lateStart` a tick is delivered at
///
///     target − work − wake-up latency − commit margin
///
/// each learned by itself from earlier ticks and frames, so that one is not taken for the other: how long
/// frames take from the delivery of the tick to the presenter, how late the loop wakes for a deadline, and how long before
/// a vblank a display needs a frame. The parts are added although they are seldom at their worst together: that is the
/// reserve.
///
/// A tick is delivered at once
/// - if there is nothing to gain: the deadline has come, or is less than `leastDelay` away;
/// - as long as little is known: fewer than eight frames, or a target that is a guess;
/// - after a pause, since whoever waited should not wait longer. After `longPause` intervals the machine may have slowed its
///   clocks down: eight intervals long every tick is delivered at once, and no frame is learned from.
///
/// The times of vblanks are not remembered: a display's phase and rate may change, the duration of work does not.
public struct FramePacer: Sendable {
  /// The shortest delay of a tick.
  public static let leastDelay = Nanoseconds.microseconds(200)
  /// The number of intervals without a frame from which a pause is a long one. (KWin's number, too.)
  public static let longPause: Int64 = 100

  public var policy: FramePolicy
  /// From the delivery of a tick, or the beginning of a frame without one, to the presenter.
  public private(set) var work = PacingEstimate()
  /// From a deadline to the delivery of the tick that was delayed to it.
  public private(set) var wakeUpLatency = PacingEstimate()
  package private(set) var commitMargin = CommitMargin()

  private static let warmUp: Int64 = 8
  /// Ticks of vblanks until this time are delivered at once.
  private var promptUntil = MonotonicTime.zero
  /// Frames that are begun until this time teach nothing.
  private var coldUntil = MonotonicTime.zero
  /// Ticks in a row that could not be delayed.
  private var undelayed = 0

  public init(policy: FramePolicy = .vblank) {
    self.policy = policy
  }

  /// How long before its target a frame must be begun; nil as long as that is not known.
  ///
  /// - Parameter interval: the display's refresh interval.
  public func budget(interval: Nanoseconds) -> Nanoseconds? { work.value.map { budget(work: $0, interval: interval) } }

  /// The same with a reserve of one interval at most for the work of a frame whose target is chosen by it. Where others take the
  /// processors, the worst durations are several intervals longer than the usual one: most frames would be seen long before the
  /// time that they show.
  package func usualBudget(interval: Nanoseconds) -> Nanoseconds? {
    guard let longest = work.value, let usual = work.median else { return nil }
    return budget(work: min(longest, usual + interval), interval: interval)
  }

  private func budget(work: Nanoseconds, interval: Nanoseconds) -> Nanoseconds {
    // Before the first wake-up, the time that KWin leaves for one.
    let latency = wakeUpLatency.value ?? min(.milliseconds(1), interval / 32)
    return work + latency + commitMargin.value
  }

  /// When to deliver the tick of a vblank: at once if that is not later than now, or the vblank's own time. (An event
  /// may come a little before the time that it bears.)
  ///
  /// - Parameters:
  ///   - target: the vblank that the tick's frame is made for.
  ///   - isTargetKnown: true if it is more than a guess.
  ///   - vblank: the tick's.
  ///   - now: when the vblank's event came.
  public func start(
    for target: MonotonicTime, isTargetKnown: Bool = true, vblank: MonotonicTime, now: MonotonicTime,
    interval: Nanoseconds
  ) -> MonotonicTime {
    guard policy == .lateStart, isTargetKnown, vblank > promptUntil, let budget = budget(interval: interval) else {
      return vblank
    }
    let start = max(vblank, target - budget)
    return start - now < Self.leastDelay ? min(start, now) : start
  }

  /// Learns from the delivery of a tick.
  ///
  /// - Parameters:
  ///   - now: when link callbacks were called.
  ///   - start: the planned time of delivery.
  ///   - wasDelayed: true if it was delayed to that time.
  public mutating func tickWasDelivered(at now: MonotonicTime, start: MonotonicTime, wasDelayed: Bool) {
    if wasDelayed {
      undelayed = 0
      wakeUpLatency.observe(now - start)
      return
    }
    // A latency that leaves no time for a delay is not observed any more, and must not be believed for ever.
    undelayed += 1
    if policy == .lateStart, undelayed % 16 == 0 { wakeUpLatency.forgetOldest() }
  }

  /// Learns from a frame that was seen. Call it for every such frame, in their order.
  public mutating func observe(_ frame: FrameRecord, interval: Nanoseconds) {
    let time = frame.submitted - frame.heldBack - frame.delivered
    if frame.delivered > coldUntil { work.observe(min(time, interval * 3)) }
    guard frame.isTargetKnown else { return }
    // A target without a vblank was not missed.
    let cause = frame.causes(interval: interval)?.main
    commitMargin.observe(
      lead: frame.target - frame.submitted, isMissed: cause == .scanOut || cause == .commitMissed, interval: interval)
  }

  /// Tells that frames are wanted again after a pause.
  ///
  /// - Parameters:
  ///   - now: when the first vblank was requested.
  ///   - pause: the time since the last tick.
  public mutating func pauseEnded(at now: MonotonicTime, after pause: Nanoseconds, interval: Nanoseconds) {
    guard pause >= interval * Self.longPause else {
      promptUntil = max(promptUntil, now + interval)
      return
    }
    promptUntil = now + interval * Self.warmUp
    coldUntil = promptUntil
  }
}

/// When a display's ticks are delivered, and with them when its frames are begun.
public enum FramePolicy: String, CaseIterable, Sendable, BitwiseCopyable {
  /// As soon as the vblank's event comes, as CADisplayLink does: a frame has the whole interval.
  case vblank
  /// As late as the frame can still be ready for the next vblank: what it shows, such as the place of a pointer, is newer by as
  /// much. See `FramePacer`. At a variable rate, where the next vblank is not known beforehand, the same as `vblank`.
  case lateStart = "late"
}
