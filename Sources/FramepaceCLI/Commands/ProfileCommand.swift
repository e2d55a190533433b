import ArgumentParser
import Framepace
import Glibc
import Metering
import SampleScenes

struct ProfileCommand: JudgingCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Measures how much of a frame's budget each phase takes, and how much is painted.",
    usage: """
      framepace profile <scene> [<options>]
      framepace profile <file> [--budget <time>] [--html <file>] ...
      framepace profile --compare <before> <after> [<options>]
      """,
    discussion: """
      Runs a scene for a number of frames and says whether its work fits the frame \
      budget, how much room there is, and how many frames were late by what cause. \
      Then come the phases of a frame, with percentiles and the mean's share of the \
      budget, which the bar shows too (its whole length is the budget), the worst \
      frames, the distribution of the work, and the pixels that changed and were \
      painted, which are counted after a frame was handed over and in none of its phases. \
      The budget is the time from a frame to the next at the rate that the scene asks \
      for: from one vblank to the next, or to the second for a scene that asks for 30 Hz \
      on a display of 60, unless --budget says another. Where the display's vblanks have \
      another rate than it tells, the measured one counts. Where the rate changes, that of \
      most frames counts, and the verdict judges each frame by the budget of its own that it had, \
      which a line of the table shows. (Shares of means add up; framepace run prints the median's share.)

        framepace profile dashboard --frames 600
        framepace profile dashboard --duration 10s --budget 8.3ms
        framepace profile stress --work 20ms --json stress.json
        framepace profile orbit --json | jq .all.p50
        framepace profile feed --input drag.input --policy late

      Work fits where its p99 is within the budget (below 100 frames, where the \
      longest is); what is to spare is the rest of the budget then. Worst are the \
      frames that kept the picture before them on screen too long, counted in refresh \
      intervals, as they were late or intervals were missed; of equal ones those that \
      were late themselves, then those with most work.

      Any program on the engine writes what it records of its frames to the file \
      that FRAMEPACE_PROFILE names: the last 32768 events of its first display, which \
      are three minutes at 60 Hz, when its loop or the process ends, also by Ctrl-C or \
      SIGTERM; a crash or SIGKILL leaves no file. profile reports \
      them as if it had run the program itself, with all files that it writes of a \
      scene; but traces lack what loop and workers did. A file that is no such \
      recording is not replaced. Of one that is cut, all but the last line is read, which \
      is said on the standard error output. '-' is the standard input:

        FRAMEPACE_PROFILE=kiosk.profile kiosk
        framepace profile kiosk.profile
        ssh kiosk cat kiosk.profile | framepace profile -

      --compare says which phases of two profiles, written with --json or by \
      FRAMEPACE_PROFILE, differ beyond noise, and which are longer by more than \
      --fail-over:

        framepace profile dashboard --json before.json
        framepace profile --compare before.json after.json --fail-over 5%

      Each run is cut into 20 blocks of frames that follow each other, whose medians \
      are compared by a Mann-Whitney test, with Holm's correction for the number of rows: \
      the chance of any false alarm is 1 %. Differences below 1 % of the budget are \
      too small for anybody to feel. A regression is longer by more than the limit, by \
      the same test. A run needs 200 frames. Scene, display, size, rate, processor, cores \
      and build must be the same; other kernels, lengths and budgets (the first one's counts) are noted. A machine that is slower during \
      a whole run is taken for a difference: compare runs on a quiet one. The exit \
      status is 0 without a regression, 1 with one, and 2 where the files cannot be \
      compared, or the figures not be written. JSON then has verdict, regression, \
      failOver, level, notes, and for each of phases: name, before, after, growth, \
      longerIn (the part of pairs of blocks in which the one after is longer), p, \
      change, regression.

      JSON: times in milliseconds, shares as parts of 1. Percentiles with too few
      frames are null.
        verdict                the first sentence
        scene, display, clock  the subject, and the source of ticks with the reason
        notes                  what the figures lack, and --policy late
        width, height          the picture's, in pixels
        refreshRate, budget    the rate that the display tells at the start, in Hz,
                               and the time for a frame
        budgetSource           given by --budget, told by the display, or measured:
                               vblanks have another rate
        rates                  those that the display had: rate, frames, and told:
                               true for refreshRate; the eight with most frames,
                               and framesAtOtherRates: how many had another one;
                               framesAtUnknownRates: how many no tick asked for, or
                               one that guessed
        frames, late           the numbers of frames seen and of late frames
        overBudget             the number of frames whose work took longer
        lateCauses             the number of late frames by cause, together late
        missedCauses           the number of missed intervals by cause, together all:
                               also late frame, which took that interval too, and no
                               frame after it, as at the end of a run
        phases                 name, p50, p95, p99, max and share of each:
                               share is the mean's part of the budget
        all                    the same for all phases together
        processor              as all: how long the frame's threads had a processor
        ownBudget              where the rate changed: p50, p95, p99 and max of the
                               work as a part of the budget that each frame had
        layers                 the 100 that cost most, and layersLeftOut: how many
                               more there are; name, work (laid out, drawn,
                               handed over, displayed), times, pixels of all, mean,
                               max, share
        advice                 layer, saving in each frame that draws it, text
        regions                those of FrameProfile.region: name, times, mean, max,
                               share
        worst                  number (as in --csv and --trace), time since the first
                               frame in seconds, work, lateness, missed: intervals
                               before it that no late frame accounts for, cause: of
                               the longer one of the two, longestPhase, layer,
                               processor, withoutProcessor: how long the frame
                               could go on and had none, blocked: how long it
                               waited, drawnLayers and
                               laidOutLayers: how many, layers: the eight that took
                               longest, each with name, phase and time, damage: left,
                               top, width and height of each rectangle that changed
        pixels                 p50 and max of each: dirty: those that differ from the
                               frame before and did not only move, painted,
                               paintedRatio: painted for each dirty one, overdraw:
                               how often one was painted
        statistics             rates, counts (frames: those that were made, which
                               are presented, discarded, lost or pending; assumed:
                               those of which the desktop does not tell when they
                               were seen), lows, hitchTimeRatio in ms/s, its class,
                               frameInterval, latency, inputLatency,
                               animationError, predictionError and tickLateness,
                               each with P50 P95 P99 P999 Max StandardDeviation,
                               frameIntervalOver16, 33 and 50: the parts more than
                               a twentieth over 16.7, 33.3 and 50 ms
        environment            processor, cores, kernel, build and version
        durations              of each phase in each frame, in nanoseconds; null for
                               more than 100000 frames

      --trace writes trace events, which https://ui.perfetto.dev and chrome://tracing \
      open: for each frame when it was expected and when it was made, its phases, a \
      flow from its tick to its vblank, the loop's modes and sleep, the program's own \
      regions, the drawings of workers, and counters; and the budget among its metadata.

      --csv writes the lines of a frame log, whose columns framepace help run \
      explains, and which framepace view reads, with the same verdict. It also has the frames that were \
      never seen, and those under way at the end.

      --html writes a page that needs no network: the verdict, a timeline of all \
      frames stacked by phase, the phases, the distribution of the work, the worst \
      frames with what changed in them and the layers drawn, the layers that cost \
      most, the program's regions, latencies, the machine and the definitions.
      """)

  @Argument(
    help: ArgumentHelp(
      "The scene: \(SceneChoice.help); or a file that a program wrote for FRAMEPACE_PROFILE.", valueName: "scene"),
    transform: ProfileSubject.parse)
  var subject: ProfileSubject?

  var judges: Bool { !compare.isEmpty }
  private var scene: SceneChoice? { if case .scene(let scene) = subject { scene } else { nil } }

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many frames to measure, from 1 to 1000000. (default: 600)", valueName: "count"),
    transform: Accepted.count(1...1_000_000))
  var frames: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "How long to measure instead, such as 10s, up to an hour; \(Accepted.plainTime).", valueName: "time"),
    transform: Accepted.time(from: ("200ms", .milliseconds(200)), to: ("1h", .seconds(3600))))
  var duration: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The time that a frame may take: auto, which is that of the rate that the scene asks for, or a time such as 8.3ms. (default: auto)",
      valueName: "time"),
    transform: Budget.parse)
  var budget = Budget.auto

  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Compare two profiles instead, written with --json or by FRAMEPACE_PROFILE.", valueName: "before after"),
    completion: .file())
  var compare: [String] = []

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For --compare: the growth of a phase that is no regression yet, from 0% to 1000%; below 1% with its sign. (default: 5%)",
      valueName: "part"),
    transform: Accepted.percentage)
  var failOver: Double?

  @OptionGroup var options: SceneOptions

  @OptionGroup var pacing: PolicyOptions

  @Option(
    defaultAsFlag: "-", parsing: .next,
    help: ArgumentHelp(
      "Print the figures as JSON in the place of the table; with the name of a file, write them there and print the table.",
      valueName: "file"),
    completion: .file())
  var json: String?

  @OptionGroup var tracing: TraceOptions

  @OptionGroup var input: InputOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write a page with all frames, for a browser; of more than \(RunTimeline.mostFrames) the last.",
      valueName: "file.html"
    ),
    completion: .file(extensions: ["html"]))
  var html: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write a line for each frame to this file, as comma-separated values, during the run.", valueName: "file"),
    completion: .file(extensions: ["csv"]))
  var csv: String?

  func validate() throws {
    for (option, file) in files { try OutputPath.requireName(file, option: option) }
    try OutputPath.requireDistinct([("--json", json)] + files)
    if json == "" { throw ValidationError("--json has an empty name: use a file's, or none for the standard output.") }
    if !compare.isEmpty { return try validateComparison() }
    if failOver != nil { throw ValidationError("--fail-over belongs to --compare: name two profiles with it.") }
    if case .recorded(let path) = subject {
      for case (let option, let file?) in [("--json", json)] + files where path != "-" && AtomicFile.isSame(path, file) {
        throw ValidationError("\(option) '\(file)' is the file that is read: use another file.")
      }
      return
    }
    guard let scene else { throw ValidationError("Name a scene: \(SceneChoice.list).") }
    try options.validate(scene: scene)
    if frames != nil, duration != nil {
      throw ValidationError("--frames and --duration both say when to end: use one of them.")
    }
  }

  /// The options that write a file beside the figures.
  private var files: [(option: String, path: String?)] { [("--trace", tracing.trace), ("--html", html), ("--csv", csv)] }

  /// True if no option is given that belongs to a run of a scene.
  private var runsNothing: Bool {
    let display = options.display
    return frames == nil && duration == nil && options.size == nil && options.work == nil && options.workPhase == nil
      && options.rotate == nil && options.screenOptions.isEmpty && display.display == .auto && display.mode == nil
      && display.rate == nil && input.input == nil && pacing.policy == .vblank
  }

  private func validateComparison() throws {
    guard compare.count == 2, !compare.contains("") else {
      throw ValidationError("--compare takes two files: use the names of two profiles, the earlier one first.")
    }
    guard subject == nil, budget.time == nil, runsNothing, files.allSatisfy({ $0.path == nil }) else {
      throw ValidationError("--compare runs no scene: use it with --fail-over and --json alone.")
    }
    if let json, compare.contains(where: { $0 != "-" && AtomicFile.isSame($0, json) }) {
      throw ValidationError("--json '\(json)' is one of the profiles: use another file.")
    }
  }

  func run() throws {
    try onMainActor {
      let target = json == "-" || json == "/dev/stdout" ? SceneProfile.Target.output : json.map { .file($0) } ?? .table
      if case .file(let file) = target { try OutputPath.requireWritable(files: [file]) }
      for file in files.compactMap(\.path) { try OutputPath.requireWritable(files: [file]) }
      if case .recorded(let path) = subject {
        guard runsNothing else {
          if path != "-", case let head = try InputFile.head(of: path), !head.isEmpty {
            try RecordedRun.requireRecording(head, path: path)
          }
          throw ValidationError(
            "'\(path)' was recorded already: use it with --budget and with options that write files alone.")
        }
        try RecordedRun(path: path, budget: budget.time)
          .write(to: target, trace: tracing.trace, html: html, csv: csv)
        return try tellFiles(target)
      }
      guard let scene else { return try runComparison(target) }
      let length = duration.map { SceneProfile.Length.duration($0) } ?? .frames(frames ?? 600)
      try SceneProfile(
        scene: scene, options: options, policy: pacing.policy, length: length, budget: budget.time, target: target,
        trace: tracing.trace, html: html, csv: csv, script: try input.script()
      ).run()
      try tellFiles(target)
    }
  }

  /// Says which files were written, where the standard output is free for that.
  @MainActor
  private func tellFiles(_ target: SceneProfile.Target) throws {
    let written = ([json] + files.map(\.path)).compactMap(\.self)
    if case .output = target { return }
    guard let last = written.last else { return }
    let list = written.count > 1 ? "\(written.dropLast().joined(separator: ", ")) and \(last)" : last
    try Terminal.output.line("\n" + Text.paragraph("wrote \(list)", width: Terminal.output.textWidth))
  }

  @MainActor
  private func runComparison(_ target: SceneProfile.Target) throws {
    let limit = failOver ?? 0.05
    let result = try ComparisonText(ProfileFile(compare[0]), ProfileFile(compare[1]), limit: limit)
    let object = result.json.line + "\n"
    if case .file(let file) = target { try AtomicFile.write(Array(object.utf8), to: file) }
    do {
      if case .output = target {
        try Terminal.output.write(object)
      } else {
        try Terminal.output.line(result.text(width: Terminal.output.textWidth))
      }
    } catch is ReaderGone {
      // The status says it all the same.
    }
    if result.comparison.regressions.isEmpty { return }
    throw ExitCode.found
  }
}

/// The subject of `framepace profile`: a scene that it runs, or the file of a program.
enum ProfileSubject: Equatable {
  case scene(SceneChoice)
  case recorded(String)

  @Sendable static func parse(_ text: String) throws -> ProfileSubject {
    do {
      return .scene(try SceneChoice.parse(text))
    } catch {
      // Scenes have no dots and slashes in their names: this is the name of a file.
      guard
        text == "-" || access(text, F_OK) == 0 || text.contains(where: { "./".contains($0) }) && !text.hasSuffix(".scene")
      else {
        throw error
      }
      return .recorded(text)
    }
  }
}

/// The value of `--budget`.
enum Budget {
  case auto
  case fixed(Nanoseconds)

  /// Nil for that of the display.
  var time: Nanoseconds? { if case .fixed(let time) = self { time } else { nil } }

  @Sendable static func parse(_ text: String) throws -> Budget {
    if text == "auto" { return .auto }
    do {
      // A number alone would be one of seconds, and who writes 8.3 means milliseconds.
      guard text.last?.isLetter == true else { throw Accepted.refused("") }
      return .fixed(try Accepted.time(from: ("100us", .microseconds(100)), to: ("10s", .seconds(10)))(text))
    } catch {
      throw Accepted.refused("auto, or a time with its unit from 100us to 10s, such as 8.3ms")
    }
  }
}
