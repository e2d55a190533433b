import ArgumentParser
import Framepace
import Metering
import SampleScenes

/// A scene of the command line: one of the samples, or a file.
enum SceneChoice: Hashable, Sendable {
  case sample(SceneName)
  case file(String)

  static let suffix = ".scene"
  static var list: String { "\(SceneName.list), or a file whose name ends in \(suffix)" }

  /// The names for a help page, with the page that tells more.
  static var help: String { "\(list): see framepace help scenes" }

  var isFile: Bool { if case .file = self { true } else { false } }

  /// The name of the sample, or that of the file without folder and ending.
  var name: String {
    switch self {
    case .sample(let name): return name.rawValue
    case .file(let path):
      let file = path.split(separator: "/").last.map(String.init) ?? path
      return file.hasSuffix(Self.suffix) ? String(file.dropLast(Self.suffix.count)) : file
    }
  }

  @Sendable static func parse(_ text: String) throws -> SceneChoice {
    if text.hasSuffix(suffix), text.utf8.count > suffix.utf8.count { return .file(text) }
    if let name = SceneName(rawValue: text) { return .sample(name) }
    if text == "-" { throw Accepted.refused("\(list); a scene is not read from the standard input") }
    if let kind = FileKind(ofFile: text) { throw ValidationError("it \(kind.predicate(of: text))") }
    throw Accepted.refused(list, text, among: names(near: text))
  }

  /// The samples, and the files of scenes in the folder that a word leads to.
  static func names(near text: String) -> [String] {
    SceneName.allCases.map(\.rawValue) + InputFile.neighbours(of: text).filter { $0.hasSuffix(suffix) }
  }

  /// The names, and the files and folders where this beginning of a word leads, for completions.
  @Sendable static func completions(of word: String) -> [String] {
    let folder = word.lastIndex(of: "/").map { String(word[...$0]) } ?? ""
    let entries = (try? OwnedDescriptor.names(in: folder.isEmpty ? "." : folder)) ?? []
    let paths = entries.filter { !$0.hasPrefix(".") }.sorted().compactMap { name -> String? in
      let path = folder + name
      if name.hasSuffix(suffix) { return path }
      return (try? OwnedDescriptor.names(in: path)) == nil ? nil : path + "/"
    }
    return SceneName.allCases.map(\.rawValue) + paths
  }

  /// The argument of `--state`: the name of a state, or `layer=state`.
  @Sendable static func parseState(_ text: String) throws -> String {
    let names = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.allSatisfy({ !$0.isEmpty }) else { throw ValidationError("use the name of a state, or LAYER=STATE.") }
    return text
  }

  /// Makes the layers. A sample has the size of the settings; a file's scene is fitted into it, and needs none: the fonts of the samples
  /// are not opened for it.
  @MainActor
  func makeScene(settings: @autoclosure () throws -> SceneSettings) throws -> ShownScene {
    switch self {
    case .sample(let name): ShownScene(try name.makeScene(settings: settings()))
    case .file(let path): ShownScene(SceneStage(try Self.read(path)))
    }
  }

  @MainActor
  private static func read(_ path: String) throws -> Scene {
    try InputFile.require(path)
    if let kind = FileKind(ofFile: path) { throw Refusal(kind.sentence(of: path)) }
    return try Scene(path: path)
  }

  /// The size of a file's own picture, in whole points; nil for a sample, which has none.
  ///
  /// - Throws: a sentence where a side would have more pixels than a picture can have.
  @MainActor
  func size(scale: Double) throws -> PixelSize? {
    guard case .file(let path) = self else { return nil }
    let size = try Self.read(path).size
    guard !size.isEmpty else { return nil }
    func pixels(_ length: Double) throws -> Int {
      let pixels = max((length * scale).rounded(.up), 1)
      if pixels <= Double(PixelSize.longestSide) { return Int(pixels) }
      let factor = scale == 1 ? "" : " at --scale \(Text.number(scale))"
      throw Refusal(
        "'\(path)' is \(Text.number(size.width)) by \(Text.number(size.height)) points\(factor), and a picture has at most "
          + "\(PixelSize.longestSide) pixels a side: use --size")
    }
    return PixelSize(width: try pixels(size.width), height: try pixels(size.height))
  }
}

/// A scene that an engine shows, whatever it comes from.
@MainActor
final class ShownScene {
  private enum Content {
    case sample(any SampleScene)
    case file(SceneStage)
  }

  private let content: Content
  private var player: ScenePlayer?

  init(_ scene: any SampleScene) { content = .sample(scene) }
  init(_ stage: SceneStage) { content = .file(stage) }

  /// The layer that fills the display.
  var root: Layer {
    switch content {
    case .sample(let scene): scene.root
    case .file(let stage): stage.root
    }
  }

  /// True while the scene changes by itself. A file's scene does while it is animated, for which the output wants frames.
  func isMoving(on output: Output) -> Bool {
    switch content {
    case .sample(let scene): scene.isMoving
    case .file: output.wantsFrame
    }
  }

  /// The light in which the scene's colours mix.
  var blending: Blending { stage?.scene.blending ?? .sRGB }

  /// The scene of a file.
  var stage: SceneStage? { if case .file(let stage) = content { stage } else { nil } }

  func play(on engine: Engine, start: MonotonicTime) {
    switch content {
    case .sample(let scene): player = ScenePlayer(scene: scene, engine: engine, start: start)
    case .file(let stage): stage.play(on: engine.loop, from: start)
    }
  }

  /// Ends the callbacks and shows the scene at a time of its own, without a frame: the one for the next vblank may have been begun. The
  /// animations of a sample whose callbacks set the clock of its root go on; the changes that its callbacks would make later do not
  /// come.
  ///
  /// - Parameter start: the time at which the scene began.
  func endCallbacks(at time: Nanoseconds, since start: MonotonicTime, on engine: Engine) {
    player?.invalidate()
    guard case .sample(let scene) = content else { return }
    Transaction.withoutActions {
      scene.update(at: time.seconds)
      guard scene.root.speed == 0 else { return }
      (scene.root.beginTime, scene.root.timeOffset, scene.root.speed) = (start, scene.root.timeOffset - time, 1)
    }
    engine.loop.run(mode: .default, until: engine.loop.clock.now)
  }

  /// Sets states of a file's scene: each is a state's name, or `layer=state`.
  func setStates(_ states: [String]) throws {
    guard !states.isEmpty else { return }
    guard let stage else { throw ValidationError("--state belongs to a scene from a file.") }
    for choice in states {
      let parts = choice.split(separator: "=", maxSplits: 1).map(String.init)
      let state = parts.last ?? ""
      do throws(SceneStateError) {
        try stage.setState(state == "none" ? nil : state, of: parts.count == 2 ? parts[0] : nil)
      } catch {
        let hint =
          switch error {
          case .severalStates, .layerMissing: ", as LAYER=STATE"
          case .noLayer, .noState, .severalLayers: ""
          }
        throw ValidationError("--state '\(choice)': \(error)\(hint).")
      }
    }
  }

  func invalidate() {
    player?.invalidate()
    stage?.invalidate()
  }
}
