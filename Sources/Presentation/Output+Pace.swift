public import FrameTiming
import LinuxSystem

extension Output {
  /// The policy by which frames are begun: as soon as a vblank comes, or as late as they can still be ready for the next one.
  /// All links of the display have the same.
  public var policy: FramePolicy {
    get { ticker.policy }
    set { ticker.policy = newValue }
  }

  func evaluationTime(for target: MonotonicTime) -> MonotonicTime {
    animationTime.time(for: target, interval: fixedInterval)
  }

  /// The refresh interval; nil for a variable display, whose nominal one is the shortest.
  var fixedInterval: Nanoseconds? { ticker.source.isVariable ? nil : ticker.interval }
}
