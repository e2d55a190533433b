import Framepace
import Geometry
import Input
import LinuxSystem
import Simulation
import TestLength
import WaylandTesting
import XCTest

@testable import Interaction
@testable import Wayland

/// The desktop's input method in text fields.
@preconcurrency @MainActor final class TextInputTests: XCTestCase {
  @MainActor
  private final class Stage {
    let seat: SeatStage
    let field = TextField()
    var method: CompositorInputMethod { seat.window.compositor.inputMethod }

    init(globals: CompositorGlobals = .all) throws {
      seat = try SeatStage(globals: globals)
      let router = seat.window.engine.inputRouter
      (router.keyboard, router.keyRepeat) = try XCTUnwrap(seat.keyboards.last)
      router.onTextInput = { [unowned self] in seat.input.textInput.state = $0 }
      seat.input.textInput.onComposition = { router.compose($0) }
      field.frame = Rect(x: 20, y: 40, width: 160, height: 40)
      seat.window.root.addSublayer(field)
      seat.seat.focusKeyboard(seat.window.window)
      seat.wait(50)
    }

    func wait() { seat.wait(40) }

    func end() {
      XCTAssertEqual(seat.window.compositor.violations, [])
      seat.input.invalidate()
      seat.window.end()
    }
  }

  func testItIsOnWhileATextIsWritten() throws {
    let stage = try Stage()
    XCTAssertNil(stage.method.state)
    XCTAssertEqual(stage.method.commitCount, 0)
    stage.field.string = "añb"
    stage.field.beginEditing()
    stage.wait()
    var state = try XCTUnwrap(stage.method.state)
    XCTAssertEqual(state.text, "añb")
    XCTAssertEqual([state.cursor, state.anchor], [4, 4])
    XCTAssertEqual([state.hint, state.purpose], [0, 0])
    // In points of the window.
    let caret = stage.field.caretRect
    XCTAssertEqual(state.caret.minX, Int32((20 + caret.minX).rounded()))
    XCTAssertEqual(state.caret.minY, Int32((40 + caret.minY).rounded()))
    XCTAssertEqual(state.caret.height, Int(caret.height.rounded()))
    stage.seat.seat.key(30, isDown: true)
    stage.seat.seat.key(30, isDown: false)
    stage.wait()
    state = try XCTUnwrap(stage.method.state)
    XCTAssertEqual(state.text, "añba")
    XCTAssertTrue(state.isOtherChange)
    stage.field.perform(.selectAll)
    stage.wait()
    XCTAssertEqual(stage.method.state?.anchor, 0)
    XCTAssertEqual(stage.method.state?.cursor, 5)
    // Nothing is sent while nothing changes.
    let count = stage.method.commitCount
    stage.seat.wait(2000)
    XCTAssertEqual(stage.method.commitCount, count)
    stage.field.isSecure = true
    stage.wait()
    XCTAssertEqual(stage.method.state?.purpose, 8)
    XCTAssertEqual(stage.method.state?.hint, 0xC0)
    stage.field.endEditing()
    stage.wait()
    XCTAssertNil(stage.method.state)
    stage.end()
  }

  func testItFollowsTheKeyboardsFocus() throws {
    let stage = try Stage()
    stage.field.beginEditing()
    stage.wait()
    stage.method.send(marked: "x", caret: 1)
    stage.wait()
    XCTAssertEqual(stage.field.editor.marked, "x")
    stage.seat.seat.focusKeyboard(nil)
    stage.wait()
    XCTAssertEqual(stage.field.editor.marked, "")
    XCTAssertNil(stage.method.state)
    stage.field.string = "new"
    stage.seat.seat.focusKeyboard(stage.seat.window.window)
    stage.wait()
    XCTAssertEqual(stage.method.state?.text, "new")
    stage.end()
  }

  func testTextIsComposed() throws {
    let stage = try Stage()
    stage.field.beginEditing()
    stage.wait()
    stage.method.send(marked: "にほ", caret: 3)
    stage.wait()
    XCTAssertEqual(stage.field.string, "")
    XCTAssertEqual(stage.field.editor.marked, "にほ")
    XCTAssertEqual(stage.field.editor.markedCaret, 3)
    let middle = stage.field.caretRect.minX
    stage.method.send(marked: "にほ", caret: 6)
    stage.wait()
    XCTAssertGreaterThan(stage.field.caretRect.minX, middle)
    // Marked text is no part of what the input method is told.
    XCTAssertEqual(stage.method.state?.text, "")
    stage.method.send(inserted: "日本")
    stage.wait()
    XCTAssertEqual(stage.field.string, "日本")
    XCTAssertEqual(stage.field.editor.marked, "")
    XCTAssertEqual(stage.method.state?.text, "日本")
    XCTAssertEqual(stage.method.state?.isOtherChange, false)
    stage.method.send(inserted: "語", marked: "go", caret: nil, deletedBefore: 3)
    stage.wait()
    XCTAssertEqual(stage.field.string, "日語")
    XCTAssertEqual(stage.field.editor.marked, "go")
    // A change elsewhere is news to the input method.
    stage.field.edit { $0.select(TextSelection(0)) }
    stage.wait()
    XCTAssertEqual(stage.field.editor.marked, "")
    XCTAssertEqual(stage.method.state?.isOtherChange, true)
    XCTAssertEqual(stage.method.state?.cursor, 0)
    stage.method.send(deletedBehind: 3)
    stage.wait()
    XCTAssertEqual(stage.field.string, "語")
    stage.end()
  }

  /// A step of an input method that has not heard of the newest state is taken, and answered by nothing until it has.
  func testAnOldSerialIsNotAnswered() throws {
    let stage = try Stage()
    stage.field.beginEditing()
    stage.wait()
    let count = stage.method.commitCount
    stage.method.send(inserted: "a", lag: 1)
    stage.wait()
    XCTAssertEqual(stage.field.string, "a")
    XCTAssertEqual(stage.method.commitCount, count)
    stage.method.send()
    stage.wait()
    XCTAssertEqual(stage.method.state?.text, "a")
    stage.method.send(inserted: "b", lag: 1)
    stage.wait()
    XCTAssertEqual(stage.method.state?.text, "a")
    // A key is told all the same.
    stage.seat.seat.key(30, isDown: true)
    stage.seat.seat.key(30, isDown: false)
    stage.wait()
    XCTAssertEqual(stage.method.state?.text, "aba")
    stage.end()
  }

  /// Keys that came before a step are typed before it.
  func testKeysAndStepsKeepTheirOrder() throws {
    let stage = try Stage()
    stage.field.beginEditing()
    stage.wait()
    stage.seat.seat.key(30, isDown: true)
    stage.seat.seat.key(30, isDown: false)
    stage.method.send(inserted: "1")
    stage.seat.seat.key(48, isDown: true)
    stage.seat.seat.key(48, isDown: false)
    stage.method.send(inserted: "2")
    stage.wait()
    XCTAssertEqual(stage.field.string, "a1b2")
    stage.end()
  }

  func testLongTextsAreCutAroundTheCaret() {
    var random = SplitMix64(seed: 5)
    for _ in 0..<40 {
      let characters = ["a", "é", "字", "🎈"]
      let text = (0..<Int.random(in: 0...4000, using: &random)).map { _ in characters.randomElement(using: &random) ?? "" }
      let places = text.reduce(into: [0]) { $0.append(($0.last ?? 0) + $1.utf8.count) }
      let (anchor, head) = (places.randomElement(using: &random) ?? 0, places.randomElement(using: &random) ?? 0)
      let state = TextInputState(
        text: text.joined(), anchor: anchor, head: head, caret: .zero, isSecure: false, change: 0)
      let part = state.surroundings
      let bytes = Array(part.text.utf8)
      XCTAssertLessThanOrEqual(bytes.count, 4000)
      XCTAssertFalse(part.text.contains("\u{FFFD}"))
      let start = head - part.head
      XCTAssertEqual(Array(state.text.utf8)[start..<start + bytes.count], bytes[...])
      XCTAssertEqual(part.anchor, min(max(anchor - start, 0), bytes.count))
      if text.joined().utf8.count > 4000 { XCTAssertGreaterThan(bytes.count, 3990) }
    }
  }

  /// Whatever an input method sends, in whatever order with keys, focus and an application's changes: no rule is broken, and in the end it knows
  /// the field's text.
  func testRandomScripts() throws {
    for seed in some(40, of: 0..<10_000) {
      try play(UInt64(seed))
      if testRun?.totalFailureCount ?? 0 > 0 { return }
    }
  }

  private func play(_ seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let stage = try Stage(globals: random.chance(0.7) ? .all : .sway)
    let texts = ["", "a", "字", "e\u{301}", "🇩🇪", "ab cd", "line\nbreak", "\u{7}"]
    for _ in 0..<Int.random(in: 1...40, using: &random) {
      switch Int.random(in: 0..<9, using: &random) {
      case 0...3:
        stage.method.send(
          inserted: random.chance(0.5) ? texts.randomElement(using: &random) : nil,
          marked: random.chance(0.5) ? texts.randomElement(using: &random) : nil,
          caret: random.chance(0.7) ? Int.random(in: 0...8, using: &random) : nil,
          deletedBefore: random.chance(0.3) ? Int.random(in: 0...9, using: &random) : 0,
          deletedBehind: random.chance(0.3) ? Int.random(in: 0...9, using: &random) : 0,
          lag: random.chance(0.2) ? UInt32.random(in: 1...3, using: &random) : 0)
      case 4: if random.chance(0.7) { stage.field.beginEditing() } else { stage.field.endEditing() }
      case 5: stage.seat.seat.focusKeyboard(random.chance(0.7) ? stage.seat.window.window : nil)
      case 6:
        stage.seat.seat.key(30, isDown: true)
        stage.seat.seat.key(30, isDown: false)
      case 7:
        let place = Int.random(in: 0...9, using: &random)
        stage.field.edit { $0.select(TextSelection(anchor: place, head: Int.random(in: 0...9, using: &random))) }
      default:
        stage.field.string = String(
          repeating: texts.randomElement(using: &random) ?? "", count: random.chance(0.02) ? 3000 : 2)
      }
      stage.seat.wait(Int64.random(in: 0...30, using: &random))
    }
    stage.seat.seat.focusKeyboard(stage.seat.window.window)
    stage.field.beginEditing()
    stage.wait()
    stage.method.send()
    stage.wait()
    let (text, state) = (stage.field.string, try XCTUnwrap(stage.method.state, "seed \(seed)"))
    let (bytes, part) = (Array(text.utf8), Array(state.text.utf8))
    let start = stage.field.editor.byte(at: stage.field.editor.selection.head) - state.cursor
    XCTAssertEqual(bytes[start..<start + part.count], part[...], "seed \(seed)")
    if bytes.count <= 4000 { XCTAssertEqual(state.text, text, "seed \(seed)") }
    stage.end()
  }
}
