/// Reads lines of comma-separated cells from memory, one after the other. A cell may be quoted; lines may end with CR LF.
struct CaptureCells {
  let bytes: UnsafeBufferPointer<UInt8>
  /// The number of the line that was read last, counted from 1.
  private(set) var line = 0
  /// The cells of that line, with their quotes.
  private(set) var cells: [Range<Int>] = []
  private var lineStart = 0
  private var next = 0

  /// The bytes stay valid while this value is used. A byte order mark is passed over.
  init(_ bytes: UnsafeBufferPointer<UInt8>) {
    self.bytes = bytes
    if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { next = 3 }
  }

  /// Reads the next line that is not empty.
  ///
  /// - Returns: false at the end.
  mutating func read() throws(CaptureError) -> Bool {
    while next < bytes.count {
      line += 1
      lineStart = next
      cells.removeAll(keepingCapacity: true)
      let end = try readCells()
      if end > lineStart { return true }
    }
    cells.removeAll(keepingCapacity: true)
    return false
  }

  /// - Returns: the end of the line, without its line break.
  private mutating func readCells() throws(CaptureError) -> Int {
    var (start, position) = (next, next)
    scan: while position < bytes.count {
      switch bytes[position] {
      case UInt8(ascii: ","):
        cells.append(start..<position)
        start = position + 1
      case UInt8(ascii: "\n"): break scan
      case UInt8(ascii: "\"") where position == start: position = try closingQuote(of: position)
      default: break
      }
      position += 1
    }
    next = position + 1
    if position > start, bytes[position - 1] == UInt8(ascii: "\r") { position -= 1 }
    cells.append(start..<position)
    return position
  }

  /// The quote before a comma or the end of the line; a doubled one is text.
  private func closingQuote(of opening: Int) throws(CaptureError) -> Int {
    var position = opening + 1
    while position < bytes.count, bytes[position] != UInt8(ascii: "\n") {
      if bytes[position] == UInt8(ascii: "\"") {
        let isDoubled = position + 1 < bytes.count && bytes[position + 1] == UInt8(ascii: "\"")
        if !isDoubled { return position }
        position += 1
      }
      position += 1
    }
    throw error(at: position, found: nil, expected: "the closing quote of a cell is")
  }

  /// The text of a cell, without its quotes.
  func text(_ cell: Int) -> String {
    let range = cells[cell]
    let text = String(decoding: bytes[range], as: UTF8.self)
    guard text.utf8.count > 1, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else {
      return text
    }
    return String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"")
  }

  /// Throws unless the line has as many cells as `columns`.
  func require(columns: [String]) throws(CaptureError) {
    if cells.count < columns.count {
      throw atEnd(expected: "column \(cells.count + 1) of \(columns.count), \(columns[cells.count]), is")
    }
    guard cells.count == columns.count else {
      throw unexpected(columns.count, expected: "the end of the line after \(columns.count) columns is")
    }
  }

  /// The number in a cell, rounded to units of 10^-decimals; nil if it is not known: "NA" or nothing.
  ///
  /// - Parameters:
  ///   - decimals: from 0 to 9.
  ///   - expected: names the cell's content, with a verb: "milliseconds are".
  func number(_ cell: Int, decimals: Int, expected: String) throws(CaptureError) -> Int64? {
    let range = cells[cell]
    if range.isEmpty { return nil }
    if range.count == 2, bytes[range.lowerBound] == UInt8(ascii: "N"), bytes[range.lowerBound + 1] == UInt8(ascii: "A") {
      return nil
    }
    guard let number = DecimalNumber.parse(bytes, in: range, decimals: decimals) else {
      throw unexpected(cell, expected: expected)
    }
    return number
  }

  /// As `number`, without negative ones.
  func positive(_ cell: Int, decimals: Int, expected: String) throws(CaptureError) -> Int64? {
    let number = try number(cell, decimals: decimals, expected: expected)
    if let number, number < 0 { throw unexpected(cell, expected: expected) }
    return number
  }

  /// A whole number of any size, such as a stamp; nil if it is not known.
  func integer(_ cell: Int, expected: String) throws(CaptureError) -> Int64? {
    let range = cells[cell]
    if range.isEmpty { return nil }
    guard range.count < 21, let number = Int64(String(decoding: bytes[range], as: UTF8.self)) else {
      throw unexpected(cell, expected: expected)
    }
    return number
  }

  /// The error that a cell is something else. Long text is cut.
  func unexpected(_ cell: Int, expected: String) -> CaptureError {
    let range = cells[cell]
    let found = String(decoding: bytes[range.prefix(40)], as: UTF8.self) + (range.count > 40 ? "…" : "")
    return error(at: range.lowerBound, found: range.isEmpty ? nil : found, expected: expected)
  }

  /// The error that the line ends where something else should be.
  func atEnd(expected: String) -> CaptureError {
    error(at: cells.last?.upperBound ?? lineStart, found: nil, expected: expected)
  }

  private func error(at position: Int, found: String?, expected: String) -> CaptureError {
    // Bytes that go on a character are none of their own.
    let column = bytes[lineStart..<position].count { $0 & 0xC0 != 0x80 } + 1
    return CaptureError(line: line, column: column, expected: expected, found: found)
  }
}

/// Parses plain decimal numbers without going through floating point.
enum DecimalNumber {
  /// Larger numbers, in the units asked for, are no times: 10¹⁵ ns are 11 days.
  static let limit: Int64 = 1_000_000_000_000_000

  /// - Returns: the number in units of 10^-decimals, rounded; nil if it is none, or beyond the limit.
  static func parse(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>, decimals: Int) -> Int64? {
    var position = range.lowerBound
    let isNegative = position < range.upperBound && bytes[position] == UInt8(ascii: "-")
    if isNegative { position += 1 }
    var (value, digits, room) = (Int64(0), 0, decimals)
    var (isFraction, roundsUp) = (false, false)
    while position < range.upperBound {
      let byte = bytes[position]
      if byte == UInt8(ascii: "."), !isFraction {
        isFraction = true
      } else if byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
        let digit = Int64(byte - UInt8(ascii: "0"))
        digits += 1
        if !isFraction || room > 0 {
          value = value * 10 + digit
          if isFraction { room -= 1 }
          guard value <= limit else { return nil }
        } else if room == 0 {
          roundsUp = digit >= 5
          room = -1
        }
      } else {
        return digits > 0 && (byte | 0x20) == UInt8(ascii: "e") ? scientific(bytes, in: range, decimals: decimals) : nil
      }
      position += 1
    }
    guard digits > 0 else { return nil }
    while room > 0 {
      value *= 10
      room -= 1
      guard value <= limit else { return nil }
    }
    if roundsUp { value += 1 }
    return isNegative ? -value : value
  }

  /// A number with an exponent, which a C++ stream prints where it is large or small.
  private static func scientific(_ bytes: UnsafeBufferPointer<UInt8>, in range: Range<Int>, decimals: Int) -> Int64? {
    guard range.count < 40, let value = Double(String(decoding: bytes[range], as: UTF8.self)) else { return nil }
    var scaled = value
    for _ in 0..<decimals { scaled *= 10 }
    guard abs(scaled) <= Double(limit) else { return nil }
    return Int64(scaled.rounded())
  }
}
