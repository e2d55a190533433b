import Glibc
import ImageFiles
import LinuxSystem
import Raster

/// The reason why a scene's text cannot be used, with its place.
///
/// ```
/// card.scene:3:12: expected a number, found "wide"
/// ```
public struct SceneError: Error, Hashable, Sendable, CustomStringConvertible {
  public enum Reason: Hashable, Sendable {
    /// Something else stands there.
    case expected(String, found: String)
    /// Something stands there that was given already, at another place.
    case repeated(String, line: Int, column: Int)
    /// More of something than a scene may have.
    case tooMany(String, limit: Int)
    /// A font or an image that cannot be had.
    case file(String)
  }

  /// The name of the file, if the text came from one.
  public var file: String?
  /// The number of the line; the first is 1. Nil if the file itself cannot be read.
  public var line: Int?
  /// The number of the character in its line; the first is 1.
  public var column: Int?
  public var reason: Reason

  public var description: String {
    let place = [file, line.map { "\($0)" }, column.map { "\($0)" }].compactMap(\.self).joined(separator: ":")
    return place.isEmpty ? message : "\(place.withoutControlCharacters): \(message)"
  }

  /// The error without its place, with spaces for control characters.
  public var message: String {
    let message =
      switch reason {
      case .expected(let expected, let found): "expected \(expected), found \(found)"
      case .repeated(let name, let line, let column): "\(name) is given twice, first at \(line):\(column)"
      case .tooMany(let things, let limit): "more than \(limit) \(things)"
      case .file(let reason): reason
      }
    return message.withoutControlCharacters
  }
}

extension SceneError.Reason {
  /// The reason that a file cannot be read, and what to name instead if another file is needed.
  static func unreadable(_ file: String, _ error: SystemError, _ other: String) -> Self {
    let advice = [ENOENT, EISDIR, EFBIG].contains(error.errno) ? "; name \(other)" : ""
    return .file("\(file) cannot be read: \(error.reason)\(advice)")
  }

  static func image(_ error: PNGError) -> Self {
    switch error {
    case .file(let error): return .unreadable("the image \(error.subject)", error, "a PNG file")
    case .damaged:
      return .file("\(error), and a picture layer shows a file of another format: picture { file \"photo.jpg\" }")
    case .tooLarge, .animation, .outOfMemory: return .file("\(error)")
    }
  }

  static func picture(_ error: ImageFileError) -> Self {
    guard case .file(let error) = error else { return .file("\(error)") }
    return .unreadable("the picture \(error.subject)", error, "a PNG, JPEG, WebP, GIF, AVIF or SVG file")
  }

  static func font(_ error: FontError) -> Self {
    guard case .file(let error) = error else { return .file("\(error)") }
    return .unreadable("the font \(error.subject)", error, "a font file: .ttf, .otf or .ttc")
  }
}

/// The most that a scene may have of anything, so that a damaged file takes neither all memory nor the stack.
enum SceneLimit {
  static let bytes = 64 << 20
  static let depth = 200
  /// The number of layers, and that of each other kind of things.
  static let things = 100_000
  static let values = 1_000_000
  static let imagePixels = 1 << 27
  /// Designs of variable fonts and faces of collections, each of which has caches of its own.
  static let designs = 256
  /// Lists of font files, each of which is read and has caches of its own.
  static let libraries = 16
}

/// The things whose number is limited.
enum SceneThings: String {
  case layers, animations, states, transitions, events
}
