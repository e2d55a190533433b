import ArgumentParser
import Framepace
import SampleScenes

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Measures which phase of a frame takes how much of its budget.",
    usage: "framepace profile <scene> [<options>]",
    discussion: """
      Runs a scene for a number of frames and prints a table: the phases of a frame, \
      their percentiles, and the mean's share of the budget, which is the time from \
      one vblank to the next, so that the shares add up (framepace run has the \
      median's share); how many frames were late, and where their time went.

        framepace profile dashboard --frames 600
        framepace profile stress --work 20ms --json stress.json
        framepace profile orbit --json - | jq .all.p50

      JSON: times in milliseconds, shares as parts of 1, null for what has not
      enough frames.
        scene, display, clock  what was measured, and what ticked, and why
        refreshRate, budget    in Hz, and what a frame may take
        frames, late           how many
        lateCauses             how many frames were late for which cause
        phases                 name, p50, p95, p99, max, share of each:
                               the mean's part of the budget
        all                    the same of all phases together
      """)

  @Argument(help: ArgumentHelp("The scene: \(SceneName.list).", valueName: "scene"), transform: Accepted.choice)
  var scene: SceneName

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
      if case .file(let file) = target { try OutputPath.requireWritable(file: file) }
      try SceneProfile(scene: scene, options: options, frames: frames, target: target).run()
    }
  }
}
