public import Geometry
public import Raster

/// Paragraphs of text in lines of a width. It does not change; any thread may use it.
///
/// Line breaks of the text separate paragraphs. Lines are broken by UAX 14, with a dictionary for Thai; directions are those of UAX 9; what
/// a font does not have is in another one of the library.
///
/// ```swift
/// let layout = try TextLayout("Ελληνικά, עברית", font: FontRequest(["Inter"], size: 14), width: 320)
/// layout.draw(in: context, at: Point(20, 20))
/// ```
public final class TextLayout: Sendable {
  /// The bytes of the text that are set; of a longer one the rest is left out.
  public static let longestText = 16 << 20

  public let text: AttributedText
  /// With every number that is not finite, or below 0 where it may not be, made 0.
  public let style: Style
  /// The width that lines may have, in points; that of the longest line where no limit was given.
  public let width: Double
  /// The width of the longest line, and the height of all.
  public let size: Size
  /// True if not all of the text is shown.
  public let isTruncated: Bool
  /// From top to bottom, at least one.
  public let lines: [Line]
  let paragraphs: [Paragraph]
  private let fonts: FontLibrary
  /// The paragraphs of the text, also those that are not shown.
  private let paragraphCount: Int

  struct Paragraph: Sendable {
    /// The byte of the text at which it begins.
    var offset: Int
    /// The distance of its first line from the top.
    var top: Double
    var lines: ParagraphLines
  }

  /// Sets a text.
  ///
  /// - Parameters:
  ///   - font: that of parts that name none; the height of every line is at least its own.
  ///   - color: that of parts that name none.
  ///   - width: in points; nil or infinite for lines as long as the text has them.
  ///   - fonts: those that may be used.
  ///   - last: a layout whose paragraphs are taken over where nothing of them has changed.
  /// - Throws: the error of a font that cannot be opened, or `FontError.noFont` if there is none.
  public init(
    _ text: AttributedText, font: FontRequest, color: Color = .black, style: Style = Style(), width: Double? = nil,
    fonts: FontLibrary = .system, after last: TextLayout? = nil
  ) throws(FontError) {
    let style = style.usable
    let sources = ParagraphText.paragraphs(of: text)
    let old = last.flatMap { $0.fonts === fonts ? $0 : nil }
    let moved = (old?.paragraphCount ?? 0) - sources.count
    func taken(_ index: Int, _ isSame: (ParagraphLines) -> Bool) -> ParagraphLines? {
      guard let old else { return nil }
      // Those before a change, and those behind it.
      for index in [index, index + moved] where old.paragraphs.indices.contains(index) {
        if isSame(old.paragraphs[index].lines) { return old.paragraphs[index].lines }
      }
      return nil
    }
    func source(_ index: Int) -> ParagraphSource {
      ParagraphSource(
        sources[index].bytes, sources[index].runs, font: font, direction: BaseDirection(style.direction))
    }
    func shaped(_ index: Int, _ source: ParagraphSource) throws(FontError) -> ShapedParagraph {
      if let same = taken(index, { $0.request.source == source }) { return same.paragraph }
      return try fonts.paragraph(source)
    }

    let limit = width.map { $0.isNaN ? 0 : max($0, 0) } ?? .infinity
    let base = try fonts.font(font)
    var rest = max(style.maximumLines ?? .max, 1)
    var (paragraphs, size, bottom, isTruncated) = ([Paragraph](), Size.zero, 0.0, false)
    for index in sources.indices {
      if rest == 0 {
        isTruncated = true
        break
      }
      let request = ParagraphLines.Request(
        source: source(index), attributes: sources[index].runs, color: color, font: base, style: style, width: limit)
      let isFollowed = index + 1 < sources.count
      let lines =
        if let same = taken(index, { $0.request == request && $0.isRight(limit: rest, isFollowed: isFollowed) }) {
          same
        } else {
          ParagraphLines(request, try shaped(index, request.source), limit: rest, isFollowed: isFollowed)
        }
      paragraphs.append(Paragraph(offset: sources[index].offset, top: bottom, lines: lines))
      size = Size(max(size.width, lines.lines.reduce(0) { max($0, $1.width) }), bottom + lines.height)
      bottom += lines.height + lines.gap + style.paragraphSpacing
      rest -= lines.lines.count
      isTruncated = isTruncated || lines.isTruncated
    }
    let placed = limit < .infinity ? limit : paragraphs.flatMap(\.lines.lines).reduce(0) { max($0, $1.indent + $1.width) }
    lines = paragraphs.flatMap { paragraph in
      paragraph.lines.lines.map { $0.placed(paragraph.offset, paragraph.top, placed, style.alignment) }
    }
    (self.text, self.style, self.fonts, self.width, self.size) = (text, style, fonts, placed, size)
    (self.paragraphs, self.isTruncated, paragraphCount) = (paragraphs, isTruncated, sources.count)
  }

  /// The characters for which no font has a glyph.
  public var missing: Set<Character> { paragraphs.reduce(into: []) { $0.formUnion($1.lines.paragraph.missing) } }
}

extension BaseDirection {
  fileprivate init(_ direction: TextLayout.Direction) {
    self =
      switch direction {
      case .natural: .natural
      case .leftToRight: .leftToRight
      case .rightToLeft: .rightToLeft
      }
  }
}

/// A paragraph of an attributed text.
private struct ParagraphText {
  /// The byte of the text at which it begins.
  var offset: Int
  /// Without the line break at its end.
  var bytes: ArraySlice<UInt8>
  /// Counted from the paragraph's beginning.
  var runs: [AttributedText.Run]

  static func paragraphs(of text: AttributedText) -> [ParagraphText] {
    let bytes = Array(text.string.utf8.prefix(text.whole(0..<TextLayout.longestText).upperBound))
    var paragraphs: [ParagraphText] = []
    var (start, run, index) = (0, 0, 0)
    func add(_ end: Int) {
      while run + 1 < text.runs.count, text.runs[run + 1].start <= start { run += 1 }
      let runs = text.runs[run...].prefix { $0.start < end || $0.start <= start }.map {
        AttributedText.Run(start: max($0.start - start, 0), attributes: $0.attributes)
      }
      paragraphs.append(ParagraphText(offset: start, bytes: bytes[start..<end], runs: runs))
    }
    while index < bytes.count {
      let length = lineBreak(bytes, index)
      if length > 0 {
        add(index)
        start = index + length
      }
      index += max(length, 1)
    }
    add(bytes.count)
    return paragraphs
  }

  /// The bytes of a line break that begins at an index; 0 if none does.
  private static func lineBreak(_ bytes: [UInt8], _ index: Int) -> Int {
    switch bytes[index] {
    case 0x0A, 0x0B, 0x0C: 1
    case 0x0D: index + 1 < bytes.count && bytes[index + 1] == 0x0A ? 2 : 1
    // U+0085, and U+2028 and U+2029.
    case 0xC2: index + 1 < bytes.count && bytes[index + 1] == 0x85 ? 2 : 0
    case 0xE2: index + 2 < bytes.count && bytes[index + 1] == 0x80 && bytes[index + 2] & 0xFE == 0xA8 ? 3 : 0
    default: 0
    }
  }
}
