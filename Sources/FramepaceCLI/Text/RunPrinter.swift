import Framepace
import KMS
import SampleScenes

/// What a run prints.
enum RunReport {
  case none
  /// Only what it runs on, and the summary.
  case summary
  /// One line in a terminal, written over and over.
  case liveLine
  /// A line a second.
  case lines
  /// A JSON object a second.
  case json

  /// The time between two lines of figures; nil where there are none.
  var interval: Nanoseconds? {
    switch self {
    case .none, .summary: nil
    case .liveLine: .milliseconds(500)
    case .lines, .json: .seconds(1)
    }
  }
}

/// Prints what a run does, as the user asked for it.
///
/// While the run goes on nothing waits for the reader: a line for which there is no room is left out, and the one that comes
/// after it covers its time too. (Only a run that is faster than the clock waits: its reader would miss most of it.)
@MainActor
final class RunPrinter {
  private let report: RunReport
  private let meter: FPSMeter
  private let lateFrames: LateFrames?
  private let isPatient: Bool
  private let terminal = Terminal.output
  private let start: MonotonicTime
  /// What the lines so far have counted.
  private var printed: FrameReport
  /// The columns of the live line.
  private var table = FigureTable()

  /// - Parameters:
  ///   - lateFrames: are drawn at the end.
  ///   - start: of the run.
  ///   - isPatient: whether each line waits for the reader.
  init(report: RunReport, meter: FPSMeter, lateFrames: LateFrames?, start: MonotonicTime, isPatient: Bool) {
    self.report = report
    self.meter = meter
    self.lateFrames = lateFrames
    self.isPatient = isPatient
    self.start = start
    printed = FrameReport(nominalRefreshRate: meter.refreshRate)
  }

  /// Says what runs on what, and why.
  func begin(_ session: SceneSession) throws {
    let display = session.display
    switch report {
    case .none: return
    case .json:
      let line = JSONValue.object([
        ("scene", .text(session.scene.rawValue)), ("display", .text(display.name)), ("clock", .text(display.ticker.name)),
        ("policy", .text(session.engine.output.policy.rawValue)),
        ("animation", .text(session.engine.output.animationTime.policy.rawValue)),
        ("mirrors", .list(session.mirrors?.names ?? [])),
        ("unused", .list((session.unusedOptions + session.optionsOfFixedRates).map { .text($0) })),
        ("refused", .list(session.refusals.map { .text($0.description) })),
      ]).line
      try terminal.offer(line + "\n")
    case .summary, .liveLine, .lines:
      table = FigureTable(width: terminal.textWidth)
      let header = report == .summary ? "" : "\n\(table.header)\n"
      try terminal.offer(session.heading(width: terminal.textWidth) + header)
    }
  }

  /// A sentence about what happened meanwhile, in a line of its own.
  func note(_ sentence: String) throws {
    switch report {
    case .none: return
    case .json: try terminal.offer(JSONValue.object([("change", .text(sentence))]).line + "\n")
    case .summary, .lines: try terminal.offer("\(paragraph(sentence))\n")
    case .liveLine: try terminal.offer("\r\u{1B}[K\(paragraph(sentence))\n")
    }
  }

  /// A line of figures.
  func update(at time: MonotonicTime) throws {
    let figures = figures(at: time)
    let fitting = FigureTable(width: terminal.textWidth)
    let line = line(figures, in: fitting)
    if isPatient { try terminal.write(line) } else if try !terminal.offer(line) { return }
    printed.add(counts: figures.counts)
    table = fitting
  }

  /// The rest, and the figures of the whole run. Waits for the reader.
  func end(at time: MonotonicTime, of session: SceneSession) throws {
    if report == .none { return }
    let last = figures(at: time)
    let whole = meter.report(at: time)
    if report.interval != nil, last.counts.intervals > 0 {
      try terminal.write(line(last, in: FigureTable(width: terminal.textWidth)))
    }
    if report == .json {
      let summary = RunFigures(time: time - start, rates: whole, counts: whole, times: whole)
      let line = JSONValue.object([
        ("summary", summary.json), ("firstPresented", .decimal(whole.firstPresented?.seconds, 6)),
        ("mirrors", .list(session.mirrors?.summaries(from: start, to: time) ?? [])),
        ("latencyP50", .milliseconds(whole.latency.p50)), ("latencyP99", .milliseconds(whole.latency.p99)),
        ("latencyMax", .milliseconds(whole.latency.maximum)),
        ("animationErrorP50", .milliseconds(whole.animationError.p50)),
        ("animationErrorP99", .milliseconds(whole.animationError.p99)),
        ("animationErrorMax", .milliseconds(whole.animationError.maximum)),
        ("lateCauses", .object(whole.lateCauses.map { ($0.cause.name, .count($0.frames)) })),
      ]).line
      try terminal.line(line)
    } else {
      if report == .liveLine { try terminal.write("\n") }
      if report != .summary { try terminal.write("\n") }
      let width = terminal.textWidth
      try terminal.line(RunSummary.text(whole, width: width))
      if let mirrors = session.mirrors { try terminal.write(mirrors.summary(at: time, width: width)) }
      // In the order in which the summary names the causes.
      let diagrams = lateFrames?.text(causes: whole.lateCauses.map(\.cause), width: width) ?? ""
      if !diagrams.isEmpty { try terminal.line("\n" + diagrams) }
    }
  }

  private func paragraph(_ sentence: String) -> String { Text.paragraph(sentence, width: terminal.textWidth) }

  private func figures(at time: MonotonicTime) -> RunFigures {
    let whole = meter.report(at: time)
    let recent = meter.recentReport(at: time)
    let isLive = report == .liveLine
    let counts = isLive ? whole : whole.counts(since: printed)
    return RunFigures(time: time - start, rates: isLive ? recent : counts, counts: counts, times: recent)
  }

  private func line(_ figures: RunFigures, in fitting: FigureTable) -> String {
    switch report {
    case .none, .summary: return ""
    case .json: return figures.json.line + "\n"
    case .lines: return fitting.row(figures) + "\n"
    case .liveLine:
      // The terminal has become narrower or wider: below what it made of the old lines, the table begins again.
      let header = fitting == table ? "" : "\n\n\(fitting.header)\n"
      return "\(header)\r\(fitting.row(figures))\u{1B}[K"
    }
  }
}
