public import FrameTiming
public import LinuxSystem

/// The stamps of a display, as a text for files and for people. `framepace vblank --record FILE` writes one.
///
/// ```
/// framepace vblanks 2
/// display HDMI-A-1
/// rate 60000/1001
/// 81273645000 4711 81273692113
/// 81290328333 4712 81290371402
/// ```
///
/// The first line names the format and its version; `display` and `rate` (refreshes a second, a fraction or a whole
/// number: the rate of the mode, not the measured one) follow. `clock` in place of `display` names a clock that replaced one:
/// its stamps are computed. Each further line is one stamp in the order in which they
/// came: nanoseconds on the monotonic clock, the sequence, 0 where the driver has none, and when it arrived. (Version 1 has no
/// arrivals.) Stamps stand as they were delivered, repeated, backward and zero ones too: a model finds out what they are worth. Empty lines and those that
/// begin with `#` are skipped.
public struct VBlankRecording: Hashable, Sendable, CustomStringConvertible {
  /// The name of the display or of the clock, in one line: control characters became spaces.
  public let displayName: String
  /// True if the stamps are a clock's, computed from its rate, and say nothing about a display.
  public let isFallback: Bool
  /// The nominal rate.
  public var refreshRate: RefreshRate
  /// In the order in which they came.
  public var vblanks: [VBlank]
  /// When each of them arrived; empty if that was not recorded.
  public var arrivals: [MonotonicTime]

  /// - Precondition: there are as many arrivals as vblanks, or none.
  public init(
    displayName: String, isFallback: Bool = false, refreshRate: RefreshRate, vblanks: [VBlank] = [],
    arrivals: [MonotonicTime] = []
  ) {
    precondition(arrivals.isEmpty || arrivals.count == vblanks.count, "each vblank has an arrival, or none has")
    var name = String.UnicodeScalarView()
    for scalar in displayName.unicodeScalars { name.append(scalar.properties.isLineOrControl ? " " : scalar) }
    self.displayName = String(Self.trimmed(Substring(String(name))))
    self.isFallback = isFallback
    self.refreshRate = refreshRate
    self.vblanks = vblanks
    self.arrivals = arrivals
  }

  /// The arrivals in an order that time can have, as a replay needs them. Where none were recorded, a vblank arrives when it
  /// is stamped, or an interval after the last one if its stamp cannot be right. An event that came twice comes twice at once.
  public var deliveries: [MonotonicTime] {
    // Times in the far future leave room to count on from them.
    let latest = MonotonicTime(nanoseconds: .max / 2)
    var last: MonotonicTime?
    return vblanks.indices.map { index in
      var time = min(arrivals.isEmpty ? vblanks[index].timestamp : arrivals[index], latest)
      if let last {
        let step = time - last
        let isWild = arrivals.isEmpty && (step > Self.longestPause || last - time > refreshRate.interval / 2)
        time = isWild ? min(last + refreshRate.interval, latest) : max(time, last)
      }
      last = time
      return time
    }
  }

  private static let longestPause = Nanoseconds.seconds(60)

  // MARK: - Writing

  private static let format = "framepace vblanks"

  /// The whole file.
  public var description: String {
    var text = header
    for (index, vblank) in vblanks.enumerated() {
      text += Self.line(for: vblank, arrival: arrivals.isEmpty ? nil : arrivals[index])
    }
    return text
  }

  /// The lines before the first stamp. A recorder that writes while it listens begins with them, and adds a
  /// `line(for:arrival:)` for each stamp: with arrivals if the recording that the header is of has some.
  public var header: String {
    let rate = refreshRate.denominator == 1 ? "" : "/\(refreshRate.denominator)"
    let version = arrivals.isEmpty ? 1 : 2
    let origin = isFallback ? "clock" : "display"
    return "\(Self.format) \(version)\n\(origin) \(displayName)\nrate \(refreshRate.numerator)\(rate)\n"
  }

  /// The line of one stamp, with its end.
  public static func line(for vblank: VBlank, arrival: MonotonicTime? = nil) -> String {
    "\(vblank.timestamp.nanoseconds) \(vblank.sequence)\(arrival.map { " \($0.nanoseconds)" } ?? "")\n"
  }

  // MARK: - Reading

  /// The reason for which a text is no recording.
  public struct ParseError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The fault of the line.
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
      /// The stamp is not two whole numbers, or three in version 2.
      case invalidStamp(String)
    }

    /// From 1; the last line when something is missing at the end.
    public let line: Int
    public let reason: Reason

    public var description: String {
      switch reason {
      case .notARecording: "line \(line): not a recording of vblanks, which begins with '\(format) 2'"
      case .unknownVersion(let version): "line \(line): version '\(version)' of the format is not known; 1 and 2 are"
      case .missing(let field): "line \(line): a line '\(field) …' is missing before the stamps"
      case .repeated(let field): "line \(line): a second '\(field)'"
      case .invalidRate(let text):
        "line \(line): '\(text)' is no refresh rate; write refreshes a second, from 1 to 1000, as 60 or 60000/1001"
      case .invalidStamp(let text):
        "line \(line): '\(text)' is no stamp; write nanoseconds, sequence and, in version 2, the arrival"
      }
    }
  }

  /// Reads what `description` writes.
  public init(parsing text: String) throws(ParseError) {
    var number = 0
    var fields: Int?
    var name: Substring?
    var isFallback = false
    var rate: RefreshRate?
    var vblanks: [VBlank] = []
    var arrivals: [MonotonicTime] = []
    var left = text[...]
    // Line by line: an array of the lines of a large file would take many times its memory.
    while !left.isEmpty {
      let whole = left.prefix { !$0.isNewline }
      left = left[whole.endIndex...].dropFirst()
      number += 1
      let line = Self.trimmed(whole)
      guard !line.isEmpty, !line.hasPrefix("#") else { continue }
      let (word, rest) = Self.firstWord(of: line)
      if fields == nil {
        guard line.hasPrefix(Self.format) else { throw ParseError(line: number, reason: .notARecording) }
        let version = Self.trimmed(line.dropFirst(Self.format.count))
        fields = ["1": 2, "2": 3][version]
        if fields == nil { throw ParseError(line: number, reason: .unknownVersion(String(version))) }
      } else if word == "display" || word == "clock" {
        guard name == nil else { throw ParseError(line: number, reason: .repeated(String(word))) }
        name = rest
        isFallback = word == "clock"
      } else if word == "rate" {
        guard rate == nil else { throw ParseError(line: number, reason: .repeated("rate")) }
        rate = Self.rate(rest)
        if rate == nil { throw ParseError(line: number, reason: .invalidRate(String(rest))) }
      } else {
        if name == nil { throw ParseError(line: number, reason: .missing("display")) }
        if rate == nil { throw ParseError(line: number, reason: .missing("rate")) }
        let words = rest.split(whereSeparator: \.isWhitespace)
        guard words.count + 1 == fields, let nanoseconds = Int64(word), let sequence = UInt64(words[0]) else {
          throw ParseError(line: number, reason: .invalidStamp(String(line)))
        }
        vblanks.append(VBlank(timestamp: MonotonicTime(nanoseconds: nanoseconds), sequence: sequence))
        if fields == 3 {
          guard let arrival = Int64(words[1]) else { throw ParseError(line: number, reason: .invalidStamp(String(line))) }
          arrivals.append(MonotonicTime(nanoseconds: arrival))
        }
      }
    }
    // A line that is missing would come after the last one.
    if text.last?.isNewline ?? true { number += 1 }
    guard fields != nil else { throw ParseError(line: number, reason: .notARecording) }
    guard let name else { throw ParseError(line: number, reason: .missing("display")) }
    guard let rate else { throw ParseError(line: number, reason: .missing("rate")) }
    self.init(
      displayName: String(name), isFallback: isFallback, refreshRate: rate, vblanks: vblanks, arrivals: arrivals)
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
