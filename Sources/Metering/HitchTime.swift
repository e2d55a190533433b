import LinuxSystem

/// The hitch time of frames: how long a picture stood on the screen that should have been replaced.
///
/// A late frame counts with its lateness. Missed intervals count with T each, but a frame that takes five intervals is late
/// by five and makes the ticks of the same five be missed: the lateness of the frame before is taken off.
struct HitchTime {
  private var lastLateness = Nanoseconds.zero
  /// The missed intervals after which no frame has been seen, and the number of the tick that reported them.
  private var missed = Nanoseconds.zero
  private var missedBefore: UInt64 = 0

  mutating func didMiss(_ duration: Nanoseconds, before frameNumber: UInt64) {
    missed += duration
    missedBefore = frameNumber
  }

  /// Ticks that were missed before an idle time and brought no frame are no hitch: nothing was to be shown.
  mutating func didIdle() {
    missed = .zero
  }

  /// The hitch that goes on: missed intervals after which no frame has been seen.
  ///
  /// - Parameter further: the intervals that are being missed now, which no tick has reported yet.
  func pending(_ further: Nanoseconds) -> Nanoseconds { max(.zero, missed + further - lastLateness) }

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
