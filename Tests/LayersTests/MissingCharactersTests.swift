import XCTest

@testable import Layers

/// See `MissingCharacterTests` for the layers that tell of them.
final class MissingCharactersTests: XCTestCase {
  /// Long texts are cut short, and nothing in them moves the cursor of a terminal.
  func testMessagesAreShort() {
    let text = String(repeating: "word ", count: 30)
    let message = "\(MissingCharacters(characters: ["\u{65E5}", "b"], text: "\u{1B}[2J\n" + text))"
    XCTAssertEqual(
      message,
      "no font has a glyph for “b\u{65E5}” in the text “ [2J word word word word word word word…”; install or name one that has it"
    )
  }
  /// A text of one font is told of the kind that has several; a paragraph, which has looked into all, is not.
  func testTheRemedyIsNamed() {
    var missing = MissingCharacters(characters: ["\u{65E5}"], text: "\u{65E5}", fontPath: "/fonts/One.ttf")
    XCTAssertEqual(
      "\(missing)",
      "the font /fonts/One.ttf has no glyph for “\u{65E5}” in the text “\u{65E5}”; use a font that has it, "
        + "or a paragraph (ParagraphLayer), which takes such letters from other fonts")
    missing.fontPath = nil
    XCTAssertFalse("\(missing)".contains("paragraph"))
  }
}
