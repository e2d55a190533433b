import ArgumentParser
import Framepace
import SampleScenes

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Measures how much of a frame's budget each phase takes, and how much is painted.",
    usage: "framepace profile <scene> [<options>]",
    discussion: """
      Runs a scene for a number of frames and prints a table of the phases of a \
      frame, with percentiles and the mean's share of the budget. The budget is the \
      time from one vblank to the next. (Shares of means add up; framepace run prints \
      the median's share.) Below the table are the pixels that changed and were painted, \
      which are counted after a frame was handed over and in none of its phases, and the \
      late frames by cause.

        framepace profile dashboard --frames 600
        framepace profile stress --work 20ms --json stress.json
        framepace profile orbit --json - | jq .all.p50

      JSON: times in milliseconds, shares as parts of 1. Percentiles with too few
      frames are null.
        scene, display, clock  the subject, and the source of ticks with the reason
        refreshRate, budget    the rate in Hz, and the time for a frame
        frames, late           the numbers of frames and of late frames
        lateCauses             the number of late frames by cause
        phases                 name, p50, p95, p99, max and share of each:
                               share is the mean's part of the budget
        all                    the same for all phases together
        pixels                 p50 and max of each: dirty: those that differ from the
                               frame before, painted, paintedRatio: painted for each
                               dirty one, overdraw: how often a painted one was painted
      """)

  @Argument(help: ArgumentHelp("The scene: \(SceneChoice.list).", valueName: "scene"), transform: SceneChoice.parse)
  var scene: SceneChoice

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("How many frames to measure, from 1 to 1000000. (default: 600)", valueName: "count"),
    transform: Accepted.count(1...1_000_000))
  var frames = 600

  @OptionGroup var options: SceneOptions

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Also write the figures to this file, as JSON; '-' prints them instead of the table.", valueName: "file"))
  var json: String?

  func validate() throws {
    try options.validate(scene: scene)
    if json == "" { throw ValidationError("--json has no name: use a file's name, or - for the standard output.") }
  }

  func run() throws {
    try onMainActor {
      let target = json == "-" || json == "/dev/stdout" ? SceneProfile.Target.output : json.map { .file($0) } ?? .table
      if case .file(let file) = target { try OutputPath.requireWritable(files: [file]) }
      try SceneProfile(scene: scene, options: options, frames: frames, target: target).run()
    }
  }
}
