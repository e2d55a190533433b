import Geometry
import Raster

/// The lines of a paragraph at a width: all at its left edge, from its top, with offsets from its beginning.
final class ParagraphLines: Sendable {
  /// All that the lines depend on, beside the shaped paragraph and the lines before them.
  struct Request: Hashable, Sendable {
    var attributes: [AttributedText.Run]
    var color: Color
    var font: Font
    var style: TextLayout.Style
    var width: Double
  }

  let request: Request
  let paragraph: ShapedParagraph
  let lines: [TextLayout.Line]
  let isTruncated: Bool
  /// True if lines are missing that would be below the lowest place.
  let isStopped: Bool
  /// The width of the longest line.
  let width: Double
  /// The distance from the top of the first line to the bottom of the last.
  let height: Double
  /// The space between the last line and one that follows.
  let gap: Double

  /// - Parameters:
  ///   - limit: the number of lines that are shown, above 0.
  ///   - isFollowed: true if another paragraph follows, which is not shown where the limit is reached.
  ///   - lowest: the distance from the top below which nothing is shown. The first line that ends below it is the last one.
  init(
    _ request: Request, _ paragraph: ShapedParagraph, limit: Int, isFollowed: Bool, lowest: Double = .infinity
  ) {
    let setter = LineSetter(request, paragraph, limit: limit, isFollowed: isFollowed, lowest: lowest)
    (self.request, self.paragraph) = (request, paragraph)
    (lines, height, gap) = (setter.lines, setter.height, setter.gap)
    (isTruncated, isStopped) = (setter.isTruncated, setter.isStopped)
    width = lines.reduce(0) { max($0, $1.width) }
  }

  /// The first so many lines, where others follow that are not shown.
  func limited(to count: Int) -> ParagraphLines {
    ParagraphLines(request, paragraph, limit: count, isFollowed: true)
  }

  /// True if the same lines are right where other paragraphs are around this one.
  func isRight(limit: Int, isFollowed: Bool) -> Bool {
    !isTruncated && !isStopped && (lines.count < limit || lines.count == limit && !isFollowed)
  }
}

/// Sets the lines of a paragraph, one after the other.
private struct LineSetter {
  private let request: ParagraphLines.Request
  private let paragraph: ShapedParagraph
  private(set) var lines: [TextLayout.Line] = []
  private(set) var isTruncated = false
  private(set) var isStopped = false
  private(set) var height = 0.0
  private(set) var gap = 0.0

  init(
    _ request: ParagraphLines.Request, _ paragraph: ShapedParagraph, limit: Int, isFollowed: Bool, lowest: Double
  ) {
    (self.request, self.paragraph) = (request, paragraph)
    let (style, stops) = (request.style, paragraph.stops)
    let breaker = LineBreaker(paragraph: paragraph, wrapping: style.wrapping)
    var start = 0
    repeat {
      let indent = start == 0 ? style.firstLineIndent : 0
      let room = max(request.width - indent, 0)
      let line = breaker.line(from: start, width: room)
      let isLast = line.range.upperBound >= stops.count - 1
      let isTooWide =
        style.wrapping == .none && stops[line.visibleEnd].x - stops[start].x > room + LineBreaker.tolerance
      let isCut = lines.count + 1 >= limit && (!isLast || isFollowed)
      if isCut || isTooWide, style.truncation != .none {
        let pieces = LineTruncation(paragraph: paragraph, width: room).pieces(from: start, style.truncation)
        add(pieces, hanging: [], start..<stops.count - 1, indent: indent)
        isTruncated = true
      } else {
        isTruncated = isTruncated || isCut
        let (first, end) = (Int(stops[start].offset), Int(stops[line.visibleEnd].offset))
        var visible = paragraph.pieces(of: first..<end)
        if line.hasHyphen, let hyphen = paragraph.hyphen(before: end) { visible.append(hyphen) }
        if style.alignment == .justified, !isLast { justify(&visible, before: end, room) }
        let hanging = paragraph.hangingPieces(of: end..<Int(stops[line.range.upperBound].offset))
        add(visible, hanging: hanging, line.range, indent: indent)
      }
      start = line.range.upperBound
    } while start < stops.count - 1 && lines.count < limit && height <= lowest
    isStopped = start < stops.count - 1 && lines.count < limit
  }

  private mutating func add(
    _ visible: [LinePiece], hanging: [LinePiece], _ range: Range<Int>, indent: Double
  ) {
    var pieces = visible + hanging
    pieces = LineOrder.leftToRight(pieces.map(\.level)).map { pieces[$0] }
    let width = visible.width
    var pen = paragraph.level == 1 ? -hanging.width : 0
    for index in pieces.indices {
      pieces[index].x = pen
      pen += pieces[index].width
    }
    let metrics = LineMetrics(pieces, paragraph, request)
    let stops = paragraph.stops
    let top = height + (lines.isEmpty ? 0 : gap)
    lines.append(
      TextLayout.Line(
        range: Int(stops[range.lowerBound].offset)..<Int(stops[range.upperBound].offset),
        baseline: Point(0, top + metrics.baseline), width: width, top: top, height: metrics.height, runs: runs(of: pieces),
        pieces: pieces, indent: indent, paragraph: paragraph))
    (height, gap) = (top + metrics.height, metrics.gap)
  }

  /// Widens blanks, or the places between letters in scripts without blanks, until a line is as wide as it may be.
  private func justify(_ pieces: inout [LinePiece], before end: Int, _ width: Double) {
    let room = width - pieces.width
    guard room > 0 else { return }
    var places = places(in: pieces) { _, cluster in
      paragraph.stops[paragraph.stop(at: cluster.lowerBound)].place.contains(.expandable)
    }
    if places.isEmpty {
      places = self.places(in: pieces) { run, cluster in
        Self.scriptsWithoutBlanks.contains(paragraph.runs[run].style.script) && cluster.upperBound < end
      }
    }
    for place in places { pieces[place.piece].glyphs[place.glyph].advance += room / Double(places.count) }
  }

  private static let scriptsWithoutBlanks: Set<FontTag> = ["Hani", "Hira", "Kana", "Bopo"]

  /// The last glyphs of all clusters that `isPlace` takes by their run and their bytes.
  private func places(
    in pieces: [LinePiece], where isPlace: (_ run: Int, _ cluster: Range<Int>) -> Bool
  ) -> [(piece: Int, glyph: Int)] {
    var places: [(piece: Int, glyph: Int)] = []
    for (number, piece) in pieces.enumerated() where !piece.range.isEmpty {
      piece.glyphs.forEachCluster(in: piece.range, isRightToLeft: piece.isRightToLeft) { cluster in
        if isPlace(piece.run, cluster.range) { places.append((number, cluster.glyphs.upperBound - 1)) }
      }
    }
    return places
  }

  /// The glyphs of a line in runs of one look, from left to right.
  private func runs(of pieces: [LinePiece]) -> [TextLayout.Run] {
    var runs: [TextLayout.Run] = []
    for piece in pieces {
      let font = paragraph.runs[piece.run].font
      var (x, start) = (piece.x, 0)
      while start < piece.glyphs.count {
        let look = look(at: Int(piece.glyphs[start].cluster))
        var (pen, glyphs, end) = (0.0, [GlyphRun.Glyph](), start)
        while end < piece.glyphs.count, self.look(at: Int(piece.glyphs[end].cluster)) == look {
          let glyph = piece.glyphs[end]
          glyphs.append(GlyphRun.Glyph(id: glyph.id, x: pen + Double(glyph.xOffset), y: -Double(glyph.yOffset)))
          pen += glyph.advance
          end += 1
        }
        let attributes = request.attributes[look].attributes
        runs.append(
          TextLayout.Run(
            glyphs: GlyphRun(font: font, glyphs: &glyphs, width: pen), x: x,
            rise: attributes.rise, color: attributes.color ?? request.color, attributes: attributes,
            isHanging: piece.isHanging))
        (x, start) = (x + pen, end)
      }
    }
    return runs
  }

  /// The number of the attributes of a byte.
  private func look(at offset: Int) -> Int { request.attributes.part(offset..<offset).startIndex }
}

/// The heights of a line.
private struct LineMetrics {
  /// The distance of the baseline from the line's top.
  var baseline: Double
  var height: Double
  /// The space to the next line.
  var gap: Double

  init(_ pieces: [LinePiece], _ paragraph: ShapedParagraph, _ request: ParagraphLines.Request) {
    var (ascent, descent, gap) = (request.font.ascent, request.font.descent, request.font.lineGap)
    func add(_ font: Font, _ looks: ArraySlice<AttributedText.Run>) {
      gap = max(gap, font.lineGap)
      for look in looks {
        (ascent, descent) = (
          max(ascent, font.ascent + look.attributes.rise), max(descent, font.descent - look.attributes.rise)
        )
      }
    }
    for piece in pieces { add(paragraph.runs[piece.run].font, request.attributes.part(piece.range)) }
    if paragraph.source.text.isEmpty, let run = paragraph.runs.first { add(run.font, request.attributes[...]) }
    let wanted: Double
    switch request.style.lineHeight {
    case .natural:
      (baseline, height, self.gap) = (ascent, ascent + descent, gap)
      return
    case .multiple(let factor): wanted = factor * (ascent + descent + gap)
    case .fixed(let points): wanted = points
    }
    height = max(wanted, 0)
    baseline = (height - ascent - descent) / 2 + ascent
    self.gap = 0
  }
}

extension [AttributedText.Run] {
  /// Those of a part of the text; that of the byte where the part is empty.
  func part(_ range: Range<Int>) -> ArraySlice<AttributedText.Run> {
    let first = Swift.max(boundary { $0.start > range.lowerBound } - 1, 0)
    return self[first...].prefix { $0.start < Swift.max(range.upperBound, range.lowerBound + 1) }
  }
}

extension AttributedText.Attributes {
  /// The height above the line's baseline.
  fileprivate var rise: Double { (baselineOffset ?? 0).usable }
}
