import Glibc
import LinuxSystem
import Presentation
import RunLoops

/// The overlays that the environment of a process asks for: `FRAMEPACE_HUD=1 program` shows the meter and the damage in the frames of any
/// program that is built on the engine.
@MainActor
package enum EnvironmentOverlays {
  nonisolated static let variable = "FRAMEPACE_HUD"

  /// A value of the variable that says nothing.
  struct WrongValue: Error, CustomStringConvertible {
    let value: String

    var description: String {
      let names = FrameOverlay.allCases.map(\.rawValue).joined(separator: ", ")
      let value = String(value.prefix(60)).withoutControlCharacters
      return "\(variable) is '\(value)'; it takes 1 for the meter and the damage, 0 for nothing, or some of \(names), with "
        + "commas between them"
    }
  }

  /// True if the environment asks for any, in whatever words.
  nonisolated package static var areAskedFor: Bool {
    getenv(variable).map { !["", "0"].contains(String(cString: $0)) } ?? false
  }

  /// Those of this process. A wrong value is told once, and nothing is shown.
  private static let overlays: Set<FrameOverlay> = {
    guard let text = getenv(variable) else { return [] }
    do {
      return try parse(String(cString: text))
    } catch {
      StandardError.print(sentence: "framepace: \(error)")
      return []
    }
  }()

  static func parse(_ text: String) throws(WrongValue) -> Set<FrameOverlay> {
    switch text {
    case "", "0": return []
    case "1": return [.meter, .damage]
    default:
      var overlays: Set<FrameOverlay> = []
      for name in text.split(separator: ",", omittingEmptySubsequences: false) {
        guard let overlay = FrameOverlay(rawValue: String(name)) else { throw WrongValue(value: text) }
        overlays.insert(overlay)
      }
      return overlays
    }
  }

  /// Shows them on an output. An engine on manual time makes pictures for files or tests, which stay as they are.
  static func show(on output: Output, of engine: Engine) {
    guard engine.loop.clock.manual == nil, !overlays.isEmpty else { return }
    do {
      try engine.show(overlays, on: output)
    } catch {
      StandardError.print(sentence: "framepace: \(variable): \(error)")
    }
  }
}
