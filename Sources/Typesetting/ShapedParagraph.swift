import LinuxSystem
import Raster

/// A paragraph, shaped once for lines of every width.
final class ShapedParagraph: Sendable {
  /// A place between two letters, in the order of the text.
  struct Stop: Sendable {
    /// In bytes of the paragraph.
    var offset: Int32
    var place: TextBreaks.Place
    /// False if letters around it look otherwise where a line begins here.
    var isSafe: Bool
    /// The sum of all advances before it, in points.
    var x: Double
  }

  let source: ParagraphSource
  /// 0 from left to right, 1 from right to left.
  let level: UInt8
  /// In the order of the text. One without bytes is for an ellipsis.
  let runs: [ShapedRun]
  /// The first is the beginning of the text, the last its end; in an empty text they are the same.
  let stops: [Stop]
  /// Those for which no font has a glyph.
  let missing: Set<Character>

  init(_ source: ParagraphSource, fonts: FontLibrary) throws(FontError) {
    let language = source.spans.first?.language ?? "und"
    let string = String(decoding: source.text, as: UTF8.self)
    let itemized = try fonts.itemize(
      string, source.spans.map { RequestSpan(start: $0.start, $0.request) }, direction: source.direction, language: language)
    let level = source.text.isEmpty && source.direction == .rightToLeft ? 1 : itemized.level
    if source.text.isEmpty, let span = source.spans.first {
      // Nothing has glyphs; but an ellipsis may stand there, and the line is as high as the font.
      let font = try fonts.font(span.request)
      runs = [ShapedRun(TextItem(range: 0..<0, font: font, script: "Zyyy", level: level, span: 0), 0..<0, span)]
    } else {
      var runs = itemized.items.flatMap { ShapedRun.runs(of: $0, source) }
      // Fonts of emoji have no ellipsis: behind the text there is a run of a font that has one.
      if !runs.contains(where: \.hasEllipsis), let span = source.spans.last {
        let (ellipsis, end) = (try fonts.itemize("…", [RequestSpan(span.request)]), source.text.count)
        runs += ellipsis.items.map {
          ShapedRun(TextItem(range: end..<end, font: $0.font, script: "Zyyy", level: level, span: 0), end..<end, span)
        }
      }
      self.runs = runs
    }
    stops = Self.stops(runs, source, TextBreaks(string, language: language))
    missing = Self.missing(runs, source.text)
    (self.source, self.level) = (source, level)
  }

  /// The memory that it takes or keeps in use, in bytes.
  var cost: Int {
    // A library keeps the first design of each file anyway; others last as long as something uses them.
    let designs = Set(runs.map(\.font.face)).filter { $0.index > 0 || !$0.variations.isEmpty }
    let glyphCount = runs.reduce(0) { $0 + $1.glyphs.count }
    return glyphCount * MemoryLayout<LineGlyph>.stride + runs.count * MemoryLayout<ShapedRun>.stride
      + stops.count * MemoryLayout<Stop>.stride + source.spans.count * MemoryLayout<ParagraphSource.Span>.stride
      + source.unbreakable.count * MemoryLayout<Range<Int>>.stride + source.text.count + designs.count * Self.designCost
      + 256
  }

  /// The bytes of a face without its file: tables of FreeType and HarfBuzz.
  private static let designCost = 64 << 10

  private static func stops(_ runs: [ShapedRun], _ source: ParagraphSource, _ breaks: TextBreaks) -> [Stop] {
    var stops = [Stop(offset: 0, place: breaks[0], isSafe: true, x: 0)]
    stops.reserveCapacity(source.text.count + 1)
    var x = 0.0
    for run in runs {
      run.glyphs.forEachCluster(in: run.range, isRightToLeft: run.isRightToLeft) { cluster in
        let inner = cluster.range.dropFirst().filter { breaks[$0].contains(.caret) || breaks[$0].contains(.line) }
        let start = cluster.range.lowerBound
        if start > 0, !breaks[start].isDisjoint(with: [.caret, .line, .character]) {
          stops.append(
            Stop(
              offset: Int32(start), place: breaks[start], isSafe: start == run.range.lowerBound || cluster.isSafe, x: x))
        }
        for (index, offset) in inner.enumerated() {
          let share = Double(index + 1) / Double(inner.count + 1)
          stops.append(
            Stop(offset: Int32(offset), place: breaks[offset], isSafe: false, x: x + cluster.advance * share))
        }
        x += cluster.advance
      }
    }
    if source.text.isEmpty { return stops }
    stops.append(Stop(offset: Int32(source.text.count), place: [], isSafe: true, x: x))
    var index = 0
    for range in source.unbreakable {
      while index < stops.count, stops[index].offset <= range.lowerBound { index += 1 }
      while index < stops.count, stops[index].offset < range.upperBound {
        stops[index].place.subtract([.line, .character])
        index += 1
      }
    }
    return stops
  }

  private static func missing(_ runs: [ShapedRun], _ text: [UInt8]) -> Set<Character> {
    var missing: Set<Character> = []
    for run in runs where run.glyphs.contains(where: { $0.id == 0 }) {
      run.glyphs.forEachCluster(in: run.range, isRightToLeft: run.isRightToLeft) { cluster in
        if !cluster.isComplete { missing.formUnion(String(decoding: text[cluster.range], as: UTF8.self)) }
      }
    }
    return missing
  }

  /// The number of the run that a byte is in.
  func run(at offset: Int) -> Int? { runs.isEmpty ? nil : max(runs.boundary { $0.range.lowerBound > offset } - 1, 0) }

  /// The number of the last stop that is not behind an offset.
  func stop(at offset: Int) -> Int { max(stops.boundary { $0.offset > offset } - 1, 0) }
}

/// A part of a paragraph in one font, script and direction.
struct ShapedRun: Sendable {
  let range: Range<Int>
  let font: Font
  let style: ShapingStyle
  let level: UInt8
  let letterSpacing: Double
  /// From left to right.
  private(set) var glyphs: [LineGlyph] = []

  var isRightToLeft: Bool { level & 1 != 0 }
  /// True if an ellipsis can be in its font.
  var hasEllipsis: Bool { font.hasGlyph(for: "…") || font.hasGlyph(for: ".") }

  /// The runs of an item, of which each span has its own.
  fileprivate static func runs(of item: TextItem, _ source: ParagraphSource) -> [ShapedRun] {
    var runs: [ShapedRun] = []
    var start = item.range.lowerBound
    var span = item.span
    while start < item.range.upperBound {
      let next = span + 1 < source.spans.count ? source.spans[span + 1].start : Int.max
      let end = min(next, item.range.upperBound)
      if end > start {
        var run = ShapedRun(item, start..<end, source.spans[span])
        run.glyphs = run.shape(run.range, of: source.text)
        runs.append(run)
      }
      (start, span) = (max(end, start), span + 1)
    }
    return runs
  }

  fileprivate init(_ item: TextItem, _ range: Range<Int>, _ span: ParagraphSource.Span) {
    self.range = range
    level = item.level
    style = ShapingStyle(script: item.script, language: span.language, isRightToLeft: item.level & 1 != 0)
    // Space between letters that are joined would tear them apart.
    letterSpacing = Self.joinedScripts.contains(item.script) ? 0 : span.letterSpacing
    var font = item.font
    // Those that the request names go before.
    if letterSpacing != 0 { font.features = [FontFeature("liga", 0), FontFeature("clig", 0)] + font.features }
    self.font = font
  }

  private static let joinedScripts: Set<FontTag> = ["Arab", "Syrc", "Mong", "Nkoo", "Mand", "Phag", "Adlm", "Rohg"]

  /// The glyphs of a part of the run. The whole text is around it: Arabic letters at its ends are joined as they would be in one line.
  func shape(_ part: Range<Int>, of text: [UInt8]) -> [LineGlyph] {
    var glyphs: [LineGlyph] = []
    glyphs.reserveCapacity(part.count)
    let unit = font.pointsPerUnit
    font.shape(part, of: text, style) { glyphs.append(LineGlyph($0, unit)) }
    if letterSpacing != 0 { glyphs.addSpace(letterSpacing, isRightToLeft: isRightToLeft) }
    return glyphs
  }
}

extension FontLibrary {
  /// A paragraph of the library's fonts; one that was asked for a short while ago is not shaped again.
  func paragraph(_ source: ParagraphSource) throws(FontError) -> ShapedParagraph {
    if let paragraph = paragraphs.withLock({ $0.value(for: source) }) { return paragraph }
    let paragraph = try ShapedParagraph(source, fonts: self)
    paragraphs.withLock { $0.insert(paragraph, for: source, cost: paragraph.cost) }
    return paragraph
  }
}

extension Array {
  /// The number of the first element with a property that all behind it have too.
  func boundary(where isBehind: (Element) -> Bool) -> Int {
    var (low, high) = (0, count)
    while low < high {
      let middle = (low + high) / 2
      if isBehind(self[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
