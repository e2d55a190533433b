import ArgumentParser
import Framepace
import Metering
import SampleScenes

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Renders scenes to PNG, on a clock that is moved by hand.",
    usage: "framepace render <scene> ... --output <folder|file.png> [<options>]",
    discussion: """
      The same command always writes the same bytes on one machine. A file is \
      replaced only when its successor is complete.

        framepace render orbit --output orbit.png --time 2s
        framepace render --all --output pictures --size 1280x720
        framepace render clock --output frames --frames 120
        framepace render card.scene --output card.png --state open

      Picture k of a sequence shows the scene at k/rate seconds.
      """)

  @Argument(
    help: ArgumentHelp("The scenes: \(SceneChoice.list).", valueName: "scene"), transform: SceneChoice.parse)
  var scenes: [SceneChoice] = []

  @Flag(help: "Render all scenes.")
  var all = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A folder, made if missing, or for one picture a file.", valueName: "folder|file.png"))
  var output = ""

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "\(Accepted.sizes). (default: \(PixelSize.standard), a file's scene in its own)", valueName: "WxH"),
    transform: Accepted.size)
  var size: PixelSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Pixels a point, from 0.25 to 8. A file's scene gets so many times the pixels of its size. (default: 1)",
      valueName: "number"),
    transform: Accepted.scale)
  var scale = 1.0

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The scene's time in the picture, from 0 to 1000h, such as 20ms, 1.5s or 2min; \(Accepted.plainTime). (default: 0.5s)",
      valueName: "time"),
    transform: Accepted.time(from: ("0", .zero), to: ("1000h", .seconds(3_600_000))))
  var time: Nanoseconds?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Render so many pictures, from 1 to 100000, from the scene's start on, as NAME-0000.png and so on.", valueName: "count"
    ),
    transform: Accepted.count(1...100_000))
  var frames: Int?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("With --frames, pictures a second: \(Accepted.rates). (default: 60)", valueName: "Hz"),
    transform: Accepted.rate)
  var rate: RefreshRate?

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Set a state of a file's scene at its beginning: its name, or LAYER=STATE.", valueName: "state"),
    transform: SceneChoice.parseState)
  var state: [String] = []

  func validate() throws {
    if scenes.isEmpty && !all && output.isEmpty {
      throw ValidationError(
        "Name a scene and where its picture goes, as in: framepace render orbit --output orbit.png. "
          + "The scenes are \(SceneName.list.replacing(" or ", with: " and ")); --all renders all.")
    }
    if output.isEmpty {
      throw ValidationError("--output <folder|file.png> is missing: use a folder or a file whose name ends in .png.")
    }
    if scenes.isEmpty && !all { throw ValidationError("Name a scene, or use --all: \(SceneName.list).") }
    if !scenes.isEmpty && all { throw ValidationError("Name scenes or use --all, not both.") }
    if time != nil && frames != nil { throw ValidationError("Use --time for one picture or --frames for many, not both.") }
    if rate != nil && frames == nil { throw ValidationError("--rate belongs to --frames.") }
    if output == "-" {
      throw ValidationError("--output '\(output)' is not accepted: use a folder or a file whose name ends in .png.")
    }
    if let suffix = OutputPath.otherPicture(output) {
      throw ValidationError(
        "--output '\(output)': pictures are PNG, not \(suffix); use a folder or a file whose name ends in .png.")
    }
    if isFile && (frames != nil || pictures.count > 1) {
      throw ValidationError("--output '\(output)' is one file, and this makes several pictures: use a folder.")
    }
    if let (name, _) = Dictionary(grouping: pictures, by: \.name).first(where: { $0.value.count > 1 }) {
      throw ValidationError("Several of the scenes are named '\(name)', and their pictures too: render them one by one.")
    }
  }

  private var isFile: Bool { output.lowercased().hasSuffix(".png") }

  /// The scenes to render, each once.
  private var pictures: [SceneChoice] {
    let samples = SceneName.allCases.map(SceneChoice.sample).filter { all || scenes.contains($0) }
    var files: [SceneChoice] = []
    for case .file(let path) in scenes where !files.contains(.file(path)) { files.append(.file(path)) }
    return samples + files
  }

  func run() throws {
    try onMainActor {
      let signals = try EndSignals()
      defer { signals.invalidate() }
      let fonts = try SceneFonts()
      // Found out before anything is rendered.
      if !isFile { try OutputPath.makeFolder(output) }
      let files = pictures.lazy.flatMap { scene in (0..<(frames ?? 1)).lazy.map { path(of: scene, $0) } }
      try OutputPath.requireWritable(files: files)
      var progress = RenderProgress(total: pictures.count * (frames ?? 1))
      defer { Terminal.error.show(progress: "") }
      do {
        for scene in pictures { try render(scene, fonts: fonts, signals: signals, progress: &progress) }
      } catch let end as RenderEnd {
        Terminal.error.show(progress: "")
        try Terminal.output.line(progress.summary("\(progress.written) of \(progress.total) files to \(output)"))
        throw ExitCode(128 + end.signal)
      }
      Terminal.error.show(progress: "")
      let total = progress.total
      try Terminal.output.line(progress.summary(total == 1 ? path(of: pictures[0], 0) : "\(total) files to \(output)"))
    }
  }

  @MainActor
  private func render(
    _ scene: SceneChoice, fonts: SceneFonts, signals: EndSignals, progress: inout RenderProgress
  ) throws {
    let size = try size ?? scene.size(scale: scale) ?? .standard
    let points = Size(Double(size.width) / scale, Double(size.height) / scale)
    let content = try scene.makeScene(settings: SceneSettings(size: points, scale: scale, fonts: fonts))
    let (rate, first) = (rate ?? .hertz60, frames == nil ? time ?? .milliseconds(500) : .zero)
    let renderer = try OfflineRenderer(
      root: content.root, width: size.width, height: size.height, scale: scale, rate: rate, frames: frames ?? 1, from: first)
    try content.setStates(state)
    content.play(on: renderer.engine, start: renderer.start)
    defer {
      content.invalidate()
      renderer.invalidate()
    }
    for number in 0..<renderer.frames {
      if let signal = signals.heard { throw RenderEnd(signal: signal) }
      progress.begin("rendering \(scene.name)")
      // The picture is begun before its time: events at that time are seen in it.
      content.stage?.advance(to: renderer.start + first + rate.offset(ofInterval: Int64(number)))
      guard let image = try renderer.nextFrame()?.image else { break }
      try PNG.write(image, to: path(of: scene, number))
      progress.written += 1
    }
  }

  private func path(of scene: SceneChoice, _ number: Int) -> String {
    let folder = output.hasSuffix("/") ? output : "\(output)/"
    guard frames != nil else { return isFile ? output : "\(folder)\(scene.name).png" }
    let digits = String(number)
    return "\(folder)\(scene.name)-\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits).png"
  }
}

/// Thrown when a signal asks for the end.
private struct RenderEnd: Error {
  let signal: Int32
}

/// Says on a terminal what is being rendered and for how long yet, and at the end how long it took.
@MainActor
private struct RenderProgress {
  let total: Int
  /// The pictures whose files are complete.
  var written = 0
  private let start = SystemClock.monotonic.now

  init(total: Int) {
    self.total = total
  }

  func begin(_ what: String) {
    let left = seconds / Double(max(written, 1)) * Double(total - written)
    let time = written == 0 ? "" : ", \(Text.rest(left))"
    Terminal.error.show(progress: "\(what): picture \(written + 1) of \(total)\(time)")
  }

  private var seconds: Double { (SystemClock.monotonic.now - start).seconds }

  /// "wrote 120 files to frames: 8.40 s, 14.29 frames a second".
  func summary(_ what: String) -> String {
    "wrote \(what): \(Text.decimal(seconds, 2)) s, \(Text.decimal(Double(written) / max(seconds, 0.001), 2)) frames a second"
  }
}
