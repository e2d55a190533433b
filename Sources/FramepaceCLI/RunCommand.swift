import ArgumentParser
import Framepace
import Glibc
import SampleScenes

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a scene on a display, or on a clock that stands in for one (default).",
    discussion: """
      Ends after --duration, or with Ctrl-C; the summary comes last. What ticks, and why, is always said.

        framepace --fps --scene dashboard --duration 10s
        framepace --fps --display kms --json
      """)

  @Flag(help: "Show the frame rate and the frame budget: one live line in a terminal, elsewhere a line a second.")
  var fps = false

  @Option(help: ArgumentHelp("The scene: \(SceneName.accepted).", valueName: "name"))
  var scene = SceneName.orbit

  @OptionGroup var options: SceneOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How long to run: \(TimeSpan.accepted). Without it until Ctrl-C.", valueName: "time"))
  var duration: TimeSpan?

  @Flag(help: "Print one JSON object a second, and the summary as the last.")
  var json = false

  @Flag(help: "Print nothing but errors.")
  var quiet = false

  func validate() throws {
    try options.validate(scene: scene)
    if let duration, duration.duration <= .zero { throw ValidationError("A duration of 0 shows nothing: use a longer one.") }
    if quiet && (json || fps) { throw ValidationError("--quiet prints nothing: do without --fps and --json.") }
  }

  func run() throws {
    try onMainActor {
      let report: RunReport =
        quiet ? .none : json ? .json : fps ? (Terminal.output.isInteractive ? .liveLine : .lines) : .summary
      try SceneRun(scene: scene, options: options, duration: duration?.duration, report: report).run()
    }
  }
}

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
}

/// One run of a scene: session, end and report.
@MainActor
private struct SceneRun {
  private let session: SceneSession
  private let meter: FPSMeter
  private let report: RunReport
  private let printer: RunPrinter

  init(scene: SceneName, options: SceneOptions, duration: Nanoseconds?, report: RunReport) throws {
    self.report = report
    let start = FrameLoop.main.clock.now
    session = try SceneSession(scene, options: options)
    meter = FPSMeter(refreshRate: session.display.ticker.refreshRate)
    session.measure(with: meter)
    printer = RunPrinter(report: report, scene: scene.rawValue, display: session.display)
    if let duration {
      let end = FrameLoop.Timer(fireTime: start + duration, onMain: { [engine = session.engine] _ in engine.finish() })
      session.engine.loop.add(end, to: .common)
    }
  }

  func run() throws {
    printer.begin()
    let loop = session.engine.loop
    let interval: Nanoseconds? =
      switch report {
      case .none, .summary: nil
      case .liveLine: .milliseconds(500)
      case .lines, .json: .seconds(1)
      }
    if let interval {
      let timer = FrameLoop.Timer(
        fireTime: loop.clock.now + interval, interval: interval,
        onMain: { [meter, printer] _ in printer.update(meter.recentReport(at: loop.clock.now)) })
      loop.add(timer, to: .common)
    }
    session.run()
    printer.end(meter.report(at: loop.clock.now))
    try session.requireSuccess()
  }
}
