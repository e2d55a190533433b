import ArgumentParser
import Framepace
import SampleScenes

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Measures how much of a frame's budget each phase takes, and how much is painted.",
    usage: "framepace profile <scene> [<options>]",
    discussion: """
      Runs a scene for a number of frames and says whether its work fits the frame \
      budget, how much room there is, and how many frames were late by what cause. \
      Then come the phases of a frame, with percentiles and the mean's share of the \
      budget, which the bar shows too (its whole length is the budget), the worst \
      frames, the distribution of the work, and the pixels that changed and were \
      painted, which are counted after a frame was handed over and in none of its phases. \
      The budget is the time from one vblank to the next, unless --budget \
      says another. (Shares of means add up; framepace run prints the median's share.)

        framepace profile dashboard --frames 600
        framepace profile dashboard --duration 10s --budget 8.3ms
        framepace profile stress --work 20ms --json stress.json
        framepace profile orbit --json - | jq .all.p50

      Work fits where its p99 is within the budget (below 100 frames, where the \
      longest is); what is to spare is the rest of the budget then. Worst are the \
      frames that were late by most, then those with most work.

      JSON: times in milliseconds, shares as parts of 1. Percentiles with too few
      frames are null.
        verdict                the first sentence
        scene, display, clock  the subject, and the source of ticks with the reason
        width, height          the picture's, in pixels
        refreshRate, budget    the rate in Hz, and the time for a frame
        frames, late           the numbers of frames and of late frames
        overBudget             the number of frames whose work took longer
        lateCauses             the number of late frames by cause
        phases                 name, p50, p95, p99, max and share of each:
                               share is the mean's part of the budget
        all                    the same for all phases together
        worst                  time since the first frame in seconds, work, late, cause,
                               longestPhase
        pixels                 p50 and max of each: dirty: those that differ from the
                               frame before, painted, paintedRatio: painted for each
                               dirty one, overdraw: how often a painted one was painted
        environment            processor, cores, kernel, build and version
        durations              of each phase in each frame, in nanoseconds; null for
                               more than 100000 frames
      """)

  @Argument(help: ArgumentHelp("The scene: \(SceneChoice.list).", valueName: "scene"), transform: SceneChoice.parse)
  var scene: SceneChoice

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
      "The time that a frame may take: auto, which is the time from one vblank to the next, or a time such as 8.3ms. (default: auto)",
      valueName: "time"),
    transform: Budget.parse)
  var budget = Budget.auto

  @OptionGroup var options: SceneOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write the figures to this file, as JSON; '-' prints them instead of the table.", valueName: "file"))
  var json: String?

  func validate() throws {
    if json == "" { throw ValidationError("--json has no name: use a file's name, or - for the standard output.") }
    try options.validate(scene: scene)
    if frames != nil, duration != nil {
      throw ValidationError("--frames and --duration both say when to end: use one of them.")
    }
  }

  func run() throws {
    try onMainActor {
      let target = json == "-" || json == "/dev/stdout" ? SceneProfile.Target.output : json.map { .file($0) } ?? .table
      if case .file(let file) = target { try OutputPath.requireWritable(files: [file]) }
      let length = duration.map { SceneProfile.Length.duration($0) } ?? .frames(frames ?? 600)
      try SceneProfile(scene: scene, options: options, length: length, budget: budget.time, target: target).run()
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
      return .fixed(try Accepted.time(from: ("100us", .microseconds(100)), to: ("10s", .seconds(10)))(text))
    } catch {
      throw Accepted.refused("auto, or a time from 100us to 10s, such as 8.3ms; \(Accepted.plainTime)")
    }
  }
}
