import Framepace
import Metering

/// The summary of a whole run, for people.
enum RunSummary {
  /// - Parameter width: the longest line, in characters.
  static func text(_ figures: FrameReport, width: Int) -> String {
    let pending = figures.pending == 0 ? [] : ["\(figures.pending) pending"]
    let early = figures.early == 0 ? [] : ["\(figures.early) early"]
    let counts = ["\(figures.late) late"] + early + ["\(figures.missed) missed", "\(figures.idle) idle"]
    var lines = [("frames", ["\(figures.frames) made", "\(figures.presented) presented"] + pending + counts)]
    if !figures.lateCauses.isEmpty {
      lines.append(("late by", figures.lateCauses.map { "\($0.frames) \($0.cause.name)" }))
    }
    if figures.missedWhileStopped > 0 { lines.append(("missed by", ["\(figures.missedWhileStopped) while stopped"])) }
    let refresh = Text.decimal(figures.refreshRate ?? figures.nominalRefreshRate.hertz, 2)
    lines.append(("a second", ["refresh \(refresh)"] + rates(figures)))
    if let low = figures.onePercentLow {
      let tenth = figures.tenthPercentLow.map { ["\(Text.decimal($0, 2)) in 0.1 %"] } ?? []
      lines.append(("lows", ["\(Text.decimal(low, 2)) in 1 % of the time"] + tenth))
    }
    if let share = figures.workShare {
      let lost = figures.discardedWork == .zero ? [] : ["\(Text.milliseconds(figures.discardedWork)) ms for no frame"]
      lines.append(("budget", ["\(Text.percent(share)) used at the median"] + lost))
    }
    if figures.firstPresented == nil {
      lines.append(("hitches", ["not enough frames"]))
    } else if let ratio = figures.hitchTimeRatio, let severity = figures.hitchSeverity {
      lines.append(("hitches", ["\(Text.decimal(ratio, 1)) ms/s", severity.rawValue]))
    }
    let blocks =
      lines.map { title, items in Text.list(items, title: Text.left(title, 10), width: width) }
      + times(figures, width: width)
    return (blocks + missing(figures).map { Text.paragraph($0, width: width) }).joined(separator: "\n")
  }

  private static func rates(_ figures: FrameReport) -> [String] {
    guard let tick = figures.tickRate, let frame = figures.frameRate, let presented = figures.presentedRate else {
      return ["not enough frames for more"]
    }
    return ["tick \(Text.decimal(tick, 2))", "frame \(Text.decimal(frame, 2))", "presented \(Text.decimal(presented, 2))"]
  }

  // MARK: - Times

  /// The order in which columns of the table find room.
  private static let importance = ["p50", "max", "p99", "p95", "p99.9", "sd"]

  /// The table of times. Rows without a time are left out, and columns for which there is no room, or were not enough frames.
  private static func times(_ figures: FrameReport, width: Int) -> [String] {
    let rows = [
      ("interval", figures.frameInterval), ("work", figures.work), ("latency", figures.latency),
      ("animation", figures.animationError),
    ].filter { $0.1.count > 0 }
    guard let titles = rows.first?.1.figures.map(\.title) else { return [] }
    let known = importance.filter { title in rows.contains { $0.1.figures.contains { $0.title == title && $0.value != nil } }
    }
    let fitting = known.prefix(max(1, (width - 10) / 9))
    let shown = titles.indices.filter { fitting.contains(titles[$0]) }
    func line(_ title: String, _ cells: [String]) -> String {
      Text.left(title, 10) + shown.map { Text.right(cells[$0], 9) }.joined()
    }
    return ["", line("ms", titles)]
      + rows.map { name, times in line(name, times.figures.map { Text.milliseconds($0.value) }) }
  }

  /// A sentence about the figures of frame intervals for which there were not enough frames; none if there were.
  private static func missing(_ figures: FrameReport) -> [String] {
    let count = figures.frameInterval.count
    let names = [(50, "p50"), (95, "p95"), (99, "p99 and 1 % low"), (99.9, "p99.9 and 0.1 % low")]
    let missing = names.map { (PercentileRule.requiredCount($0), $1) }.filter { $0.0 > count }
    guard count > 0, let (least, name) = missing.first else { return [] }
    let first = "not enough frames for \(name) (\(least) needed)"
    return ["", ([first] + missing.dropFirst().map { "\($1) (\($0))" }).joined(separator: ", ")]
  }
}
