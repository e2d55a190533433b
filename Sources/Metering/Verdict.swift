import FrameTiming
import LinuxSystem

/// The parts of the sentence in which a report begins, of a profile as of a capture.
enum Verdict {
  /// A budget by its rate.
  static func goal(_ hertz: Double) -> String { "\(Text.decimal(hertz, 2).replacing(".00", with: "")) Hz" }

  /// The judgement of work against its budget.
  struct Fit {
    /// The budget's name.
    var goal: String
    var budget: Nanoseconds
    /// The 99th percentile of the work, of fewer than 100 frames the largest.
    var usual: Nanoseconds
    var median: Nanoseconds?
    /// The median of the time with a processor; nil where that is not known.
    var processor: Nanoseconds?
    var frames: Int
    var framesOverBudget: Int

    var text: String {
      if usual <= budget {
        // Rounded down: all that is said to be spare is.
        let spare = Double((budget - usual).count) * 100 / Double(max(budget.count, 1))
        return "fits \(goal) with \(Text.decimal(spare.rounded(.down), 0)) % to spare"
      }
      if let median, median > budget {
        var takes = "\(Text.milliseconds(median)) of \(Text.milliseconds(budget)) ms"
        if let processor, processor <= median / 2 { takes += ", and a processor for \(Text.milliseconds(processor)) ms" }
        return "does not fit \(goal): the median frame takes \(takes)"
      }
      let takes = framesOverBudget == 1 ? "takes" : "take"
      return
        "does not always fit \(goal): \(framesOverBudget) of \(frames) frames \(takes) more than \(Text.milliseconds(budget)) ms"
    }
  }

  /// The judgement of works against budgets that differ from frame to frame.
  struct PartFit {
    /// The 99th percentile of the works as parts of their budgets, of fewer than 100 frames the largest; 1 is all of one.
    var usual: Double
    var median: Double?
    var frames: Int
    var framesOverBudget: Int

    var text: String {
      if usual <= 1 {
        return "fits the rates that the display had with \(Text.decimal(((1 - usual) * 100).rounded(.down), 0)) % to spare"
      }
      if let median, median > 1 {
        let takes = "takes \(Text.percent(median)) of its own budget"
        return "does not fit the rates that the display had: the median frame \(takes)"
      }
      let take = framesOverBudget == 1 ? "takes more than its" : "take more than their"
      return
        "does not always fit the rates that the display had: \(framesOverBudget) of \(frames) frames \(take) own budget"
    }
  }

  /// How many frames were late, and by what.
  ///
  /// - Parameters:
  ///   - causes: of these frames, the most frequent first.
  ///   - place: the cause after a number of frames.
  static func lateness(
    _ late: Int, of frames: Int, _ causes: [LateCount], place: (LateCount) -> String = { $0.cause.place }
  ) -> String {
    guard late > 0 else { return "no frame late" }
    let head = "\(late) of \(frames) \(frames == 1 ? "frame" : "frames") late"
    if causes.count == 1 {
      let all = late == 1 ? "" : late == 2 ? "both " : "all "
      return "\(head): \(all)\(place(causes[0]))"
    }
    let main = causes.prefix(3).map { "\($0.frames) \(place($0))" }
    let rest = causes.dropFirst(3).reduce(0) { $0 + $1.frames }
    return "\(head): \((main + (rest > 0 ? ["\(rest) by others"] : [])).joined(separator: ", "))"
  }

  /// The longest time from one frame seen to the next.
  static func standing(_ longest: Nanoseconds) -> String { "a picture stood for up to \(Text.milliseconds(longest)) ms" }

  /// True for an interval that is told of: one longer than 1.5 times the usual one.
  static func isLong(_ interval: Nanoseconds, beside usual: Nanoseconds) -> Bool { interval > usual * 3 / 2 }

  /// Frames that were never seen; at least one.
  static func loss(_ frames: Int) -> String { "\(frames) more \(frames == 1 ? "was" : "were") never seen" }
}

extension FrameRecord.Cause {
  /// The cause after a number of frames: "in display", "by scheduling".
  var place: String {
    switch self {
    case .phase(.wait): "in the wait for drawings"
    case .phase(let phase): "in \(phase.name)"
    case .commitMissed: "by a missed commit"
    case .stopped: "by a stop of the process"
    case .machineBusy: "while the machine was busy elsewhere"
    case .missedPictures: "in composite, by cache misses"
    case .overdraw: "in composite, by overdraw"
    case .scheduling, .prediction, .scanOut, .stuffing: "by \(name)"
    }
  }
}
