import ArgumentParser
import Framepace
import Glibc
import Input
import SampleScenes

struct RenderCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "render",
    abstract: "Renders scenes to pictures and films, on a clock that is moved by hand.",
    usage: "framepace render <scene> ... --output <folder|file|-> [<options>]",
    discussion: """
      The same command always writes the same bytes on one machine. A file is \
      replaced only when its successor is complete.

        framepace render orbit --output orbit.png --time 2s
        framepace render --all --output pictures --size 1280x720
        framepace render clock --output frames --frames 120
        framepace render clock --output clock.apng --frames 120
        framepace render clock --output - --format y4m | ffmpeg -i - clock.mp4
        framepace render card.scene --output card.png --state open
        framepace render badge.scene --output badge.png --transparent
        framepace render feed --output feed.apng --frames 120 --input drag.input
        framepace render feed --output feed.png --time 2s --input drag.input

      Picture k of a sequence shows the scene at k/rate seconds. An .apng file is an \
      animated PNG, which browsers play. A .y4m file is raw video for other programs to \
      read: YUV 4:2:0 of limited range, by ITU-R BT.709 for more than 576 rows or at \
      least 1280 columns, and by BT.601 below. Many encoders want even sides. If its \
      reader ends before the film does, the status is 141, without a message.
      """)

  @Argument(
    help: ArgumentHelp("The scenes: \(SceneChoice.help).", valueName: "scene"), transform: SceneChoice.parse)
  var scenes: [SceneChoice] = []

  @Flag(help: "Render all scenes.")
  var all = false

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "A folder, made if missing, a file for one picture or film, or '-' for the standard output.",
      valueName: "folder|file|-"))
  var output = ""

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "\(PictureFormat.list). (default: as the file's name ends, in a folder png)", valueName: "format"),
    transform: Accepted.choice)
  var format: PictureFormat?

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

  @Flag(help: "Leave pixels transparent that no layer covers, instead of black; in png and apng.")
  var transparent = false

  @OptionGroup var blending: BlendingOptions

  @OptionGroup var overlays: OverlayOptions

  @OptionGroup var input: InputOptions

  func validate() throws {
    if scenes.isEmpty && !all && output.isEmpty {
      throw ValidationError(
        "Name a scene and where its picture goes, as in: framepace render orbit --output orbit.png. "
          + "The scenes are \(SceneName.list.replacing(" or ", with: " and ")); --all renders all.")
    }
    if output.isEmpty {
      throw ValidationError("--output <folder|file|-> is missing: use a folder or a file whose name ends in .png.")
    }
    if scenes.isEmpty && !all { throw ValidationError("Name a scene, or use --all: \(SceneName.list).") }
    if !scenes.isEmpty && all { throw ValidationError("Name scenes or use --all, not both.") }
    if time != nil && frames != nil { throw ValidationError("Use --time for one picture or --frames for many, not both.") }
    if rate != nil && frames == nil { throw ValidationError("--rate belongs to --frames.") }
    if output == "-" && format == nil && frames != nil {
      throw ValidationError("--output '-' needs a --format for a film: apng or y4m.")
    }
    if size != nil, scale != 1, let file = scenes.first(where: \.isFile) {
      throw ValidationError(
        "--scale has no effect with --size: \(file.name) is fitted into these pixels. Use one of both.")
    }
    if let suffix = OutputPath.otherPicture(output) {
      throw ValidationError(
        "--output '\(output)': pictures are PNG, not \(suffix); use a folder or a file whose name ends in .png, "
          + ".apng or .y4m, or write to another program with --output - --format y4m.")
    }
    if let format, let named = PictureFormat(file: output), format != named {
      throw ValidationError("--output '\(output)' asks for \(named.rawValue), and --format for \(format.rawValue): use one.")
    }
    if transparent, pictureFormat == .y4m {
      throw ValidationError("--transparent: the video of y4m has no transparency. Use png or apng.")
    }
    if isFile && (files > 1 || frames != nil && pictureFormat == .png) {
      throw ValidationError("--output '\(output)' is one file, and this makes several pictures: use a folder.")
    }
    if let (name, _) = Dictionary(grouping: pictures, by: \.name).first(where: { $0.value.count > 1 }) {
      throw ValidationError("Several of the scenes are named '\(name)', and their pictures too: render them one by one.")
    }
  }

  /// True if everything goes into the one file that is named, or to the standard output.
  private var isFile: Bool { output == "-" || PictureFormat(file: output) != nil }

  private var pictureFormat: PictureFormat { format ?? PictureFormat(file: output) ?? .png }

  /// The number of pictures of a scene.
  private var pictureCount: Int { frames ?? 1 }

  /// The number of files.
  private var files: Int { pictures.count * (pictureFormat == .png ? pictureCount : 1) }

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
      let script = try input.script(until: lastTime)
      if overlays.show.isEmpty, EnvironmentOverlays.areAskedFor {
        Terminal.error.note("FRAMEPACE_HUD is for displays: use --show damage,meter for pictures")
      }
      let names = pictures.lazy.flatMap { scene in
        (0..<(pictureFormat == .png ? pictureCount : 1)).lazy.map { path(of: scene, $0) }
      }
      // Found out before anything is rendered.
      if !isFile { try OutputPath.makeFolder(output, instead: " or a file whose name ends in .png") }
      if output != "-" { try OutputPath.requireWritable(files: names) }
      let progress = RenderProgress(total: pictures.count * pictureCount)
      // The standard output may be the film.
      let terminal = output == "-" ? Terminal.error : Terminal.output
      let pool = WorkerPool()
      defer { pool.shutdown() }
      defer { Terminal.error.show(progress: "") }
      do {
        for (index, scene) in pictures.enumerated() {
          try render(
            scene, after: index * pictureCount, script: script, signals: signals, pool: pool, progress: progress)
        }
      } catch let end as RenderEnd {
        Terminal.error.show(progress: "")
        let what = "\(progress.written) of \(progress.total)"
        let loss = pictureFormat == .png || output == "-" ? "" : ", without writing the film"
        try terminal.line(
          progress.summary(
            pictureFormat == .png && !isFile
              ? "wrote \(what) files to \(output)"
              : "stopped after \(what) pictures\(loss)"))
        throw ExitCode(128 + end.signal)
      } catch is ReaderGone {
        // The film is not complete. Programs that SIGPIPE ends have this status in a shell.
        throw ExitCode(128 + SIGPIPE)
      }
      Terminal.error.show(progress: "")
      let what =
        output == "-"
        ? "\(progress.total) picture\(progress.total == 1 ? "" : "s") to the standard output"
        : files == 1 ? path(of: pictures[0], 0) : "\(files) files to \(output)"
      try terminal.line(progress.summary("wrote \(what)"))
    }
  }

  /// The times of the first and the last picture.
  private var firstTime: Nanoseconds { frames == nil ? time ?? .milliseconds(500) : .zero }
  private var lastTime: Nanoseconds { firstTime + (rate ?? .hertz60).offset(ofInterval: Int64(pictureCount - 1)) }

  /// - Parameter earlier: the number of pictures before those of this scene.
  @MainActor
  private func render(
    _ scene: SceneChoice, after earlier: Int, script: InputScript?, signals: EndSignals, pool: WorkerPool,
    progress: RenderProgress
  ) throws {
    let size = try size ?? scene.size(scale: scale) ?? .standard
    progress.size = size
    let points = Size(Double(size.width) / scale, Double(size.height) / scale)
    let content = try scene.makeScene(settings: SceneSettings(size: points, scale: scale, fonts: try SceneFonts()))
    let rate = rate ?? .hertz60
    var first = firstTime
    let preceding = precedingFrames(of: first, rate)
    first -= rate.offset(ofInterval: Int64(preceding))
    let renderer = try OfflineRenderer(
      root: content.root, width: size.width, height: size.height, scale: scale, rate: rate,
      frames: pictureCount + preceding, from: first, blending: blending.blending ?? content.blending,
      isOpaque: !transparent)
    try renderer.engine.show(overlays.show)
    try content.setStates(state)
    func note(_ sentence: String) {
      Terminal.error.show(progress: "")
      Terminal.error.note(sentence)
    }
    content.stage?.tellOfFaults(note)
    content.play(on: renderer.engine, start: renderer.start)
    let player = script.map { renderer.engine.play($0) }
    if player != nil, let sentence = content.root.noteOfUntakenInput { note("\(scene.name): \(sentence)") }
    player?.start(at: renderer.start)
    defer {
      player?.stop()
      content.invalidate()
      renderer.invalidate()
    }
    let wrote = { progress.written += 1 }
    let output: PictureOutput =
      if pictureFormat == .png && self.output != "-" {
        .files(EncodingQueue(pool: pool, deliver: wrote), path: { path(of: scene, $0) }, scale: scale)
      } else {
        .stream(
          try PictureStream(
            pictureFormat, to: path(of: scene, 0), size: size, scale: scale, rate: rate, pictures: pictureCount, pool: pool,
            wrote: wrote))
      }
    for number in 0..<renderer.frames {
      if let signal = signals.heard {
        try output.stop()
        throw RenderEnd(signal: signal)
      }
      let picture = number - preceding
      progress.begin(scene.name, picture: earlier + max(picture, 0) + 1)
      // The picture is begun before its time: events at that time are seen in it.
      content.stage?.advance(to: renderer.start + first + rate.offset(ofInterval: Int64(number)))
      guard let image = try renderer.nextFrame()?.image else { break }
      if picture >= 0 { try output.add(image, number: picture) }
    }
    try output.finish()
  }

  /// The number of frames before a single picture at a time, which are not written: overlays show what changed since the frame before, and an
  /// event script plays from the scene's start on.
  private func precedingFrames(of time: Nanoseconds, _ rate: RefreshRate) -> Int {
    guard frames == nil else { return 0 }
    let all = Int(rate.intervals(in: time))
    return input.input != nil ? all : overlays.show.isEmpty ? 0 : min(all, 1)
  }

  private func path(of scene: SceneChoice, _ number: Int) -> String {
    if isFile { return output }
    let folder = output.hasSuffix("/") ? output : "\(output)/"
    guard frames != nil && pictureFormat == .png else { return "\(folder)\(scene.name)\(pictureFormat.suffix)" }
    let digits = String(number)
    return "\(folder)\(scene.name)-\(String(repeating: "0", count: max(4 - digits.count, 0)))\(digits).png"
  }
}

/// Thrown when a signal asks for the end.
private struct RenderEnd: Error {
  let signal: Int32
}
