import Framepace

/// The summary of a whole run, for people.
enum RunSummary {
  /// - Parameter width: the longest line, in characters.
  static func text(_ figures: FrameReport, width: Int) -> String {
    let pending = figures.pending == 0 ? [] : ["\(figures.pending) pending"]
    let counts = ["\(figures.late) late", "\(figures.missed) missed", "\(figures.idle) idle"]
    var lines = [("frames", ["\(figures.frames) made", "\(figures.presented) presented"] + pending + counts)]
    if !figures.lateCauses.isEmpty {
      lines.append(("late by", figures.lateCauses.map { "\($0.frames) \($0.cause.name)" }))
    }
    let refresh = Text.decimal(figures.refreshRate ?? figures.nominalRefreshRate.hertz, 2)
    lines.append(("a second", ["refresh \(refresh)"] + rates(figures)))
    if figures.frameInterval.count > 0 { lines.append(("interval", items(figures.frameInterval))) }
    if figures.work.count > 0 {
      let share = figures.workShare.map { ["\(Text.percent($0)) of the budget"] } ?? []
      let lost = figures.discardedWork == .zero ? [] : ["\(Text.milliseconds(figures.discardedWork)) ms for no frame"]
      lines.append(("work", items(figures.work) + share + lost))
    }
    if figures.latency.count > 0 { lines.append(("latency", items(figures.latency))) }
    if figures.animationError.count > 0 { lines.append(("animation", items(figures.animationError))) }
    if figures.firstPresented == nil {
      lines.append(("hitches", ["not enough frames"]))
    } else if let ratio = figures.hitchTimeRatio, let severity = figures.hitchSeverity {
      lines.append(("hitches", ["\(Text.decimal(ratio, 1)) ms/s", severity.rawValue]))
    }
    return lines.map { title, items in Text.list(items, title: Text.left(title, 10), width: width) }.joined(separator: "\n")
  }

  private static func rates(_ figures: FrameReport) -> [String] {
    guard let tick = figures.tickRate, let frame = figures.frameRate, let presented = figures.presentedRate else {
      return ["not enough frames for more"]
    }
    return ["tick \(Text.decimal(tick, 2))", "frame \(Text.decimal(frame, 2))", "presented \(Text.decimal(presented, 2))"]
  }

  /// The percentiles for which there were enough frames.
  private static func items(_ distribution: FrameReport.Distribution) -> [String] {
    [("p50", distribution.p50), ("p99", distribution.p99), ("max", distribution.maximum)].compactMap { name, value in
      value.map { "\(name) \(Text.milliseconds($0)) ms" }
    }
  }
}
