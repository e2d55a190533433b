extension KeyboardLayout.Names {
  /// Reads `/etc/default/keyboard`, keyboard(5): lines of the shell's assignments, such as `XKBLAYOUT="de"`, and comments. Whatever else a
  /// shell may do is refused, as is a value that it would change. Of several values the last counts; other variables are ignored.
  package init(keyboardFile bytes: [UInt8]) throws(KeyboardLayoutError) {
    self.init()
    for (index, line) in bytes.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false).enumerated() {
      var reader = AssignmentReader(line: line, number: index + 1)
      guard let (name, value) = try reader.assignment() else { continue }
      switch name {
      case "XKBRULES": rules = value
      case "XKBMODEL": model = value
      case "XKBLAYOUT": layout = value
      case "XKBVARIANT": variant = value
      case "XKBOPTIONS": options = value
      default: break
      }
    }
  }
}

/// Reads a line of a file of the shell's assignments.
private struct AssignmentReader {
  private let line: ArraySlice<UInt8>
  private let number: Int
  private var place: Int

  init(line: ArraySlice<UInt8>, number: Int) {
    (self.line, self.number, place) = (line, number, line.startIndex)
  }

  /// The variable and its value; nil for an empty line or a comment.
  mutating func assignment() throws(KeyboardLayoutError) -> (name: String, value: String)? {
    skipSpace()
    if isAtEnd { return nil }
    let name = take { Self.isLetter($0) || Self.isDigit($0) }
    guard let first = name.first, !Self.isDigit(first), next == UInt8(ascii: "=") else {
      throw mistake("NAME=value or a comment")
    }
    place += 1
    let value = try value()
    // `A="b"c` is one value to a shell.
    guard place == line.endIndex || Self.isSpace(line[place]) else { throw mistake("the end of the value") }
    skipSpace()
    guard isAtEnd else { throw mistake("the end of the line or a comment") }
    return (String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
  }

  private mutating func value() throws(KeyboardLayoutError) -> ArraySlice<UInt8> {
    let value: ArraySlice<UInt8>
    switch next {
    case let quote? where quote == UInt8(ascii: "\"") || quote == UInt8(ascii: "'"):
      place += 1
      value = take { $0 != quote && (quote == UInt8(ascii: "'") || !"$`\\".utf8.contains($0)) }
      guard next == quote else { throw mistake("a closing quote, and none of $, ` and \\ before it") }
      place += 1
    default:
      value = take { !Self.isSpace($0) && !"$`\\\"'|&;<>()*?[]~#!{}".utf8.contains($0) }
    }
    return value
  }

  private var next: UInt8? { place < line.endIndex ? line[place] : nil }
  /// True if nothing follows but a comment.
  private var isAtEnd: Bool { next == nil || next == UInt8(ascii: "#") }

  private mutating func skipSpace() { _ = take(while: Self.isSpace) }

  private mutating func take(while condition: (UInt8) -> Bool) -> ArraySlice<UInt8> {
    let taken = line[place...].prefix(while: condition)
    place = taken.endIndex
    return taken
  }

  private func mistake(_ expected: String) -> KeyboardLayoutError {
    .file(line: number, column: place - line.startIndex + 1, expected: expected)
  }

  private static func isSpace(_ byte: UInt8) -> Bool { " \t\r".utf8.contains(byte) }
  private static func isDigit(_ byte: UInt8) -> Bool { UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte }
  private static func isLetter(_ byte: UInt8) -> Bool {
    UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || byte == UInt8(ascii: "_")
  }
}
