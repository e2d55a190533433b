public import LinuxSystem

/// Decides when a display's ticks are delivered, so that frames are begun as late as they can still be ready in time.
///
/// A pure value that reads no clock; each display has its own. Under `FramePolicy.lateStart` a tick is to be delivered at
///
///     target − work − wake-up latency − commit margin
///
/// each learned by itself from what became of the ticks and frames before, so that one is not taken for the other: how long
/// frames take from the delivery of the tick to the presenter, how late the loop wakes for a deadline, and how long before
/// a vblank a display needs a frame. The parts are added although they are seldom at their worst together: that is the
/// reserve.
///
/// A tick is delivered at once
/// - where there is nothing to gain: the deadline has come, or is less than `leastDelay` away;
/// - as long as little is known: not eight frames yet, or no more than a guess where the target is;
/// - after a pause, since whoever waited should not wait longer. After `longPause` intervals the machine may have slowed its
///   clocks down: eight intervals long every tick is delivered at once, and no frame is learned from.
///
/// Nothing is remembered of when vblanks are. A display's phase and rate may change, what work takes does not.
public struct FramePacer: Sendable {
  /// Nobody puts a tick off for less.
  public static let leastDelay = Nanoseconds.microseconds(200)
  /// The number of intervals without a frame from which a pause is a long one. (KWin's number, too.)
  public static let longPause: Int64 = 100

  public var policy: FramePolicy
  /// From the delivery of a tick, or the beginning of a frame without one, to the presenter.
  public private(set) var work = PacingEstimate()
  /// From a deadline to the delivery of the tick that was put off to it.
  public private(set) var wakeUpLatency = PacingEstimate()
  public private(set) var commitMargin = CommitMargin()

  private static let warmUp: Int64 = 8
  /// Ticks of vblanks until then are delivered at once.
  private var promptUntil = MonotonicTime.zero
  /// Frames that are begun until then are not learned from.
  private var coldUntil = MonotonicTime.zero
  /// Ticks in a row that could not be put off.
  private var undelayed = 0

  public init(policy: FramePolicy = .vblank) {
    self.policy = policy
  }

  /// How long before its target a frame is to be begun; nil as long as that is not known.
  ///
  /// - Parameter interval: the display's refresh interval.
  public func budget(interval: Nanoseconds) -> Nanoseconds? {
    guard let work = work.value else { return nil }
    // Before there are any wake-ups, what KWin leaves for them.
    let latency = wakeUpLatency.value ?? min(.milliseconds(1), interval / 32)
    return work + latency + commitMargin.value
  }

  /// When the tick of a vblank is to be delivered: at once if that is not later than now, or the vblank's own time. (An event
  /// may come a little before the time that it bears.)
  ///
  /// - Parameters:
  ///   - target: the vblank that the tick's frame is made for.
  ///   - isTargetKnown: whether it is more than a guess.
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

  /// A tick was delivered.
  ///
  /// - Parameters:
  ///   - now: when link callbacks were called.
  ///   - start: what `start` said.
  ///   - wasDelayed: whether it was put off to that time.
  public mutating func tickWasDelivered(at now: MonotonicTime, start: MonotonicTime, wasDelayed: Bool) {
    if wasDelayed {
      undelayed = 0
      wakeUpLatency.observe(now - start)
      return
    }
    // A latency that leaves no time to put a tick off is not observed any more, and must not be believed for ever.
    undelayed += 1
    if policy == .lateStart, undelayed % 16 == 0 { wakeUpLatency.forgetOldest() }
  }

  /// A frame was seen. Every frame that was, in their order.
  public mutating func observe(_ frame: FrameRecord, interval: Nanoseconds) {
    let time = frame.submitted - frame.heldBack - frame.delivered
    if frame.delivered > coldUntil { work.observe(min(time, interval * 3)) }
    guard frame.isTargetKnown else { return }
    // A target where there was no vblank is nothing to have missed.
    let cause = frame.cause(interval: interval)
    commitMargin.observe(
      lead: frame.target - frame.submitted, isMissed: cause == .scanOut || cause == .commitMissed, interval: interval)
  }

  /// Frames are wanted again after a pause.
  ///
  /// - Parameters:
  ///   - now: when the first vblank was asked for.
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
