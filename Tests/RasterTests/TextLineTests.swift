import Geometry
import LinuxSystem
import Raster
import Testing

@Suite struct TextLineTests {
  let sans: FontFace
  let mono: FontFace

  init() throws {
    sans = try SystemFonts.face(.sans)
    mono = try SystemFonts.face(.mono)
  }

  @Test func widthIsTheSumOfAdvances() {
    let font = Font(sans, size: 20)
    let single = TextLine("H", font: font).width
    let line = TextLine("HHHHH", font: font)
    #expect(abs(line.width - 5 * single) < 1e-9)
    #expect(line.glyphs.count == 5)
    for (index, glyph) in line.glyphs.enumerated() {
      #expect(abs(glyph.x - Double(index) * single) < 1e-9 && glyph.y == 0)
    }
    #expect(TextLine("", font: font).width == 0)
    #expect(TextLine("", font: font).glyphs.isEmpty)
  }

  @Test func sizeScalesEverything() {
    let small = TextLine("Kerning AVA", font: Font(sans, size: 10))
    let large = TextLine("Kerning AVA", font: Font(sans, size: 30))
    #expect(abs(large.width - 3 * small.width) < 1e-9)
    #expect(abs(large.ascent - 3 * small.ascent) < 1e-9 && abs(large.descent - 3 * small.descent) < 1e-9)
    #expect(large.inkBounds.height <= large.height && large.inkBounds.width > 0)
  }

  /// The heights in the tables of DejaVu Sans, at 2048 units to the em.
  @Test func metricsAreThoseOfTheFile() {
    let font = Font(sans, size: 2048)
    #expect(font.ascent == 1901 && font.descent == 483 && font.lineHeight == 1901 + 483 && font.capHeight == 1493)
  }

  @Test func kerningAndLigatures() {
    let font = Font(sans, size: 100)
    let a = TextLine("A", font: font).width
    let v = TextLine("V", font: font).width
    #expect(TextLine("AV", font: font).width < a + v - 1)
    #expect(TextLine("fi", font: font).glyphs.count == 1)
    #expect(TextLine("fi", font: Font(mono, size: 100)).glyphs.count == 2)
  }

  @Test func tabularFiguresAreEquallyWide() {
    let font = Font(sans, size: 17, tabularFigures: true)
    let widths = Set((0...9).map { TextLine("\($0)", font: font).width })
    #expect(widths.count == 1)
  }

  @Test func breaksAndControlsAreSpaces() {
    let font = Font(sans, size: 12)
    let plain = TextLine("a b c d", font: font)
    let broken = TextLine("a\nb\tc\u{2028}d", font: font)
    #expect(broken.glyphs == plain.glyphs && broken.width == plain.width)
    #expect(TextLine("a\r\nb", font: font).glyphs.count == 4)
  }

  @Test func rightToLeftRunsFromTheRight() {
    let font = Font(sans, size: 20)
    let line = TextLine("אבג", font: font)
    let first = TextLine("א", font: font)
    #expect(line.glyphs.count == 3)
    // The first letter of the string is the last glyph on the line.
    #expect(line.glyphs.last?.id == first.glyphs.first?.id)
    #expect(line.glyphs.map(\.x) == line.glyphs.map(\.x).sorted())
  }

  @Test func sizesOutOfRangeAreClamped() {
    #expect(Font(sans, size: .nan).size == 0)
    #expect(Font(sans, size: -3).size == 0)
    #expect(Font(sans, size: .infinity).size == 10_000)
    var font = Font(sans, size: 12)
    font.size = -1
    #expect(font.size == 0 && TextLine("x", font: font).width == 0)
  }

  @Test(arguments: [1, 2, 3] as [UInt64])
  func truncationKeepsAsMuchAsFits(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    let letters = Array("aVAToWimwfi .,-éŁ世")
    for _ in 0..<60 {
      let string = String(
        (0..<Int.random(in: 0...40, using: &generator)).map { _ in letters.randomElement(using: &generator) ?? "a" })
      let font = Font(sans, size: .random(in: 6...30, using: &generator))
      let line = TextLine(string, font: font)
      let width = Double.random(in: 0...(line.width * 1.2 + 1), using: &generator)
      let short = line.truncated(to: width)
      #expect(short.width <= width, "seed \(seed): \(string)")
      if line.width <= width {
        #expect(short.string == string)
        continue
      }
      guard !short.string.isEmpty else {
        #expect(TextLine("…", font: font).width > width)
        continue
      }
      #expect(short.string.last == "…")
      let kept = short.string.dropLast()
      #expect(string.hasPrefix(kept), "seed \(seed): \(string)")
      #expect(kept.last?.isWhitespace != true)
      // One letter more, behind the removed blanks, would not fit; kerning may win back a little.
      let rest = string.dropFirst(kept.count)
      let blanks = rest.prefix { $0.isWhitespace }.count
      let more = TextLine(string.prefix(kept.count + blanks + 1) + "…", font: font)
      #expect(more.width > width - font.size * 0.2, "seed \(seed): \(string)")
    }
  }

  @Test func truncationToNothing() {
    let line = TextLine("some text", font: Font(sans, size: 20))
    #expect(line.truncated(to: 0).string.isEmpty)
    #expect(line.truncated(to: -5).glyphs.isEmpty)
    #expect(line.truncated(to: .nan).width == 0)
    #expect(line.truncated(to: .infinity).string == "some text")
  }
}
