public import Geometry

/// Text with attributes on parts of it: a value.
///
/// Places are offsets in bytes of UTF-8, as `String.utf8` counts them. One inside of a scalar counts as the one before it, one outside of
/// the text as the nearest end.
///
/// ```swift
/// let bold = AttributedText.Attributes { $0.font = FontRequest(["Inter"], size: 14, weight: 700) }
/// var text: AttributedText = "Departs in \("4 minutes", bold)"
/// text.set(AttributedText.Attributes { $0.underline = LineDecoration() }, in: 0..<7)
/// ```
public struct AttributedText: Hashable, Sendable {
  /// The look of a part of a text. Attributes that are nil are those of the whole text.
  public struct Attributes: Hashable, Sendable {
    public var font: FontRequest?
    public var color: Color?
    /// Points behind each letter; none in scripts whose letters are joined. There are no ligatures where it is not 0.
    public var letterSpacing: Double?
    /// Points by which the part is raised above the line's baseline.
    public var baselineOffset: Double?
    public var underline: LineDecoration?
    public var strikethrough: LineDecoration?
    /// The colour behind the part, as high as its font.
    public var background: Color?
    /// By RFC 3066, such as `ja`: fonts have letters that look otherwise in some languages. That at the beginning of a paragraph
    /// decides over fallback fonts and line breaks.
    public var language: String?
    /// True if no line may begin inside of the part.
    public var isUnbreakable: Bool?

    public init() {}
    public init(_ change: (inout Attributes) -> Void) { change(&self) }

    fileprivate mutating func set(_ other: Attributes) {
      font = other.font ?? font
      color = other.color ?? color
      letterSpacing = other.letterSpacing ?? letterSpacing
      baselineOffset = other.baselineOffset ?? baselineOffset
      underline = other.underline ?? underline
      strikethrough = other.strikethrough ?? strikethrough
      background = other.background ?? background
      language = other.language ?? language
      isUnbreakable = other.isUnbreakable ?? isUnbreakable
    }
  }

  /// Attributes from `start` to the next run.
  package struct Run: Hashable, Sendable {
    package var start: Int
    package var attributes: Attributes
  }

  public private(set) var string: String
  /// The first starts at 0. Neighbours differ, and none but the only one is empty.
  package private(set) var runs: [Run]

  public init(_ string: String, _ attributes: Attributes = Attributes()) {
    self.string = string
    runs = [Run(start: 0, attributes: attributes)]
  }

  /// True if the text is drawn as the other one. Equal strings may have other bytes, and other glyphs.
  package func hasSameBytes(as other: AttributedText) -> Bool {
    self == other && string.utf8.elementsEqual(other.string.utf8)
  }

  /// The length in bytes of UTF-8.
  public var count: Int { string.utf8.count }

  /// The attributes of the letter at an offset; at the end those of the last one.
  public func attributes(at offset: Int) -> Attributes {
    runs[max(runs.boundary { $0.start > offset } - 1, 0)].attributes
  }

  /// Sets those attributes of a part that are not nil in `attributes`.
  public mutating func set(_ attributes: Attributes, in range: Range<Int>) {
    let range = whole(range)
    if range.isEmpty { return }
    let (first, end) = (split(at: range.lowerBound), split(at: range.upperBound))
    for index in first..<end { runs[index].attributes.set(attributes) }
    joinEqualRuns(first...end)
  }

  /// Puts a text with its attributes in the place of a part.
  public mutating func replace(_ range: Range<Int>, with text: AttributedText) {
    let range = whole(range)
    let last = attributes(at: range.lowerBound)
    let (first, end) = count == 0 ? (0, 1) : (split(at: range.lowerBound), split(at: range.upperBound))
    let new = text.count == 0 ? [] : text.runs.map { Run(start: $0.start + range.lowerBound, attributes: $0.attributes) }
    let moved = text.count - range.count
    if moved != 0 { for index in runs[end...].indices { runs[index].start += moved } }
    runs.replaceSubrange(first..<end, with: new)
    if runs.isEmpty { runs = [Run(start: 0, attributes: last)] }
    string.replaceSubrange(index(range.lowerBound)..<index(range.upperBound), with: text.string)
    // Those of the other text differ from each other.
    joinEqualRuns(first + new.count...first + new.count)
    joinEqualRuns(first...first)
  }

  /// Puts a text with its attributes at the end.
  public mutating func append(_ text: AttributedText) { replace(count..<count, with: text) }

  private func index(_ offset: Int) -> String.Index { string.utf8.index(string.utf8.startIndex, offsetBy: offset) }

  /// The range inside of the text, between scalars.
  func whole(_ range: Range<Int>) -> Range<Int> {
    func whole(_ offset: Int) -> Int {
      var offset = min(max(offset, 0), count)
      while offset > 0, offset < count, string.utf8[index(offset)] & 0xC0 == 0x80 { offset -= 1 }
      return offset
    }
    return whole(range.lowerBound)..<whole(range.upperBound)
  }

  /// The number of the run that starts at `offset`, which is made if there is none; at the end of the text their count.
  private mutating func split(at offset: Int) -> Int {
    if offset >= count { return runs.count }
    let next = runs.boundary { $0.start >= offset }
    if next < runs.count, runs[next].start == offset { return next }
    runs.insert(Run(start: offset, attributes: runs[next - 1].attributes), at: next)
    return next
  }

  /// Joins those of these runs to the one before them that are equal to it.
  private mutating func joinEqualRuns(_ seams: ClosedRange<Int>) {
    let seams = seams.clamped(to: 1...max(runs.count - 1, 1))
    guard runs.count > 1 else { return }
    let joined = seams.filter { runs[$0].attributes != runs[$0 - 1].attributes }.map { runs[$0] }
    if joined.count < seams.count { runs.replaceSubrange(seams, with: joined) }
  }
}

/// A line below letters or through them. Its place and thickness are the font's.
public struct LineDecoration: Hashable, Sendable {
  /// The colour of the letters if nil.
  public var color: Color?

  public init(color: Color? = nil) { self.color = color }
}

extension AttributedText: ExpressibleByStringInterpolation {
  public init(stringLiteral value: String) { self.init(value) }
  public init(stringInterpolation: StringInterpolation) { self = stringInterpolation.text }

  public struct StringInterpolation: StringInterpolationProtocol {
    fileprivate var text = AttributedText("")

    public init(literalCapacity: Int, interpolationCount: Int) {}
    public mutating func appendLiteral(_ literal: String) { text.append(AttributedText(literal)) }
    public mutating func appendInterpolation(_ text: AttributedText) { self.text.append(text) }
    public mutating func appendInterpolation<Value>(_ value: Value) {
      text.append(AttributedText(String(describing: value)))
    }
    public mutating func appendInterpolation<Value>(_ value: Value, _ attributes: Attributes) {
      text.append(AttributedText(String(describing: value), attributes))
    }
  }
}
