import Geometry
import LinuxSystem
import Raster
import Testing
@testable import Typesetting

/// What paragraphs without a width, limits and odd numbers come to.
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
}
