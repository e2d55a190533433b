import Framepace
import SceneText
import XCTest

@preconcurrency @MainActor final class FontTextTests: XCTestCase {
  private func font(_ text: String) throws -> Font {
    let scene = try Scene(text: "text { font \(text); string \"a\" }")
    return try XCTUnwrap((scene.root as? TextLayer)?.font)
  }

  /// The words behind the size are printed in one order and without what the font has by itself.
  func testDesignsAndFeaturesComeBack() throws {
    for (text, printed) in [
      ("\"Inter.var.ttf\" 12", nil),
      ("\"Inter.var.ttf\" 12 axis wght 612.5 axis slnt -4 feature liga 0 feature ss01 1 tabularFigures", nil),
      (
        "\"Inter.var.ttf\" 12 axis slnt -4 axis wght 612.5 feature aalt 70000",
        "\"Inter.var.ttf\" 12 axis wght 612.5 axis slnt -4 feature aalt 70000"
      ),
      ("\"Inter.var.ttf\" 12 face 0 axis wght 400 feature \"a.\"", "\"Inter.var.ttf\" 12 feature \"a.\" 1"),
      ("\"Roboto-Bold.ttf\" 12 feature tnum 1", "\"Roboto-Bold.ttf\" 12 tabularFigures"),
      ("\"Roboto-Bold.ttf\" 12 feature tnum 0", nil),
    ] as [(String, String?)] {
      let root = TextLayer()
      root.font = try font(text)
      let result = try Scene.text(of: root)
      XCTAssertTrue(result.contains("font \(printed ?? text)"), "\(text): \(result)")
    }
  }

  func testEqualDesignsAreTheSameFace() throws {
    let text = "\"Inter.var.ttf\" 12 axis wght 600"
    let font = try font(text)
    XCTAssertEqual(font, try self.font(text))
    XCTAssertEqual(font.face.variations, [.weight(600)])
    XCTAssertNotEqual(font.face, try self.font("\"Inter.var.ttf\" 12").face)
  }

  func testMistakesAreNamed() {
    let font = "layer { text { font \"Inter.var.ttf\" 9"
    checkErrors([
      ("\(font) axis wdth 75 } }", "1:44: expected an axis of the font: wght, slnt, found \"wdth\""),
      ("\(font) axis wght 950 } }", "1:49: expected a place on the axis wght, from 100 to 900, found 950"),
      ("\(font) axis wght nan } }", "1:49: expected a place on the axis wght, from 100 to 900, found \"nan\""),
      ("\(font) axis wght 500 axis wght 600 } }", "1:58: wght is given twice, first at 1:44"),
      ("\(font) feature liga feature liga 0 } }", "1:60: liga is given twice, first at 1:47"),
      ("\(font) feature ligature } }", "1:47: expected a name of one to four characters, such as wght, found \"ligature\""),
      ("\(font) feature liga -1 } }", "1:52: expected the value of a feature, from 0 to 4294967295, found -1"),
      ("\(font) feature liga 0.5 } }", "1:52: expected the value of a feature, from 0 to 4294967295, found 0.5"),
      (
        "layer { text { font \"Roboto-Bold.ttf\" 9 axis wght 500 } }",
        "1:46: expected an axis of the font: none, as the font has no axes, found \"wght\""
      ),
    ])
    XCTAssertThrowsError(try Scene(text: "\(font) face 7 } }")) {
      XCTAssertTrue("\($0)".contains("it has no face 7"), "\($0)")
    }
  }

  /// A scene cannot fill the memory with designs.
  func testDesignsAreLimited() throws {
    func scene(_ count: Int) -> String {
      "layer { " + (0..<count).map { "text { font \"Inter.var.ttf\" 9 axis wght \(100 + $0) }" }.joined(separator: "\n")
        + " }"
    }
    XCTAssertNoThrow(try Scene(text: scene(256)))
    checkErrors([(scene(257), "257:13: more than 256 designs of fonts")])
  }
}
