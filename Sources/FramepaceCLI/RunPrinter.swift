import Framepace

/// Prints what a run does, as the user asked for it.
@MainActor
struct RunPrinter {
  let report: RunReport
  let scene: String
  let display: any Display

  func begin() {
    switch report {
    case .none: return
    case .json:
      Terminal.output.line(
        JSONText.encode(
          StartLine(scene: scene, display: display.name, clock: display.ticker.name, reason: display.reason)))
    case .summary, .liveLine, .lines:
      Terminal.output.line("\(scene) on \(display.name)")
      Terminal.output.line(display.ticker.name)
      if report != .summary { Terminal.output.line("\n" + FigureTable.header) }
    }
  }

  func update(_ figures: FrameReport) {
    switch report {
    case .none, .summary: return
    case .liveLine: Terminal.output.overwrite(FigureTable.row(figures))
    case .lines: Terminal.output.line(FigureTable.row(figures))
    case .json: Terminal.output.line(JSONText.encode(FigureLine(figures)))
    }
  }

  /// The figures of the whole run.
  func end(_ figures: FrameReport) {
    switch report {
    case .none: return
    case .json: Terminal.output.line(JSONText.encode(SummaryLine(figures)))
    case .liveLine, .lines, .summary:
      if report == .liveLine { Terminal.output.overwrite("") }
      Terminal.output.line(RunSummary.text(figures))
    }
  }
}

/// The line of figures that `--fps` shows: right-aligned columns, 78 characters.
enum FigureTable {
  private static let columns: [(title: String, width: Int)] = [
    ("frames/s", 8), ("refresh", 9), ("p50 ms", 8), ("p99 ms", 8), ("work ms", 9), ("budget", 8), ("late", 7), ("missed", 8),
    ("idle", 7),
  ]

  static let header = columns.map { Text.right($0.title, $0.width) }.joined()

  static func row(_ figures: FrameReport) -> String {
    let cells = [
      Text.decimal(figures.frameRate, 1),
      Text.decimal(figures.refreshRate ?? figures.nominalRefreshRate.hertz, 2),
      Text.milliseconds(figures.frameInterval.p50),
      Text.milliseconds(figures.frameInterval.p99),
      Text.milliseconds(figures.work.p50),
      Text.percent(figures.workShare),
      "\(figures.late)", "\(figures.missed)", "\(figures.idle)",
    ]
    return zip(cells, columns).map { Text.right($0, $1.width) }.joined()
  }
}

/// The figures of a whole run, in lines.
enum RunSummary {
  static func text(_ figures: FrameReport) -> String {
    var lines: [(String, String)] = []
    lines.append(
      (
        "frames",
        "\(figures.frames) made, \(figures.presented) seen, \(figures.late) late, \(figures.missed) missed, \(figures.idle) idle"
      ))
    lines.append(
      (
        "rates",
        "refresh \(Text.decimal(figures.refreshRate ?? figures.nominalRefreshRate.hertz, 2)), tick \(Text.decimal(figures.tickRate, 2)), "
          + "frame \(Text.decimal(figures.frameRate, 2)), presented \(Text.decimal(figures.presentedRate, 2)) a second"
      ))
    lines.append(
      (
        "interval",
        "p50 \(Text.milliseconds(figures.frameInterval.p50)), p99 \(Text.milliseconds(figures.frameInterval.p99)), "
          + "max \(Text.milliseconds(figures.frameInterval.maximum)) ms"
      ))
    lines.append(
      (
        "work",
        "p50 \(Text.milliseconds(figures.work.p50)), p99 \(Text.milliseconds(figures.work.p99)), "
          + "max \(Text.milliseconds(figures.work.maximum)) ms; \(Text.percent(figures.workShare)) of the budget"
      ))
    if let ratio = figures.hitchTimeRatio, let severity = figures.hitchSeverity {
      lines.append(("hitches", "\(Text.decimal(ratio, 1)) ms/s, \(severity.rawValue)"))
    }
    return lines.map { Text.left($0, 10) + $1 }.joined(separator: "\n")
  }
}
