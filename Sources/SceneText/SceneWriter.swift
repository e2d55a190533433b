import Geometry
import Layers
import LinuxSystem
import Raster

/// Collects a scene's text: lines with indentation, and the images that they name.
@MainActor
final class SceneWriter {
  /// The longest line on which properties are put together, in characters.
  private static let width = 100

  private(set) var lines: [String] = []
  /// The images in the order in which they were first named.
  private(set) var images: [Image] = []
  /// The shift of times on the display's clock: the scene's beginning.
  let origin: MonotonicTime
  /// Pixels of the output a point.
  let scale: Double
  let names: PrintedNames
  /// The time to take away from those of emitters' cells: see `shift(of:)`, of the layer that is written.
  var cellShift = Nanoseconds.zero
  private var indentation = 0
  private var imageNumbers: [UInt64: Int] = [:]
  private var fontNames: [String: String] = [:]
  /// The path of a file in the text.
  let filePath: (String) -> String

  init(
    origin: MonotonicTime = .zero, scale: Double = 1, names: PrintedNames = PrintedNames(),
    filePath: @escaping (String) -> String = { $0 }
  ) {
    self.origin = origin
    self.scale = scale
    self.names = names
    self.filePath = filePath
  }

  func line(_ text: String) { lines.append(String(repeating: "  ", count: indentation) + text) }

  /// Puts properties on as few lines as are easy to read.
  private func line(of properties: [String]) {
    var current = ""
    for property in properties {
      if !current.isEmpty, current.count + property.count + 2 + indentation * 2 > Self.width {
        line(current)
        current = ""
      }
      current += (current.isEmpty ? "" : "; ") + property
    }
    if !current.isEmpty { line(current) }
  }

  /// `head { … }` with properties and what the body writes, on one line if there is no more in it than a line of properties.
  func block(_ head: String, _ properties: [String] = [], _ body: () -> Void = {}) {
    let start = lines.count
    line("\(head) {")
    indentation += 1
    line(of: properties)
    let bodyStart = lines.count
    body()
    indentation -= 1
    let short = properties.isEmpty ? "\(head) {}" : "\(head) { \(properties.joined(separator: "; ")) }"
    guard lines.count == bodyStart, short.count + indentation * 2 <= Self.width else { return line("}") }
    lines.removeSubrange(start...)
    line(short)
  }

  // MARK: Names

  func name(of image: Image) -> String {
    let number = imageNumbers[image.id] ?? images.count + 1
    if imageNumbers[image.id] == nil {
      imageNumbers[image.id] = number
      images.append(image)
    }
    return "image\(number)"
  }

  /// The name of the font's file, where the system finds it by that alone, otherwise its path.
  func name(of face: FontFace) -> String {
    name(ofFont: face.path)
  }

  func name(ofFont path: String) -> String {
    if let name = fontNames[path] { return name }
    let file = path.split(separator: "/").last.map(String.init) ?? path
    let found = try? SystemFonts.path(of: file)
    let name = found == path ? file : filePath(path)
    fontNames[path] = name
    return name
  }

  // MARK: Strings

  static func quoted(_ text: String) -> String {
    var result = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"": result += "\\\""
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\t": result += "\\t"
      case _ where scalar.value < 32 || scalar.value == 127: result += "\\u{\(String(scalar.value, radix: 16))}"
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result + "\""
  }

  /// A word where the name is one and has no meaning of its own, otherwise a string. Before a brace a name is always a string.
  static func name(_ name: String) -> String {
    var lexer = SceneLexer(Array(name.utf8))
    let isWord = lexer.next().kind == .word(name) && lexer.next().kind == .end && !name.contains(".")
    return isWord && name != "none" ? name : quoted(name)
  }
}
