import FrameTiming
package import LinuxSystem

extension FrameReport: CustomStringConvertible {
  /// The report for people, as `framepace run` prints it at its end: lines of at most 79 characters.
  public var description: String { text(width: 79) }

  /// The report for people.
  ///
  /// - Parameters:
  ///   - width: the longest line, in characters.
  ///   - ownBudget: of the frames, for a row below that of work; nil for none.
  package func text(width: Int, ownBudget: OwnBudget? = nil) -> String {
    let ends = [(pending, "pending"), (discarded, "discarded"), (lost, "lost")].filter { $0.0 > 0 }.map { "\($0) \($1)" }
    let hasty = early == 0 ? [] : ["\(early) early"]
    let counts = ["\(late) late"] + hasty + ["\(missed) missed", "\(idle) idle"]
    var lines = [("frames", ["\(frames) made", "\(presented) presented"] + ends + counts)]
    if !lateCauses.isEmpty { lines.append(("late by", lateCauses.map { "\($0.frames) \($0.cause.name)" })) }
    if !missedCauses.isEmpty { lines.append(("missed by", missedCauses.map { "\($0.intervals) \($0.cause.name)" })) }
    lines.append(("a second", rates))
    if let onePercentLow {
      lines.append(("lows", DistributionTable.lows(onePercentLow, tenthPercentLow)))
    }
    if let longIntervals { lines.append(("intervals", longIntervals.items)) }
    if let workShare {
      let lost = discardedWork == .zero ? [] : ["\(Text.milliseconds(discardedWork)) ms of discarded work"]
      let time = "\(Text.milliseconds(budget ?? nominalRefreshRate.interval)) ms"
      lines.append(("budget", [time] + budgetReasons + ["\(Text.percent(workShare)) used at the median"] + lost))
    }
    if firstPresented == nil {
      lines.append(("hitches", ["not enough frames"]))
    } else if let hitchTimeRatio, let hitchSeverity {
      lines.append(("hitches", ["\(Text.decimal(hitchTimeRatio, 1)) ms/s", hitchSeverity.rawValue]))
    }
    if let assumption { lines.append(("assumed", [assumption.what, "as the desktop \(assumption.why)"])) }
    let rows = [
      ("frame interval", frameInterval), ("work", work), ("latency", latency), ("input latency", inputLatency),
      ("animation error", animationError), ("prediction error", predictionError),
    ]
    return
      (lines.map { title, items in Text.list(items, title: Text.left(title, 10), width: width) }
      + DistributionTable.lines(rows, ownBudget, width: width)
      + DistributionTable.missing(from: frameInterval.count, width: width))
      .joined(separator: "\n")
  }

  /// The meaning of the figures of a whole run, for the lines below them.
  package var rules: [String] {
    DistributionTable.rules(onePercentLow, longIntervals) + [PercentileRule.histogramSummary]
  }

  private var rates: [String] {
    let refresh = "refresh \(Text.decimal(refreshRate ?? nominalRefreshRate.hertz, 2))"
    guard let tickRate, let frameRate, let presentedRate else { return [refresh, "not enough frames for more"] }
    return [refresh]
      + [("tick", tickRate), ("frame", frameRate), ("presented", presentedRate)].map { "\($0) \(Text.decimal($1, 2))" }
  }
}

/// The table of distributions at the end of a report.
enum DistributionTable {
  /// The order in which columns of the table find room.
  private static let importance = ["p50", "max", "p99", "p95", "p99.9", "sd"]
  private static let titleWidth = 17
  private static let cellWidth = 8

  /// The lines of the table. Rows without a time are left out, and columns for which there is no room, or were not enough frames.
  ///
  /// - Parameter ownBudget: has a row below that of work; nil for none.
  static func lines(
    _ rows: [(name: String, times: FrameReport.Distribution)], _ ownBudget: OwnBudget? = nil, width: Int
  ) -> [String] {
    let rows = rows.filter { $0.times.count > 0 }
    guard let titles = rows.first?.times.figures.map(\.title) else { return [] }
    let known = importance.filter { title in
      rows.contains { $0.times.figures.contains { $0.title == title && $0.value != nil } }
    }
    let fitting = known.prefix(max(1, (width - titleWidth) / cellWidth))
    let shown = titles.indices.filter { fitting.contains(titles[$0]) }
    func line(_ title: String, _ cells: [String]) -> String {
      Text.left(title, titleWidth) + shown.map { Text.right(cells[$0], cellWidth) }.joined()
    }
    let parts = ownBudget.map { own in
      titles.map { title in own.figures.first { $0.title == title }.map { Text.percent($0.value) } ?? "–" }
    }
    return ["", line("ms", titles)]
      + rows.flatMap { name, times in
        let row = [line(name, times.figures.map { Text.milliseconds($0.value) })]
        return name == "work" ? row + (parts.map { [line(OwnBudget.title, $0)] } ?? []) : row
      }
  }

  /// The items of the line of lows.
  static func lows(_ onePercent: Double, _ tenthPercent: Double?) -> [String] {
    ["\(Text.decimal(onePercent, 2))/s in 1 % of the time"]
      + (tenthPercent.map { ["\(Text.decimal($0, 2))/s in 0.1 %"] } ?? [])
  }

  /// The meaning of lows and long intervals, where there are any.
  static func rules(_ onePercentLow: Double?, _ longIntervals: LongIntervals?) -> [String] {
    (onePercentLow == nil ? [] : [LowRule.summary]) + (longIntervals == nil ? [] : [LongIntervals.summary])
  }

  /// A sentence about the figures for which there were not enough frame intervals; none if there were.
  static func missing(from count: Int, width: Int) -> [String] {
    let names = [(50, "p50"), (95, "p95"), (99, "p99 and 1 % low"), (99.9, "p99.9 and 0.1 % low")]
    let missing = names.map { (PercentileRule.requiredCount($0), $1) }.filter { $0.0 > count }
    guard count > 0, let (least, name) = missing.first else { return [] }
    let first = "not enough frames for \(name) (\(least) needed)"
    return [
      "", Text.paragraph(([first] + missing.dropFirst().map { "\($1) (\($0))" }).joined(separator: ", "), width: width),
    ]
  }
}

extension FrameReport.Distribution {
  /// The figures with their titles in a table and the ends of their keys.
  package var figures: [(title: String, key: String, value: Nanoseconds?)] {
    [
      ("p50", "P50", p50), ("p95", "P95", p95), ("p99", "P99", p99), ("p99.9", "P999", p999), ("max", "Max", maximum),
      ("sd", "StandardDeviation", standardDeviation),
    ]
  }
}
