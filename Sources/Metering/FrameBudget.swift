import FrameTiming
import LinuxSystem

/// Finds the time that a frame may take from the frames of a run: that from a tick to the next at the rate that most of them were asked for
/// at, unless one is given. A pure value of fixed memory.
struct FrameBudget: BitwiseCopyable, Sendable {
  /// The rate that the display told at the beginning.
  let refreshRate: RefreshRate
  let given: Nanoseconds?
  private(set) var distances = TickDistances()
  /// The refresh intervals that the display had.
  private(set) var intervals: RefreshIntervals

  init(refreshRate: RefreshRate, given: Nanoseconds? = nil) {
    (self.refreshRate, self.given) = (refreshRate, given)
    intervals = RefreshIntervals(told: refreshRate.interval)
  }

  /// Counts a frame.
  ///
  /// - Returns: the refresh interval that it had.
  mutating func add(_ frame: FrameRecord) -> Nanoseconds {
    distances.add(frame)
    return intervals.add(frame)
  }

  var source: PhaseProfile.BudgetSource { given != nil ? .given : intervals.usual.isTold ? .told : .measured }

  /// It follows the frames, unless it is given: it is known when they were added.
  var time: Nanoseconds {
    if let given { return given }
    let usual = intervals.usual
    if usual.isTold { return refreshRate.budget(of: distances.usual) }
    return Nanoseconds(Int64(saturating: Double(usual.interval.count) * Double(distances.usual)))
  }

  /// True if frames had different budgets, as the display's refresh rate has changed.
  var hasChanged: Bool { given == nil && intervals.haveChanged }

  /// The source of the budget in words: "the display tells 60 Hz".
  var reasons: [String] {
    if given != nil { return ["given"] }
    let intervals = distances.usual > 1 ? ["\(distances.usual) refresh intervals"] : []
    let measured = source == .measured ? ["measured"] : []
    let goal = Verdict.goal(refreshRate.hertz)
    let told =
      hasChanged
      ? ["at the rate of most frames", "the display told \(goal) at the beginning"] : ["the display tells \(goal)"]
    return intervals + measured + told
  }
}
