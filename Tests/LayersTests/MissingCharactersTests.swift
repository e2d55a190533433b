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
}
