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
  /// The end of a text whose last line is cut, or may be.
  package struct End: Hashable, Sendable {
    /// Counted from 1.
    package let line: Int
    /// The place after the last character of the line, counted from 1.
    package let column: Int
    /// False if the line was read: only its last number may be cut.
    package let isLeftOut: Bool
  }

  /// Reads a text. If its last line has no line break and cannot be read, what is before that line is read instead.
  ///
  /// - Parameters:
  ///   - hasOpenEnd: true if a line that is cut can be read as another one, as its last number can.
  ///   - line: the line of an error, counted from 1.
  /// - Returns: the value, and the end of the text if that is, or may be, within a line.
  /// - Throws: the error of the whole text, if it is in another line, or nothing else can be read.
  package static func read<Value, Failure: Error>(
    _ bytes: UnsafeBufferPointer<UInt8>, hasOpenEnd: Bool = false, line: (Failure) -> Int,
    as value: (UnsafeBufferPointer<UInt8>) throws(Failure) -> Value
  ) throws(Failure) -> (value: Value, cut: End?) {
    let start = (bytes.lastIndex(of: UInt8(ascii: "\n")) ?? -1) + 1
    func end(isLeftOut: Bool) -> End {
      End(
        line: bytes[..<start].count { $0 == UInt8(ascii: "\n") } + 1,
        column: bytes[start...].count { $0 & 0xC0 != 0x80 } + 1, isLeftOut: isLeftOut)
    }
    do throws(Failure) {
      return (try value(bytes), hasOpenEnd && start < bytes.count ? end(isLeftOut: false) : nil)
    } catch {
      let end = end(isLeftOut: true)
      guard start > 0, start < bytes.count, line(error) == end.line,
        let before = try? value(UnsafeBufferPointer(rebasing: bytes[..<start]))
      else { throw error }
      return (before, end)
    }
  }
}
