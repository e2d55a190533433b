public import FrameTiming
import LinuxSystem

/// The stamps of a display, as a text for files and for people. `framepace vblank --record FILE` writes one.
///
/// ```
/// framepace vblanks 1
/// display HDMI-A-1
/// rate 60000/1001
/// 81273645000 4711
/// 81290328333 4712
/// ```
///
/// The first line names the format and its version; `display` and `rate` (refreshes a second, a fraction or a whole
/// number: the rate of the mode, not the measured one) follow. Each further line is one stamp in the order in which they
/// came: nanoseconds on the monotonic clock, and the sequence, 0 where the driver has none. Stamps stand as they were
/// delivered, repeated, backward and zero ones too: a model finds out what they are worth. Empty lines and those that
/// begin with `#` are skipped.
public struct VBlankRecording: Hashable, Sendable, CustomStringConvertible {
  /// The name of the display, in one line: control characters became spaces.
  public let displayName: String
  /// The nominal rate.
  public var refreshRate: RefreshRate
  /// In the order in which they came.
  public var vblanks: [VBlank]

  public init(displayName: String, refreshRate: RefreshRate, vblanks: [VBlank] = []) {
    var name = String.UnicodeScalarView()
    for scalar in displayName.unicodeScalars { name.append(scalar.properties.isLineOrControl ? " " : scalar) }
    self.displayName = String(Self.trimmed(Substring(String(name))))
    self.refreshRate = refreshRate
    self.vblanks = vblanks
  }

  // MARK: - Writing

  private static let format = "framepace vblanks"

  /// The whole file.
  public var description: String {
    var text = header
    for vblank in vblanks { text += Self.line(for: vblank) }
    return text
  }

  /// The lines before the first stamp. A recorder that writes while it listens begins with them, and adds a
  /// `line(for:)` for each stamp.
  public var header: String {
    let rate = refreshRate.denominator == 1 ? "" : "/\(refreshRate.denominator)"
    return "\(Self.format) 1\ndisplay \(displayName)\nrate \(refreshRate.numerator)\(rate)\n"
  }

  /// The line of one stamp, with its end.
  public static func line(for vblank: VBlank) -> String { "\(vblank.timestamp.nanoseconds) \(vblank.sequence)\n" }

  // MARK: - Reading

  /// The reason for which a text is no recording.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Reason: Hashable, Sendable {
      /// The first line is not `framepace vblanks`: it is another kind of file.
      case notARecording
      /// A version that this program does not know.
      case unknownVersion(String)
      /// A stamp, or the end, came before this field.
      case missing(String)
      /// The field was there already.
      case repeated(String)
      /// The rate is not a fraction from 1 to 1000 Hz.
      case invalidRate(String)
      /// The stamp is not two whole numbers.
      case invalidStamp(String)
    }

    /// From 1; the last line when something is missing at the end.
    public let line: Int
    public let reason: Reason

    public var description: String {
      switch reason {
      case .notARecording: "line \(line): not a recording of vblanks, which begins with '\(format) 1'"
      case .unknownVersion(let version): "line \(line): version '\(version)' of the format is not known; 1 is"
      case .missing(let field): "line \(line): a line '\(field) …' is missing before the stamps"
      case .repeated(let field): "line \(line): a second '\(field)'"
      case .invalidRate(let text):
        "line \(line): '\(text)' is no refresh rate; write refreshes a second, from 1 to 1000, as 60 or 60000/1001"
      case .invalidStamp(let text): "line \(line): '\(text)' is no stamp; write nanoseconds and sequence"
      }
    }
  }

  /// Reads what `description` writes.
  public init(parsing text: String) throws(ParseError) {
    var number = 0
    var isRecording = false
    var name: Substring?
    var rate: RefreshRate?
    var vblanks: [VBlank] = []
    for whole in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline) {
      number += 1
      let line = Self.trimmed(whole)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let (word, rest) = Self.firstWord(of: line)
      if !isRecording {
        guard line.hasPrefix(Self.format) else { throw ParseError(line: number, reason: .notARecording) }
        let version = Self.trimmed(line.dropFirst(Self.format.count))
        guard version == "1" else { throw ParseError(line: number, reason: .unknownVersion(String(version))) }
        isRecording = true
      } else if word == "display" {
        guard name == nil else { throw ParseError(line: number, reason: .repeated("display")) }
        name = rest
      } else if word == "rate" {
        guard rate == nil else { throw ParseError(line: number, reason: .repeated("rate")) }
        rate = Self.rate(rest)
        if rate == nil { throw ParseError(line: number, reason: .invalidRate(String(rest))) }
      } else {
        if name == nil { throw ParseError(line: number, reason: .missing("display")) }
        if rate == nil { throw ParseError(line: number, reason: .missing("rate")) }
        guard let nanoseconds = Int64(word), let sequence = UInt64(rest) else {
          throw ParseError(line: number, reason: .invalidStamp(String(line)))
        }
        vblanks.append(VBlank(timestamp: MonotonicTime(nanoseconds: nanoseconds), sequence: sequence))
      }
    }
    guard isRecording else { throw ParseError(line: number, reason: .notARecording) }
    guard let name else { throw ParseError(line: number, reason: .missing("display")) }
    guard let rate else { throw ParseError(line: number, reason: .missing("rate")) }
    self.init(displayName: String(name), refreshRate: rate, vblanks: vblanks)
  }

  private static func rate(_ text: Substring) -> RefreshRate? {
    let parts = text.split(separator: "/", omittingEmptySubsequences: false)
    guard parts.count <= 2, let numerator = parts.first.flatMap({ Int64($0) }) else { return nil }
    guard let denominator = parts.count == 2 ? Int64(parts[1]) : 1 else { return nil }
    return RefreshRate(numerator: numerator, denominator: denominator)
  }

  private static func firstWord(of line: Substring) -> (Substring, rest: Substring) {
    let end = line.firstIndex(where: \.isWhitespace) ?? line.endIndex
    return (line[..<end], trimmed(line[end...]))
  }

  private static func trimmed(_ text: Substring) -> Substring {
    let start = text.drop(while: \.isWhitespace)
    guard let last = start.lastIndex(where: { !$0.isWhitespace }) else { return "" }
    return start[...last]
  }
}

extension Unicode.Scalar.Properties {
  /// True for characters that would end a line, or not be seen in one.
  fileprivate var isLineOrControl: Bool {
    switch generalCategory {
    case .control, .lineSeparator, .paragraphSeparator: true
    default: false
    }
  }
}
