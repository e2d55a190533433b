import LinuxSystem

/// The place where a capture is not what its format asks for.
public struct CaptureError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Counted from 1.
  public let line: Int
  /// The character of the line, counted from 1.
  public let column: Int
  /// The content that the format asks for, with a verb: "milliseconds are".
  public let expected: String
  /// The content of the file at the place; nil at the end of a line or of the file.
  public let found: String?

  /// "line 7, column 12: 'fast' where milliseconds are expected"
  public var description: String {
    let found = found.map { "'\($0.withoutControlCharacters)'" } ?? "the end"
    return "line \(line), column \(column): \(found) where \(expected) expected"
  }
}

/// Text of lines whose writer may have been ended within the last of them.
package enum CutText {
  /// Reads a text. If its last line has no line break and cannot be read, what is before that line is read instead.
  ///
  /// - Returns: the value, and true if the last line was left out.
  /// - Throws: the error of the whole text, if it is in another line, or nothing else can be read.
  package static func read<Value>(
    _ bytes: UnsafeBufferPointer<UInt8>,
    as value: (UnsafeBufferPointer<UInt8>) throws(CaptureError) -> Value
  ) throws(CaptureError) -> (value: Value, isCut: Bool) {
    do {
      return (try value(bytes), false)
    } catch {
      guard let end = bytes.lastIndex(of: UInt8(ascii: "\n")), end < bytes.count - 1,
        error.line == bytes[...end].count(where: { $0 == UInt8(ascii: "\n") }) + 1,
        let whole = try? value(UnsafeBufferPointer(rebasing: bytes[...end]))
      else { throw error }
      return (whole, true)
    }
  }
}
