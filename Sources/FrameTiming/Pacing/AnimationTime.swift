public import LinuxSystem

/// For which time a frame's animations are evaluated, from the vblank at which it will be seen. A pure value.
public struct AnimationTime: BitwiseCopyable, Sendable {
  public enum Policy: String, CaseIterable, BitwiseCopyable, Sendable {
    /// The vblank itself, as it is predicted: what moves is always where it should be, and after a missed frame it jumps.
    case presentation
    /// Even steps: each frame's time is one interval after the last's, and what is missing to the vblank is made up by at most
    /// a 32nd of an interval a frame. Above 100 ms it is made up at once. What moves slows down for a missed frame
    /// and is a little late for half a second afterwards, but does not jump. (Mutter's rule for its frame clocks'
    /// timelines.) At a variable rate, where no step is the even one, the same as `presentation`.
    case smooth
  }

  public let policy: Policy
  private var last: (target: MonotonicTime, time: MonotonicTime)?

  /// What is further behind does not catch up by steps.
  private static let farthest = Nanoseconds.milliseconds(100)

  public init(_ policy: Policy = .presentation) {
    self.policy = policy
  }

  /// The time for a frame that will be seen at `target`. It never goes back, and is the same for the same target.
  ///
  /// - Parameters:
  ///   - distance: how many intervals lie between two frames.
  ///   - interval: the display's refresh interval; nil where intervals last as long as the display likes.
  public mutating func time(for target: MonotonicTime, every distance: Int = 1, interval: Nanoseconds?) -> MonotonicTime {
    guard let last else { return remember(target, at: target) }
    if target <= last.target { return last.time }
    guard policy == .smooth, let interval else { return remember(target, at: max(target, last.time)) }
    let next = last.time + interval * Int64(distance)
    let rest = target - next
    if rest > Self.farthest { return remember(target, at: target) }
    // Targets were elsewhere, as those of another screen: time stands until they are here again.
    if rest < Nanoseconds.zero - interval / 2 { return remember(target, at: max(target, last.time)) }
    let most = interval / 32
    // Predictions tremble: the step may be too long as well.
    return remember(target, at: next + min(max(rest, Nanoseconds.zero - most), most))
  }

  /// Nothing moves any more: what moves next begins at its own vblank.
  public mutating func rest() { last = nil }

  private mutating func remember(_ target: MonotonicTime, at time: MonotonicTime) -> MonotonicTime {
    last = (target, time)
    return time
  }
}
