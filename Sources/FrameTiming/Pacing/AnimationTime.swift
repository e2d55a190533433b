public import LinuxSystem

/// Chooses the time that a frame's animations are evaluated for, from the vblank at which the frame will be seen. A pure value.
public struct AnimationTime: BitwiseCopyable, Sendable {
  public enum Policy: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The predicted vblank itself: moving things are always where they should be, and jump after a missed frame.
    case presentation
    /// Even steps: each frame's time is one interval after the last one's, and catches up with the vblank by at most a 32nd of
    /// an interval a frame. More than 100 ms are caught up at once. Moving things slow down for a missed frame and are a
    /// little late for half a second afterwards, but do not jump. (Mutter's rule for its frame clocks'
    /// timelines.) At a variable rate no step is the even one: then it is the same as `presentation`.
    case smooth
  }

  public let policy: Policy
  private var last: (target: MonotonicTime, time: MonotonicTime)?

  /// A time that is further behind does not catch up by steps.
  private static let farthest = Nanoseconds.milliseconds(100)

  public init(_ policy: Policy = .presentation) {
    self.policy = policy
  }

  /// The time for a frame that will be seen at `target`. It never decreases, and is the same for the same target.
  ///
  /// - Parameters:
  ///   - distance: how many intervals lie between two frames.
  ///   - interval: the display's refresh interval; nil for a variable display.
  public mutating func time(for target: MonotonicTime, every distance: Int = 1, interval: Nanoseconds?) -> MonotonicTime {
    guard let last else { return remember(target, at: target) }
    if target <= last.target { return last.time }
    guard policy == .smooth, let interval else { return remember(target, at: max(target, last.time)) }
    let next = last.time + interval * Int64(distance)
    let rest = target - next
    if rest > Self.farthest { return remember(target, at: target) }
    // Earlier targets were later, as those of another screen: time stands still until the targets have caught up.
    if rest < Nanoseconds.zero - interval / 2 { return remember(target, at: max(target, last.time)) }
    let most = interval / 32
    // Predictions tremble, so the step may also be too long.
    return remember(target, at: next + min(max(rest, Nanoseconds.zero - most), most))
  }

  /// Forgets the last time when nothing moves any more: the next movement begins at its own vblank.
  public mutating func rest() { last = nil }

  private mutating func remember(_ target: MonotonicTime, at time: MonotonicTime) -> MonotonicTime {
    last = (target, time)
    return time
  }
}
