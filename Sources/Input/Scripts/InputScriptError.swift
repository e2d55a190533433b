import LinuxSystem

/// The place where an event script is not what it should be.
///
/// ```
/// drag.input:7:12: expected down, moved, up or cancelled, found "dwon"
/// ```
public struct InputScriptError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The name of the file, if the text came from one.
  public var file: String?
  /// Counted from 1.
  public var line: Int
  /// The Unicode scalar of the line, counted from 1.
  public var column: Int
  public var expected: String
  /// The word at the place; nil at the end of the line.
  public var found: String?

  public var description: String {
    let place = [file, "\(line)", "\(column)"].compactMap(\.self).joined(separator: ":").withoutControlCharacters
    let found = found.map { "\"\($0.prefix(40).description.withoutControlCharacters)\"" } ?? "the end of the line"
    return "\(place): expected \(expected), found \(found)"
  }
}
