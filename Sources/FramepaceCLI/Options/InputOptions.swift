import ArgumentParser
import Framepace
import Input
import Metering

/// The option that plays input, for every command that runs a scene.
struct InputOptions: ParsableArguments {
  @Option(
    parsing: .unconditional,
    help: ArgumentHelp(
      "Play the events of this script from the beginning on, as if somebody touched the screen. The help of framepace input has its words.",
      valueName: "file"),
    completion: .file())
  var input: String?

  func validate() throws {
    if input == "" { throw ValidationError("--input needs a value: use the name of an event script.") }
  }

  /// The script; nil without the option. Notes say which of its events are probably mistakes, or come too late.
  ///
  /// - Parameters:
  ///   - end: the time since the script's beginning after which nothing is seen; nil where there is none.
  ///   - isQuiet: true to print no note.
  @MainActor func script(until end: Nanoseconds? = nil, isQuiet: Bool = false) throws -> InputScript? {
    guard let input else { return nil }
    let (script, doubts) = try Self.read(input)
    if isQuiet { return script }
    doubts.forEach(Terminal.error.note)
    // An event whose line is below a later one is played with that.
    var (late, last) = (0, Nanoseconds.zero)
    for event in script.events {
      last = max(last, event.time - MonotonicTime.zero)
      if let end, last > end { late += 1 }
    }
    if let end, late > 0 {
      Terminal.error.note(
        "\(input.withoutControlCharacters): \(late) of \(script.events.count) events \(late == 1 ? "comes" : "come") after the end, "
          + "which is at \(Text.number(end.seconds)) s: the script goes on to \(Text.number(last.seconds)) s")
    }
    return script
  }

  /// Some hours of a hand on a touch screen, in bytes.
  private static let largestFile = 1 << 28

  /// Reads an event script.
  ///
  /// - Parameter path: "-" for the standard input.
  /// - Returns: with a sentence about each kind of event that is probably a mistake.
  static func read(_ path: String) throws -> (script: InputScript, doubts: [String]) {
    let bytes = try InputFile.contents(of: path, limit: largestFile)
    if let kind = FileKind(bytes), kind != .inputScript { throw Refusal(kind.sentence(of: path)) }
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw Refusal("'\(path)' is no text: name an event script, as framepace input --record writes them")
    }
    do throws(InputScriptError) {
      let script = try InputScript(text, file: path)
      var doubts = ScriptDoubts(script.events).sentences(path: path, text: text)
      // `libinput record` writes this word behind keys that it replaced.
      if InputScript.isRecording(text), text.contains("(obfuscated)") {
        doubts.append(
          "\(path.withoutControlCharacters): the recorder hid which keys were pressed: libinput record --show-keycodes keeps them"
        )
      }
      return (script, doubts)
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
