import FrameTiming
import LinuxSystem

/// Counts frames by the distance of their link's ticks, and finds the time that a frame may take by the rate that was asked for.
///
/// A scene or a link that asks for 30 Hz on a display of 60 has a tick at every second vblank, and its frames have the time until the
/// next tick. So have those of an output that became slower by itself.
struct TickDistances: BitwiseCopyable, Sendable {
  private struct Count: BitwiseCopyable {
    var intervals = 1
    var frames = 0
  }

  /// Few rates are asked for in a run: those of most frames have a place.
  private var counts: InlineArray<8, Count> = .init(repeating: Count())

  /// Counts a frame. One without a tick has no distance, such as a run's first one.
  mutating func add(_ frame: FrameRecord) {
    guard frame.promised != nil else { return }
    let intervals = max(frame.intervalsPerTick, 1)
    var place = 0
    for index in counts.indices {
      if counts[index].intervals == intervals, counts[index].frames > 0 {
        counts[index].frames += 1
        return
      }
      if counts[index].frames < counts[place].frames { place = index }
    }
    counts[place] = Count(intervals: intervals, frames: 1)
  }

  /// The refresh intervals from tick to tick that most frames had, the fewest of equally many; 1 without a frame that a tick asked for.
  var usual: Int {
    var best = Count()
    for index in counts.indices {
      let count = counts[index]
      if count.frames > best.frames || count.frames == best.frames && count.intervals < best.intervals { best = count }
    }
    return best.intervals
  }
}

extension RefreshRate {
  /// The time from a vblank to the one so many intervals later.
  func budget(of intervals: Int) -> Nanoseconds { intervals == 1 ? interval : offset(ofInterval: Int64(intervals)) }

  /// The least number of intervals whose budget is enough for some work; at least 1.
  func intervalsNeeded(for work: Nanoseconds) -> Int {
    if work <= interval { return 1 }
    let whole = intervals(in: work)
    return Int(clamping: offset(ofInterval: whole) < work ? whole + 1 : whole)
  }
}
