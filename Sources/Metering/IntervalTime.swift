import FrameTiming
import LinuxSystem

/// The time of the refresh intervals of a span, and those of them that are left out as nobody could see the display. A pure value.
///
/// Time is that between the vblanks of ticks: the vblank of a frame without a tick is a guess.
struct IntervalTime {
  /// Intervals that are left out.
  private(set) var hidden: UInt64 = 0
  /// Those of them since the last tick.
  private var hiddenSinceTick: UInt64 = 0
  private var timed = Nanoseconds.zero
  /// Intervals before the last tick whose time no two ticks tell.
  private var untimed: UInt64 = 0

  /// True if two ticks have told of any.
  var isMeasured: Bool { timed > .zero }

  mutating func leaveOut(_ count: UInt64) {
    hidden += count
    hiddenSinceTick += count
  }

  /// - Parameters:
  ///   - last: the tick before; nil for the first.
  ///   - start: the first interval that counts.
  mutating func add(_ tick: DisplayLink.Tick, after last: DisplayLink.Tick?, from start: UInt64) {
    let number = tick.frameNumber
    let counted = number - min(max(last?.frameNumber ?? start, start), number)
    if let last, hiddenSinceTick == 0 {
      let (elapsed, all) = (tick.timestamp - last.timestamp, number - last.frameNumber)
      timed += counted == all ? elapsed : .seconds(elapsed.seconds * Double(counted) / Double(all))
    } else {
      untimed += counted - min(hiddenSinceTick, counted)
    }
    hiddenSinceTick = 0
  }

  /// - Parameters:
  ///   - last: the last interval that had a tick; nil before the first.
  ///   - interval: the time of one that no two ticks tell.
  /// - Returns: the time of those from `start` to `end`, without `end`.
  func time(from start: UInt64, to end: UInt64, last: UInt64?, interval: Nanoseconds) -> Nanoseconds {
    let rest = end - min(max(last ?? start, start), end)
    return timed + interval * Int64(clamping: untimed + rest - min(hiddenSinceTick, rest))
  }
}
