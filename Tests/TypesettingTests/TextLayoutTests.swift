import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

private let red = Color(hex: 0xFF0000)
private let blue = Color(hex: 0x0000FF)

@Suite struct TextLayoutTests {
  let library: FontLibrary
  private let request = FontRequest(["DejaVu Sans"], size: 16)

  init() throws {
    library = try FontLibrary(files: fontFiles("DejaVuSans.ttf", "DejaVuSans-Bold.ttf", "Lohit-Devanagari.ttf"))
  }

  private func layout(
    _ text: AttributedText, width: Double? = nil, after last: TextLayout? = nil,
    _ change: (inout TextLayout.Style) -> Void = { _ in }
  ) throws -> TextLayout {
    try TextLayout(text, font: request, style: TextLayout.Style(change), width: width, fonts: library, after: last)
  }

  /// The bytes of the text that a line's glyphs show.
  private func shown(_ layout: TextLayout) -> [Int] {
    layout.paragraphs.flatMap { paragraph in
      paragraph.lines.lines.flatMap { line in line.pieces.flatMap { $0.range.map { $0 + paragraph.offset } } }
    }
  }

  private static let words = [
    "fluffy", "office", "AVATAR", "a", "well-known", "su\u{AD}per", "e\u{301}te\u{301}", "漢字仮名", "नमस्ते", "हिन्दी", "שלום", "עולם",
    "سلام",
    "مرحبا", "123", "no\u{A0}break", "(x)", "\u{200F}", "Ωμέγα", "\u{2067}אבג abc\u{2069}", "  ", "\n", "\u{2028}",
    "supercalifragilistic",
  ]

  private func randomText(_ random: inout SplitMix64) -> AttributedText {
    var text = AttributedText("")
    for _ in 0..<Int.random(in: 0...12, using: &random) {
      let word = Self.words.randomElement(using: &random) ?? ""
      let attributes = AttributedText.Attributes {
        if random.chance(0.2) { $0.letterSpacing = 2 }
        if random.chance(0.2) { $0.font = FontRequest(["DejaVu Sans"], size: 24, weight: 700) }
        if random.chance(0.2) { $0.baselineOffset = 4 }
        if random.chance(0.2) { $0.background = red }
        if random.chance(0.1) { $0.isUnbreakable = true }
      }
      text.replace(text.count..<text.count, with: AttributedText(word + (random.chance(0.8) ? " " : ""), attributes))
    }
    return text
  }

  private func randomStyle(_ random: inout SplitMix64) -> TextLayout.Style {
    TextLayout.Style {
      $0.alignment = TextLayout.Alignment.allCases.randomElement(using: &random) ?? .natural
      $0.wrapping = TextLayout.Wrapping.allCases.randomElement(using: &random) ?? .word
      $0.direction = TextLayout.Direction.allCases.randomElement(using: &random) ?? .natural
      $0.truncation = TextLayout.Truncation.allCases.randomElement(using: &random) ?? .end
      $0.lineHeight = [.natural, .multiple(1.3), .fixed(20)].randomElement(using: &random) ?? .natural
      if random.chance(0.3) { $0.maximumLines = Int.random(in: 1...3, using: &random) }
      if random.chance(0.2) { ($0.firstLineIndent, $0.paragraphSpacing) = (12, 7) }
    }
  }

  /// Rules that hold for every text, style and width.
  @Test func randomLayoutsKeepTheirPromises() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 10_000 : 400)) {
      var random = SplitMix64(seed: seed)
      let (text, style) = (randomText(&random), randomStyle(&random))
      let width = random.chance(0.1) ? nil : Double.random(in: 0...300, using: &random)
      let layout = try TextLayout(text, font: request, style: style, width: width, fonts: library)
      let name = "seed \(seed): \(text.string.debugDescription) \(style) \(width ?? -1)"

      // Every byte but those of line breaks is in one line, unless some are left out.
      let bytes = shown(layout).sorted()
      #expect(zip(bytes, bytes.dropFirst()).allSatisfy { $0 < $1 }, "\(name)")
      let paragraphs = layout.paragraphs.map { $0.offset..<$0.offset + $0.lines.paragraph.source.text.count }
      if !layout.isTruncated { #expect(bytes == paragraphs.flatMap { Array($0) }, "\(name)") }

      for (paragraph, lines) in layout.paragraphs.map({ ($0.lines.paragraph, $0.lines.lines) }) {
        for (index, line) in lines.enumerated() {
          // It fits, or it is a single piece that cannot be broken.
          let room = max(layout.width - (index == 0 ? style.firstLineIndent : 0), 0)
          if line.width <= room + 0.01 { continue }
          let end = line.pieces.filter { !$0.isHanging }.map(\.range.upperBound).max() ?? 0
          let places: TextBreaks.Place = style.wrapping == .word ? .line : [.line, .character]
          let canBreak = paragraph.stops.contains {
            line.range.lowerBound < $0.offset && $0.offset < end && !$0.place.isDisjoint(with: places)
              && !$0.place.contains(.blank)
          }
          #expect(!canBreak || style.wrapping == .none && style.truncation == .none, "\(name)")
        }
      }

      // Letters and points are each other's inverse.
      for offset in bytes {
        let rect = layout.rect(ofGlyphAt: offset)
        guard rect.width > 0.001 else { continue }
        let hit = layout.offset(at: Point(rect.midX, rect.midY))
        #expect(layout.rect(ofGlyphAt: hit.offset) == rect, "\(name)")
        let found = layout.rects(in: hit.offset..<hit.offset + 1)
        #expect(
          found.count == 1 && abs(found[0].minX - rect.minX) < 1e-6 && abs(found[0].width - rect.width) < 1e-6, "\(name)")
      }
      // The rectangles of all letters are as wide as those of each.
      let all = layout.rects(in: 0..<text.count).reduce(0.0) { $0 + $1.width }
      let glyphs = layout.lines.flatMap(\.runs).reduce(0.0) { $0 + $1.glyphs.width }
      if !layout.isTruncated, !text.string.contains("\u{AD}") { #expect(abs(all - glyphs) < 1e-6, "\(name)") }
      for offset in [0, text.count / 2, text.count, -3, text.count + 9] { _ = layout.caret(at: offset) }
    }
  }

  /// A layout after another one is the same as one by itself.
  @Test func layoutsAfterOthersAreTheSame() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 2000 : 100)) {
      var random = SplitMix64(seed: seed)
      let style = randomStyle(&random)
      var text = randomText(&random)
      var last: TextLayout?
      for _ in 0..<4 {
        let (a, b) = (Int.random(in: 0...text.count, using: &random), Int.random(in: 0...text.count, using: &random))
        text.replace(min(a, b)..<max(a, b), with: randomText(&random))
        let width = random.chance(0.5) ? 120.0 : 180
        let layout = try TextLayout(text, font: request, style: style, width: width, fonts: library, after: last)
        let alone = try TextLayout(text, font: request, style: style, width: width, fonts: library)
        #expect(layout.lines.map(\.range) == alone.lines.map(\.range), "seed \(seed)")
        #expect(layout.lines.map(\.baseline) == alone.lines.map(\.baseline), "seed \(seed)")
        #expect(layout.size == alone.size && layout.isTruncated == alone.isTruncated, "seed \(seed)")
        let (glyphs, expected) = (
          layout.lines.map { $0.runs.map(\.glyphs.glyphs) }, alone.lines.map { $0.runs.map(\.glyphs.glyphs) }
        )
        #expect(glyphs == expected, "seed \(seed)")
        last = layout
      }
    }
  }

  @Test func aChangedWordShapesItsParagraphAlone() throws {
    let library = try FontLibrary(files: fontFiles("DejaVuSans.ttf"))
    let face = try library.font(request).face
    let paragraph = "Over hill, over dale, AVATAR through bush, שלום עולם, through brier.\n"
    var text = AttributedText(String(repeating: paragraph, count: 50))
    let layout = try TextLayout(text, font: request, width: 140, fonts: library)
    let before = face.shapedCount
    text.replace(paragraph.utf8.count * 20..<paragraph.utf8.count * 20 + 4, with: "Under")
    let changed = try TextLayout(text, font: request, width: 140, fonts: library, after: layout)
    let count = face.shapedCount - before

    let alone = face.shapedCount
    let own = try FontLibrary(files: fontFiles("DejaVuSans.ttf"))
    let ownFace = try own.font(request).face
    _ = try TextLayout(AttributedText("Under" + paragraph.dropFirst(4).dropLast()), font: request, width: 140, fonts: own)
    #expect(count == ownFace.shapedCount && count > 0 && face.shapedCount == alone)
    for index in 0...50 where index != 20 {
      #expect(changed.paragraphs[index].lines === layout.paragraphs[index].lines)
    }
    // A colour is no reason to shape a text again.
    text.set(AttributedText.Attributes { $0.color = red }, in: 0..<9)
    _ = try TextLayout(text, font: request, width: 4000, fonts: library, after: changed)
    #expect(face.shapedCount == alone)
  }

  @Test func paragraphsAreKeptWithinABudget() throws {
    for number in 0..<3000 {
      _ = try layout(AttributedText("\(number) " + String(repeating: "some words ", count: 40)), width: 200)
    }
    let (cost, limit) = library.paragraphs.withLock { ($0.cost, $0.limit) }
    #expect(cost <= limit && cost > limit / 3)
  }

  @Test func linesAreAligned() throws {
    let text: AttributedText = "one two three\nfour"
    func left(_ alignment: TextLayout.Alignment, _ direction: TextLayout.Direction = .natural) throws -> [Double] {
      try layout(text, width: 400) { ($0.alignment, $0.direction) = (alignment, direction) }.lines.map(\.baseline.x)
    }
    let widths = try layout(text, width: 400).lines.map(\.width)
    #expect(try left(.left) == [0, 0] && left(.natural) == [0, 0])
    #expect(try left(.right) == widths.map { 400 - $0 } && left(.natural, .rightToLeft) == widths.map { 400 - $0 })
    #expect(try left(.center) == widths.map { (400 - $0) / 2 })
    let indented = try layout(text, width: 400) { ($0.firstLineIndent, $0.paragraphSpacing) = (30, 10) }
    #expect(indented.lines.map(\.baseline.x) == [30, 30])
    #expect(indented.size.height == (try layout(text, width: 400).size.height) + 10)
  }

  /// Kerning and ligatures end where a line does.
  @Test func linesAreShapedByThemselves() throws {
    let font = try library.font(request)
    for string in ["AVAVAVAVAVAV", "fifififififififi", "fffffffffff"] {
      for width in stride(from: 20.0, to: 60, by: 0.7) {
        let lines = try layout(AttributedText(string), width: width) { $0.wrapping = .character }.lines
        #expect(lines.count > 1)
        for line in lines {
          let alone = TextLine(
            String(string.utf8.prefix(line.range.upperBound).dropFirst(line.range.lowerBound)) ?? "", font: font)
          #expect(line.runs.flatMap { $0.glyphs.glyphs.map(\.id) } == alone.glyphs.map(\.id), "\(string) \(width)")
          #expect(abs(line.width - alone.width) < 1e-9 && line.width < width + 0.001, "\(string) \(width)")
        }
      }
    }
  }

  @Test func justifiedLinesAreAsWideAsTheLayout() throws {
    for string in ["several words that are set in lines of one width", "漢字仮名交じり文漢字仮名交じり文", "שלום עולם שלום עולם שלום"] {
      let layout = try layout(AttributedText(string), width: 130) { $0.alignment = .justified }
      #expect(layout.lines.count > 1)
      for line in layout.lines.dropLast() {
        #expect(abs(line.width - 130) < 1e-6)
        let rects = layout.rects(in: line.range)
        #expect(abs((rects.map(\.maxX).max() ?? 0) - 130) < 6 && abs((rects.map(\.minX).min() ?? 9)) < 6)
      }
      #expect((layout.lines.last?.width ?? 999) < 129)
    }
  }

  @Test func anEllipsisStandsForWhatHasNoRoom() throws {
    let text: AttributedText = "Over hill, over dale, thorough bush, thorough brier"
    let ellipsis = TextLine("…", font: try library.font(request)).glyphs[0].id
    func glyphs(_ truncation: TextLayout.Truncation) throws -> (place: Int, count: Int) {
      let layout = try layout(text, width: 150) { ($0.truncation, $0.maximumLines) = (truncation, 2) }
      #expect(layout.isTruncated && layout.lines.count == 2 && layout.lines.allSatisfy { $0.width <= 150 })
      let glyphs = layout.lines[1].runs.flatMap { $0.glyphs.glyphs }
      #expect(glyphs.count > 5)
      return (glyphs.firstIndex { $0.id == ellipsis } ?? -1, glyphs.count)
    }
    #expect(try glyphs(.start).place == 0 && glyphs(.none).place == -1)
    #expect(try glyphs(.end).place == glyphs(.end).count - 1)
    let middle = try glyphs(.middle)
    #expect(middle.place > 2 && middle.place < middle.count - 3)
    // One paragraph fits, another follows.
    let first = try layout("one\ntwo", width: 150) { $0.maximumLines = 1 }
    #expect(first.isTruncated && first.lines[0].runs.last?.glyphs.glyphs.last?.id == ellipsis)
    #expect(try !layout("one\ntwo", width: 150) { $0.maximumLines = 2 }.isTruncated)
    #expect(try layout("one two", width: 3).lines.count > 1)
  }

  @Test func linesHaveTheHeightThatIsAskedFor() throws {
    let font = try library.font(request)
    let text: AttributedText = "one\ntwo"
    func baselines(_ height: TextLayout.LineHeight) throws -> [Double] {
      try layout(text, width: 100) { $0.lineHeight = height }.lines.map(\.baseline.y)
    }
    #expect(try baselines(.natural) == [font.ascent, font.ascent + font.lineHeight])
    let half = (30 - font.ascent - font.descent) / 2
    #expect(try baselines(.fixed(30)) == [half + font.ascent, 30 + half + font.ascent])
    let double = try baselines(.multiple(2))
    #expect(abs(double[1] - double[0] - 2 * font.lineHeight) < 1e-9)
    #expect(try layout("").lines.count == 1 && layout("").size == Size(0, font.ascent + font.descent))
  }

  @Test func lettersHaveSpaceAndNoLigatures() throws {
    let plain = try layout("fifi")
    let spaced = try layout(AttributedText("fifi", AttributedText.Attributes { $0.letterSpacing = 3 }))
    #expect(plain.lines[0].runs[0].glyphs.glyphs.count == 2 && spaced.lines[0].runs[0].glyphs.glyphs.count == 4)
    let off = try layout(
      AttributedText(
        "fifi",
        AttributedText.Attributes { $0.font = FontRequest(["DejaVu Sans"], size: 16, features: [FontFeature("liga", 0)]) }))
    #expect(abs(spaced.size.width - off.size.width - 12) < 1e-9)
    let (joined, torn) = (
      "سلام" as AttributedText, AttributedText("سلام", AttributedText.Attributes { $0.letterSpacing = 9 })
    )
    #expect(try layout(joined).size.width == layout(torn).size.width)
    // A ligature's letters have carets.
    #expect(abs(plain.caret(at: 1).primary.minX - plain.size.width / 4) < 1e-9)
  }

  @Test func partsHaveTheirLooks() throws {
    let look = AttributedText.Attributes {
      ($0.color, $0.underline, $0.baselineOffset) = (red, LineDecoration(color: blue), 5)
    }
    let text: AttributedText = "a\("bb", look)c"
    let layout = try layout(text)
    let line = layout.lines[0]
    #expect(line.runs.map(\.color) == [.black, red, .black] && line.runs.map(\.rise) == [0, 5, 0])
    #expect(line.backgrounds.isEmpty && line.decorations.map(\.color) == [blue])
    let rect = line.decorations[0].rect
    #expect(abs(rect.width - line.runs[1].glyphs.width) < 1e-9 && rect.minX == line.runs[1].x)
    #expect(rect.minY > line.baseline.y - 5 && rect.maxY < line.baseline.y && rect.height > 0.5)
    #expect(try layout.lines[0].height == self.layout("a").lines[0].height + 5)
    #expect(layout.missing.isEmpty)
    #expect(try self.layout("a\u{10A80}").missing == ["\u{10A80}"])
  }

  @Test func aLineThroughSeveralFontsIsOne() throws {
    let look = AttributedText.Attributes {
      ($0.underline, $0.strikethrough, $0.background) = (LineDecoration(), LineDecoration(), blue)
    }
    let line = try layout("\("station नई hub", look) end").lines[0]
    let part = line.runs.prefix { $0.attributes == look }
    let fonts = part.map(\.glyphs.font)
    #expect(part.count == 3 && Set(fonts.map(\.face)).count == 2 && fonts[0].underline != fonts[1].underline)
    let width = part.reduce(0) { $0 + $1.glyphs.width }
    #expect(line.decorations.count == 2 && line.backgrounds.count == 1)
    for fill in line.decorations + line.backgrounds { #expect(abs(fill.rect.width - width) < 1e-9) }
    #expect(line.decorations[0].rect.height == fonts[0].underline.thickness)
    #expect(line.backgrounds[0].rect.minY == line.baseline.y - fonts[0].ascent)
    // The other font decides where most letters are in it.
    let other = try layout("\("a नई दिल्ली मुंबई", look)").lines[0]
    #expect(other.decorations.count == 2 && other.decorations[0].rect.height == fonts[1].underline.thickness)
  }

  @Test func directionsHaveTwoCarets() throws {
    let layout = try layout("ab שלום cd")
    let (primary, secondary) = layout.caret(at: 3)
    let hebrew = layout.rects(in: 3..<11)[0]
    #expect(abs(primary.minX - hebrew.minX) < 1e-6 && abs((secondary?.minX ?? 0) - hebrew.maxX) < 1e-6)
    #expect(layout.caret(at: 1).secondary == nil)
    // A letter from right to left ends at its left side.
    #expect(layout.offset(at: Point(hebrew.maxX - 1, 3)) == (3, false))
    #expect(layout.offset(at: Point(hebrew.minX + 1, 3)) == (9, true))
    // A part with both directions has two pieces.
    #expect(layout.rects(in: 1..<5).count == 2)
    #expect(layout.offset(at: Point(-5, 3)) == (0, false) && layout.offset(at: Point(999, 999)) == (13, true))
  }

  @Test func oddWidthsAndStylesAreHarmless() throws {
    for width in [0, -1, .nan, .infinity, 1e300] {
      for value in [0, -5, .nan, .infinity, 1e300] {
        _ = try layout("one two\nשלום", width: width) {
          ($0.firstLineIndent, $0.paragraphSpacing, $0.lineHeight, $0.maximumLines) = (value, value, .multiple(value), -3)
        }.caret(at: 3)
        _ = try layout(
          AttributedText("fi", AttributedText.Attributes { ($0.letterSpacing, $0.baselineOffset) = (value, value) }))
      }
    }
    for string in ["\n", "\r\n\r", "\u{2029}\u{85}", "a\u{0}\t\u{9F}b", "\u{202E}"] {
      let layout = try layout(AttributedText(string), width: 10)
      _ = (layout.rects(in: -5..<99), layout.offset(at: .zero))
    }
    #expect(try layout("a\r\nb\u{2028}c\u{85}d\n").lines.map(\.range) == [0..<1, 3..<4, 7..<8, 10..<11, 12..<12])
  }
}
