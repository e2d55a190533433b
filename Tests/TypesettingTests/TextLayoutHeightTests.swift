import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

/// Layouts leave out the lines for which there is no height.
@Suite struct TextLayoutHeightTests {
  let library: FontLibrary
  private let request = FontRequest(["DejaVu Sans"], size: 10)

  init() throws { library = try FontLibrary(files: fontFiles("DejaVuSans.ttf", "Roboto-Regular.ttf")) }

  private func layout(
    _ text: AttributedText, height: Double? = nil, width: Double? = nil, _ style: TextLayout.Style = TextLayout.Style(),
    after last: TextLayout? = nil
  ) throws -> TextLayout {
    try TextLayout(text, font: request, style: style, width: width, height: height, fonts: library, after: last)
  }

  /// The letters and places of all lines.
  private func description(_ layout: TextLayout) -> [String] {
    ["\(layout.size) \(layout.isTruncated)"]
      + layout.lines.map { line in
        "\(line.range) \(line.baseline) \(line.height) \(line.runs.map { $0.glyphs.glyphs.map { "\($0.id) \($0.x)" } })"
      }
  }

  private static let words = ["one", "fluffy", "שלום", "x\u{301}", "supercalifragilistic", "12", "\n", "\n", "Ж"]

  private func randomText(_ random: inout SplitMix64) -> AttributedText {
    (0..<Int.random(in: 0...20, using: &random)).reduce(into: "") { text, _ in
      let look = AttributedText.Attributes {
        if random.chance(0.3) { $0.font = FontRequest(["Roboto"], size: .random(in: 4...30, using: &random)) }
        if random.chance(0.1) { $0.baselineOffset = .random(in: -8...8, using: &random) }
      }
      text.append(AttributedText((Self.words.randomElement(using: &random) ?? "") + " ", look))
    }
  }

  /// The layout of as many lines as fit in a height.
  private func reference(
    _ text: AttributedText, width: Double?, height: Double, _ style: TextLayout.Style, _ whole: TextLayout
  ) throws -> TextLayout {
    var (expected, style) = (whole, style)
    guard whole.size.height > height else { return whole }
    var count = whole.lines.count { $0.top + $0.height <= height }
    repeat {
      style.maximumLines = max(count, 1)
      expected = try layout(text, width: width, style)
      count -= 1
    } while expected.size.height > height && count > 0
    return expected
  }

  /// A layout in a height is one of as many lines as fit.
  @Test func asManyLinesAreShownAsFit() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 4000 : 300)) {
      var random = SplitMix64(seed: seed)
      let text = randomText(&random)
      let style = TextLayout.Style {
        $0.truncation = [.none, .start, .middle, .end].randomElement(using: &random) ?? .end
        $0.lineHeight = [.natural, .multiple(1.4), .fixed(13)].randomElement(using: &random) ?? .natural
        $0.wrapping = TextLayout.Wrapping.allCases.randomElement(using: &random) ?? .word
        $0.maximumLines = random.chance(0.2) ? 3 : nil
        $0.paragraphSpacing = random.chance(0.5) ? 7 : 0
      }
      let width = random.chance(0.9) ? Double.random(in: 20...150, using: &random) : nil
      let whole = try layout(text, width: width, style)
      let height = Double.random(in: -5...whole.size.height + 10, using: &random)
      let expected = try reference(text, width: width, height: height, style, whole)
      for last in [nil, whole] {
        let result = try layout(text, height: height, width: width, style, after: last)
        let note = "FRAMEPACE_SEED=\(seed): \(text.string.debugDescription) in \(width ?? -1), \(height)"
        #expect(description(result) == description(expected), "\(note)")
        #expect(result.lines.count == 1 || result.size.height <= height, "\(note)")
        #expect(result.isCutShort == (result.lines.count < whole.lines.count), "\(note)")
      }
    }
  }

  /// At the bottom of a line, and a rounding above and below it, a layout is made and fits.
  @Test func heightsAtTheBottomsOfLines() throws {
    for seed in UInt64(runSeed)..<UInt64(runSeed + 20) {
      var random = SplitMix64(seed: seed)
      let text = randomText(&random)
      let style = TextLayout.Style {
        ($0.lineHeight, $0.paragraphSpacing) = (
          .multiple(.random(in: 1...2, using: &random)), .random(in: 0...9, using: &random)
        )
      }
      let whole = try layout(text, width: 60, style)
      for line in whole.lines {
        let bottom = line.top + line.height
        for height in [bottom + 1e-9, bottom - 1e-9, bottom, bottom.nextUp, bottom.nextDown] {
          let result = try layout(text, height: height, width: 60, style, after: whole)
          let note = "FRAMEPACE_SEED=\(seed), \(height)"
          #expect(result.lines.count == 1 || result.size.height <= height, "\(note)")
          // The sums of heights are rounded: nearer to the bottom either number of lines is right.
          if abs(height - bottom) > 1e-10 {
            let expected = try reference(text, width: 60, height: height, style, whole)
            #expect(description(result) == description(expected), "\(note)")
          }
        }
      }
    }
  }

  /// A paragraph of very many lines is set as far as it is seen.
  @Test func linesBelowAreNotSet() throws {
    let text = AttributedText(String(repeating: "word ", count: 10_000))
    let whole = try layout(text, width: 60)
    let lines = try #require(whole.paragraphs.first).lines
    let low = ParagraphLines(lines.request, lines.paragraph, limit: .max, isFollowed: false, lowest: 60)
    #expect(
      whole.lines.count > 1000 && low.lines.count == 6 && low.isStopped && !low.isRight(limit: .max, isFollowed: false))
    #expect(try layout(text, height: 60, width: 60).lines.count == 5)
    #expect(try description(layout(text, width: 60, after: layout(text, height: 60, width: 60))) == description(whole))
  }

  @Test func theLastLineHasAnEllipsis() throws {
    let whole = try layout("one\ntwo\nthree")
    let height = whole.lines[1].top + whole.lines[1].height
    func text(_ layout: TextLayout) throws -> [[UInt32]] {
      layout.lines.map { $0.runs.flatMap { $0.glyphs.glyphs.map(\.id) } }
    }
    func glyphs(_ strings: String...) throws -> [[UInt32]] {
      try strings.map { TextLine($0, font: try library.font(request)).glyphs.map(\.id) }
    }
    #expect(try text(layout("one\ntwo\nthree", height: height)) == glyphs("one", "two…"))
    #expect(try text(layout("one\ntwo\nthree", height: height - 0.1)) == glyphs("one…"))
    let plain = TextLayout.Style { $0.truncation = .none }
    let cut = try layout("one\ntwo\nthree", height: height, plain)
    #expect(try text(cut) == glyphs("one", "two") && cut.isTruncated)
    // The first line is always shown.
    for odd in [0, -1, .nan, -.infinity] as [Double] {
      #expect(try text(layout("one\ntwo\nthree", height: odd)) == glyphs("one…"))
      #expect(try layout("one", height: odd).isTruncated == false)
    }
    #expect(try layout("one\ntwo\nthree", height: .infinity).isTruncated == false)
  }

  /// A layout looks at no paragraph far below its height.
  @Test func paragraphsBelowAreNotSet() throws {
    let face = try library.font(request).face
    let before = face.shapedCount
    let layout = try layout(AttributedText((0..<100_000).map { "\($0)\n" }.joined()), height: 60)
    #expect(layout.lines.count == 5 && layout.paragraphs.count == 5)
    #expect(face.shapedCount - before < 10)
  }
}
