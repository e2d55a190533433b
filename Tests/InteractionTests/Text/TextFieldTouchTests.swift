import Geometry
import Input
import Layers
import LinuxSystem
import TestLength
import XCTest

@testable import Interaction

/// Fingers and pointers on text fields.
@preconcurrency @MainActor final class TextFieldTouchTests: XCTestCase {
  func testATapPlacesTheCaret() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace"
    for place in [0, 3, 7, 12] {
      stage.tap(stage.point(of: place, in: stage.name))
      XCTAssertEqual(stage.name.editor.selection, TextSelection(place))
      stage.input.turn(for: .seconds(1))
    }
    XCTAssertTrue(stage.name.isEditing)
    // Behind the last character.
    stage.tap(Point(178, 40))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(12))
  }

  func testASecondTapSelectsTheWord() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace"
    let point = stage.point(of: 6, in: stage.name)
    stage.tap(point)
    XCTAssertEqual(stage.name.editor.selection, TextSelection(6))
    stage.tap(point)
    XCTAssertEqual(stage.name.editor.selectedText, "Lovelace")
    try stage.type("X")
    XCTAssertEqual(stage.name.string, "Ada x")
  }

  func testALongPressMovesTheCaret() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace"
    let (from, to) = (stage.point(of: 2, in: stage.name), stage.point(of: 9, in: stage.name))
    stage.input.down(from.x, from.y)
    stage.input.turn(for: .milliseconds(400))
    XCTAssertFalse(stage.name.isEditing)
    stage.input.turn(for: .milliseconds(200))
    XCTAssertTrue(stage.name.isEditing)
    XCTAssertEqual(stage.name.editor.selection, TextSelection(2))
    stage.input.move(to.x, to.y + 30)
    stage.input.turn()
    XCTAssertEqual(stage.name.editor.selection, TextSelection(9))
    stage.input.up()
    stage.input.turn()
    XCTAssertEqual(stage.name.editor.selection, TextSelection(9))
  }

  func testADragSelectsWhereTheFieldHasTheKeys() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace"
    let (from, to) = (stage.point(of: 10, in: stage.name), stage.point(of: 4, in: stage.name))
    func drag() {
      stage.input.down(from.x, from.y)
      stage.input.turn(for: .milliseconds(10))
      for step in 1...4 {
        stage.input.move(from.x + (to.x - from.x) * Double(step) / 4, from.y)
        stage.input.turn(for: .milliseconds(10))
      }
      stage.input.up()
      stage.input.turn()
    }
    drag()
    XCTAssertFalse(stage.name.isEditing)
    stage.name.beginEditing()
    drag()
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 10, head: 4))
  }

  /// A finger takes an end of the selection where its handle is, also beside it, and may carry it beyond the other end.
  func testFingersDragTheEndsOfASelection() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace Byron"
    stage.name.frame.size.width = 300
    let handles = stage.name.handles.layers
    func drag(from: Point, to: Point) {
      stage.input.down(from.x, from.y)
      stage.input.turn(for: .milliseconds(10))
      for step in 1...8 {
        stage.input.move(from.x + (to.x - from.x) * Double(step) / 8, from.y)
        stage.input.turn(for: .milliseconds(10))
      }
      stage.input.up()
      stage.input.turn(for: .seconds(1))
      stage.name.layoutIfNeeded()
    }
    func point(_ place: Int) -> Point { stage.point(of: place, in: stage.name) }
    for place in [6, 6] { stage.tap(point(place)) }
    stage.name.layoutIfNeeded()
    XCTAssertEqual(stage.name.editor.selectedText, "Lovelace")
    XCTAssertEqual(handles.map(\.isHidden), [false, false])
    // The last end, taken 9 points beside its stem.
    drag(from: point(12) + Point(9, 0), to: point(15) + Point(9, 0))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 4, head: 15))
    // The first one.
    drag(from: point(4) - Point(9, 0), to: point(1) - Point(9, 0))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 15, head: 1))
    // Beyond the other.
    drag(from: point(1), to: point(18))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 15, head: 18))
    // Elsewhere a drag selects anew.
    drag(from: point(2), to: point(6))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 2, head: 6))
    // A caret has none, and neither has what a pointer selects, nor a field without keys.
    stage.tap(point(3))
    stage.name.layoutIfNeeded()
    XCTAssertEqual(handles.map(\.isHidden), [true, true])
    stage.name.edit { $0.selectAll() }
    stage.name.layoutIfNeeded()
    XCTAssertEqual(handles.map(\.isHidden), [false, false])
    stage.name.isTouchedByFinger = false
    stage.name.layoutIfNeeded()
    XCTAssertEqual(handles.map(\.isHidden), [true, true])
    stage.name.isTouchedByFinger = true
    stage.name.endEditing()
    stage.name.layoutIfNeeded()
    XCTAssertEqual(handles.map(\.isHidden), [true, true])
  }

  /// The handle of an end that lies beyond the edge of the field is not seen.
  func testHandlesStayInTheField() throws {
    let stage = try TextFieldStage()
    stage.name.string = String(repeating: "wide ", count: 20)
    stage.name.beginEditing()
    for place in [98, 98] { stage.tap(stage.point(of: place, in: stage.name)) }
    stage.name.edit { $0.selectAll() }
    stage.name.layoutIfNeeded()
    XCTAssertEqual(stage.name.handles.layers.map(\.isHidden), [true, false])
  }

  func testAPointerSelectsAtOnce() throws {
    let stage = try TextFieldStage()
    stage.name.string = "Ada Lovelace"
    let (from, to) = (stage.point(of: 1, in: stage.name), stage.point(of: 11, in: stage.name))
    func mouse(_ action: InputEvent.Action) {
      stage.input.router.receive(InputEvent(time: stage.input.clock.now, device: InputStage.mouse.id, action: action))
      stage.input.turn(for: .milliseconds(10))
    }
    mouse(.position(Point(from.x / 400, from.y / 300)))
    mouse(.button(.leftButton, isDown: true))
    stage.input.turn(for: .seconds(1))
    mouse(.position(Point((from.x + 20) / 400, from.y / 300)))
    mouse(.position(Point(to.x / 400, to.y / 300)))
    mouse(.button(.leftButton, isDown: false))
    XCTAssertEqual(stage.name.editor.selection, TextSelection(anchor: 1, head: 11))
  }

  func testTheCaretIsSeenWhereverItIs() throws {
    let stage = try TextFieldStage()
    stage.name.beginEditing()
    var random = SplitMix64(seed: 5)
    let parts = ["word ", "i", "WWW", "   ", "ä", "שלום ", "👩‍🚀", "123"]
    for step in 0..<400 {
      switch Int.random(in: 0..<6, using: &random) {
      case 0...1: stage.name.perform(.insert(parts.randomElement(using: &random) ?? ""))
      case 2: stage.name.perform(.delete(.character, .backward))
      case 3: stage.name.perform(.move(.word, .backward, extending: false))
      case 4: stage.name.perform(.move(.character, .forward, extending: false))
      default: stage.name.perform(.move(.line, Bool.random(using: &random) ? .forward : .backward, extending: false))
      }
      let (caret, room) = (stage.name.caretRect, stage.name.bounds.insetBy(dx: 9.99, dy: 0))
      XCTAssertGreaterThanOrEqual(
        caret.minX, room.minX, "step \(step), '\(stage.name.string)' \(stage.name.editor.selection)")
      XCTAssertLessThanOrEqual(caret.maxX, room.maxX, "step \(step), '\(stage.name.string)' \(stage.name.editor.selection)")
    }
    stage.name.string = String(repeating: "wide ", count: 20)
    XCTAssertGreaterThan(stage.name.caretRect.midX, 140)
    // A line leaves blanks at its end out of its width; the caret goes on over them.
    let end = stage.name.clip.bounds.minX
    for _ in 0..<5 { stage.name.perform(.insert(" ")) }
    stage.name.layoutIfNeeded()
    XCTAssertGreaterThan(stage.name.clip.bounds.minX, end + 10)
    XCTAssertEqual(stage.name.place(at: stage.name.caretRect.origin), 105)
    stage.name.endEditing()
    stage.name.layoutIfNeeded()
    XCTAssertEqual(stage.name.clip.bounds.minX, 0)
  }

  /// Places of carets come back from the points where they are, in both directions and with dots.
  func testPlacesAndPointsAgree() throws {
    let stage = try TextFieldStage()
    for text in ["Ada Lovelace", "שלום עולם", "e\u{301}👨‍👩‍👧x", "", "a"] {
      for isSecure in [false, true] {
        stage.name.string = text
        stage.name.isSecure = isSecure
        for place in 0...text.count {
          stage.name.edit { $0.select(TextSelection(place)) }
          let rect = stage.name.caretRect
          XCTAssertEqual(stage.name.place(at: Point(rect.minX, rect.midY)), place, "\(text) \(isSecure)")
        }
      }
    }
    XCTAssertEqual(stage.name.isRightToLeft, false)
    stage.name.isSecure = false
    stage.name.string = "שלום"
    stage.name.beginEditing()
    XCTAssertEqual(stage.name.isRightToLeft, true)
    try stage.type("RIGHT A")
    XCTAssertEqual(stage.name.string, "שלוaם")
  }

  func testTwoDirectionsInASelection() throws {
    let stage = try TextFieldStage()
    stage.name.string = "ab שלום cd"
    stage.name.beginEditing()
    stage.name.edit { $0.select(TextSelection(anchor: 1, head: 5)) }
    stage.name.layoutIfNeeded()
    let highlight = stage.name.clip.sublayers[0]
    XCTAssertEqual(highlight.sublayers.count, 2)
    stage.name.endEditing()
    stage.name.layoutIfNeeded()
    XCTAssertEqual(highlight.sublayers.count, 0)
  }
}
