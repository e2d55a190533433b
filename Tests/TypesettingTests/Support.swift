import LinuxSystem
import Raster
@testable import Typesetting

/// The font files of the tests, found among the fonts of the system.
func fontFiles(_ names: String...) throws -> [String] { try names.map { try SystemFonts.path(of: $0) } }

/// The name of a font's file.
func file(_ font: Font) -> String { font.face.path.split(separator: "/").last.map(String.init) ?? "" }

extension FontLibrary {
  /// The parts of a text in one request, with the names of their files.
  func parts(
    of text: String, _ request: FontRequest = FontRequest(["Roboto"], size: 16), direction: BaseDirection = .natural
  ) throws -> [String] {
    let bytes = Array(text.utf8)
    return try itemize(text, [RequestSpan(request)], direction: direction).items.map {
      "\(String(decoding: bytes[$0.range], as: UTF8.self)) \($0.script) \($0.level) \(file($0.font))"
    }
  }
}
