public import LinuxSystem

/// Chooses the time that a frame's animations are evaluated for, from the vblank at which the frame will be seen. A pure value.
///
/// ```swift
/// engine.output.animationTime = AnimationTime(.smooth)  // for the layers' animations
///
/// var animations = AnimationTime(.smooth)  // for animations of the application's own
/// let time = animations.time(for: link.targetTimestamp, interval: link.tick?.duration)
/// ```
public struct AnimationTime: BitwiseCopyable, Sendable {
  /// The rule that chooses the time.
  public enum Policy: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The predicted vblank itself: moving things are always where they should be, and jump after a frame that missed its vblank.
    case presentation
    /// Even steps from what was seen: the frame after one that missed its vblank moves on from when that was shown. Moving things
    /// stand still for the missed interval, are an interval late then, never more, and catch up by a 32nd of it a frame: half a
    /// second at 60 Hz. At a variable rate no vblank is missed: then it is the same as `presentation`.
    case smooth
  }

  public let policy: Policy
  private var last: (target: MonotonicTime, time: MonotonicTime)?
  /// How far the times lie behind their targets.
  private var lag = Nanoseconds.zero

  public init(_ policy: Policy = .presentation) {
    self.policy = policy
  }

  /// The time for a frame that will be seen at `target`. It never decreases, and is the same for the same target.
  ///
  /// - Parameter interval: the display's refresh interval; nil for a variable display.
  public mutating func time(for target: MonotonicTime, interval: Nanoseconds?) -> MonotonicTime {
    guard let last else { return remember(target, at: target) }
    if target <= last.target { return last.time }
    lag = max(lag - (interval ?? lag) / 32, .zero)
    return remember(target, at: max(target - lag, last.time))
  }

  /// Learns how a frame was seen. Call it for every such frame, in their order.
  ///
  /// - Parameters:
  ///   - isMissed: true if it was seen at a later vblank than it was made for.
  ///   - interval: the display's refresh interval; nil for a variable display.
  public mutating func observe(isMissed: Bool, interval: Nanoseconds?) {
    // No further behind, however many are missed: while all frames are late by as much, their steps are even by themselves.
    if isMissed, policy == .smooth, let interval { lag = interval }
  }

  /// Forgets the last time when nothing moves any more: the next movement begins at its own vblank.
  public mutating func rest() { (last, lag) = (nil, .zero) }

  private mutating func remember(_ target: MonotonicTime, at time: MonotonicTime) -> MonotonicTime {
    last = (target, time)
    return time
  }
}
