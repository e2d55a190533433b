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
    case end
  }

  var kind: Kind
  /// The place of its first byte.
  var offset: Int
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
    case .end: "the end of the text"
    }
  }

  private static func short(_ text: String) -> String {
    // Control characters must not reach a terminal.
    let isControl = { (scalar: Unicode.Scalar) in scalar.value < 32 || (127..<160).contains(scalar.value) }
    let line = text.unicodeScalars.prefix(30).map { isControl($0) ? " " : "\($0)" }.joined()
    return text.unicodeScalars.count > 30 ? line + "…" : line
  }
}

/// Takes a scene's text apart. No bytes are refused here: those that begin nothing become a token of their own.
struct SceneLexer {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  mutating func next() -> SceneToken {
    let isAfterComma = skipBlanks()
    let start = offset
    func token(_ kind: SceneToken.Kind) -> SceneToken {
      SceneToken(kind: kind, offset: start, isAfterComma: isAfterComma)
    }
    guard let byte = peek() else { return token(.end) }
    switch byte {
    case UInt8(ascii: "{"):
      offset += 1
      return token(.open)
    case UInt8(ascii: "}"):
      offset += 1
      return token(.close)
    case UInt8(ascii: "*"):
      offset += 1
      return token(.star)
    case UInt8(ascii: "\""):
      return token(string())
    case UInt8(ascii: "#"):
      offset += 1
      return token(.color(take(Self.isLetterOrDigit)))
    case _ where startsNumber:
      let digits = number()
      // A word may follow at once only as a unit.
      return token(.number(digits, unit: take(Self.isUnit)))
    case _ where Self.isLetter(byte) || byte == UInt8(ascii: ".") || byte == UInt8(ascii: "-"):
      return token(.word(take { Self.isLetterOrDigit($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: "-") }))
    default:
      return token(.other(character()))
    }
  }

  /// The line and column of a byte, both from 1; the column in characters.
  func place(of offset: Int) -> (line: Int, column: Int) {
    let before = bytes.prefix(offset)
    let line = before.count { $0 == UInt8(ascii: "\n") } + 1
    let start = before.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    return (line, String(decoding: bytes[start..<max(offset, start)], as: UTF8.self).count + 1)
  }

  private func peek(_ ahead: Int = 0) -> UInt8? {
    offset + ahead < bytes.count ? bytes[offset + ahead] : nil
  }

  /// - Returns: true if there was a comma.
  private mutating func skipBlanks() -> Bool {
    var hasComma = false
    while let byte = peek() {
      if byte == UInt8(ascii: "/"), peek(1) == UInt8(ascii: "/") {
        while let byte = peek(), byte != UInt8(ascii: "\n") { offset += 1 }
      } else if byte <= 32 || [UInt8(ascii: ","), UInt8(ascii: ";"), UInt8(ascii: ":")].contains(byte) {
        if byte == UInt8(ascii: ",") { hasComma = true }
        offset += 1
      } else {
        break
      }
    }
    return hasComma
  }

  private mutating func take(_ isPart: (UInt8) -> Bool) -> String {
    let start = offset
    while let byte = peek(), isPart(byte) { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  // MARK: Numbers

  private var startsNumber: Bool {
    func digit(_ ahead: Int) -> Bool { peek(ahead).map(Self.isDigit) ?? false }
    let sign = peek() == UInt8(ascii: "-") || peek() == UInt8(ascii: "+") ? 1 : 0
    return digit(sign) || (peek(sign) == UInt8(ascii: ".") && digit(sign + 1))
  }

  private mutating func number() -> String {
    let start = offset
    if let byte = peek(), !Self.isDigit(byte), byte != UInt8(ascii: ".") { offset += 1 }
    while let byte = peek(), Self.isDigit(byte) { offset += 1 }
    if peek() == UInt8(ascii: "."), peek(1).map(Self.isDigit) ?? false {
      offset += 1
      while let byte = peek(), Self.isDigit(byte) { offset += 1 }
    }
    if peek() == UInt8(ascii: "e") || peek() == UInt8(ascii: "E") {
      let sign = peek(1) == UInt8(ascii: "-") || peek(1) == UInt8(ascii: "+") ? 1 : 0
      if peek(1 + sign).map(Self.isDigit) ?? false {
        offset += 1 + sign
        while let byte = peek(), Self.isDigit(byte) { offset += 1 }
      }
    }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  // MARK: Strings

  private mutating func string() -> SceneToken.Kind {
    offset += 1
    var text: [UInt8] = []
    while let byte = peek() {
      offset += 1
      switch byte {
      case UInt8(ascii: "\""): return .string(String(decoding: text, as: UTF8.self))
      case UInt8(ascii: "\n"):
        // It would swallow the rest of the file.
        return .other("a string without its end")
      case UInt8(ascii: "\\"):
        guard let escaped = escape() else { return .other("\\") }
        text += escaped.utf8
      default: text.append(byte)
      }
    }
    return .other("a string without its end")
  }

  private mutating func escape() -> String? {
    guard let byte = peek() else { return nil }
    offset += 1
    switch byte {
    case UInt8(ascii: "n"): return "\n"
    case UInt8(ascii: "t"): return "\t"
    case UInt8(ascii: "\""): return "\""
    case UInt8(ascii: "\\"): return "\\"
    case UInt8(ascii: "u"):
      guard peek() == UInt8(ascii: "{") else { return nil }
      offset += 1
      let digits = take(Self.isLetterOrDigit)
      guard peek() == UInt8(ascii: "}"), let value = UInt32(digits, radix: 16), let scalar = Unicode.Scalar(value) else {
        return nil
      }
      offset += 1
      return String(scalar)
    default: return nil
    }
  }

  /// A whole character, or a damaged one.
  private mutating func character() -> String {
    let start = offset
    offset += 1
    while let byte = peek(), byte & 0xC0 == 0x80, offset - start < 4 { offset += 1 }
    return String(decoding: bytes[start..<offset], as: UTF8.self)
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
  private static func isLetter(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20) || byte == UInt8(ascii: "_")
  }
  private static func isLetterOrDigit(_ byte: UInt8) -> Bool { isLetter(byte) || isDigit(byte) }
  private static func isUnit(_ byte: UInt8) -> Bool { isLetter(byte) || byte == UInt8(ascii: "%") }
}
