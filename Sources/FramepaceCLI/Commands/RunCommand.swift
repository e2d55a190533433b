import ArgumentParser
import Framepace
import SampleScenes
import Simulation

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a scene on a screen, or on a clock that stands in for one.",
    usage: "framepace [run] [<options>]",
    discussion: """
      Takes a screen if one can be used, else a clock, and says which and why. \
      Ends after --duration, with Ctrl-C, or when nobody reads its output any more; \
      the summary comes last.

        framepace --fps --scene dashboard --duration 10s
        framepace --display kms --json
        framepace --fps --mirror
        framepace --simulate noisy --duration 10s --fps
        framepace --simulate overloaded --duration 60s --fast --diagram

      With --simulate screen, machine and application are simulated, and time with \
      them: frames are real, but take as long as the profile says. The same seed \
      gives the same figures, on every machine.
        steady      60 Hz, stamps to 5 us, frames of 3 ms +- 0.6 ms
        noisy       59.95 Hz, stamps to 35 us, some off by up to 5.6 ms;
                    here and below two frames in a hundred take 9 ms
        drifting    59.95 Hz, 0.02 % faster and slower within 40 s
        overloaded  every fifth event up to 50 ms late; for 2 s of every 6 s
                    frames take 20 ms
        vrr         from 48 to 144 Hz, as it likes
        flaky       events lost, doubled and late, stamps and sequences wrong

      --diagram draws the ticks, the work, the commits and the flips around the \
      latest frame of each cause, a character a millisecond if that fits; --plot when \
      each frame was begun and handed over, before the vblank that it was made for.

      With --policy late a frame shows what is newer by as much as it is begun later; \
      one that takes much longer than others is late, and would have been in time. \
      With --animation smooth what moves does not jump after a frame that was missed, \
      and is behind by less and less for half a second. At a variable rate, where no \
      vblank is known beforehand, neither changes anything, and no frame is late.

      Figures: a frame is late when it is seen more than half a refresh interval \
      after the vblank that it was made for; an interval is missed when frames were \
      wanted and there was no tick, and idle when nobody wanted one. Work is the time \
      that a frame takes, the budget one refresh interval, at a variable rate the \
      shortest; of it the median's share is given. Latency is from the \
      beginning of a frame to the vblank that showed it. Animation is by how much \
      the step of time from picture to picture is not that of their vblanks. A p99 \
      needs 100 frames.

      The live line shows rates and times of the last 2 seconds (120 intervals, if \
      those are longer) and counts since the start. Lines elsewhere show rates and \
      counts since the line before, and together give the summary; one that would \
      have to wait for its reader is left out, and the next one covers its time. \
      With --mirror they are of the first screen, and the summary is of each.

      JSON: one object a line. Times are in milliseconds, rates a second; what is \
      not known is null.
        first line   scene, display, clock: what ticks, and why,
                     policy, animation,
                     mirrors: display, clock and refused of each,
                     unused: options that have no effect on this display,
                     refused: what the screen goes on without, and why
        at a change  change: the screen went, or is back
        other lines  time: in seconds since the start, refreshRate
          since the line before:
                     tickRate, frameRate, presentedRate, ticks,
                     frames: made, presented: seen, late, missed, idle,
                     hitchTimeRatio: ms a second that frames were late
          of the last 2 seconds:
                     frameIntervalP50, frameIntervalP99,
                     frameIntervalMax: from one frame seen to the next,
                     workP50, workP99, workMax: what a frame took,
                     workShare: the median's part of the budget, 1 is all,
                     tickLatenessP50, tickLatenessP99,
                     tickLatenessMax: from a vblank to its tick
        last line    summary: all these, of the whole run,
                     firstPresented: when the first frame was seen, in
                     seconds of CLOCK_MONOTONIC,
                     lateCauses: how many frames were late for which cause,
                     latencyP50, latencyP99, latencyMax,
                     animationErrorP50, animationErrorP99,
                     animationErrorMax,
                     mirrors: display and summary of each
      """)

  @Flag(help: "Show the frame rate and the frame budget: one live line in a terminal, elsewhere a line a second.")
  var fps = false

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The scene: \(SceneName.list). (default: orbit)", valueName: "name"),
    completion: .list(SceneName.allCases.map(\.rawValue)), transform: Accepted.choice)
  var scene = SceneName.orbit

  @OptionGroup var options: SceneOptions

  @Flag(help: "Show the scene on every other usable screen too, scaled to its size, at its own rate.")
  var mirror = false

  @OptionGroup var simulation: SimulationOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      When frames are begun: as soon as a vblank is told (vblank), or as late as they can still be ready for the next \
      (late). (default: vblank)
      """, valueName: "policy"),
    completion: .list(FramePolicy.allCases.map(\.rawValue)), transform: Accepted.choice)
  var policy = FramePolicy.vblank

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      """
      Which time animations are evaluated for: the vblank at which the picture will be seen (presentation), or even steps \
      towards it (smooth). (default: presentation)
      """, valueName: "time"),
    completion: .list(AnimationTime.Policy.allCases.map(\.rawValue)), transform: Accepted.choice)
  var animation = AnimationTime.Policy.presentation

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to run, from 1us to 1000h, such as 500ms, 10s or 2min; \(Accepted.plainTime). Without it until Ctrl-C.",
      valueName: "time"),
    transform: Accepted.time(from: ("1us", .microseconds(1)), to: ("1000h", .seconds(3_600_000))))
  var duration: Nanoseconds?

  @Flag(help: "At the end, draw what happened around the latest frame of each cause.")
  var diagram = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also draw when frames were begun and handed over, as a PNG; of more than 20000 the last.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var plot: String?

  @Flag(help: "Print a JSON object a second, and the summary as the last.")
  var json = false

  @Flag(help: "Print nothing but errors, whatever else is asked for.")
  var quiet = false

  func validate() throws {
    try options.validate(scene: scene)
    if mirror, simulation.simulate != nil {
      throw ValidationError("--mirror needs screens, and --simulate has one: leave out either.")
    }
    if mirror, options.display.display == .fallback {
      throw ValidationError("--mirror needs screens: use --display auto or kms.")
    }
    try simulation.validate(display: options.display, duration: duration)
    if options.work != nil, simulation.simulate != nil {
      throw ValidationError("--work keeps this machine busy, for which no simulated time passes: leave out --simulate.")
    }
    if let plot { try OutputPath.requirePicture(plot, option: "--plot") }
    if diagram, json { throw ValidationError("--diagram draws text: leave out --json.") }
  }

  func run() throws {
    try onMainActor {
      if let plot { try OutputPath.requireWritable(file: plot) }
      let report: RunReport =
        quiet ? .none : json ? .json : fps ? (Terminal.output.isInteractive ? .liveLine : .lines) : .summary
      try SceneRun(self, report: report).run()
    }
  }
}

/// A single run of a scene: it owns the session, ends it in time and prints the report.
@MainActor
private struct SceneRun {
  private let session: SceneSession
  private let report: RunReport
  private let printer: RunPrinter
  private let meter: FPSMeter
  private let plot: (picture: PacingPlot, file: String)?

  init(_ command: RunCommand, report: RunReport) throws {
    self.report = report
    let simulation = try command.simulation.simulation(size: command.options.size)
    let start = (simulation?.loop ?? .main).clock.now
    session = try SceneSession(
      command.scene, options: command.options, policy: command.policy, animation: command.animation,
      simulation: simulation)
    meter = FPSMeter(refreshRate: session.display.ticker.refreshRate)
    let lateFrames = command.diagram ? LateFrames(start: start) : nil
    plot = try command.plot.map { (try PacingPlot(start: start), $0) }
    session.measure(with: meter, lateFrames: lateFrames, plot: plot?.picture)
    if command.mirror { session.mirror() }
    printer = RunPrinter(
      report: report, meter: meter, lateFrames: lateFrames, start: start, isPatient: simulation?.isFast ?? false)
    session.onDisplayChange = { [unowned session, printer, meter] sentence in
      meter.refreshRate = session.display.ticker.refreshRate
      session.say { try printer.note(sentence) }
    }
    if let duration = command.duration {
      let end = FrameLoop.Timer(fireTime: start + duration, onMain: { [session] _ in session.engine.finish() })
      session.engine.loop.add(end, to: .common)
    }
  }

  func run() throws {
    let loop = session.engine.loop
    if report != .none { session.endWithReader() }
    session.say { try printer.begin(session) }
    if let interval = report.interval {
      let timer = FrameLoop.Timer(
        fireTime: loop.clock.now + interval, interval: interval,
        onMain: { [session, printer] _ in session.say { try printer.update(at: loop.clock.now) } })
      loop.add(timer, to: .common)
    }
    let end = session.run()
    // The report is also printed if the display was lost, but not if its reader is gone.
    session.say { try printer.end(at: end, of: session) }
    if let plot {
      let display = session.display is SimulatedScreen ? session.display.ticker.name : session.display.name
      let title = PacingPlot.title(scene: session.scene.rawValue, display: display, policy: session.policy)
      try PNG.write(try plot.picture.image(title: title, figures: meter.report(at: end), end: end), to: plot.file)
    }
    try session.requireSuccess()
  }
}
