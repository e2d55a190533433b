import FrameTiming
package import LinuxSystem

extension PhaseProfile {
  /// The verdict of a run of one frame, of which there is nothing to judge.
  static let firstFrameAlone =
    "1 frame, the first: it draws everything, and no vblank waits for it; a budget is for the frames after it"

  /// The answer in one sentence, with the missed intervals: that of `framepace profile`, and of `framepace view` about a log of the run.
  ///
  /// - Parameters:
  ///   - report: of the same run.
  ///   - name: the name of a layer, by which frames were late; nil for one that has none.
  package func verdict(of report: FrameReport, naming name: (UInt32) -> String? = { _ in nil }) -> String {
    let missed = report.missedVerdict(interval: frameBudget.intervals.usual.interval)
    let parts = [missed, report.assumptionVerdict].compactMap(\.self)
    return ([verdict(lost: report.lost, naming: name)] + parts).joined(separator: "; ")
  }

  /// The answer in one sentence: whether the work fits the budget and how much room there is, how many frames were late, and by what.
  ///
  /// Work fits where its 99th percentile, below 100 frames the largest, is within the budget; the room is what that leaves.
  /// Where the median frame does not fit and half of it or more is no processor time, the verdict says how much is: for the rest it waits.
  /// A run of one frame is not judged: see `firstFrameAlone`.
  ///
  /// - Parameters:
  ///   - lost: the lost frames by the run's report, which leaves out those of a window that nobody sees; nil for all that were added.
  ///   - name: the name of a layer, by which frames were late; nil for one that has none.
  package func verdict(lost: Int? = nil, naming name: (UInt32) -> String? = { _ in nil }) -> String {
    guard let largest = total.maximum else { return "no frames" }
    let lost = lost ?? lostFrames
    let loss = lost > 0 ? "; \(Verdict.loss(lost)): the display was away, or refused them" : ""
    if frames == 1 { return Self.firstFrameAlone + loss }
    let fit = fit(largest: largest)
    let lateness = Verdict.lateness(lateFrames, of: frames, lateCauses) { count in
      guard let blamed = blamedLayer(count.cause), blamed.frames * 2 > count.frames, let title = name(blamed.layer) else {
        return count.cause.place
      }
      return "\(count.cause.place)\(blamed.frames == count.frames ? "" : ", most") of layer '\(title)'"
    }
    return "\(fit); \(lateness)\(loss)"
  }

  /// Judges the work against its budget; where the refresh rate has changed, each frame by the interval that it had.
  private func fit(largest: Nanoseconds) -> String {
    guard let rateChange else {
      let fit = Verdict.Fit(
        goal: goal, budget: budget, usual: total.p99 ?? largest, median: total.p50, processor: processorTime?.p50,
        frames: frames, framesOverBudget: framesOverBudget)
      return fit.text
    }
    let parts = Verdict.PartFit(
      usual: partOfOwnBudget(99) ?? partOfOwnBudget(100) ?? 0, median: partOfOwnBudget(50), frames: frames,
      framesOverBudget: framesOverBudget)
    return "\(parts.text); \(rateChange)"
  }

  /// The meaning of what is to spare, in one line for reports; nil where nothing is.
  package var spareRule: String? {
    let usual = total.p99 == nil ? "max" : "p99"
    guard frameBudget.hasChanged else {
      let work = total.p99 ?? total.maximum ?? .zero
      return work > budget ? nil : "to spare: what the \(usual) of all phases leaves of the budget"
    }
    return
      "own budget: the work as a part of the time that a frame had at the refresh rate of that moment; to spare is what its \(usual) leaves of 100 %"
  }
}

extension CaptureReport {
  /// The answer in one sentence: that of a profile for a frame log. Else the rate, how many frames were late and by what, or else how many
  /// intervals are longer than 1.5 times the median; and what was never seen.
  package var verdict: String {
    if let run { return run.verdict }
    guard let longest = frameInterval.maximum, let median = frameInterval.p50 else {
      return "fewer than two frame intervals: there is nothing to judge"
    }
    var parts: [String] = []
    if let rateText { parts.append(rateText) }
    if let late, let lateCauses {
      parts.append(Verdict.lateness(late, of: frames - (neverSeen ?? 0) - pending, lateCauses))
    } else {
      let count = longIntervalCount == 0 ? "no" : "\(longIntervalCount) of \(frameInterval.count)"
      let noun = longIntervalCount == 0 ? "frame interval" : "frame intervals"
      parts.append("\(count) \(noun) longer than 1.5 times the median")
    }
    if Verdict.isLong(longest, beside: median) {
      parts.append(
        intervalKind == .displayed ? Verdict.standing(longest) : "the longest took \(Text.milliseconds(longest)) ms")
    }
    if let neverSeen, neverSeen > 0 { parts.append(Verdict.loss(neverSeen)) }
    if !hasEveryFrame { parts.append("the rows are samples, not one for each frame") }
    return parts.joined(separator: "; ")
  }
}

extension FrameReport {
  /// A verdict's part about missed intervals, which belong to no frame, so that frames may all be in time beside them: their causes, and how
  /// long a picture stood. Nil without any.
  ///
  /// - Parameter interval: the usual refresh interval.
  package func missedVerdict(interval: Nanoseconds) -> String? {
    guard missed > 0 else { return nil }
    let head = missed == 1 ? "1 interval missed" : "\(missed) intervals missed"
    var causes = missedCauses.prefix(4).map { "\($0.intervals) \($0.cause.place)" }
    let others = missedCauses.dropFirst(4).reduce(0) { $0 + $1.intervals }
    if others > 0 { causes.append("\(others) by others") }
    let text = missedCauses.count == 1 ? " \(missedCauses[0].cause.place)" : ": \(causes.joined(separator: ", "))"
    // Frame intervals leave out the time of a stop, and what no frame has ended.
    guard let longest = frameInterval.maximum, Verdict.isLong(longest, beside: interval) else {
      return head + text
    }
    return "\(head)\(text); \(Verdict.standing(longest))"
  }

  /// A verdict's part about frames of which nobody tells when they were seen; nil for less than a twentieth of them: an answer may be lost.
  var assumptionVerdict: String? {
    guard let assumption, assumed * 20 >= presented else { return nil }
    return "\(assumption.what) is assumed: the desktop \(assumption.why)"
  }

  /// The subject of an assumption, and the reason for it; nil where the display told when all frames were seen.
  var assumption: (what: String, why: String)? {
    if assumed == 0 { return nil }
    if assumed == presented { return ("when frames were seen", "does not tell") }
    return ("when \(assumed) of \(presented) frames were seen", "did not tell")
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
