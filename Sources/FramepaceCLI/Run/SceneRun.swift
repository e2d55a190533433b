import Framepace
import Input
import Metering
import Simulation

/// A single run of a scene: it owns the session, ends it in time and prints the report.
@MainActor
struct SceneRun {
  private let session: SceneSession
  private let report: RunReport
  private let printer: RunPrinter
  private let meter: FPSMeter
  private let log: FrameLogFile?
  private let plot: (picture: PacingPlot, file: String)?
  private let trace: (timeline: RunTimeline, file: String)?
  private let hangs: RunHangs?

  init(_ command: RunCommand, report: RunReport) throws {
    self.report = report
    let simulation = try command.simulation.simulation(size: command.options.size ?? command.choice.size(scale: 1))
    let script = try command.input.script(until: command.duration, isQuiet: report == .none)
    let start = (simulation?.loop ?? .main).clock.now
    hangs = try RunHangs.watching(command.watch, simulation: simulation)
    // A port that is taken is found before a screen is.
    let metrics = try command.watch.metrics.map { try RunMetrics($0, loop: simulation?.loop ?? .main) }
    session = try SceneSession(
      command.choice, states: command.state, options: command.options, policy: command.pacing.policy,
      animation: command.animation,
      interval: command.interval, overlays: command.overlays.show, simulation: simulation,
      script: script)
    session.screenshot = command.screenshot
    hangs?.session = session
    if report == .none { session.engine.silenceRecording() }
    meter = FPSMeter(refreshRate: session.display.ticker.refreshRate)
    meter.follow(session.display)
    let lateFrames = command.diagram ? LateFrames(start: start, meter: meter) : nil
    plot = try command.plot.map { (try PacingPlot(start: start), $0) }
    log = try command.frameLog.map { [meter] in
      try FrameLogFile(path: $0, meter: meter, isPatient: simulation?.isFast ?? false)
    }
    trace = command.tracing.trace.map { [session] in
      (RunTimeline(frames: .max, hasDrawings: true, engine: session.engine), $0)
    }
    session.measure(
      with: meter, log: log, lateFrames: lateFrames, plot: plot?.picture, timeline: trace?.timeline)
    if command.mirror { try session.mirror() }
    if let metrics { session.serve(metrics, of: meter, hangs: hangs) }
    printer = RunPrinter(
      report: report, meter: meter, lateFrames: lateFrames, start: start, duration: command.duration,
      isPatient: simulation?.isFast ?? false)
    session.onNote = { [unowned session, printer, meter] note in
      meter.follow(session.display)
      session.say { try printer.note(note) }
    }
    if let duration = command.duration {
      let end = FrameLoop.Timer(fireTime: start + duration, .onMain { [session] _ in session.engine.finish() })
      session.engine.loop.add(end, to: .common)
    }
  }

  func run() throws {
    defer { hangs?.stop() }
    let loop = session.engine.loop
    if report != .none { session.endWithReader() }
    session.say { try printer.begin(session) }
    // The heading comes before the notes.
    try session.watchScene()
    if let interval = printer.interval {
      let timer = FrameLoop.Timer(
        fireTime: loop.clock.now + interval, interval: interval,
        .onMain { [session, printer] _ in session.say { try printer.update(at: loop.clock.now) } })
      loop.add(timer, to: .common)
    }
    let end = session.run()
    // The summary comes last.
    hangs?.stop()
    // The report is also printed if the display was lost, but not if its reader is gone.
    session.say { try printer.end(at: end, of: session) }
    session.finish(log, at: end)
    if let trace {
      trace.timeline.finish()
      try trace.timeline.writeTrace(to: trace.file, of: session, interval: meter.refreshRate.interval)
    }
    if let plot {
      let display = session.display is SimulatedScreen ? session.display.ticker.name : session.display.name
      let title = PacingPlot.title(scene: session.scene.name, display: display, policy: session.policy)
      try PNG.write(try plot.picture.image(title: title, figures: meter.report(at: end), end: end), to: plot.file)
    }
    try session.requireSuccess()
  }
}
