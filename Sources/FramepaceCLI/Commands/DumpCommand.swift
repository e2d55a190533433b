import ArgumentParser
import Framepace
import Glibc
import Metering
import SampleScenes

struct DumpCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "dump",
    abstract: "Prints a scene as text, with its animations, as it is at a time.",
    usage: "framepace dump <scene> [<options>]",
    discussion: """
      The text can be edited, and rendered or run again; times in it count from the \
      scene's beginning.

        framepace dump cards --time 2s --output cards.scene
        framepace run cards.scene

      Pictures are PNG files beside the text, as cards-1.png, or in the text itself \
      where it is printed. A picture takes the next number where another file has its \
      name already. Nothing is deleted: pictures of an earlier dump that are not in the \
      text any more are named at the end. What callbacks do has no text: animations go \
      on in it, and what a sample's callbacks change stands still.
      """)

  @Argument(
    help: ArgumentHelp("The scene: \(SceneChoice.help).", valueName: "scene"), transform: SceneChoice.parse)
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
      renderer.engine.context.lastFrameTime = renderer.start + time
      try content.setStates(state)
      content.play(on: renderer.engine, start: renderer.start)
      content.stage?.advance(to: renderer.start + time)
      defer {
        content.invalidate()
        renderer.invalidate()
      }
      _ = try renderer.nextFrame()
      content.endCallbacks(at: time, since: renderer.start, on: renderer.engine)
      let scene = content.stage?.scene
      var names = PictureNames(beside: output ?? "")
      let text = try Scene.text(
        of: scene?.root ?? content.root, size: scene?.size ?? points, origin: renderer.start,
        blending: content.blending, events: (scene?.events ?? []).filter { $0.time > time },
        images: output == nil ? .embedded : .files { _, image in try names.write(image) }, filePath: filePath)
      if let output {
        try AtomicFile.write(Array(text.utf8), to: output)
        try Terminal.output.line(Text.paragraph(names.summary(output), width: Terminal.output.textWidth))
      } else {
        try Terminal.output.write(text)
      }
    }
  }

  /// The path of a file in the text: from the text's folder if the file lies in it, otherwise from the root, since paths in a
  /// scene count from its own folder.
  private func filePath(_ path: String) -> String {
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
  /// The numbers of the pictures that are in the text.
  private var used: Set<Int> = []

  init(beside text: String) { base = String(text.dropLast(SceneChoice.suffix.count)) }

  /// Writes an image under the next name that no file of other contents has, such as a picture that another text needs.
  ///
  /// - Returns: its path from the text.
  mutating func write(_ image: Image) throws -> String {
    let bytes = try PNG.encode(image, effort: .small)
    while true {
      number += 1
      let path = path(number)
      var status = stat()
      let isThere = lstat(path, &status) == 0
      if isThere, (try? OwnedDescriptor.contents(of: path, limit: bytes.count)) != bytes { continue }
      if !isThere { try AtomicFile.write(bytes, to: path) }
      used.insert(number)
      return Self.name(path)
    }
  }

  /// The sentences about what was written, and about pictures with such names that are not in the text.
  func summary(_ text: String) -> String {
    let pictures = used.isEmpty ? "" : used.count == 1 ? " and its picture" : " and its \(used.count) pictures"
    let others = others
    guard let first = others.first else { return "wrote \(text)\(pictures)" }
    let rest = others.count == 1 ? " is" : " and \(others.count - 1) more are"
    return "wrote \(text)\(pictures); \(Self.name(path(first)))\(rest) beside it and not in it"
  }

  /// The numbers of the files beside the text that have the name of a picture and are not in the text.
  private var others: [Int] {
    let folder = base.lastIndex(of: "/").map { String(base[...$0]) } ?? "."
    let names = (try? OwnedDescriptor.names(in: folder)) ?? []
    let numbers = names.compactMap { name -> Int? in
      guard name.hasPrefix(Self.name(base) + "-"), name.hasSuffix(".png") else { return nil }
      let digits = name.dropFirst(Self.name(base).count + 1).dropLast(".png".count)
      return Int(digits).flatMap { Self.name(path($0)) == name ? $0 : nil }
    }
    return numbers.filter { !used.contains($0) }.sorted()
  }

  private func path(_ number: Int) -> String { "\(base)-\(number).png" }

  private static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }
}
