import ArgumentParser
import Framepace
import SampleScenes

/// How a scene is to be run on a display; shared by the commands that do.
struct SceneOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Where frames go: a screen (kms), a clock that stands in for one (fallback), or a screen if one can be used (auto). (default: auto)",
      valueName: "display"),
    transform: Accepted.choice)
  var display = DisplayChoice.auto

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("The fallback clock's rate: \(Accepted.rates). (default: 60)", valueName: "Hz"),
    transform: Accepted.rate)
  var rate: RefreshRate?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The picture's size where there is no screen: \(Accepted.sizes). (default: \(PixelSize.standard))", valueName: "WxH"),
    transform: Accepted.size)
  var size: PixelSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For the scene stress: how long every frame is kept busy, up to 10s. (default: 12ms)", valueName: "time"),
    transform: Accepted.time(from: ("0", .zero), to: ("10s", .seconds(10))))
  var work: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "For the scene stress: where: \(SceneSettings.WorkPhase.list). (default: callbacks)", valueName: "phase"),
    transform: Accepted.choice)
  var workPhase: SceneSettings.WorkPhase?

  func validate(scene: SceneName) throws {
    if (work != nil || workPhase != nil) && scene != .stress {
      throw ValidationError("--work and --work-phase belong to the scene stress, not to \(scene.rawValue).")
    }
    if let option = clockOptions.first, display == .kms {
      throw ValidationError(
        "\(option) belongs to the fallback clock: a screen has the rate and size of its mode. Use --display auto or fallback."
      )
    }
  }

  /// The options that were given and have no effect on a screen.
  var clockOptions: [String] {
    (rate == nil ? [] : ["--rate"]) + (size == nil ? [] : ["--size"])
  }
}
