import FrameTiming
public import LinuxSystem

extension PhaseProfile {
  /// The reason for a budget.
  public enum BudgetSource: String, Sendable {
    /// It was given.
    case given
    /// The display's mode, the clock or the desktop tells it.
    case told
    /// The display's vblanks tell another one than that.
    case measured
  }

  /// A refresh rate that the display had.
  public struct Rate: Equatable, Sendable {
    public var interval: Nanoseconds
    /// The frames that were asked for at it.
    public var frames: Int
    /// True if it is the rate that the display told at the beginning.
    public var isTold: Bool
  }

  public var budgetSource: BudgetSource { frameBudget.source }

  /// The refresh rates that the display had, those of most frames first; of more than eight, those of most frames.
  public var rates: [Rate] {
    frameBudget.intervals.all.map { Rate(interval: $0.interval, frames: $0.frames, isTold: $0.isTold) }
  }

  /// The frames that were asked for at other rates than `rates`.
  public var framesAtOtherRates: Int { frameBudget.intervals.frames - rates.reduce(0) { $0 + $1.frames } }

  /// The frames whose rate is not known: no tick asked for them, or one that guessed the next vblank. They are judged by the rate of the frame
  /// before.
  public var framesAtUnknownRates: Int { frames - frameBudget.intervals.frames }

  /// The refresh intervals from tick to tick at the rate that most of the frames so far were asked for.
  public var intervalsPerTick: Int { frameBudget.distances.usual }

  /// The time that a frame may take. Without one that was given it follows the frames: it is known when they were added.
  public var budget: Nanoseconds { frameBudget.time }

  /// Frames whose work took longer than the budget; without one that was given, than that of the refresh interval that each had.
  public var framesOverBudget: Int {
    if frameBudget.given != nil { return overGivenBudget }
    let intervals = intervalsPerTick
    return needs.reduce(0) { $1.key > intervals ? $0 + $1.value : $0 }
  }

  /// - Parameter interval: the refresh interval that the frame had.
  mutating func count(work: Nanoseconds, interval: Nanoseconds) {
    needs[
      interval == refreshRate.interval ? refreshRate.intervalsNeeded(for: work) : Self.needed(for: work, interval),
      default: 0] += 1
    parts.add(Nanoseconds(Int64(saturating: Double(work.count) * 1e6 / Double(max(interval.count, 1)))))
    if let given = frameBudget.given, work > given { overGivenBudget += 1 }
  }

  private static func needed(for work: Nanoseconds, _ interval: Nanoseconds) -> Int {
    let (whole, rest) = work.count.quotientAndRemainder(dividingBy: max(interval.count, 1))
    return max(Int(clamping: whole) + (rest > 0 && whole < .max ? 1 : 0), 1)
  }

  /// The works as parts of the budgets that each frame had; nil where all had the same.
  package var ownBudget: OwnBudget? {
    guard frameBudget.hasChanged, frames > 1 else { return nil }
    return OwnBudget(
      p50: partOfOwnBudget(50), p95: partOfOwnBudget(95), p99: partOfOwnBudget(99), maximum: partOfOwnBudget(100))
  }

  /// A percentile of the works as parts of the budget that each frame had, by its refresh interval; nil where there are not enough frames.
  func partOfOwnBudget(_ percent: Double) -> Double? {
    let part = percent == 100 ? parts.maximum : parts.percentile(percent)
    return part.map { Double($0.count) / 1e6 / Double(intervalsPerTick) }
  }

  /// The budget by its name: "30 Hz" where the rate gives it, or a time.
  var goal: String {
    let given = frameBudget.given
    if let given, given != refreshRate.interval { return "\(Text.milliseconds(given)) ms" }
    guard budgetSource != .measured else { return "the measured \(Verdict.goal(1 / budget.seconds))" }
    return Verdict.goal(refreshRate.hertz / Double(given == nil ? intervalsPerTick : 1))
  }

  /// The source of the budget in words: "the display tells 60 Hz".
  package var budgetReason: String { frameBudget.reasons.joined(separator: "; ") }

  /// The refresh rates of a run in which they changed, where that concerns the budget; nil for a steady one.
  package var rateChange: String? {
    guard frameBudget.hasChanged else { return nil }
    let main = rates.prefix(3).map { "\($0.frames) frames at \(Verdict.goal(1 / $0.interval.seconds))" }
    let others = frameBudget.intervals.frames - rates.prefix(3).reduce(0) { $0 + $1.frames }
    let rest = [(others, "others"), (framesAtUnknownRates, "an unknown rate")].filter { $0.0 > 0 }
    return "the refresh rate changed: \((main + rest.map { "\($0) at \($1)" }).joined(separator: ", "))"
  }
}

/// Works of frames as parts of the budgets that each had; 1 is all of one. A figure is nil where there are not enough frames.
package struct OwnBudget: Equatable, Sendable {
  package var p50: Double?
  package var p95: Double?
  package var p99: Double?
  package var maximum: Double?

  /// The title of the row of a table.
  package static let title = "own budget"

  /// The figures with their titles in a table.
  package var figures: [(title: String, value: Double?)] { [("p50", p50), ("p95", p95), ("p99", p99), ("max", maximum)] }
}
