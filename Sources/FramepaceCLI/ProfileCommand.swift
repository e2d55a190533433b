import ArgumentParser
import Framepace
import SampleScenes

struct ProfileCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "profile",
    abstract: "Measures which phase of a frame takes how much of its budget.",
    discussion: """
      Runs a scene for a number of frames and prints a table: the phases of a frame, their percentiles, and their share of
      the time from one vblank to the next; how many frames were late, and where their time went.

        framepace profile dashboard --frames 600
        framepace profile stress --work 20ms --work-phase layout --json profile.json
      """)

  @Argument(help: ArgumentHelp("The scene: \(SceneName.accepted).", valueName: "scene"))
  var scene: SceneName

  @Option(help: "How many frames to measure, from 1 to 1000000.")
  var frames = 600

  @OptionGroup var options: SceneOptions

  @Option(help: ArgumentHelp("Also write the figures to this file, as JSON.", valueName: "file"))
  var json: String?

  func validate() throws {
    try options.validate(scene: scene)
    guard (1...1_000_000).contains(frames) else {
      throw ValidationError("\(frames) frames are not accepted: from 1 to 1000000.")
    }
  }

  func run() throws {
    try onMainActor {
      if let json { try OutputFolder.requireWritable(parentOf: json) }
      try SceneProfile(scene: scene, options: options, frames: frames, json: json).run()
    }
  }
}
