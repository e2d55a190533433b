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
