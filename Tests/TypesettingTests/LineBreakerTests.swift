import CPangoLayout
import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

@Suite struct LineBreakerTests {
  private static let files = ["DejaVuSans.ttf", "Lohit-Devanagari.ttf"]
  let library: FontLibrary

  init() throws { library = try FontLibrary(files: Self.files.map { try SystemFonts.path(of: $0) }) }

  /// The bytes at which PangoLayout begins lines.
  private func pangoStarts(_ text: String, width: Double, _ wrapping: cpangolayout_wrapping) throws -> [Int] {
    let files = try Self.files.map { try SystemFonts.path(of: $0) }
    var starts = [UInt32](repeating: 0, count: text.utf8.count + 1)
    let count = files[0].withCString { first in
      files[1].withCString { second in
        cpangolayout_line_starts([first, second], 2, "DejaVu Sans", 16, text, width, wrapping, &starts, starts.count)
      }
    }
    return starts.prefix(count).map { Int($0) }
  }

  /// All in the fonts: for other letters Pango shows boxes of another width.
  private static let words = [
    "framepace", "a", "of", "well-known", "co-operate", "su\u{AD}per\u{AD}cali", "3.5", "AVATAR", "Wörter", "quick/slow",
    "e\u{301}te",
    "नमस्ते", "हिन्दी", "(brackets)", "\u{201C}quoted\u{201D}", "100%", "שלום", "עולם", "سلام", "مرحبا",
    "no\u{A0}break", "end.",
    "zero\u{200B}width", "word\u{2060}joiner", "Łódź", "Ελλάδα", "Москва", "x=y+z", "supercalifragilistic",
  ]

  /// Pango measures in whole 1/1024 of a point, and does not shape the letters at the ends of lines anew. So a line of its may be that of
  /// a width that differs by less than a kerning pair.
  @Test func linesBeginWherePangoBeginsThem() throws {
    var (exact, all) = (0, 0)
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 4000 : 150)) {
      var random = SplitMix64(seed: seed)
      let words = (0..<Int.random(in: 1...25, using: &random)).map { _ in Self.words.randomElement(using: &random) ?? "" }
      let width = Double.random(in: 20...400, using: &random)
      let isWord = random.chance(0.5)
      let (wrapping, pango) =
        isWord ? (TextLayout.Wrapping.word, CPANGOLAYOUT_WORD) : (.wordThenCharacter, CPANGOLAYOUT_WORD_THEN_CHARACTER)
      var text = words.joined(separator: " ")
      // Pango has hyphens at all places or at none, if it breaks words anywhere.
      if !isWord { text.unicodeScalars.removeAll { $0 == "\u{AD}" } }
      let expected = try pangoStarts(text, width: width, pango)
      let source = ParagraphSource(
        text.utf8, AttributedText(text).runs, font: FontRequest(["DejaVu Sans"], size: 16), direction: .natural)
      let paragraph = try library.paragraph(source)
      let breaker = LineBreaker(paragraph: paragraph, wrapping: wrapping)
      for (start, end) in zip(expected, expected.dropFirst() + [text.utf8.count]) {
        func isEqual(_ difference: Double) -> Bool {
          let line = breaker.line(from: paragraph.stop(at: start), width: width + difference)
          return paragraph.stops[line.range.upperBound].offset == end
        }
        let isNearlyEqual = [0, -0.01, 0.01, -0.1, 0.1, -0.5, 0.5, -1.5, 1.5].contains(where: isEqual)
        #expect(isNearlyEqual, "seed \(seed), \(wrapping) \(width): \(text.debugDescription) \(start) \(end)")
        (exact, all) = (exact + (isEqual(0) ? 1 : 0), all + 1)
      }
    }
    #expect(exact * 100 >= all * 99, "\(exact) of \(all)")
  }

  @Test func hyphensAreShownWhereTheTextHasThem() throws {
    let request = FontRequest(["DejaVu Sans"], size: 16)
    let layout = try TextLayout("super\u{AD}cali\u{AD}fragi", font: request, width: 80, fonts: library)
    let hyphen = TextLine("\u{2010}", font: try library.font(request)).glyphs[0].id
    #expect(layout.lines.map { $0.runs.last?.glyphs.glyphs.last?.id == hyphen } == [true, false])
    #expect(layout.lines.allSatisfy { $0.width <= 80 })
  }

  @Test func partsThatAreUnbreakableStayTogether() throws {
    var text: AttributedText = "one two three four"
    text.set(AttributedText.Attributes { $0.isUnbreakable = true }, in: 4..<13)
    let lines = try TextLayout(text, font: FontRequest(["DejaVu Sans"], size: 16), width: 60, fonts: library).lines
    #expect(lines.map(\.range) == [0..<4, 4..<14, 14..<18])
  }

  /// The order of the letters of Unicode's own test of UAX 9.
  @Test func lettersAreOrderedAsUnicodeSays() throws {
    var count = 0
    let request = [RequestSpan(FontRequest(["DejaVu Sans"], size: 9))]
    for (number, line) in try unicodeLines("BidiCharacterTest.txt").enumerated()
    where isLongRun || number % 40 == runSeed % 40 {
      let fields = line.split(separator: ";", omittingEmptySubsequences: false)
      guard fields.count == 5 else { continue }
      let levels = fields[3].split(separator: " ").map { UInt8($0) }
      let expected = fields[4].split(separator: " ").compactMap { Int($0) }
      // Those with an x are removed, and are in no order.
      let kept = levels.indices.filter { levels[$0] != nil }
      #expect(LineOrder.leftToRight(kept.compactMap { levels[$0] }).map { kept[$0] } == expected, "\(line)")

      // The same order comes of runs, the letters of which HarfBuzz reverses.
      var text = String.UnicodeScalarView()
      text.append(
        contentsOf: fields[0].split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) })
      let direction = [BaseDirection.leftToRight, .rightToLeft, .natural][Int(fields[1]) ?? 0]
      let items = try library.itemize(String(text), request, direction: direction).items
      var (offset, scalars) = (0, [Int]())
      for scalar in text {
        scalars.append(offset)
        offset += String(scalar).utf8.count
      }
      let order = LineOrder.leftToRight(items.map(\.level)).flatMap { item in
        let letters = scalars.indices.filter { items[item].range.contains(scalars[$0]) }
        return items[item].level & 1 == 0 ? letters : letters.reversed()
      }
      #expect(order.filter { levels[$0] != nil } == expected, "\(line)")
      count += 1
    }
    #expect(count > 2000)
  }
}
