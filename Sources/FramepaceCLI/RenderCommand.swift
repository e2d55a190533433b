import ArgumentParser
import Framepace
import SampleScenes

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Renders scenes to PNG, on a clock that is moved by hand.",
    discussion: """
      The same command always writes the same bytes on one machine. A file is replaced only when its successor is complete.

        framepace render orbit --output orbit.png --size 1280x720 --time 2s
        framepace render --all --output pictures
        framepace render clock --output frames --frames 120 --rate 60
      """)

  @Argument(help: "The scenes to render; see `framepace scenes`.")
  var scenes: [SceneName] = []

  @Flag(help: "Render all scenes.")
  var all = false

  @Option(help: ArgumentHelp("A folder, made when missing, or for one picture a file.", valueName: "dir|file.png"))
  var output: String

  @Option(help: ArgumentHelp("\(PixelSize.accepted).", valueName: "WxH"))
  var size = PixelSize(width: 1920, height: 1080)

  @Option(help: "Pixels a point, from 0.25 to 8: 2 draws everything twice as large and as sharp.")
  var scale = 1.0

  @Option(
    parsing: .unconditional, help: ArgumentHelp("The scene's time in the picture: \(TimeSpan.accepted).", valueName: "time"))
  var time: TimeSpan?

  @Option(
    help: ArgumentHelp("Render this many frames, from the scene's start, as NAME-0000.png and so on.", valueName: "count"))
  var frames: Int?

  @Option(help: ArgumentHelp("Frames a second of the scene's time: \(RateArgument.accepted).", valueName: "Hz"))
  var rate: RateArgument?

  func validate() throws {
    if scenes.isEmpty && !all { throw ValidationError("Name a scene or use --all. Scenes: \(SceneName.accepted).") }
    if !scenes.isEmpty && all { throw ValidationError("Name scenes or use --all, not both.") }
    guard scale.isFinite, (0.25...8).contains(scale) else {
      throw ValidationError("The scale \(scale) is not accepted: a number from 0.25 to 8.")
    }
    if time != nil && frames != nil { throw ValidationError("Use --time for one picture or --frames for many, not both.") }
    if rate != nil && frames == nil { throw ValidationError("--rate belongs to --frames.") }
    if let frames, !(1...100_000).contains(frames) {
      throw ValidationError("\(frames) frames are not accepted: from 1 to 100000.")
    }
    if output.hasSuffix(".png") && (frames != nil || all || scenes.count > 1) {
      throw ValidationError("\(output) is one file, and this makes several pictures: name a folder.")
    }
  }

  func run() throws {
    try onMainActor {
      let fonts = try SceneFonts()
      let pictures = all ? SceneName.allCases : scenes
      let progress = RenderProgress(total: pictures.count * (frames ?? 1))
      defer { progress.finish() }
      try prepareOutput()
      for scene in pictures {
        try render(scene, fonts: fonts, progress: progress)
      }
    }
  }

  @MainActor
  private func render(_ scene: SceneName, fonts: SceneFonts, progress: RenderProgress) throws {
    let still = time?.duration ?? .milliseconds(500)
    var renderer = try SceneRenderer(
      scene, size: size, scale: scale, rate: rate?.rate ?? .hertz60, time: frames == nil ? still : .zero, fonts: fonts)
    defer { renderer.invalidate() }
    guard let frames else {
      progress.begin(scene.rawValue)
      let path = output.hasSuffix(".png") ? output : "\(output)/\(scene.rawValue).png"
      try PNG.write(renderer.nextPicture(), to: path)
      return
    }
    for frame in 0..<frames {
      progress.begin("\(scene.rawValue) \(frame + 1)/\(frames)")
      let digits = String(frame)
      let number = String(repeating: "0", count: max(4 - digits.count, 0)) + digits
      try PNG.write(renderer.nextPicture(), to: "\(output)/\(scene.rawValue)-\(number).png")
    }
  }

  /// Finds out before anything is rendered whether the pictures can be written.
  private func prepareOutput() throws {
    if output.hasSuffix(".png") {
      try OutputFolder.requireWritable(parentOf: output)
    } else {
      try OutputFolder.make(output)
    }
  }
}

/// Says on a terminal what is being rendered; silent elsewhere.
struct RenderProgress {
  private let total: Int
  private let count = Counter()

  private final class Counter {
    var value = 0
  }

  init(total: Int) {
    self.total = total
  }

  func begin(_ what: String) {
    count.value += 1
    if Terminal.error.isInteractive { Terminal.error.overwrite("rendering \(count.value) of \(total): \(what)") }
  }

  func finish() {
    if Terminal.error.isInteractive { Terminal.error.overwrite("") }
  }
}
