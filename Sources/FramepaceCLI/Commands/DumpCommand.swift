import ArgumentParser
import Framepace
import Glibc
import SampleScenes

struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Prints a scene as text, with its animations, as it is at a time.",
    usage: "framepace dump <scene> [<options>]",
    discussion: """
      The text can be edited, and rendered or run again; times in it count from the \
      scene's beginning.

        framepace dump clock --time 2s --output clock.scene
        framepace render clock.scene --time 2s --output clock.png

      Pictures are PNG files beside the text, as clock-1.png, or in the text itself \
      where it is printed. A picture takes the next number where another file has its \
      name already. What callbacks do has no text: a sample that they \
      move stands still in it.
      """)

  @Argument(
    help: ArgumentHelp("The scene: \(SceneChoice.list).", valueName: "scene"), transform: SceneChoice.parse)
  var scene: SceneChoice

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp("A file whose name ends in .scene. (default: print it)", valueName: "file.scene"),
    completion: .file(extensions: ["scene"]))
  var output: String?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The picture's size: \(Accepted.sizes). (default: \(PixelSize.standard), a file's scene in its own)", valueName: "WxH"),
    transform: Accepted.size)
  var size: PixelSize?

  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "The scene's time, from 0 to 1000h, such as 20ms, 1.5s or 2min; \(Accepted.plainTime). (default: 0.5s)",
      valueName: "time"),
    transform: Accepted.time(from: ("0", .zero), to: ("1000h", .seconds(3_600_000))))
  var time = Nanoseconds.milliseconds(500)

  @Option(
    parsing: .unconditionalSingleValue,
    help: ArgumentHelp("Set a state of a file's scene at its beginning: its name, or LAYER=STATE.", valueName: "state"),
    transform: SceneChoice.parseState)
  var state: [String] = []

  func validate() throws {
    if let output, !output.hasSuffix(SceneChoice.suffix) || output.contains("\0") {
      throw ValidationError("--output '\(output)': use a file whose name ends in \(SceneChoice.suffix).")
    }
  }

  func run() throws {
    try onMainActor {
      if let output { try OutputPath.requireWritable(files: [output]) }
      let size = try size ?? scene.size(scale: 1) ?? .standard
      let points = Size(Double(size.width), Double(size.height))
      let content = try scene.makeScene(settings: SceneSettings(size: points, fonts: try SceneFonts()))
      let renderer = try OfflineRenderer(root: content.root, width: size.width, height: size.height, frames: 1, from: time)
      try content.setStates(state)
      content.play(on: renderer.engine, start: renderer.start)
      content.stage?.advance(to: renderer.start + time)
      defer {
        content.invalidate()
        renderer.invalidate()
      }
      _ = try renderer.nextFrame()
      content.stand(at: time, on: renderer.engine)
      let scene = content.stage?.scene
      var names = PictureNames(beside: output ?? "")
      let text = try Scene.text(
        of: scene?.root ?? content.root, size: scene?.size ?? points, origin: renderer.start,
        events: (scene?.events ?? []).filter { $0.time > time },
        images: output == nil ? .embedded : .files { _, image in try names.write(image) }, fontPath: fontPath)
      if let output {
        try AtomicFile.write(Array(text.utf8), to: output)
        try Terminal.output.line("wrote \(output)")
      } else {
        try Terminal.output.write(text)
      }
    }
  }

  /// The path of a font's file in the text: from the text's folder if the font lies in it, otherwise from the root, since paths in a
  /// scene count from its own folder.
  private func fontPath(_ path: String) -> String {
    let path = Self.absolute(path)
    guard let output else { return path }
    let folder = Self.absolute(output.lastIndex(of: "/").map { String(output[...$0]) } ?? ".") + "/"
    return path.hasPrefix(folder) ? String(path.dropFirst(folder.count)) : path
  }

  /// The path from the root, without links; the path itself where there is nothing.
  private static func absolute(_ path: String) -> String {
    guard let found = realpath(path, nil) else { return path }
    defer { free(found) }
    return String(cString: found)
  }
}

/// The names of the pictures beside a text: `card-1.png` for the first of `card.scene`.
private struct PictureNames {
  private let base: String
  private var number = 0

  init(beside text: String) { base = String(text.dropLast(SceneChoice.suffix.count)) }

  /// Writes an image under the next name that no file of other contents has, such as a picture that another text needs.
  ///
  /// - Returns: its path from the text.
  mutating func write(_ image: Image) throws -> String {
    let bytes = try PNG.encode(image, effort: .small)
    while true {
      number += 1
      let path = "\(base)-\(number).png"
      var status = stat()
      let isThere = lstat(path, &status) == 0
      if isThere, (try? OwnedDescriptor.contents(of: path, limit: bytes.count)) != bytes { continue }
      if !isThere { try AtomicFile.write(bytes, to: path) }
      return path.split(separator: "/").last.map(String.init) ?? path
    }
  }
}
