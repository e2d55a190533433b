import LinuxSystem

/// A JSON value that was read.
package enum JSONTree: Equatable, Sendable {
  case null
  case truth(Bool)
  /// As it is written, so that whole numbers stay exact.
  case number(String)
  case text(String)
  case list([JSONTree])
  case object([String: JSONTree])

  /// The member of an object; nil if there is none, or this is none.
  package subscript(key: String) -> JSONTree? {
    if case .object(let members) = self { members[key] } else { nil }
  }

  package var double: Double? { if case .number(let digits) = self { Double(digits) } else { nil } }
  package var integer: Int64? { if case .number(let digits) = self { Int64(digits) } else { nil } }
  package var string: String? { if case .text(let text) = self { text } else { nil } }
  package var elements: [JSONTree]? { if case .list(let values) = self { values } else { nil } }
}

/// Reads JSON values from memory, one after the other, and tells where the text is none.
package struct JSONReader {
  private let bytes: UnsafeBufferPointer<UInt8>
  private var position = 0
  /// The number of the line, counted from 1.
  private(set) var line = 1
  private var lineStart = 0

  /// Values inside values may be this deep.
  private static let deepest = 64

  package init(_ bytes: UnsafeBufferPointer<UInt8>) { self.bytes = bytes }

  /// The one value of a file.
  package static func read(_ bytes: [UInt8]) throws(CaptureError) -> JSONTree {
    try bytes.withUnsafeBufferPointer { bytes throws(CaptureError) in
      var reader = JSONReader(bytes)
      guard let value = try reader.next() else { throw reader.error(expected: "a JSON value is") }
      reader.skipSpace()
      guard reader.byte == nil else { throw reader.error(expected: "the end of the file is") }
      return value
    }
  }

  /// The next value; nil at the end.
  package mutating func next() throws(CaptureError) -> JSONTree? {
    skipSpace()
    return byte == nil ? nil : try value(depth: 0)
  }

  private var byte: UInt8? { position < bytes.count ? bytes[position] : nil }

  mutating func skipSpace() {
    while let byte, byte == 0x20 || byte == 0x0A || byte == 0x0D || byte == 0x09 {
      position += 1
      if byte == 0x0A { (line, lineStart) = (line + 1, position) }
    }
  }

  private mutating func value(depth: Int) throws(CaptureError) -> JSONTree {
    skipSpace()
    guard depth < Self.deepest else { throw error(expected: "a value that is less than \(Self.deepest) deep is") }
    switch byte {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try list(depth: depth)
    case UInt8(ascii: "\""): return .text(try string())
    case UInt8(ascii: "t"): return try word("true", .truth(true))
    case UInt8(ascii: "f"): return try word("false", .truth(false))
    case UInt8(ascii: "n"): return try word("null", .null)
    default: return try number()
    }
  }

  private mutating func word(_ word: StaticString, _ value: JSONTree) throws(CaptureError) -> JSONTree {
    let length = word.utf8CodeUnitCount
    guard bytes.count - position >= length,
      bytes[position..<position + length].elementsEqual(UnsafeBufferPointer(start: word.utf8Start, count: length))
    else { throw error(expected: "'\(word)' is") }
    position += length
    return value
  }

  private mutating func number() throws(CaptureError) -> JSONTree {
    let start = position
    while let byte, "+-.eE0123456789".utf8.contains(byte) { position += 1 }
    let text = String(decoding: bytes[start..<position], as: UTF8.self)
    guard text.utf8.count < 40, text.utf8.first != UInt8(ascii: "+"), Double(text) != nil else {
      position = start
      throw error(expected: "a JSON value is")
    }
    return .number(text)
  }

  private mutating func list(depth: Int) throws(CaptureError) -> JSONTree {
    var values: [JSONTree] = []
    position += 1
    skipSpace()
    while byte != UInt8(ascii: "]") {
      values.append(try value(depth: depth + 1))
      try separator(before: UInt8(ascii: "]"), expected: "',' or ']' is")
    }
    position += 1
    return .list(values)
  }

  private mutating func object(depth: Int) throws(CaptureError) -> JSONTree {
    var members: [String: JSONTree] = [:]
    position += 1
    skipSpace()
    while byte != UInt8(ascii: "}") {
      guard byte == UInt8(ascii: "\"") else { throw error(expected: "a key in quotes is") }
      let key = try string()
      skipSpace()
      guard byte == UInt8(ascii: ":") else { throw error(expected: "':' is") }
      position += 1
      members[key] = try value(depth: depth + 1)
      try separator(before: UInt8(ascii: "}"), expected: "',' or '}' is")
    }
    position += 1
    return .object(members)
  }

  /// Passes over a comma between two values, and stops at the end of them.
  private mutating func separator(before end: UInt8, expected: String) throws(CaptureError) {
    skipSpace()
    if byte == end { return }
    guard byte == UInt8(ascii: ",") else { throw error(expected: expected) }
    position += 1
    skipSpace()
    guard byte != end else { throw error(expected: "another value is") }
  }

  private mutating func string() throws(CaptureError) -> String {
    position += 1
    var text: [UInt8] = []
    while let byte, byte != UInt8(ascii: "\"") {
      guard byte >= 0x20 else { throw error(expected: "a closing quote is") }
      position += 1
      if byte == UInt8(ascii: "\\") { try escape(into: &text) } else { text.append(byte) }
    }
    guard byte != nil else { throw error(expected: "a closing quote is") }
    position += 1
    return String(decoding: text, as: UTF8.self)
  }

  private mutating func escape(into text: inout [UInt8]) throws(CaptureError) {
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): text.append(bytes[position])
    case UInt8(ascii: "n"): text.append(0x0A)
    case UInt8(ascii: "t"): text.append(0x09)
    case UInt8(ascii: "r"): text.append(0x0D)
    case UInt8(ascii: "b"): text.append(0x08)
    case UInt8(ascii: "f"): text.append(0x0C)
    case UInt8(ascii: "u"):
      let digits = bytes[position + 1..<min(position + 5, bytes.count)]
      guard digits.count == 4, let code = UInt32(String(decoding: digits, as: UTF8.self), radix: 16) else {
        throw error(expected: "four hexadecimal digits are")
      }
      // Half of a pair has no meaning by itself.
      text += String(Unicode.Scalar(code) ?? "\u{FFFD}").utf8
      position += 4
    default: throw error(expected: "one of \" \\ / b f n r t u is")
    }
    position += 1
  }

  package func error(expected: String) -> CaptureError {
    let column = bytes[lineStart..<position].count { $0 & 0xC0 != 0x80 } + 1
    let found = byte.map { _ in
      String(decoding: bytes[position..<min(position + 20, bytes.count)].prefix { $0 != 0x0A }, as: UTF8.self)
    }
    return CaptureError(line: line, column: column, expected: expected, found: found)
  }
}
