import Geometry

/// The place in a text where it is not the path data of SVG.
public struct PathDataError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The number of the character, counted from 1.
  public let character: Int
  /// The thing that the format asks for: "a number".
  public let expected: String
  /// The character that stands there; nil at the end of the text.
  public let found: Character?

  /// "character 12: 'x' where a number is expected"
  public var description: String {
    "character \(character): \(found.map { "'\($0)'" } ?? "the end") where \(expected) is expected"
  }
}

extension Path {
  /// Reads the path data of SVG, the text of the attribute `d`: `"M10 10h80a10 10 0 0 1 10 10z"` (SVG 2, 9.3).
  ///
  /// A renderer of SVG draws what is before an error; here the error is thrown and nothing is read. An empty text is an empty path.
  public init(svg text: String) throws(PathDataError) {
    var reader = PathDataReader(text)
    self = try reader.read()
  }

  /// The path as the path data of SVG, which `init(svg:)` reads as the same elements; nil if a coordinate is not
  /// finite, or beyond 10³⁰⁰.
  public var svg: String? {
    var text = ""
    func number(_ value: Double) -> String {
      // The shortest that is read as the same number, and without the fraction of a whole one.
      let text = value.description
      return text.hasSuffix(".0") ? String(text.dropLast(2)) : text
    }
    for element in elements {
      let (letter, points): (Character, [Point]) =
        switch element {
        case .move(let end): ("M", [end])
        case .line(let end): ("L", [end])
        case .quadCurve(let end, let control): ("Q", [control, end])
        case .cubicCurve(let end, let control1, let control2): ("C", [control1, control2, end])
        case .close: ("Z", [])
        }
      guard points.allSatisfy(\.isInPathData) else { return nil }
      text.append(letter)
      text += points.map { "\(number($0.x)) \(number($0.y))" }.joined(separator: " ")
    }
    return text
  }
}

extension Point {
  /// False for points that are so far away that a sum of a few of them may be infinite.
  fileprivate var isInPathData: Bool { abs(x) <= 1e300 && abs(y) <= 1e300 }
}

/// Reads path data character by character.
private struct PathDataReader {
  private let text: String
  private let bytes: [UInt8]
  private var index = 0
  private var path = Path()
  /// The control point that a smooth curve after this command reflects.
  private var lastControl: (point: Point, command: Command)?

  private enum Command { case quad, cubic }

  init(_ text: String) {
    self.text = text
    bytes = Array(text.utf8)
  }

  mutating func read() throws(PathDataError) -> Path {
    skipBlanks()
    while index < bytes.count {
      guard path.isEmpty || "MmLlHhVvCcSsQqTtAaZz".utf8.contains(bytes[index]) else {
        throw error(expected: "a command or a number")
      }
      guard !path.isEmpty || bytes[index] | 0x20 == UInt8(ascii: "m") else { throw error(expected: "M or m") }
      let command = bytes[index]
      index += 1
      try read(command)
      skipBlanks()
    }
    return path
  }

  /// Reads the numbers of a command, as often as there are further ones.
  private mutating func read(_ letter: UInt8) throws(PathDataError) {
    let isRelative = letter & 0x20 != 0
    var letter = letter & ~0x20
    if letter == UInt8(ascii: "Z") {
      path.close()
      lastControl = nil
      return
    }
    skipBlanks()
    // A comma stands between numbers alone.
    if index < bytes.count, bytes[index] == UInt8(ascii: ",") { throw error(expected: "a number") }
    repeat {
      let base = isRelative ? path.currentPoint : .zero
      var control: (Point, Command)?
      switch letter {
      case UInt8(ascii: "M"):
        path.move(to: try point(base))
        // Further points are ends of lines.
        letter = UInt8(ascii: "L")
      case UInt8(ascii: "L"): path.line(to: try point(base))
      case UInt8(ascii: "H"):
        let x = base.x + (try number())
        path.line(to: try finite(Point(x, path.currentPoint.y)))
      case UInt8(ascii: "V"):
        let y = base.y + (try number())
        path.line(to: try finite(Point(path.currentPoint.x, y)))
      case UInt8(ascii: "C"), UInt8(ascii: "S"):
        let first = letter == UInt8(ascii: "C") ? try point(base) : reflection(of: .cubic)
        let second = try point(base)
        path.cubicCurve(to: try point(base), control1: first, control2: second)
        control = (second, .cubic)
      case UInt8(ascii: "Q"), UInt8(ascii: "T"):
        let middle = letter == UInt8(ascii: "Q") ? try point(base) : reflection(of: .quad)
        path.quadCurve(to: try point(base), control: middle)
        control = (middle, .quad)
      default: try arc(base)
      }
      lastControl = control
    } while hasNumber()
  }

  private mutating func arc(_ base: Point) throws(PathDataError) {
    let radii = Size(try number(), try number())
    let rotation = try number() * .pi / 180
    let isLarge = try flag()
    let clockwise = try flag()
    path.addEllipticalArc(to: try point(base), radii: radii, rotation: rotation, isLarge: isLarge, clockwise: clockwise)
  }

  private func reflection(of command: Command) -> Point {
    guard let lastControl, lastControl.command == command else { return path.currentPoint }
    return path.currentPoint * 2 - lastControl.point
  }

  // MARK: - Characters

  private mutating func point(_ base: Point) throws(PathDataError) -> Point {
    let x = base.x + (try number())
    let y = base.y + (try number())
    return try finite(Point(x, y))
  }

  private func finite(_ point: Point) throws(PathDataError) -> Point {
    guard point.isInPathData else {
      throw error(expected: "a smaller number before this place")
    }
    return point
  }

  private mutating func number() throws(PathDataError) -> Double {
    skipBlanksAndComma()
    let start = index
    if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") { index += 1 }
    var digits = skipDigits()
    if index < bytes.count, bytes[index] == UInt8(ascii: ".") {
      index += 1
      digits += skipDigits()
    }
    let mantissaEnd = index
    if index < bytes.count, bytes[index] | 0x20 == UInt8(ascii: "e") {
      index += 1
      if index < bytes.count, bytes[index] == UInt8(ascii: "-") || bytes[index] == UInt8(ascii: "+") { index += 1 }
      if skipDigits() == 0 { index = mantissaEnd }
    }
    guard digits > 0, let value = Double(String(decoding: bytes[start..<index], as: UTF8.self)), value.isFinite else {
      index = start
      throw error(expected: "a number")
    }
    return value
  }

  /// Reads 0 or 1, which needs nothing between it and what follows.
  private mutating func flag() throws(PathDataError) -> Bool {
    skipBlanksAndComma()
    guard index < bytes.count, bytes[index] == UInt8(ascii: "0") || bytes[index] == UInt8(ascii: "1") else {
      throw error(expected: "0 or 1")
    }
    index += 1
    return bytes[index - 1] == UInt8(ascii: "1")
  }

  /// True if a number follows, after a comma or not. A comma without one is left where it is, and is an error.
  private mutating func hasNumber() -> Bool {
    let start = index
    skipBlanksAndComma()
    if index < bytes.count, "+-.0123456789".utf8.contains(bytes[index]) { return true }
    index = start
    return false
  }

  private mutating func skipDigits() -> Int {
    let start = index
    while index < bytes.count, (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(bytes[index]) { index += 1 }
    return index - start
  }

  private mutating func skipBlanks() {
    while index < bytes.count, [0x20, 0x09, 0x0A, 0x0C, 0x0D].contains(bytes[index]) { index += 1 }
  }

  private mutating func skipBlanksAndComma() {
    skipBlanks()
    guard index < bytes.count, bytes[index] == UInt8(ascii: ",") else { return }
    index += 1
    skipBlanks()
  }

  private func error(expected: String) -> PathDataError {
    let place = text.utf8.index(text.startIndex, offsetBy: index)
    return PathDataError(
      character: text[..<place].count + 1, expected: expected, found: place < text.endIndex ? text[place...].first : nil)
  }
}
