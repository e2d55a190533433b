import FrameTiming
import LinuxSystem

extension PhaseProfile {
  /// The verdict of a run of one frame, of which there is nothing to judge.
  package static let firstFrameAlone =
    "1 frame, the first: it draws everything, and no vblank waits for it; a budget is for the frames after it"

  /// The answer in one sentence: whether the work fits the budget and how much room there is, how many frames were late, and by what.
  ///
  /// Work fits where its 99th percentile, below 100 frames the largest, is within the budget; the room is what that leaves.
  /// Where the median frame does not fit and half of it or more is no processor time, the verdict says how much is: for the rest it waits.
  /// A run of one frame is not judged: see `firstFrameAlone`.
  ///
  /// - Parameter name: the name of a layer, by which frames were late; nil for one that has none.
  package func verdict(naming name: (UInt32) -> String? = { _ in nil }) -> String {
    guard let largest = total.maximum else { return "no frames" }
    if frames == 1 { return Self.firstFrameAlone + loss }
    return "\(fit(total.p99 ?? largest)); \(lateness(name))\(loss)"
  }

  private func fit(_ usual: Nanoseconds) -> String {
    if usual <= budget {
      // Rounded down: all that is said to be spare is.
      let spare = (budget - usual).count * 100 / max(budget.count, 1)
      return "fits \(goal) with \(spare) % to spare"
    }
    if let median = total.p50, median > budget {
      var takes = "\(Text.milliseconds(median)) of \(Text.milliseconds(budget)) ms"
      if let time = processorTime?.p50, time <= median / 2 { takes += ", and a processor for \(Text.milliseconds(time)) ms" }
      return "does not fit \(goal): the median frame takes \(takes)"
    }
    let takes = framesOverBudget == 1 ? "takes" : "take"
    return
      "does not always fit \(goal): \(framesOverBudget) of \(frames) frames \(takes) more than \(Text.milliseconds(budget)) ms"
  }

  private var loss: String {
    guard lostFrames > 0 else { return "" }
    return "; \(lostFrames) more \(lostFrames == 1 ? "was" : "were") never seen: the display was away, or refused them"
  }

  private func lateness(_ name: (UInt32) -> String?) -> String {
    guard lateFrames > 0 else { return "no frame late" }
    let head = "\(lateFrames) of \(frames) \(frames == 1 ? "frame" : "frames") late"
    let causes = lateCauses.filter { $0.cause != .displayLoss }
    func place(_ count: LateCount) -> String {
      guard let blamed = blamedLayer(count.cause), blamed.frames * 2 > count.frames, let title = name(blamed.layer) else {
        return count.cause.place
      }
      return "\(count.cause.place)\(blamed.frames == count.frames ? "" : ", most") of layer '\(title)'"
    }
    if causes.count == 1 {
      let all = lateFrames == 1 ? "" : lateFrames == 2 ? "both " : "all "
      return "\(head): \(all)\(place(causes[0]))"
    }
    let main = causes.prefix(3).map { "\($0.frames) \(place($0))" }
    let rest = causes.dropFirst(3).reduce(0) { $0 + $1.frames }
    return "\(head): \((main + (rest > 0 ? ["\(rest) by others"] : [])).joined(separator: ", "))"
  }
}

extension FrameReport {
  /// A verdict's part about missed intervals, which belong to no frame, so that frames may all be in time beside them: their causes, and how
  /// long a picture stood. Nil without any.
  package var missedVerdict: String? {
    guard missed > 0 else { return nil }
    let head = missed == 1 ? "1 interval missed" : "\(missed) intervals missed"
    var causes = missedCauses.prefix(4).map { "\($0.intervals) \($0.cause.place)" }
    let others = missedCauses.dropFirst(4).reduce(0) { $0 + $1.intervals }
    if others > 0 { causes.append("\(others) by others") }
    let text = missedCauses.count == 1 ? " \(missedCauses[0].cause.place)" : ": \(causes.joined(separator: ", "))"
    // Frame intervals leave out the time of a stop, and what no frame has ended.
    guard let longest = frameInterval.maximum, longest > nominalRefreshRate.interval * 3 / 2 else { return head + text }
    return "\(head)\(text); a picture stood for up to \(Text.milliseconds(longest)) ms"
  }
}

extension MissedCause {
  /// The cause after a number of intervals.
  fileprivate var place: String {
    switch self {
    case .standstill(.lostVBlank): "by lost vblanks"
    case .standstill(.frame(let cause)): cause.place
    case .lateFrame: "behind late frames"
    case .noFrame: "with no frame after"
    }
  }
}

extension FrameRecord.Cause {
  /// The cause after a number of frames: "in display", "by scheduling".
  fileprivate var place: String {
    switch self {
    case .phase(.wait): "in the wait for drawings"
    case .phase(let phase): "in \(phase.name)"
    case .commitMissed: "by a missed commit"
    case .stopped: "by a stop of the process"
    case .machineBusy: "while the machine was busy elsewhere"
    case .missedPictures: "in composite, by cache misses"
    case .overdraw: "in composite, by overdraw"
    case .scheduling, .prediction, .scanOut, .stuffing, .displayLoss: "by \(name)"
    }
  }
}
