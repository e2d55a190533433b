import ArgumentParser
import Framepace
import Input

/// The option that plays input, for every command that runs a scene.
struct InputOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Play the events of this script from the beginning on, as if somebody touched the screen: see framepace help input.",
      valueName: "file"),
    completion: .file())
  var input: String?

  func validate() throws {
    if input == "" { throw ValidationError("--input needs a value: use the name of an event script.") }
  }

  /// The script; nil without the option.
  func script() throws -> InputScript? { try input.map { try Self.script($0) } }

  /// Some hours of a hand on a touch screen, in bytes.
  private static let largestFile = 1 << 28

  /// Reads an event script.
  ///
  /// - Parameter path: "-" for the standard input.
  static func script(_ path: String) throws -> InputScript {
    let bytes = try InputFile.contents(of: path, limit: largestFile)
    if let kind = FileKind(bytes), kind != .inputScript { throw Refusal(kind.sentence(of: path)) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal("'\(path)' is no text: name an event script, as framepace input --record writes them")
    }
    do throws(InputScriptError) {
      return try InputScript(text, file: path)
    } catch {
      throw Refusal("\(error)")
    }
  }
}

extension Layer {
  /// A sentence about a script that is played to this layer and those in it; nil if one of them takes input.
  @MainActor var noteOfUntakenInput: String? {
    func takesInput(_ layer: Layer) -> Bool {
      layer.responder != nil || !layer.gestureRecognizers.isEmpty || layer.sublayers.contains(where: takesInput)
    }
    return takesInput(self) ? nil : "no layer of the scene takes the events of --input"
  }
}

extension Engine {
  /// Makes a player that brings a script's events to the layers, once it is started.
  func play(_ script: InputScript) -> InputPlayer {
    let router = inputRouter
    let player = InputPlayer(script, clock: loop.clock) { [weak router] in router?.receive($0) }
    router.readWaiting = { [weak player] in player?.playDue() }
    player.add(to: loop, mode: .common)
    return player
  }
}
