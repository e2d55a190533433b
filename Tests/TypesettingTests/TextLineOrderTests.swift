import LinuxSystem
import TestLength
import Testing

@testable import Raster
@testable import Typesetting

/// The order of the letters of a `TextLine` that has both directions.
@Suite struct TextLineOrderTests {
  let font: Font
  let library: FontLibrary

  init() throws {
    font = try SystemFonts.font(.sans, size: 20)
    library = try FontLibrary(files: [font.face.path])
  }

  /// The glyphs of characters one by one, from left to right.
  private func glyphs(_ characters: String) -> [UInt32] {
    characters.flatMap { TextLine(String($0), font: font).glyphs.map(\.id) }
  }

  @Test func namesAndNumbersStandInOrder() {
    let cases = [
      ("Platform 3: \u{5E9}\u{5D3}\u{5E8}, 12", "Platform 3: 12 ,\u{5E8}\u{5D3}\u{5E9}"),
      ("\u{5E8}\u{5E6}\u{5D9}\u{5E3} 12", "12 \u{5E3}\u{5D9}\u{5E6}\u{5E8}"),
      ("\u{5E9}\u{5D3} (Gate 7)", "(Gate 7) \u{5D3}\u{5E9}"),
      ("Gate 7 (\u{5E9}\u{5D3})", "Gate 7 (\u{5D3}\u{5E9})"),
      // The brackets around letters of its own direction are mirrored.
      ("(\u{5E9}\u{5D3}) 10:45", "10:45 (\u{5D3}\u{5E9})"),
      ("\u{663}\u{664} km", "\u{663}\u{664} km"),
      ("1 \u{202E}abc\u{202C} d", "1 cba d"),
      ("", ""),
    ]
    for (string, visual) in cases {
      let blank = glyphs("\u{202A}").first
      let line = TextLine(string, font: font)
      #expect(line.glyphs.map(\.id).filter { $0 != blank } == glyphs(visual).filter { $0 != blank }, "\(string)")
      #expect(line.glyphs.map(\.x) == line.glyphs.map(\.x).sorted(), "\(string)")
    }
  }

  /// Arabic letters have the forms that they have alone, whatever is beside them.
  @Test func lettersAreJoinedBesideOthers() {
    let word = "\u{631}\u{635}\u{64A}\u{641}"
    let alone = TextLine(word, font: font).glyphs.map(\.id)
    #expect(alone != Array(glyphs(word).reversed()))
    #expect(TextLine("\(word) 12", font: font).glyphs.map(\.id).suffix(4) == alone[...])
    #expect(TextLine("Gate \(word)", font: font).glyphs.map(\.id).suffix(4) == alone[...])
    // Beside each other, two scripts of one direction have their own rules.
    #expect(TextLine("\u{5E9}\u{5D3} \(word)", font: font).glyphs.map(\.id).prefix(4) == alone[...])
  }

  /// Letters and marks of each script are placed by its own rules, whatever stands before them.
  @Test func scriptsStandBesideEachOther() throws {
    let font = Font(try FontFace(path: SystemFonts.path(of: "Lohit-Devanagari.ttf")), size: 20)
    let word = "\u{926}\u{93F}\u{932}\u{94D}\u{932}\u{940}"
    let (alone, line) = (TextLine(word, font: font), TextLine("12/\(word)", font: font))
    // A vowel sign stands before the letter behind which it is written.
    #expect(alone.glyphs.first?.id == TextLine("\u{915}\u{93F}", font: font).glyphs.first?.id)
    #expect(line.glyphs.suffix(alone.glyphs.count).map(\.id) == alone.glyphs.map(\.id))
    #expect(TextLine("Gate \(word)", font: font).glyphs.suffix(alone.glyphs.count).map(\.id) == alone.glyphs.map(\.id))
    let ligature = TextLine("fi", font: self.font).glyphs.map(\.id)
    #expect(ligature.count == 1 && TextLine("\u{416} fi", font: self.font).glyphs.map(\.id).suffix(1) == ligature[...])
  }

  /// A text is cut behind its beginning, which is at the right of a line from right to left.
  @Test func theEndOfTheTextIsCut() {
    let line = TextLine("\u{5E9}\u{5D3}\u{5E8}\u{5D5}\u{5EA} Boulevard 12", font: font)
    let short = line.truncated(to: line.width * 0.6)
    #expect(line.isRightToLeft && short.isRightToLeft)
    #expect(line.string.hasPrefix(short.string.dropLast()) && short.string.last == "…" && short.string.count > 6)
    #expect(short.glyphs.first?.id == glyphs("…").first)
    #expect(short.glyphs.last?.id == glyphs("\u{5E9}").first)
    #expect(!TextLine("Gate \u{5E9}\u{5D3}\u{5E8}", font: font).isRightToLeft)
  }

  /// The order of the letters of Unicode's own test of UAX 9. A mark at the beginning gives the line its direction.
  @Test func lettersAreOrderedAsUnicodeSays() throws {
    var count = 0
    for (number, row) in try unicodeLines("BidiCharacterTest.txt").enumerated()
    where isLongRun || number % 10 == runSeed % 10 {
      let fields = row.split(separator: ";", omittingEmptySubsequences: false)
      guard fields.count == 5 else { continue }
      var text = String.UnicodeScalarView()
      if fields[1] == "0" { text.append("\u{200E}") }
      if fields[1] == "1" { text.append("\u{200F}") }
      let marks = text.count
      text.append(
        contentsOf: fields[0].split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) })
      // A line has blanks where a text has line breaks and tabulators.
      if text.contains(where: { $0.valueInLine != $0.value }) { continue }
      let levels = fields[3].split(separator: " ").map { UInt8($0) }
      let expected = fields[4].split(separator: " ").compactMap { Int($0) }
      let line = LineParts(String(text))
      let order = line.parts.flatMap { part in
        part.level & 1 == 0 ? Array(part.range) : part.range.reversed()
      }
      #expect(order.count == text.count)
      // Those with an x are removed, and are in no order.
      #expect(order.map { $0 - marks }.filter { $0 >= 0 && levels[$0] != nil } == expected, "\(row)")
      #expect(line.isRightToLeft == (fields[2] == "1"), "\(row)")
      if String(text).isOnePart { #expect(expected == expected.sorted(), "\(row)") }
      count += 1
    }
    #expect(count > 2000)
  }

  /// All characters that may stand at the right of those before them are found, and none of the scripts from left to right.
  @Test func charactersFromTheRightAreFound() throws {
    var counts = [0, 0]
    for row in try unicodeLines("extracted/DerivedBidiClass.txt") {
      let fields = row.split(separator: "#")[0].split(whereSeparator: { $0 == ";" || $0 == " " })
      let bounds = fields[0].split(separator: ".").compactMap { UInt32($0, radix: 16) }
      let isFound: Bool? =
        switch fields[1] {
        case "R", "AL", "AN", "RLE", "RLO", "RLI": true
        case "L", "EN": false
        default: nil
        }
      guard let isFound, let first = bounds.first, let last = bounds.last else { continue }
      for value in first...last {
        guard let scalar = Unicode.Scalar(value), !(0x6F0...0x6F9).contains(value) else { continue }
        #expect(String(scalar).isOnePart != isFound, "\(String(value, radix: 16))")
      }
      counts[isFound ? 0 : 1] += 1
    }
    #expect(counts[0] > 150 && counts[1] > 1000)
  }

  /// A line of random letters has the glyphs of the same line of a paragraph, which Pango takes apart.
  @Test func aLineIsThatOfAParagraph() throws {
    let words = [
      "Gate", "AVA", "fi", "e\u{301}", "\u{5E9}\u{5DC}\u{5D5}\u{5DD}", "\u{5D1}\u{5BC}\u{5B0}", "\u{5D0}",
      "\u{631}\u{635}\u{64A}\u{641}",
      "\u{644}\u{627}", "\u{645}\u{64E}\u{631}", "12", "3.5", "10:45", "\u{661}\u{662}", "\u{6F3}\u{6F4}", "7%", "-2", "+",
      "(", ")", "[", "]",
      "«", "»", ",", ".", "!", "\u{61F}", "/", "\u{200E}", "\u{200F}", "\u{2067}", "\u{2068}", "\u{2069}", "\u{202B}",
      "\u{202C}", "Ж", "Ω", " ", " ",
      " ",
    ]
    var (count, exact) = (0, 0)
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 20_000 : 1_000)) {
      var random = SplitMix64(seed: seed)
      let text = (0..<Int.random(in: 1...12, using: &random)).map { _ in words.randomElement(using: &random) ?? "" }.joined()
      let line = TextLine(text, font: font)
      let layout = try TextLayout(
        AttributedText(text), font: FontRequest(["DejaVu Sans"], size: 20), fonts: library)
      let expected = layout.lines[0].runs.flatMap { run in run.glyphs.glyphs.map { ($0.id, run.x + $0.x, $0.y) } }
      let note = "FRAMEPACE_SEED=\(seed): \(text.debugDescription)"
      #expect(line.glyphs.map(\.id) == expected.map(\.0), "\(note)")
      #expect(line.isRightToLeft == layout.lines[0].isRightToLeft, "\(note)")
      // Blanks at the end hang out of a paragraph's line. Pango gives a mark the script of the letters before it, in whatever direction,
      // and so leaves out the kerning with those behind it.
      let start = (line.glyphs.first?.x ?? 0) - (expected.first?.1 ?? 0)
      let far = zip(line.glyphs, expected).map { max(abs($0.x - start - $1.1), abs($0.y - $1.2)) }.max() ?? 0
      #expect(far < font.size / 10, "\(note)")
      if far < 1e-6 { exact += 1 }
      count += 1
    }
    #expect(count > 500 && exact * 100 >= count * 99, "\(exact) of \(count)")
  }
}
