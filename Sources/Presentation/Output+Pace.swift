public import FrameTiming
import LinuxSystem

extension Output {
  /// The policy by which frames are begun: as soon as a vblank comes, or as late as they can still be ready for the next one.
  /// All links of the display have the same.
  public var policy: FramePolicy {
    get { ticker.policy }
    set { ticker.policy = newValue }
  }

  /// Takes what a frame that was seen says about the next ones.
  ///
  /// - Parameter isCompositedBeside: true if another thread composited it.
  func learn(from record: FrameRecord, isCompositedBeside: Bool) {
    let interval = ticker.interval
    animationTime.observe(isMissed: record.missedTarget(interval: interval), interval: fixedInterval)
    automaticInterval?.observe(
      record, interval: interval, most: displayLink?.mostIntervalsPerTick ?? 1, isCompositedBeside: isCompositedBeside)
    ticker.observe(record)
  }

  /// The number of pending frames that take a vblank before one that is made now.
  func queuedFrames(at now: MonotonicTime) -> Int {
    pending.isEmpty ? 0 : presenter.queuedFrames(pending: pending.count, at: now)
  }

  func evaluationTime(for target: MonotonicTime) -> MonotonicTime {
    animationTime.time(for: target, interval: fixedInterval)
  }

  /// The refresh interval; nil for a variable display, whose nominal one is the shortest.
  var fixedInterval: Nanoseconds? { ticker.source.isVariable ? nil : ticker.interval }
}
