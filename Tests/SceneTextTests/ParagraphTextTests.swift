import Framepace
import SceneText
import XCTest

/// Paragraphs in scenes; `GrammarTests` reads and prints all their properties, `RoundTripTests` random ones.
@preconcurrency @MainActor final class ParagraphTextTests: XCTestCase {
  private let fonts = #"fonts "DejaVuSans.ttf" "DejaVuSans-Bold.ttf""#

  private func paragraph(_ properties: String) throws -> ParagraphLayer {
    try XCTUnwrap(try Scene(text: "paragraph { \(properties) }").root as? ParagraphLayer)
  }

  private func printed(_ change: (ParagraphLayer) -> Void) throws -> String {
    let layer = ParagraphLayer()
    change(layer)
    return try Scene.text(of: layer)
  }

  /// The printed text is short, and gives back the value.
  func testValuesComeBack() throws {
    let bold = AttributedText.Attributes { $0.font = FontRequest(["DejaVu Sans"], size: 15, weight: 700) }
    var marked: AttributedText = "a \("b", bold)c"
    marked.set(AttributedText.Attributes { $0.underline = LineDecoration(color: .white) }, in: 0..<1)
    let texts: [(AttributedText, String)] = [
      ("plain \"text\"\n", #""plain \"text\"\n""#),
      (marked, ##"{ span "a" { underline #FFFFFF }; " "; span "b" { font "DejaVu Sans" 15 weight 700 }; "c" }"##),
      (AttributedText("", bold), #"{ span "" { font "DejaVu Sans" 15 weight 700 } }"#),
      (
        AttributedText("x", AttributedText.Attributes { $0.strikethrough = LineDecoration() }),
        #"{ span "x" { strikethrough true } }"#
      ),
    ]
    for (text, words) in texts {
      let printed = try printed { $0.attributedText = text }
      XCTAssertTrue(printed.contains("attributedText \(words)"), printed)
      XCTAssertEqual(try paragraph("attributedText \(words)").attributedText, text)
    }
    let requests: [(FontRequest, String)] = [
      (FontRequest(["A", "B c"], size: 12.5), #""A" "B c" 12.5"#), (FontRequest([], size: 9), "9"),
      (FontRequest(["A"], size: 9, weight: 1, width: 62.5, slant: .oblique), #""A" 9 weight 1 width 62.5 oblique"#),
      (
        FontRequest(
          ["A"], size: 9, slant: .italic, features: [FontFeature("liga", 0)], variations: [.weight(350), .slant(-4)]),
        #""A" 9 italic axis wght 350 axis slnt -4 feature liga 0"#
      ),
    ]
    for (request, words) in requests {
      let printed = try printed { $0.baseFont = request }
      XCTAssertTrue(printed.contains("baseFont \(words)"), printed)
      XCTAssertEqual(try paragraph("baseFont \(words)").baseFont, request)
    }
    let odd = FontRequest(["a.ttf", "B"], size: 9, features: [FontFeature("liga", 0), FontFeature("liga", 2)])
    XCTAssertTrue(try printed { $0.baseFont = odd }.contains(#"baseFont "B" 9 feature liga 2"#))
    XCTAssertEqual(try printed { _ in }.split(separator: "\n").last, "paragraph {}", "all as in a new one")
  }

  /// The same files are one library, in all scenes; without any it is the system's.
  func testFontsAreThoseOfTheFiles() throws {
    let layer = try paragraph("\(fonts) baseFont \"DejaVu Sans\" 12 weight 700; attributedText \"a\"; bounds 0 0 90 20")
    XCTAssertEqual(layer.fonts.families(), ["DejaVu Sans"])
    let run = try XCTUnwrap(layer.layout?.lines[0].runs.first)
    XCTAssertTrue(run.glyphs.font.face.path.hasSuffix("/DejaVuSans-Bold.ttf"))
    XCTAssertTrue(try Scene.text(of: layer).contains(fonts))
    XCTAssertTrue(try paragraph(fonts).fonts === layer.fonts)
    XCTAssertFalse(try paragraph(#"fonts "DejaVuSans.ttf""#).fonts === layer.fonts)
    XCTAssertTrue(try paragraph("fonts system").fonts === FontLibrary.system)
    XCTAssertTrue(ParagraphLayer().fonts === FontLibrary.system)
  }

  func testStatesSetParagraphs() throws {
    let scene = try Scene(
      text:
        "layer { paragraph note { attributedText \"a\" } state other { note { attributedText \"b\"; baseColor #FF0000 } } }")
    let layer = try XCTUnwrap(scene.root.sublayers.first as? ParagraphLayer)
    scene.root.state = "other"
    XCTAssertEqual(layer.attributedText, "b")
    XCTAssertEqual(layer.baseColor, Color(hex: 0xFF0000))
    scene.root.state = nil
    XCTAssertEqual(layer.attributedText, "a")
  }

  func testMistakesAreNamed() throws {
    func error(_ properties: String, _ place: Int, _ message: String) -> (String, String) {
      ("layer { paragraph {\n\(properties) } }", "2:\(place): \(message)")
    }
    checkErrors([
      error(
        "attributedText 12", 16, "expected a string in quotation marks, or strings and spans in braces, found 12"),
      error("attributedText { 12 }", 18, "expected a string in quotation marks, or span, found 12"),
      error("attributedText { span 12 }", 23, "expected the string of the span, found 12"),
      error("attributedText { span \"a\" }", 27, "expected \"{\", found \"}\""),
      error(
        "attributedText { span \"a\" { colour #FFF } }", 29,
        "expected an attribute of the span, such as color, found \"colour\""),
      error("attributedText { span \"a\" { color #FFF; color #000 } }", 41, "color is given twice, first at 2:29"),
      error(
        "attributedText { span \"a\" { underline false } }", 39,
        "expected a colour such as #FFF, #1E90FF, #1E90FF80 or rgba 0.1 0.5 1 0.5, found \"false\""),
      error(
        "baseFont \"Inter.var.ttf\" 12", 10,
        "expected the name of a family; files stand behind fonts, found the string \"Inter.var.ttf\""),
      error("baseFont \"Inter\"", 18, "expected the size of the font, found \"}\""),
      error("baseFont bold", 10, "expected a font: the names of families, as strings, and its size, found \"bold\""),
      error("baseFont \"A\" 9 weight 1001", 23, "expected a weight, from 1 to 1000, found 1001"),
      error("baseFont \"A\" 9 width 0", 22, "expected a width in percent, from 1 to 1000, found 0"),
      error("baseFont \"A\" 9 weight 100 weight 200", 27, "weight is given twice, first at 2:16"),
      error("fonts", 7, "expected system, or the names of font files, as strings, found \"}\""),
      error(
        "paragraphStyle alignment middle", 26,
        "expected natural, left, center, right or justified, found \"middle\""),
      error("paragraphStyle maximumLines 0", 29, "expected a number of lines, from 1 to 2147483647, found 0"),
      error("paragraphStyle lineHeight 1.2", 27, "expected natural, or multiple or fixed with a number, found 1.2"),
      error(
        "fontSize 12", 1, "expected a property of a paragraph layer, such as baseFont, found \"fontSize\""),
      error(
        "font \"A\" 12", 1,
        "expected a property of a paragraph layer, such as baseFont, found \"font\", which stands in a span of attributedText"
      ),
      error(
        "span \"a\" { }", 1,
        "expected a property of a paragraph layer, found \"span\", which stands in the braces of attributedText"),
      error(
        "span { }", 1,
        "expected a property of a paragraph layer, found \"span\", which stands in the braces of attributedText"),
      error(
        "alignment center", 1,
        "expected a property of a paragraph layer, found \"alignment\", which stands behind paragraphStyle"),
      error("weight 700", 1, "expected a property of a paragraph layer, found \"weight\", which stands behind baseFont"),
      error(
        "attributedText { span \"a\" { fontSize 9 } }", 29,
        "expected an attribute of the span, such as font, found \"fontSize\""),
      error("insets 1 2 3", 14, "expected four insets, found \"}\""),
      error("verticalAlignment middle", 19, "expected top, center or bottom, found \"middle\""),
      error(
        "string \"a\"", 1, "expected a property of a paragraph layer, such as attributedText, found \"string\""),
    ])
    // The second of the files is the one that there is not.
    XCTAssertThrowsError(try Scene(text: #"paragraph { fonts "DejaVuSans.ttf" "none-such.ttf" }"#)) {
      XCTAssertTrue("\($0)".hasPrefix("1:36: font none-such.ttf is not among"), "\($0)")
    }
    XCTAssertThrowsError(try Scene(text: #"paragraph { fonts "DejaVuSans.ttf" "/dev/null" }"#)) {
      XCTAssertTrue("\($0)".hasPrefix("1:36: font /dev/null"), "\($0)")
    }
  }

  /// A scene cannot fill the memory with designs and libraries.
  func testDesignsAndLibrariesAreLimited() throws {
    func scene(_ count: Int, _ property: (Int) -> String) -> String {
      "layer { " + (0..<count).map { "paragraph { \(property($0)) }" }.joined(separator: "\n") + " }"
    }
    func font(_ index: Int) -> String { "baseFont \"Inter\" \(index) axis wght \(100 + index)" }
    XCTAssertNoThrow(try Scene(text: scene(256, font)))
    checkErrors([(scene(257, font), "257:22: more than 256 designs of fonts")])
    XCTAssertNoThrow(try Scene(text: scene(300) { "baseFont \"Inter\" \($0) feature ss\(10 + $0 % 80)" }))
    func library(_ index: Int) -> String {
      "fonts" + String(repeating: " \"DejaVuSans.ttf\"", count: index + 1)
    }
    checkErrors([(scene(17, library), "17:19: more than 16 lists of font files")])
  }
}
