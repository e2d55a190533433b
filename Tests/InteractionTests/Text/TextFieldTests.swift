import Geometry
import Input
import Layers
import LinuxSystem
import RunLoops
import Typesetting
import XCTest

@testable import Interaction

/// Keys in text fields.
@preconcurrency @MainActor final class TextFieldTests: XCTestCase {
  func testKeysGoToTheFieldThatIsTapped() throws {
    let stage = try TextFieldStage()
    try stage.type("A")
    XCTAssertEqual(stage.taken(), [])
    XCTAssertEqual(stage.name.string + stage.town.string, "")
    stage.tap(Point(100, 40))
    try stage.type("LEFTSHIFT+A D A ENTER")
    XCTAssertEqual(stage.taken(), ["name begins", "name 'A'", "name 'Ad'", "name 'Ada'", "name return"])
    stage.tap(Point(100, 100))
    try stage.type("BACKSPACE X")
    XCTAssertEqual(stage.taken(), ["name ends", "town begins", "town 'x'"])
    stage.town.endEditing()
    try stage.type("Y")
    XCTAssertEqual(stage.taken(), ["town ends"])
  }

  func testTabGoesFromFieldToField() throws {
    let stage = try TextFieldStage()
    let last = TextField()
    last.frame = Rect(x: 0, y: 200, width: 100, height: 30)
    let group = Layer(frame: stage.input.root.bounds)
    group.addSublayer(last)
    stage.input.root.addSublayer(group)
    stage.name.beginEditing()
    try stage.type("TAB")
    XCTAssertTrue(stage.town.isEditing)
    XCTAssertFalse(stage.name.isEditing)
    try stage.type("TAB")
    XCTAssertTrue(last.isEditing)
    try stage.type("TAB")
    XCTAssertTrue(stage.name.isEditing)
    try stage.type("LEFTSHIFT+TAB")
    XCTAssertTrue(last.isEditing)
    // A field in a hidden group is not the next one; one that has the keys there finds the others.
    group.isHidden = true
    try stage.type("LEFTSHIFT+TAB")
    XCTAssertTrue(stage.town.isEditing)
    try stage.type("TAB")
    XCTAssertTrue(stage.name.isEditing)
    stage.town.isInteractionEnabled = false
    try stage.type("TAB X")
    XCTAssertEqual(stage.name.string, "x")
  }

  func testAFieldThatLeavesGetsNoKeys() throws {
    let stage = try TextFieldStage()
    stage.name.beginEditing()
    try stage.type("A")
    stage.send(.key(try XCTUnwrap(InputCode(named: "KEY_B")), isDown: true))
    stage.input.turn()
    stage.name.removeFromSuperlayer()
    stage.input.turn(for: .seconds(2))
    try stage.type("C")
    XCTAssertEqual(stage.name.string, "ab")
    XCTAssertFalse(stage.name.isEditing)
    XCTAssertFalse(stage.name.isCaretShown)
    XCTAssertEqual(stage.taken(), ["name begins", "name 'a'", "name 'ab'", "name ends"])
  }

  func testAHeldKeyRepeats() throws {
    let stage = try TextFieldStage()
    stage.name.beginEditing()
    try stage.type("A B C D E")
    stage.send(.key(try XCTUnwrap(InputCode(named: "KEY_BACKSPACE")), isDown: true))
    stage.input.turn(for: .milliseconds(690))
    XCTAssertEqual(stage.name.string, "a")
  }

  func testDeadKeysAreShownUntilTheirLetterComes() throws {
    let stage = try TextFieldStage(layout: "de")
    stage.name.string = "xy"
    stage.name.beginEditing()
    try stage.type("LEFT EQUAL")
    XCTAssertEqual(stage.name.editor.marked, "´")
    XCTAssertEqual(stage.name.label.attributedText.string, "x´y")
    XCTAssertEqual(stage.name.string, "xy")
    // Shift is no other key.
    try stage.type("LEFTSHIFT+E")
    XCTAssertEqual(stage.name.string, "xÉy")
    XCTAssertEqual(stage.name.editor.marked, "")
    // A key that gives nothing with the accent counts alone.
    try stage.type("EQUAL Q EQUAL BACKSPACE GRAVE ESC O")
    XCTAssertEqual(stage.name.string, "xÉoy")
    try stage.type("EQUAL TAB")
    XCTAssertEqual(stage.name.editor.marked, "")
    XCTAssertTrue(stage.town.isEditing)
  }

  /// A touch ends a sequence: the next letter is none of it.
  func testAnAccentThatIsLeft() throws {
    let stage = try TextFieldStage(layout: "de")
    stage.name.string = "xyz"
    stage.name.beginEditing()
    try stage.type("EQUAL")
    XCTAssertEqual(stage.name.editor.marked, "´")
    stage.tap(stage.point(of: 1, in: stage.name))
    try stage.type("E")
    XCTAssertEqual(stage.name.string, "xeyz")
    try stage.type("EQUAL")
    stage.tap(Point(100, 100))
    try stage.type("E EQUAL")
    XCTAssertEqual(stage.town.string, "e")
    stage.name.beginEditing()
    XCTAssertEqual(stage.town.label.attributedText.string, "e")
    stage.name.isSecure = true
    try stage.type("EQUAL")
    XCTAssertEqual(stage.name.label.attributedText.string, "•••••")
  }

  func testComposedCharacters() throws {
    let stage = try TextFieldStage(options: "compose:ralt")
    stage.name.beginEditing()
    try stage.type("RIGHTALT")
    XCTAssertEqual(stage.name.editor.marked, "·")
    try stage.type("LEFTSHIFT+APOSTROPHE")
    XCTAssertEqual(stage.name.editor.marked, "\"")
    try stage.type("U")
    XCTAssertEqual(stage.name.string, "ü")
    // The compose key and a letter that are no sequence.
    try stage.type("RIGHTALT Q")
    XCTAssertEqual(stage.name.string, "üq")
  }

  func testTheClipboardGoesFromFieldToField() throws {
    let stage = try TextFieldStage()
    stage.name.string = "one two"
    stage.name.beginEditing()
    try stage.type("LEFTCTRL+LEFTSHIFT+LEFT LEFTCTRL+X TAB LEFTCTRL+V LEFTCTRL+V")
    XCTAssertEqual(stage.name.string, "one ")
    XCTAssertEqual(stage.town.string, "twotwo")
    try stage.type("LEFTCTRL+Z")
    XCTAssertEqual(stage.town.string, "two")
    // Whatever is typed after the field had no keys is a step of its own.
    try stage.type("A TAB TAB B LEFTCTRL+Z")
    XCTAssertEqual(stage.town.string, "twoa")
    try stage.type("LEFTCTRL+Z LEFTCTRL+V LEFTCTRL+A LEFTCTRL+C X")
    XCTAssertEqual(stage.town.string, "x")
    XCTAssertEqual(stage.name.clipboard.string, "twotwo")
    stage.town.isSecure = true
    try stage.type("LEFTCTRL+A LEFTCTRL+X")
    XCTAssertEqual(stage.town.string, "x")
    XCTAssertEqual(stage.town.label.attributedText.string, "•")
    XCTAssertEqual(stage.name.clipboard.string, "twotwo")
  }

  func testKeysThatMeanNothingGoUp() throws {
    let stage = try TextFieldStage()
    final class Above: Responder {
      var keys: [String] = []
      override func keyChanged(_ key: KeyEvent) { keys.append("\(key.keysym) \(key.phase)") }
    }
    let above = Above()
    stage.input.root.responder = above
    stage.name.beginEditing()
    try stage.type("A ESC LEFTCTRL+B LEFT")
    XCTAssertEqual(above.keys, ["Escape down", "Escape up", "b down", "b up"])
    XCTAssertEqual(stage.name.string, "a")
  }

  /// The caret blinks for ten seconds after the last key; then it stands, and the loop sleeps.
  func testTheCaretBlinksForAWhile() throws {
    let stage = try TextFieldStage()
    XCTAssertFalse(stage.name.isCaretShown)
    stage.name.beginEditing()
    func shown(every interval: Int64, _ count: Int) -> [Bool] {
      (0..<count).map { _ in
        stage.input.turn(for: .milliseconds(interval))
        return stage.name.isCaretShown
      }
    }
    XCTAssertTrue(stage.name.isCaretShown)
    XCTAssertEqual(shown(every: 265, 6), [true, false, false, true, true, false])
    // A key shows it at once.
    try stage.type("A")
    XCTAssertTrue(stage.name.isCaretShown)
    stage.input.turn(for: .milliseconds(520))
    XCTAssertTrue(stage.name.isCaretShown)
    _ = shown(every: 500, 22)
    XCTAssertEqual(shown(every: 265, 12), Array(repeating: true, count: 12))
    var passes = 0
    let count = FrameLoop.Observer([.afterWaiting], .onMain { _, _ in passes += 1 })
    stage.input.loop.add(count, to: .common)
    stage.input.turn(for: .seconds(3600))
    XCTAssertLessThanOrEqual(passes, 2)
    stage.name.endEditing()
    XCTAssertFalse(stage.name.isCaretShown)
  }
}
