import LinuxSystem

/// Finds the hitch time of frames: how long a picture stood on the screen that should have been replaced.
///
/// A late frame counts with its lateness. Missed intervals count with T each, but a frame that takes five intervals is late
/// by five and lets the ticks of the same five be missed: what the frame before was late by is taken off.
struct HitchTime {
  private var lastLateness = Nanoseconds.zero
  /// Missed intervals that no frame has been seen after, and the number of the tick that reported them.
  private var missed = Nanoseconds.zero
  private var missedBefore: UInt64 = 0

  mutating func didMiss(_ duration: Nanoseconds, before frameNumber: UInt64) {
    missed += duration
    missedBefore = frameNumber
  }

  /// What was missed before an idle time is not shown late: nothing more was to be shown.
  mutating func didIdle() {
    missed = .zero
  }

  /// - Parameter lateness: how late the frame is; zero if it is in time.
  /// - Returns: the hitch time that ends with the frame.
  mutating func presented(frameNumber: UInt64, lateness: Nanoseconds) -> Nanoseconds {
    var hitch = lateness
    if missed > .zero, frameNumber >= missedBefore {
      hitch += max(.zero, missed - lastLateness)
      missed = .zero
    }
    lastLateness = lateness
    return hitch
  }
}
