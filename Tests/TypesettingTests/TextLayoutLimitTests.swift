import Geometry
import LinuxSystem
import Raster
import Testing
@testable import Typesetting

/// Layouts without a width, with limits and with odd numbers.
@Suite struct TextLayoutLimitTests {
  let library: FontLibrary
  private let request = FontRequest(["DejaVu Sans"], size: 16)

  init() throws { library = try FontLibrary(files: fontFiles("DejaVuSans.ttf")) }

  private func layout(
    _ text: AttributedText, width: Double? = nil, _ change: (inout TextLayout.Style) -> Void = { _ in }
  ) throws -> TextLayout {
    try TextLayout(text, font: request, style: TextLayout.Style(change), width: width, fonts: library)
  }

  private func glyphs(_ layout: TextLayout, line: Int = 0) -> [UInt32] {
    layout.lines[line].runs.flatMap { $0.glyphs.glyphs.map(\.id) }
  }

  private func glyphs(of text: String) throws -> [UInt32] {
    TextLine(text, font: try library.font(request)).glyphs.map(\.id)
  }

  @Test func layoutsWithoutAWidthAreAsWideAsWhatTheyShow() throws {
    let first = try layout("Hello\nx") { $0.maximumLines = 1 }
    #expect(try glyphs(first) == glyphs(of: "Hello…") && first.isTruncated)
    let width = TextLine("Hello…", font: try library.font(request)).width
    #expect(abs(first.width - width) < 1e-9 && first.size.width == first.width)
    let hidden = try layout(AttributedText("Hello\nx\n" + String(repeating: "long ", count: 50))) { $0.maximumLines = 2 }
    #expect(hidden.width < first.width && hidden.lines.count == 2)
    // Lines stand in the width that comes of them.
    for (alignment, direction) in [(TextLayout.Alignment.right, .natural), (.natural, TextLayout.Direction.rightToLeft)] {
      let layout = try layout("one\nlonger") { ($0.alignment, $0.direction, $0.firstLineIndent) = (alignment, direction, 5) }
      let widths = layout.lines.map(\.width)
      #expect(layout.width == widths[1] + 5)
      #expect(abs(layout.lines[0].baseline.x - (layout.width - widths[0] - (direction == .natural ? 0 : 5))) < 1e-9)
    }
    #expect(try layout("one two\nthree four ") { $0.alignment = .center }.lines.map(\.baseline.x).contains(0))
  }

  @Test func aParagraphWithoutAWidthIsOneLineThatIsShapedOnce() throws {
    let face = try library.font(request).face
    let before = face.shapedCount
    for text in ["AV ", "To. ", "T ", "AVAVAV AV  "] {
      #expect(try layout(AttributedText(text)).lines.count == 1, "\(text)")
    }
    #expect(face.shapedCount == before + 4)
  }

  /// A point between two lines is of the nearer one.
  @Test func theNearestLineIsFound() throws {
    let layout = try layout("a\nb\nc") { $0.paragraphSpacing = 20 }
    let lines = layout.lines
    for (index, line) in lines.enumerated() {
      for y in [line.top - 5, line.top, line.top + line.height / 2, line.top + line.height + 5] {
        #expect(layout.offset(at: Point(0, y)).offset == index * 2)
      }
    }
    #expect(layout.offset(at: Point(0, -99)).offset == 0 && layout.offset(at: Point(0, 999)).offset == 4)
  }

  @Test func linesLookAtTheAttributesOfTheirPartsAlone() {
    var text = AttributedText(String(repeating: "a", count: 100))
    for index in 0..<100 { text.set(AttributedText.Attributes { $0.baselineOffset = Double(index) }, in: index..<100) }
    #expect(text.runs.part(10..<12).map(\.start) == [10, 11] && text.runs.part(99..<100).map(\.start) == [99])
    #expect(text.runs.part(7..<7).map(\.start) == [7] && text.runs.part(200..<201).map(\.start) == [99])
    #expect(text.runs.part(0..<100).count == 100)
  }

  /// Kerning makes every place between letters one where the line would be shaped anew.
  @Test func oddNumbersDoNotMakeLongTextsSlow() throws {
    let text = AttributedText(String(repeating: "AVAV ", count: 20_000))
    let face = try library.font(request).face
    for value in [Double.nan, .infinity, -.infinity] {
      let before = face.shapedCount
      let layout = try layout(text, width: 200) {
        ($0.firstLineIndent, $0.paragraphSpacing, $0.lineHeight) = (value, value, .multiple(value))
      }
      #expect(face.shapedCount - before < 3 * layout.lines.count && layout.lines.count > 4000)
    }
  }

  @Test func noPlaceComesOfAnOddNumber() throws {
    for value in [Double.nan, .infinity, -.infinity, 1e308, -1e308] {
      for height in [TextLayout.LineHeight.natural, .fixed(value), .multiple(value)] {
        for width in [nil, 50] as [Double?] {
          let attributes = AttributedText.Attributes {
            ($0.baselineOffset, $0.letterSpacing, $0.background, $0.underline) = (value, value, .black, LineDecoration())
          }
          let layout = try layout(AttributedText("one two\nthree", attributes), width: width) {
            ($0.firstLineIndent, $0.paragraphSpacing, $0.lineHeight, $0.alignment) = (value, value, height, .center)
          }
          #expect(layout.width.isFinite && layout.size.width.isFinite && layout.size.height.isFinite)
          for line in layout.lines {
            #expect(line.baseline.x.isFinite && line.baseline.y.isFinite && line.top.isFinite && line.height.isFinite)
            #expect(line.runs.allSatisfy { $0.rise.isFinite && $0.glyphs.glyphs.allSatisfy(\.x.isFinite) })
            #expect((line.backgrounds + line.decorations).allSatisfy { $0.rect.width.isFinite && $0.rect.height.isFinite })
          }
          #expect(zip(layout.lines, layout.lines.dropFirst()).allSatisfy { $0.top <= $1.top })
        }
      }
    }
  }

  @Test func emptyParagraphsHaveAFont() throws {
    let cut = try layout("a\n\nb") { $0.maximumLines = 2 }
    #expect(try glyphs(cut, line: 1) == glyphs(of: "…") && cut.isTruncated && cut.lines[1].range == 2..<2)
    let large = AttributedText.Attributes { $0.font = FontRequest(["DejaVu Sans"], size: 40) }
    for text in [AttributedText("\n", large), "a\("\n\n", large)b"] {
      let font = try library.font(FontRequest(["DejaVu Sans"], size: 40))
      let line = try layout(text).lines[1]
      #expect(abs(line.height - font.ascent - font.descent) < 1e-9)
      #expect(line.runs.isEmpty && line.range.isEmpty)
    }
    #expect(try layout("a\n").lines[1].height == layout("a").lines[0].height)
  }

  @Test func spaceIsBehindEachLetterThatHasAWidth() throws {
    let spacing = AttributedText.Attributes { $0.letterSpacing = 7 }
    func widths(_ text: String) throws -> Double {
      try layout(AttributedText(text, spacing)).size.width - layout(AttributedText(text)).size.width
    }
    #expect(try abs(widths("a\u{200B}b") - 14) < 1e-9 && abs(widths("e\u{301}\u{2060}x") - 14) < 1e-9)
    #expect(try abs(widths("שָׁל") - 14) < 1e-9)
    // Behind a Hebrew letter is at its left.
    let (plain, spaced) = (try layout("שלם"), try layout(AttributedText("שלם", spacing)))
    let (before, after) = (plain.lines[0].runs[0].glyphs.glyphs, spaced.lines[0].runs[0].glyphs.glyphs)
    #expect(before.count == 3 && after.count == 3)
    for index in before.indices { #expect(abs(after[index].x - before[index].x - 7 * Double(index + 1)) < 1e-4) }
    let latin = try layout(AttributedText("ab", spacing)).lines[0].runs[0].glyphs.glyphs
    #expect(latin[0].x == 0)
  }

  @Test func fillsOfNeighboursHaveNoSeams() throws {
    let look = AttributedText.Attributes {
      ($0.background, $0.underline, $0.strikethrough) = (
        Color(hex: 0xFF0000), LineDecoration(color: .black), LineDecoration()
      )
    }
    var text = AttributedText("one שלום two", look)
    text.set(AttributedText.Attributes { $0.color = Color(hex: 0x0000FF) }, in: 1..<2)
    let line = try layout(text).lines[0]
    #expect(line.runs.count > 4 && line.backgrounds.count == 1 && line.backgrounds[0].rect.width == line.width)
    // The strikes have the colours of their letters.
    #expect(line.decorations.count == 4 && abs(line.decorations[0].rect.width - line.width) < 1e-9)
    text.set(AttributedText.Attributes { $0.baselineOffset = 2 }, in: 4..<6)
    #expect(try layout(text).lines[0].backgrounds.count == 3)
    text.set(AttributedText.Attributes { $0.background = .black }, in: 0..<1)
    #expect(try layout(text).lines[0].backgrounds.count == 4)
  }

  @Test func whatIsBehindTheLongestTextIsLeftOut() throws {
    func layout(_ text: AttributedText, _ longest: Int) throws -> TextLayout {
      try TextLayout(text, font: request, fonts: library, longest: longest)
    }
    #expect(try layout("one two", 7).isTruncated == false)
    let cut = try layout("one twé", 7)
    #expect(cut.isTruncated && cut.lines.map(\.range) == [0..<6])
    #expect(try layout("one\ntwo", 4).isTruncated && layout("one\ntwo", 4).lines.count == 2)
  }

  /// A layout looks at no paragraph that it does not show.
  @Test func paragraphsAreFoundOneAfterTheOther() throws {
    var text = AttributedText("a")
    text.append(AttributedText(String(repeating: "\nb", count: 1_000_000)))
    let layout = try layout(text) { $0.maximumLines = 1 }
    #expect(layout.isTruncated && layout.paragraphs.count == 1)
    var texts = ParagraphTexts(text, longest: 1 << 20)
    let (first, second) = (texts.next(), texts.next())
    #expect(first?.isFollowed == true && first?.runs == second?.runs && second?.offset == 2)
  }

  @Test func equalParagraphsShareWhatTheyHave() throws {
    let attributes = AttributedText.Attributes { $0.letterSpacing = 1 }
    let paragraphs = try layout(AttributedText("one\ntwo\nthree", attributes)).paragraphs.map(\.lines)
    func address<Element>(_ array: [Element]) -> UnsafeRawPointer? {
      array.withUnsafeBufferPointer { $0.baseAddress.map { UnsafeRawPointer($0) } }
    }
    #expect(Set(paragraphs.map { address($0.request.attributes) }).count == 1)
    #expect(Set(paragraphs.map { address($0.paragraph.source.spans) }).count == 1)
  }

  /// Paragraphs that nobody shows keep few designs of a font in use.
  @Test func designsOfOldParagraphsAreDropped() throws {
    let library = try FontLibrary(files: fontFiles("Inter.var.ttf"))
    weak var face: FontFace?
    for weight in 401...700 {
      let request = FontRequest(["Inter"], size: 9, weight: weight)
      _ = try TextLayout("text", font: request, fonts: library)
      if weight == 401 { face = try library.font(request).face }
    }
    #expect(face == nil)
    #expect(library.paragraphs.withLock { $0.count } < 130)
  }
}
