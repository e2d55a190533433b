import Framepace
import FramepaceTesting
import XCTest

/// A stage tells of the letters of a scene for which there is no glyph.
final class MissingCharacterTests: XCTestCase {
  private static let scene = """
    size 60 40
    layer {
      text big {
        bounds 0 0 60 20; font "DejaVuSans.ttf" 12; string "a\u{65E5}"
        state second { string "\u{65E5}\u{672C}" }
      }
      text mono { bounds 0 0 60 20; font "DejaVuSansMono.ttf" 12; string "\u{65E5}" }
      text { bounds 0 0 60 20; font "DejaVuSans.ttf" 12; string "whole"; isOpaque true }
      text { bounds 0 0 60 20; font "DejaVuSans.ttf" 12; string "\u{65E5}\u{8A9E}"; isOpaque true }
      text { font "DejaVuSans.ttf" 12; string "\u{6587}" }
      paragraph { bounds 0 0 60 20; fonts "DejaVuSans.ttf"; attributedText "c\u{672C}" }
      layer { mask text { bounds 0 0 60 20; font "DejaVuSans.ttf" 12; string "\u{5B57}" } }
    }
    """

  func testEachLetterOfAFontIsToldOnce() throws {
    try onMain {
      let scene = try SceneStage(Scene(text: Self.scene))
      let stage = try ManualStage(width: 60, height: 40, root: scene.root, rate: .hertz60)
      defer { stage.engine.invalidate() }
      var told: [String] = []
      func take() -> Set<String> {
        defer { told = [] }
        XCTAssertEqual(Set(told).count, told.count, "nothing twice")
        return Set(told)
      }
      scene.onMissingCharacters = { layer, missing in
        let font = missing.fontPath.map { String($0.split(separator: "/").last ?? "") } ?? "all"
        told += missing.characters.map { "\(font) \($0)" }
        XCTAssertTrue("\(missing)".contains("“\(String(missing.characters.sorted()))” in the text “\(missing.text)"))
        XCTAssertTrue(layer is TextLayer || layer is ParagraphLayer)
      }
      scene.play(on: stage.engine.loop, from: stage.clock.now)
      stage.run(for: .milliseconds(100))
      let first: Set = [
        "DejaVuSans.ttf \u{65E5}", "DejaVuSansMono.ttf \u{65E5}", "DejaVuSans.ttf \u{8A9E}", "all \u{672C}",
        "DejaVuSans.ttf \u{5B57}",
      ]
      XCTAssertEqual(take(), first)
      try scene.setState("second", of: "big")
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(take(), ["DejaVuSans.ttf \u{672C}"])
      try scene.setState(nil, of: "big")
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(take(), [])
      scene.replace(try Scene(text: Self.scene))
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(take(), first)
      scene.onMissingCharacters = nil
      scene.replace(try Scene(text: "layer { }"))
    }
  }
}
