import Glibc

/// The smallest parts of a scene's text. Commas, semicolons and colons separate them as blanks do; a comma also ends a value of
/// several words.
struct SceneToken: Equatable {
  enum Kind: Equatable {
    case word(String)
    /// The digits as they are written, and the letters behind them.
    case number(String, unit: String)
    case string(String)
    /// The hexadecimal digits of a colour.
    case color(String)
    case open
    case close
    case star
    /// Bytes that begin nothing.
    case other(String)
    /// A string with a mistake in it, as a message names it.
    case broken(String)
    case end
  }

  var kind: Kind
  /// The place of its first byte.
  var offset: Int
  /// The number of its line; the first is 1.
  var line = 1
  var isAfterComma = false

  /// The token as a message names it.
  var name: String {
    switch kind {
    case .word(let word): "\"\(Self.short(word))\""
    case .number(let digits, let unit): "\(Self.short(digits))\(Self.short(unit))"
    case .string(let text): "the string \"\(Self.short(text))\""
    case .color(let digits): "#\(Self.short(digits))"
    case .open: "\"{\""
    case .close: "\"}\""
    case .star: "\"*\""
    case .other(let text): "\"\(text)\""
    case .broken(let name): name
    case .end: "the end of the text"
    }
  }

  private static func short(_ text: String) -> String {
    let start = text.unicodeScalars.prefix(31)
    return start.count > 30 ? String(start.dropLast()) + "…" : text
  }
}

/// Takes a scene's text apart. No bytes are refused here: those that begin nothing become a token of their own.
struct SceneLexer {
  private let bytes: [UInt8]
  private var offset = 0
  private var line = 1

  /// - Parameter bytes: may begin with a byte order mark, as some editors write.
  init(_ bytes: [UInt8]) {
    self.bytes = bytes.starts(with: "\u{FEFF}".utf8) ? Array(bytes.dropFirst(3)) : bytes
  }

  mutating func next() -> SceneToken {
    let isAfterComma = skipBlanks()
    let (start, line) = (offset, line)
    return SceneToken(kind: kind(), offset: start, line: line, isAfterComma: isAfterComma)
  }

  /// The line and column of a byte, both from 1; the column in characters.
  func place(of offset: Int) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return (line, String(decoding: bytes[start..<max(offset, start)], as: UTF8.self).count + 1)
  }

  private mutating func kind() -> SceneToken.Kind {
    guard let first = peek() else { return .end }
    if startsNumber {
      let digits = number()
      // A word may follow at once only as a unit.
      return .number(digits, unit: take { Self.isLetter($0) || $0 == "%" })
    }
    if Self.isLetter(first) || first == "." || first == "-" {
      return .word(take { Self.isLetterOrDigit($0) || $0 == "." || $0 == "-" })
    }
    let start = offset
    offset += 1
    switch first {
    case "{": return .open
    case "}": return .close
    case "*": return .star
    case "\"": return string()
    case "/" where peek() == "*": return .broken("\"/*\": a comment goes from // to the end of its line")
    case "#":
      let digits = take(while: Self.isLetterOrDigit)
      return digits.isEmpty ? .broken("\"#\": a comment goes from // to the end of its line") : .color(digits)
    default:
      // A whole character, or a damaged one.
      while offset < bytes.count, bytes[offset] & 0xC0 == 0x80, offset - start < 4 { offset += 1 }
      return .other(text(from: start))
    }
  }

  /// A byte as the character with its number: all that has a meaning here is ASCII.
  private func peek(_ ahead: Int = 0) -> Unicode.Scalar? {
    offset + ahead < bytes.count ? Unicode.Scalar(bytes[offset + ahead]) : nil
  }

  /// - Returns: true if there was a comma.
  private mutating func skipBlanks() -> Bool {
    var hasComma = false
    while let next = peek() {
      if next == "/", peek(1) == "/" {
        skip { $0 != "\n" }
      } else if next <= " " || next == "," || next == ";" || next == ":" {
        if next == "," { hasComma = true }
        if next == "\n" { line += 1 }
        offset += 1
      } else {
        break
      }
    }
    return hasComma
  }

  private mutating func skip(while isPart: (Unicode.Scalar) -> Bool) {
    while let next = peek(), isPart(next) { offset += 1 }
  }

  private mutating func take(while isPart: (Unicode.Scalar) -> Bool) -> String {
    let start = offset
    skip(while: isPart)
    return text(from: start)
  }

  private func text(from start: Int) -> String { String(decoding: bytes[start..<offset], as: UTF8.self) }

  // MARK: Numbers

  private var startsNumber: Bool {
    let sign = signs(at: 0)
    return isDigit(at: sign) || (peek(sign) == "." && isDigit(at: sign + 1))
  }

  private mutating func number() -> String {
    let start = offset
    offset += signs(at: 0)
    skip(while: Self.isDigit)
    if peek() == ".", isDigit(at: 1) {
      offset += 1
      skip(while: Self.isDigit)
    }
    if peek() == "e" || peek() == "E", isDigit(at: 1 + signs(at: 1)) {
      offset += 1 + signs(at: 1)
      skip(while: Self.isDigit)
    }
    return text(from: start)
  }

  private func isDigit(at ahead: Int) -> Bool { peek(ahead).map(Self.isDigit) ?? false }
  /// 1 if a sign stands there, otherwise 0.
  private func signs(at ahead: Int) -> Int { peek(ahead) == "-" || peek(ahead) == "+" ? 1 : 0 }

  // MARK: Strings

  /// The rest of a string; the quotation mark before it was taken.
  private mutating func string() -> SceneToken.Kind {
    var text: [UInt8] = []
    while offset < bytes.count {
      let byte = bytes[offset]
      offset += 1
      switch Unicode.Scalar(byte) {
      case "\"": return .string(String(decoding: text, as: UTF8.self))
      // It would swallow the rest of the file.
      case "\n":
        line += 1
        return .broken("a string that does not end on its line")
      case "\\":
        guard let escaped = escape() else {
          return .broken(#"a string with a backslash before something else than ", \, n, t or u{…}"#)
        }
        text += escaped.utf8
      default: text.append(byte)
      }
    }
    return .broken("a string that does not end on its line")
  }

  private mutating func escape() -> String? {
    let letter = peek()
    offset += letter == nil ? 0 : 1
    switch letter {
    case "n": return "\n"
    case "t": return "\t"
    case "\"": return "\""
    case "\\": return "\\"
    case "u":
      guard peek() == "{" else { return nil }
      offset += 1
      let digits = take(while: Self.isLetterOrDigit)
      guard peek() == "}", let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else { return nil }
      offset += 1
      return String(scalar)
    default: return nil
    }
  }

  private static func isDigit(_ character: Unicode.Scalar) -> Bool { ("0"..."9").contains(character) }
  private static func isLetter(_ character: Unicode.Scalar) -> Bool {
    ("a"..."z").contains(character) || ("A"..."Z").contains(character) || character == "_"
  }
  private static func isLetterOrDigit(_ character: Unicode.Scalar) -> Bool { isLetter(character) || isDigit(character) }
}
