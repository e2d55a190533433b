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
  /// The width that lines may have, in points; that of the longest line with its indent where no limit was given.
  public let width: Double
  /// The width of the longest line, and the height of all.
  public let size: Size
  /// True if not all of the text is shown.
  public let isTruncated: Bool
  /// True if lines were left out for which there was no height.
  package let isCutShort: Bool
  /// From top to bottom, at least one.
  public let lines: [Line]
  let paragraphs: [Paragraph]
  fileprivate let font: FontRequest
  private let fonts: FontLibrary

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
  ///   - height: in points. Lines that would end below it are left out, but for the first, and the last one that stays has an ellipsis by
  ///     `style.truncation`. Nil or infinite for all lines.
  ///   - fonts: those that may be used.
  ///   - last: a layout whose paragraphs are taken over where nothing of them has changed.
  /// - Throws: the error of a font that cannot be opened, or `FontError.noFont` if there is none.
  public convenience init(
    _ text: AttributedText, font: FontRequest, color: Color = .black, style: Style = Style(), width: Double? = nil,
    height: Double? = nil, fonts: FontLibrary = .system, after last: TextLayout? = nil
  ) throws(FontError) {
    try self.init(
      text, font: font, color: color, style: style, width: width, height: height, fonts: fonts, after: last,
      longest: Self.longestText)
  }

  /// - Parameter longest: the bytes of the text that are set.
  init(
    _ text: AttributedText, font: FontRequest, color: Color = .black, style: Style = Style(), width: Double? = nil,
    height: Double? = nil, fonts: FontLibrary, after last: TextLayout? = nil, longest: Int
  ) throws(FontError) {
    let style = style.usable
    let limit = width.map { $0.isNaN ? 0 : max($0, 0) } ?? .infinity
    let lowest = height.map { $0.isNaN ? 0 : $0 } ?? .infinity
    let old = OldParagraphs(last.flatMap { $0.fonts === fonts && $0.font == font ? $0 : nil }, text)
    let base = try fonts.font(font)
    var texts = ParagraphTexts(text, longest: longest)
    var rest = max(style.maximumLines ?? .max, 1)
    var (paragraphs, top, isTruncated) = ([Paragraph](), 0.0, text.count > longest)
    var last: ParagraphSource?
    var isFollowed = false
    while rest > 0, paragraphs.isEmpty || paragraphs.bottom <= lowest, let next = texts.next() {
      let request = ParagraphLines.Request(attributes: next.runs, color: color, font: base, style: style, width: limit)
      let lines: ParagraphLines
      let same = old.first(at: next, paragraphs.count) {
        $0.request == request && $0.isRight(limit: rest, isFollowed: next.isFollowed)
      }
      if let same {
        lines = same
        texts.share(same.request.attributes)
      } else {
        let source = ParagraphSource(
          next.bytes, next.runs, font: font, direction: BaseDirection(style.direction), after: last)
        let known = old.first(at: next, paragraphs.count) { $0.paragraph.source == source }
        let paragraph = if let known { known.paragraph } else { try fonts.paragraph(source) }
        lines = ParagraphLines(
          request, paragraph, limit: rest, isFollowed: next.isFollowed, lowest: lowest - top)
      }
      last = lines.paragraph.source
      paragraphs.append(Paragraph(offset: next.offset, top: top, lines: lines))
      top += lines.height + lines.gap + style.paragraphSpacing
      rest -= lines.lines.count
      isFollowed = next.isFollowed && rest > 0
      isTruncated = isTruncated || lines.isTruncated
    }
    isCutShort = paragraphs.cut(below: lowest, isFollowed: isFollowed)
    let placed = limit < .infinity ? limit : paragraphs.flatMap(\.lines.lines).reduce(0) { max($0, $1.indent + $1.width) }
    var lines: [Line] = []
    lines.reserveCapacity(paragraphs.reduce(0) { $0 + $1.lines.lines.count })
    for paragraph in paragraphs {
      for line in paragraph.lines.lines {
        lines.append(line.placed(paragraph.offset, paragraph.top, placed, style.alignment))
      }
    }
    self.lines = lines
    (self.text, self.style, self.font, self.fonts) = (text, style, font, fonts)
    self.width = placed
    size = Size(paragraphs.reduce(0) { max($0, $1.lines.width) }, paragraphs.bottom)
    (self.paragraphs, self.isTruncated) = (paragraphs, isTruncated || isCutShort)
  }

  /// The characters for which no font has a glyph.
  public var missing: Set<Character> { paragraphs.reduce(into: []) { $0.formUnion($1.lines.paragraph.missing) } }
}

extension [TextLayout.Paragraph] {
  /// The distance of the last line's bottom from the top.
  fileprivate var bottom: Double { last.map { $0.top + $0.lines.height } ?? 0 }

  /// Leaves out the lines that end below a height, but for the first.
  ///
  /// - Parameter isFollowed: true if the text goes on behind the last paragraph, with lines that a height would show.
  /// - Returns: true if there are any.
  fileprivate mutating func cut(below height: Double, isFollowed: Bool) -> Bool {
    var isCut = false
    while let last, bottom > height,
      count > 1 || last.lines.lines.count > 1 || last.lines.isStopped || isFollowed && !isCut
    {
      // Added up as `bottom` is: where rounding let all lines fit here, the loop would not end.
      var fitting = last.lines.lines.prefix { last.top + ($0.top + $0.height) <= height }.count
      if fitting == 0, count > 1 {
        removeLast()
        fitting = self[count - 1].lines.lines.count
      }
      // A line that has an ellipsis now may be higher than it was: then it goes too.
      self[count - 1].lines = self[count - 1].lines.limited(to: Swift.max(fitting, 1))
      isCut = true
    }
    return isCut
  }
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

/// The paragraphs of the layout before, which has the same font.
private struct OldParagraphs {
  private let paragraphs: [TextLayout.Paragraph]
  private let utf8: Substring.UTF8View
  /// The bytes that the text had more.
  private let moved: Int

  init(_ layout: TextLayout?, _ text: AttributedText) {
    paragraphs = layout?.paragraphs ?? []
    utf8 = Substring(layout?.text.string ?? "").utf8
    moved = (layout?.text.count ?? 0) - text.count
  }

  /// The lines with a property, of the paragraph with the same text and number before a change, or at the same distance from the end
  /// behind it.
  func first(at next: ParagraphTexts.Element, _ number: Int, where isSame: (ParagraphLines) -> Bool) -> ParagraphLines? {
    if let lines = lines(number, of: next), isSame(lines) { return lines }
    let behind = paragraphs.boundary { $0.offset >= next.offset + moved }
    if let lines = lines(behind, of: next), isSame(lines) { return lines }
    return nil
  }

  private func lines(_ number: Int, of next: ParagraphTexts.Element) -> ParagraphLines? {
    guard paragraphs.indices.contains(number) else { return nil }
    let (start, lines) = (paragraphs[number].offset, paragraphs[number].lines)
    let count = lines.paragraph.source.text.count
    let first = utf8.index(utf8.startIndex, offsetBy: start)
    return count == next.bytes.count && utf8[first..<utf8.index(first, offsetBy: count)].hasSameBytes(as: next.bytes)
      ? lines : nil
  }
}
