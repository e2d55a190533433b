/// A line of a recording by `libinput record`, which is read from left to right.
///
/// The file is called YAML, and is not quite: a device's name stands in quotes as it is, with quotes of its own. Each line has one item,
/// and its indentation says what the item belongs to, so that lines are all that there is to read.
struct RecordingLine {
  /// Counted from 1.
  let number: Int
  /// The number of spaces before the text.
  let indentation: Int
  /// True for an item of a list, whose dash was read.
  let isItem: Bool

  private let file: String?
  private let bytes: ArraySlice<UInt8>
  private var next: Int

  /// Nil for an empty line and for a comment.
  init?(_ bytes: ArraySlice<UInt8>, number: Int, file: String?) {
    let bytes = bytes.last == UInt8(ascii: "\r") ? bytes.dropLast() : bytes
    guard let start = bytes.firstIndex(where: { $0 != UInt8(ascii: " ") }), bytes[start] != UInt8(ascii: "#") else {
      return nil
    }
    (self.bytes, self.number, self.file) = (bytes, number, file)
    indentation = start - bytes.startIndex
    isItem = bytes[start...].starts(with: "- ".utf8)
    next = isItem ? start + 2 : start
    skipSpaces()
  }

  // MARK: Parts

  /// True if the text goes on with the character.
  func has(_ character: Unicode.Scalar) -> Bool { next < bytes.endIndex && bytes[next] == UInt8(ascii: character) }

  /// Reads a name with its colon.
  mutating func key(_ expected: String = "a name and a colon") throws(InputScriptError) -> String {
    let name = bytes[next...].prefix { UInt8(ascii: "a")...UInt8(ascii: "z") ~= $0 || $0 == UInt8(ascii: "_") }
    guard !name.isEmpty, name.endIndex < bytes.endIndex, bytes[name.endIndex] == UInt8(ascii: ":") else {
      throw unexpected(expected)
    }
    next = name.endIndex + 1
    skipSpaces()
    return String(decoding: name, as: UTF8.self)
  }

  mutating func integer(_ expected: String, in range: ClosedRange<Int>) throws(InputScriptError) -> Int {
    let digits = bytes[next...].prefix { UInt8(ascii: "0")...UInt8(ascii: "9") ~= $0 || $0 == UInt8(ascii: "-") }
    guard let value = Int(String(decoding: digits, as: UTF8.self)), range.contains(value) else {
      throw unexpected(expected)
    }
    next = digits.endIndex
    skipSpaces()
    return value
  }

  /// Reads the character and the spaces behind it.
  mutating func skip(_ character: Unicode.Scalar) throws(InputScriptError) {
    guard has(character) else { throw unexpected("\"\(character)\"") }
    next += 1
    skipSpaces()
  }

  /// Reads numbers in brackets with commas between them.
  mutating func integers(_ expected: String, in range: ClosedRange<Int>) throws(InputScriptError) -> [Int] {
    var values: [Int] = []
    try skip("[")
    while !has("]") {
      if !values.isEmpty { try skip(",") }
      values.append(try integer(expected, in: range))
    }
    try skip("]")
    return values
  }

  /// Reads a text in quotes up to the last quote of the line.
  mutating func quoted() throws(InputScriptError) -> String {
    guard has("\"") else { throw unexpected("a name in quotes") }
    guard let end = bytes.lastIndex(of: UInt8(ascii: "\"")), end > next else {
      throw error("a closing quote", at: bytes.endIndex)
    }
    var text: [UInt8] = []
    for byte in bytes[next + 1..<end] {
      // Later versions put a backslash before a quote.
      if byte == UInt8(ascii: "\""), text.last == UInt8(ascii: "\\") { text.removeLast() }
      text.append(byte)
    }
    next = end + 1
    skipSpaces()
    return String(decoding: text, as: UTF8.self)
  }

  /// Reads all that is left.
  mutating func rest() -> String {
    defer { next = bytes.endIndex }
    return String(decoding: bytes[next...], as: UTF8.self)
  }

  /// Reads the end of the line, before which a comment may be.
  func readEnd() throws(InputScriptError) {
    guard next == bytes.endIndex || has("#") else { throw unexpected("the end of the line") }
  }

  private mutating func skipSpaces() { while has(" ") { next += 1 } }

  // MARK: Errors

  /// An error at the next character.
  ///
  /// - Parameter found: the word that is there, if it is not the one up to the next space.
  func unexpected(_ expected: String, found: String? = nil) -> InputScriptError { error(expected, at: next, found: found) }

  private func error(_ expected: String, at place: Int, found: String? = nil) -> InputScriptError {
    let column = String(decoding: bytes[..<place], as: UTF8.self).count + 1
    let word = String(decoding: bytes[place...].prefix { $0 != UInt8(ascii: " ") }, as: UTF8.self)
    return InputScriptError(
      file: file, line: number, column: column, expected: expected, found: found ?? (word.isEmpty ? nil : word))
  }
}
