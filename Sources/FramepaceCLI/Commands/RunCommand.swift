import ArgumentParser
import Framepace
import SampleScenes
import Simulation

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Runs a scene in a window, on a screen, or on a clock that stands in for one.",
    usage: "framepace [run] [<scene>] [<options>]",
    discussion: """
      Uses a window if there is a desktop, otherwise a screen if it can, otherwise a \
      clock, and prints which and why. The run ends after --duration, with Ctrl-C, with \
      its window, or when the reader of its output has ended. A summary is printed last.

        framepace run dashboard --fps --duration 10s
        framepace --display kms --json
        framepace --fps --mirror
        framepace run card.scene --state open
        framepace run dashboard --show damage,reasons
        framepace run feed --input drag.input
        framepace --simulate noisy --duration 10s --fps
        framepace --simulate overloaded --duration 60s --fast --diagram

      --input plays a script once, and the run goes on after it until --duration or Ctrl-C. \
      profile ends by itself when the script is over and nothing moves any more.

      In a window, F12 shows and hides the meter, and Escape ends the run.

      A scene from a file is scaled as a whole to the size of the screen, and put in \
      its middle; without a screen, the picture has the size that the file says. It is \
      read again whenever the file changes, and goes on at its time; while there \
      is a mistake in the file the old scene goes on, and the mistake is printed with \
      its line and column, with --quiet as an error.

      --simulate replaces the screen, the machine's wake-ups, the work and time by a \
      simulation: frames are really made, but take as long as the profile says. The \
      same seed gives the same figures on every machine.
        steady      60 Hz, stamps to 5 us, frames of 3 ms +- 0.6 ms
        noisy       59.95 Hz, stamps to 35 us, some off by up to 5.6 ms;
                    here and below two frames in a hundred take 9 ms
        drifting    59.95 Hz, 0.02 % faster and slower within 40 s
        overloaded  every fifth event up to 50 ms late; for 2 s of every 6 s
                    frames take 20 ms; --interval auto makes less than
                    half as many frames late
        vrr         a variable rate from 48 to 144 Hz
        flaky       events lost, doubled and late, stamps and sequences wrong

      FRAMEPACE_HUD=1 shows the meter and the damage too, on the displays of any program \
      on the engine; for pictures there is framepace render --show meter,damage.

      --diagram draws for each cause the ticks, the work, the commits and the flips \
      around the frame that was late by most, with a character for each millisecond \
      if they fit. \
      --plot draws the times from frame to frame beside the budget, and below them when \
      each frame was begun and submitted, before its target vblank.

      With --policy late, frames begin later and so show newer input, but a frame \
      that takes much longer than the others is late. With --animation smooth, moving \
      things do not jump after a missed frame; they catch up within half a second. At \
      a variable rate the next vblank is unknown: these options have no effect, and no \
      frame is late. With --interval auto, frames that take too long for half a second \
      come at every second, third or fourth vblank, evenly, until they are faster.

      Figures: a frame is late if it is presented more than half a refresh interval \
      after the vblank promised to link callbacks, and early if as much before the one \
      that it was made for. A frame that is never seen is neither: it was discarded if \
      a newer one took its place before a buffer was free, and lost if the display was \
      away, went, refused it or showed a newer one. Frames made are those presented, discarded, lost and, at \
      the end, pending. A frame \
      that was ready but found earlier frames in its way is late by stuffing. An interval is missed if frames were wanted and no \
      tick came, and idle if no frame was wanted. A hang while no frame is wanted \
      counts as idle: only --hang-reports shows it. Work is the time that a frame \
      takes, of frames presented; the budget is one refresh interval, or as many as lie \
      between two ticks (the shortest one at a variable rate), as the display tells it, or as measured where its \
      vblanks have another; the share given is the median's. Discarded work is that of \
      discarded frames. Hitches are the \
      time that pictures stood too long, in ms per second in which frames were \
      wanted: good below 5, warning up to 10, critical above. Latency runs from \
      the beginning of a frame to the vblank that presented it, input latency from the \
      arrival of an input event to that of the first frame after it. Animation error is the \
      difference between the steps of animation time and the steps of presentation, \
      prediction error that between the vblank of a frame's target and the one that \
      presented it. \
      A p95 needs 20 frames, a p99 and a 1 % low 100, a p99.9 and a 0.1 % low 1000. \
      The 1 % low is the rate of the frame interval at which the longest ones, added \
      up, reach 1 % of the time, the "low integral" of CapFrameX; sd is the standard \
      deviation.

      The live line shows rates and times of the last 2 seconds (of 120 intervals if \
      those are longer) and counts since the start. Other lines show rates and counts \
      since the line before, and add up to the summary. A line that would have to \
      wait for its reader is left out, and the next one covers its time too. With \
      --mirror the lines describe the first screen, and each screen has a summary.

      --frame-log writes a line for each frame of the first screen within half a second \
      of its outcome; the file can be read while it grows. CSV begins with a line of \
      names; JSON has them in each line. Times are nanoseconds of CLOCK_MONOTONIC, \
      durations nanoseconds; what is unknown is empty, in JSON null. A pipe's reader that \
      stalls misses frames once 16384 wait for it, and those that it leaves for 3 s at \
      the end; an error says how many.
        number          the refresh interval that the frame belongs to
        outcome         presented, discarded: its work was done for nothing,
                        as a newer one took its place; lost: never seen, as
                        the display was away, went or refused it, but not
                        while the window is hidden; pending: not seen yet at
                        the end; noFrame: the rest of the run after the last
                        frame that was seen
        tick            the vblank whose tick asked for it; without a tick, as
                        of the first frame, the vblank before its target
        promised        the vblank that link callbacks were promised; empty
                        without a tick
        target          the vblank that the frame was made for
        targetKnown     false if that was a guess
        animationTime   the time for which animations were evaluated
        start           when it was to be begun
        delivered       when it was begun
        missedTime      the intervals right before its tick that had none
                        although frames were wanted
        lostVBlankTime  the part of missedTime for which the display told of
                        no vblank
        missedWait      the end of missedTime in which the loop waited for a
                        vblank, having asked too late for the one before
        submitted       when it was handed over, or its discarded work was done
        heldBack        how long it was ready and held back before that
        inputArrival    when the earliest input event arrived of those that it is
                        the first to show, as the program told it
        presented       the vblank that showed it
        presentedKnown  false if the desktop did not tell that, and it is assumed
        input, callbacks, layout, display, asyncWait, animate, diff, composite,
        present
                        the time in each phase; input is how long
                        responders and gestures were told of input,
                        asyncWait how long the commit waited for drawings
        work            all phases together
        frameInterval   from the vblank that showed the frame before
        lateness        from promised, or else from target, to presented;
                        below 0 if earlier, and 0 where the target was a guess
        cause           why it was late, and otherCause
        animationError  the step of animationTime less frameInterval
        paintedPixels   pixels that were painted
        damagePixels    pixels that may differ from the frame before, but for
                        those that only moved
        processorTime   how long its threads had a processor
        runDelay        how long they could work and had none
        startDelay      the same from start, and in the intervals
                        missed before it, to delivered
        dirtyLayers, laidOutLayers, drawnLayers
                        layers that were committed anew, laid out, and drawn
        missedPictures  pictures of effects and shadows that were painted, as none
                        was kept
        pictureTime     the part of composite in which these were painted
        layerPixels     painted pixels, each as often as layers paint it
        intervalsPerTick  refresh intervals from one call of its link to the next
        predictionError  presented less target; empty where that says nothing of
                        the prediction
        intervals       of a presented frame the refresh intervals since the one
                        before it, and intervalTime: their time, without those in
                        which nobody could see the window
        missed          those of them that were missed; missedWhileStopped: those of
                        these in which the process was stopped
        ticks, idle     those with a tick, or with a frame that needed none, and
                        those in which nothing was wanted
        early           1 if it was presented more than half a refresh interval
                        before target, else 0
        hitchTime       how long pictures stood too long since the one before it
        standstill      intervals missed right before its tick for which no late
                        frame accounts, and standstillCause; behindLate: the others
        layer           the number of the one that took half or more of the phase
                        that is cause, where layers are measured, as by framepace
                        profile --csv; layerName: its name at that time
        refreshRate     that which the display told at the beginning, in Hz
        budget          the one that profile --budget gave

      --metrics serves the figures of the whole run to Prometheus, at /metrics: counters of \
      frames, late ones by cause, intervals missed and idle, hitch time and phases, \
      histograms of frame intervals and work, hangs, and what the process holds. A thread of its \
      own answers; the run is only asked for its figures, when somebody asks. There is no \
      password: on an address other than 127.0.0.1 and [::1] everybody who reaches the port \
      can read them. Port 0 is any that is free, which the first lines name.

      JSON: one object a line. Times are in milliseconds, rates per second; unknown \
      figures are null.
        first line   scene, display, clock: the source of ticks, with the reason,
                     policy, animation, interval,
                     mirrors: display, clock and refused of each,
                     unused: options that have no effect on this display,
                     refused: features that the screen refuses, and why,
                     metrics: the address of --metrics, or null
        at a change  change: the screen was lost, or is back; or
                     reload: the scene's file, which was read again; or
                     mistake: why it was not, with file, line and column; or
                     hang: the main loop hung, with --hang-reports
        other lines  time: in seconds since the start, refreshRate
          since the line before:
                     tickRate, frameRate, presentedRate, ticks,
                     frames: those that were made, which are presented,
                     discarded, lost and pending: by how many more or fewer
                     wait for their vblank; late and early, which are
                     presented; assumed: those of which the desktop does not
                     tell when they were seen; missed, idle,
                     hitchTimeRatio: the time that pictures stood too long,
                     in ms per second,
                     discardedWork: the work of discarded frames
          of the last 2 seconds, with the endings P50, P95, P99, P999 (p99.9),
          Max and StandardDeviation:
                     frameIntervalP50 …: from one presented frame to the next,
                     and as parts of 1 frameIntervalOver16, 33, 50: those
                     more than a twentieth over 16.7, 33.3, 50 ms,
                     workP50 …: the time that a frame took,
                     tickLatenessP50 …: from a vblank to its tick
          of the last 2 seconds, without endings:
                     onePercentLow, tenthPercentLow (0.1 %): frames per second,
                     workShare: the median's part of the budget, 1 is all
        last line    summary: all these, of the whole run,
                     clock: as in the first line; in a window it is
                     known when the desktop has told of frames,
                     firstPresented: the time of the first frame, in
                     seconds of CLOCK_MONOTONIC,
                     overrun: seconds more than --duration; null up to
                     0.25, which an ending takes,
                     endedBy: the signal that ended it, as SIGTERM; or null,
                     lateCauses: the number of late frames by cause,
                     together late,
                     missedCauses: the number of missed intervals by cause,
                     together all; late frame: it took that interval too,
                     missedWhileStopped: those of missed while the process
                     was stopped, as by Ctrl-Z,
                     latencyP50 …, inputLatencyP50 …, animationErrorP50 …,
                     predictionErrorP50 …,
                     mirrors: display and summary of each
      """)

  @Argument(
    help: ArgumentHelp("The scene: \(SceneChoice.help). (default: orbit)", valueName: "scene"),
    // The first word may be a command.
    completion: .custom { _, index, word in
      SceneChoice.completions(of: word) + (index == 1 ? FramepaceCommand.commandNames : [])
    })
  var name: String?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Set a state of a file's scene at its beginning: its name, or LAYER=STATE.", valueName: "state"),
    transform: SceneChoice.parseState)
  var state: [String] = []

  @Flag(help: "Show the frame rate and the frame budget: one live line in a terminal, elsewhere a line a second.")
  var fps = false

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The scene's name: the same as the argument.", valueName: "name"),
    completion: .list(SceneName.allCases.map(\.rawValue)), transform: Accepted.choice)
  var scene: SceneName?

  /// The scene to run. A name that is no sample's is taken for a file's.
  var choice: SceneChoice {
    guard let name else { return .sample(scene ?? .orbit) }
    return SceneName(rawValue: name).map(SceneChoice.sample) ?? .file(name)
  }

  /// False if the argument is neither a name nor a file's.
  private var isScene: Bool { name.map { (try? SceneChoice.parse($0)) != nil } ?? true }

  @OptionGroup var options: SceneOptions

  @Flag(help: "Show the scene on every other usable screen too, scaled to its size, at its own rate.")
  var mirror = false

  @OptionGroup var overlays: OverlayOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("At the end, write the picture that the display shows, as a PNG.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var screenshot: String?

  @OptionGroup var simulation: SimulationOptions

  @OptionGroup var pacing: PolicyOptions

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
      """
      How many refresh intervals a frame may take: always one (1), or more while frames take too long (auto). (default: 1)
      """, valueName: "intervals"),
    completion: .list(FrameInterval.allCases.map(\.rawValue)), transform: Accepted.choice)
  var interval = FrameInterval.one

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to run, from 1us to 1000h, such as 500ms, 10s or 2min; \(Accepted.plainTime). Without it until Ctrl-C.",
      valueName: "time"),
    transform: Accepted.time(from: ("1us", .microseconds(1)), to: ("1000h", .seconds(3_600_000))))
  var duration: Nanoseconds?

  @Flag(help: "At the end, draw for each cause what happened around the frame that was late by most.")
  var diagram = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also draw the times of frames, as a PNG; of more than 20000 the last.", valueName: "file.png"),
    completion: .file(extensions: ["png"]))
  var plot: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write a line for each frame to this file, during the run: comma-separated values or JSON, by its name.",
      valueName: "file.csv|.jsonl"),
    completion: .file(extensions: FrameLogFormat.allCases.map(\.rawValue)))
  var frameLog: String?

  @OptionGroup var tracing: TraceOptions

  @OptionGroup var watch: WatchOptions

  @OptionGroup var input: InputOptions

  @Flag(help: "Print a JSON object a second, with or without --fps, and the summary as the last.")
  var json = false

  @Flag(help: "Print nothing but errors, whatever else is asked for.")
  var quiet = false

  func validate() throws {
    if name != nil, scene != nil { throw ValidationError("Name a scene or use --scene, not both.") }
    // `run` says so, after the parser has named an option that it does not know, whose value this may be.
    guard isScene else { return }
    if case .sample = choice, !state.isEmpty { throw ValidationError("--state belongs to a scene from a file.") }
    try options.validate(scene: choice)
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
    if let frameLog { _ = try FrameLogFile.format(of: frameLog) }
    if let screenshot { try OutputPath.requirePicture(screenshot, option: "--screenshot") }
    try OutputPath.requireDistinct([
      ("--plot", plot), ("--frame-log", frameLog), ("--trace", tracing.trace), ("--screenshot", screenshot),
    ])
    try watch.validate(simulation: simulation)
    if diagram, json { throw ValidationError("--diagram draws text: leave out --json.") }
  }

  func run() throws {
    if let name {
      do { _ = try SceneChoice.parse(name) } catch { throw ValidationError("'\(name)' is no scene: \(error)") }
    }
    try onMainActor {
      for file in [plot, frameLog, tracing.trace, screenshot].compactMap(\.self) {
        try OutputPath.requireWritable(files: [file])
      }
      let report: RunReport =
        quiet ? .none : json ? .json : fps ? (Terminal.output.isInteractive ? .liveLine : .lines) : .summary
      try SceneRun(self, report: report).run()
    }
  }
}
