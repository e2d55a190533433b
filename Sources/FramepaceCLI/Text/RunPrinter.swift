import Framepace
import KMS
import Metering
import SampleScenes
import Wayland

/// The amount of output that a run prints.
enum RunReport {
  case none
  /// The heading and the summary.
  case summary
  /// A single line in a terminal that is written over and over.
  case liveLine
  /// One line each second.
  case lines
  /// One JSON object each second.
  case json

  /// The time between two lines of figures; nil if none are printed.
  var interval: Nanoseconds? {
    switch self {
    case .none, .summary: nil
    case .liveLine: .milliseconds(500)
    case .lines, .json: .seconds(1)
    }
  }
}

/// Prints the heading, figures and summary of a run.
///
/// During the run nothing waits for the reader: if there is no room for a line, the line is skipped and the next one covers
/// its time too. Only a simulation that runs faster than the clock waits, because its reader would miss most lines.
@MainActor
final class RunPrinter {
  private let report: RunReport
  private let meter: FPSMeter
  private let lateFrames: LateFrames?
  private let isPatient: Bool
  private let terminal = Terminal.output
  private let start: MonotonicTime
  private let duration: Nanoseconds?
  /// The counts of all lines so far.
  private var printed: FrameReport
  /// By the machine's clock: the start of the run, and when the progress of a simulation is shown next.
  private let began = SystemClock.monotonic.now
  private lazy var nextProgress = began + .seconds(1)
  /// The columns of the last live line.
  private var table = FigureTable()

  /// - Parameters:
  ///   - lateFrames: the diagrams to print at the end.
  ///   - start: the start of the run.
  ///   - duration: the time after which the run ends; nil for none.
  ///   - isPatient: true to make each line wait for the reader.
  init(
    report: RunReport, meter: FPSMeter, lateFrames: LateFrames?, start: MonotonicTime, duration: Nanoseconds?,
    isPatient: Bool
  ) {
    self.report = report
    self.meter = meter
    self.lateFrames = lateFrames
    self.isPatient = isPatient
    self.start = start
    self.duration = duration
    printed = FrameReport(nominalRefreshRate: meter.refreshRate)
  }

  /// Prints the heading: the scene, its display and clock, and the reasons.
  func begin(_ session: SceneSession) throws {
    let display = session.display
    switch report {
    case .none: return
    case .json:
      let line = JSONValue.object([
        ("scene", .text(session.scene.name)), ("display", .text(display.name)), ("clock", .text(display.ticker.name)),
        ("policy", .text(session.engine.output.policy.rawValue)),
        ("animation", .text(session.engine.output.animationTime.policy.rawValue)),
        ("interval", .text(session.settings.interval.rawValue)),
        ("mirrors", .list(session.mirrors?.names ?? [])),
        ("unused", .list((session.unusedOptions + session.optionsOfFixedRates).map { .text($0) })),
        ("refused", .list(session.refusals.map { .text($0.description) })),
        ("metrics", .optional(session.metrics?.location)),
      ]).line
      try terminal.offer(line + "\n")
    case .summary, .liveLine, .lines:
      table = FigureTable(width: terminal.textWidth)
      let header = report == .summary ? "" : "\n\(table.header)\n"
      try terminal.offer(session.heading(width: terminal.textWidth) + header)
    }
  }

  /// Prints a note in a line of its own.
  func note(_ note: RunNote) throws {
    switch report {
    case .none:
      // A mistake is an error, which a quiet run prints too. One that cannot be printed does not end the run.
      if case .mistake = note { _ = try? Terminal.error.offer("framepace: \(note.sentence)\n") }
    case .json: try terminal.offer(note.json.line + "\n")
    case .summary, .lines: try terminal.offer("\(paragraph(note.sentence))\n")
    case .liveLine: try terminal.offer("\r\u{1B}[K\(paragraph(note.sentence))\n")
    }
  }

  /// The time between two calls of `update`; nil if there is nothing to print or show during the run.
  var interval: Nanoseconds? { showsProgress ? .milliseconds(100) : report.interval }
  private var showsProgress: Bool { report == .summary && isPatient }

  /// Shows how far a simulation has come, at most ten times a second, and not within its first second.
  private func showProgress(at time: MonotonicTime, of duration: Nanoseconds) {
    let now = SystemClock.monotonic.now
    guard now >= nextProgress else { return }
    nextProgress = now + .milliseconds(100)
    let (seconds, all) = ((time - start).seconds, duration.seconds)
    let rest = (now - began).seconds / seconds * (all - seconds)
    Terminal.error.show(progress: "\(Text.decimal(seconds, 0)) of \(Text.decimal(all, 0)) s, \(Text.rest(rest))")
  }

  /// Prints a line of figures. The last one is printed by `end`: after the run's end a frame may still be handed over.
  func update(at time: MonotonicTime) throws {
    if let duration, time >= start + duration { return }
    if showsProgress, let duration { return showProgress(at: time, of: duration) }
    let figures = figures(at: time, whole: meter.report(at: time))
    let fitting = FigureTable(width: terminal.textWidth)
    let line = line(figures, in: fitting)
    if isPatient { try terminal.write(line) } else if try !terminal.offer(line) { return }
    printed.add(counts: figures.counts)
    table = fitting
  }

  /// Prints the last line of figures and the summary. Waits for the reader.
  func end(at time: MonotonicTime, of session: SceneSession) throws {
    if report == .none { return }
    if showsProgress { Terminal.error.show(progress: "") }
    var whole = meter.report(at: time)
    if whole.firstPresented == nil {
      // The meter begins with the first frame. Until one is seen, every interval of the run has missed its own, such as while
      // callbacks kept the loop busy.
      whole.missed = max(whole.missed, Int(meter.refreshRate.intervals(in: time - start)))
      whole.missedCauses = whole.missed > 0 ? [MissedCount(cause: .noFrame, intervals: whole.missed)] : []
    }
    let last = figures(at: time, whole: whole)
    if report.interval != nil, !last.counts.isEmpty {
      try terminal.write(line(last, in: FigureTable(width: terminal.textWidth)))
    }
    if report == .json {
      let summary = RunFigures(time: time - start, rates: whole, counts: whole, times: whole)
      let members: [(key: String, value: JSONValue)] = [
        ("summary", summary.json), ("clock", .text(session.clockName)),
        ("firstPresented", .decimal(whole.firstPresented?.seconds, 6)),
        ("mirrors", .list(session.mirrors?.summaries(from: start, to: time) ?? [])),
        ("overrun", .decimal(overrun(at: time)?.seconds, 3)), ("endedBy", .optional(session.endSignal)),
        ("lateCauses", .object(whole.lateCauses.map { ($0.cause.name, .count($0.frames)) })),
        ("missedCauses", .object(whole.missedCauses.map { ($0.cause.name, .count($0.intervals)) })),
        ("missedWhileStopped", .count(whole.missedWhileStopped)),
      ]
      let distributions =
        whole.latency.json("latency") + whole.inputLatency.json("inputLatency") + whole.animationError.json("animationError")
        + whole.predictionError.json("predictionError")
      try terminal.line(JSONValue.object(members + distributions).line)
    } else {
      if report == .liveLine { try terminal.write("\n") }
      if report != .summary { try terminal.write("\n") }
      let width = terminal.textWidth
      // The heading could not know it.
      if session.display is WaylandDisplay {
        try terminal.line(Text.entry(session.clockName, title: Text.left("clock", 10), width: width))
      }
      try terminal.line(whole.text(width: width))
      if let ending = ending(at: time, by: session.endSignal) {
        try terminal.line(Text.list([ending], title: Text.left("ended", 10), width: width))
      }
      if let overrun = overrun(at: time) {
        let seconds = Text.decimal((time - start).seconds, 2)
        let excess = "\(Text.decimal(overrun.seconds, 2)) s more than --duration: the scene kept the loop busy"
        try terminal.line(Text.list(["\(seconds) s", excess], title: Text.left("time", 10), width: width))
      }
      if let mirrors = session.mirrors { try terminal.write(mirrors.summary(at: time, width: width)) }
      // The diagrams follow the summary's order of causes.
      let diagrams = lateFrames?.text(causes: whole.lateCauses.map(\.cause), width: width) ?? ""
      if !diagrams.isEmpty { try terminal.line("\n" + diagrams) }
    }
  }

  private func paragraph(_ sentence: String) -> String { Text.paragraph(sentence, width: terminal.textWidth) }

  /// The time that the run took longer than `--duration`; nil if it is too short to matter.
  private func overrun(at end: MonotonicTime) -> Nanoseconds? {
    duration.map { end - start - $0 }.flatMap { $0 > .milliseconds(250) ? $0 : nil }
  }

  /// The time and the cause of an end that a signal asked for; nil if none did.
  private func ending(at end: MonotonicTime, by signal: String?) -> String? {
    signal.map { signal in
      let all = duration.map { " of \(Text.decimal($0.seconds, 1))" } ?? ""
      return "by \(signal) after \(Text.decimal((end - start).seconds, 1))\(all) s"
    }
  }

  private func figures(at time: MonotonicTime, whole: FrameReport) -> RunFigures {
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
      // The terminal's width has changed. The table begins again below what the terminal made of the old lines.
      let header = fitting == table ? "" : "\n\n\(fitting.header)\n"
      return "\(header)\r\(fitting.row(figures))\u{1B}[K"
    }
  }
}
