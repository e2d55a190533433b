import Geometry
import Input
import Layers
import LinuxSystem
import RunLoops
import XCTest

@testable import Interaction

@preconcurrency @MainActor final class KeyRouterTests: XCTestCase {
  @MainActor
  private final class Stage {
    let input = InputStage()
    let field: Layer
    let keys = InputDevice(id: InputDevice.ID(rawValue: 7), name: "keys", abilities: .keyboard)

    /// - Parameter hasKeyboard: false to set none.
    init(hasKeyboard: Bool = true) throws {
      field = input.add("field", Rect(x: 0, y: 0, width: 100, height: 20), tells: false)
      field.responder = Typist("field", input)
      if hasKeyboard { input.router.keyboard = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "us"))) }
      send(.added(keys))
    }

    func send(_ action: InputEvent.Action) {
      input.router.receive(InputEvent(time: input.clock.now, device: keys.id, action: action))
    }

    func key(_ name: String, isDown: Bool) throws {
      send(.key(try XCTUnwrap(InputCode(named: name)), isDown: isDown))
      input.turn()
    }

    /// Lets the field have the keys, and do something about each.
    func become(_ answer: @escaping @MainActor (KeyEvent) -> Void) {
      field.responder = Typist("field", input, answer)
      field.responder?.becomeFirstResponder()
    }
  }

  private func code(_ name: String) throws -> InputCode { try XCTUnwrap(InputCode(named: name)) }

  @MainActor
  private final class Typist: Responder {
    let name: String
    weak let stage: InputStage?
    private let answer: @MainActor (KeyEvent) -> Void

    init(_ name: String, _ stage: InputStage, _ answer: @escaping @MainActor (KeyEvent) -> Void = { _ in }) {
      (self.name, self.stage, self.answer) = (name, stage, answer)
    }
    override var canBecomeFirstResponder: Bool { true }
    override func keyChanged(_ key: KeyEvent) {
      stage?.log.append("\(name) \(key.phase) \(key.keysym) '\(key.characters)'")
      answer(key)
    }
    override func becameFirstResponder() { stage?.log.append("\(name) first") }
    override func resignedFirstResponder() { stage?.log.append("\(name) not first") }
  }

  func testKeysGoToTheFirstResponder() throws {
    let stage = try Stage()
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), [])
    try stage.key("KEY_A", isDown: false)
    XCTAssertEqual(stage.field.responder?.becomeFirstResponder(), true)
    try stage.key("KEY_LEFTSHIFT", isDown: true)
    try stage.key("KEY_B", isDown: true)
    try stage.key("KEY_B", isDown: false)
    XCTAssertEqual(
      stage.input.taken(), ["field first", "field down Shift_L ''", "field down B 'B'", "field up B ''"])
  }

  func testTheMachinesKeyboardServesWhereNoneIsSet() throws {
    let own = try Keyboard(layout: .automatic(), sequences: try? ComposeTable.automatic())
    let code = try XCTUnwrap(InputCode(named: "KEY_A"))
    let key = try XCTUnwrap(own.handle(code, isDown: true, of: InputDevice.ID(rawValue: 7), at: .zero))
    let stage = try Stage(hasKeyboard: false)
    // A key that nobody is to get needs no keyboard.
    try stage.key("KEY_A", isDown: true)
    try stage.key("KEY_A", isDown: false)
    XCTAssertNil(stage.input.router.keyboard)
    stage.field.responder?.becomeFirstResponder()
    _ = stage.input.taken()
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), ["field down \(key.keysym) '\(key.characters)'"])
    XCTAssertEqual(stage.input.router.keyboard?.layout.reason, own.layout.reason)

    let silent = try Stage(hasKeyboard: false)
    silent.input.router.keyboard = nil
    silent.field.responder?.becomeFirstResponder()
    _ = silent.input.taken()
    try silent.key("KEY_A", isDown: true)
    XCTAssertEqual(silent.input.taken(), [])
    XCTAssertNil(silent.input.router.keyboard)
  }

  /// A desktop may change the layout, or take its keyboard away, in the same breath as keys are pressed.
  func testKeysHaveTheKeyboardOnWhichTheyWereTyped() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    _ = stage.input.taken()
    let code = try XCTUnwrap(InputCode(named: "KEY_Y"))
    let german = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "de")))
    stage.send(.key(code, isDown: true))
    stage.send(.key(code, isDown: false))
    stage.input.router.keyboard = german
    XCTAssertTrue(stage.input.router.keyboard === german)
    stage.send(.key(code, isDown: true))
    stage.send(.key(code, isDown: false))
    stage.input.router.keyboard = nil
    XCTAssertNil(stage.input.router.keyboard)
    stage.send(.key(code, isDown: true))
    stage.input.turn()
    XCTAssertEqual(stage.input.taken(), ["field down y 'y'", "field up y ''", "field down z 'z'", "field up z ''"])
    stage.input.router.keyboard = german
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), ["field down a 'a'"])
  }

  /// A responder that answers a key by another keyboard: the keys behind that one are typed on it, also those that came in the same turn.
  func testAKeyMayChangeTheKeyboard() throws {
    let stage = try Stage()
    let german = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "de")))
    stage.become { [router = stage.input.router] key in
      if key.characters == "y" { router.keyboard = german }
    }
    for _ in 0..<2 { for isDown in [true, false] { stage.send(.key(try code("KEY_Y"), isDown: isDown)) } }
    stage.input.turn()
    XCTAssertEqual(
      stage.input.taken(), ["field first", "field down y 'y'", "field cancelled y ''", "field down z 'z'", "field up z ''"])
  }

  /// One that a responder sets while another one waits behind keys takes its turn behind that, also if nothing else is typed.
  func testAKeyboardThatAKeySetsWaitsForTheOneBefore() throws {
    let stage = try Stage()
    let german = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "de")))
    let french = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "fr")))
    stage.become { [router = stage.input.router] key in
      if key.characters == "y" { router.keyboard = french }
    }
    for isDown in [true, false] { stage.send(.key(try code("KEY_Y"), isDown: isDown)) }
    stage.input.router.keyboard = german
    stage.send(.key(try code("KEY_SEMICOLON"), isDown: true))
    stage.input.turn()
    stage.input.turn()
    XCTAssertEqual(
      stage.input.taken(),
      [
        "field first", "field down y 'y'", "field up y ''", "field down odiaeresis 'ö'", "field cancelled odiaeresis ''",
      ])
    XCTAssertTrue(stage.input.router.keyboard === french)
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), ["field down q 'q'"])
  }

  /// One that a responder sets when its key is cancelled for another one is the later of the two.
  func testAKeyboardThatACancelledKeySetsIsTheLast() throws {
    let stage = try Stage()
    let german = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "de")))
    let french = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "fr")))
    stage.become { [router = stage.input.router] key in
      if key.phase == .cancelled { router.keyboard = french }
    }
    try stage.key("KEY_Y", isDown: true)
    stage.input.router.keyboard = german
    XCTAssertTrue(stage.input.router.keyboard === french)
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), ["field first", "field down y 'y'", "field cancelled y ''", "field down q 'q'"])
  }

  func testAHeldKeyRepeatsInPhase() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    try stage.key("KEY_A", isDown: true)
    _ = stage.input.taken()
    stage.input.turn(for: .milliseconds(599))
    XCTAssertEqual(stage.input.taken(), [])
    stage.input.turn(for: .milliseconds(100))
    XCTAssertEqual(stage.input.taken(), Array(repeating: "field repeated a 'a'", count: 3))
    // A loop that was busy for a second types once: the key may be up, which it has not read yet.
    stage.input.clock.advance(by: .seconds(1))
    stage.input.turn()
    XCTAssertEqual(stage.input.taken(), ["field repeated a 'a'"])
    try stage.key("KEY_A", isDown: false)
    stage.input.turn(for: .seconds(1))
    XCTAssertEqual(stage.input.taken(), ["field up a ''"])
  }

  /// A key that is held while the keys go elsewhere is cancelled where it went down, and its release is told to nobody.
  func testAHeldKeyStaysWithItsResponder() throws {
    let stage = try Stage()
    let other = stage.input.add("other", Rect(x: 0, y: 50, width: 100, height: 20), tells: false)
    other.responder = Typist("other", stage.input)
    stage.field.responder?.becomeFirstResponder()
    try stage.key("KEY_A", isDown: true)
    other.responder?.becomeFirstResponder()
    stage.input.turn(for: .seconds(2))
    try stage.key("KEY_A", isDown: false)
    try stage.key("KEY_C", isDown: true)
    stage.send(.removed)
    stage.input.turn()
    XCTAssertEqual(
      stage.input.taken(),
      [
        "field first", "field down a 'a'", "field cancelled NoSymbol ''", "field not first", "other first",
        "other down c 'c'", "other cancelled c ''",
      ])
  }

  func testALayerThatLeavesResigns() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    stage.field.removeFromSuperlayer()
    stage.input.down(300, 200)
    stage.input.turn()
    XCTAssertNil(stage.input.router.firstResponder)
    XCTAssertEqual(stage.input.taken(), ["field first", "field not first"])
    XCTAssertEqual(stage.field.responder?.becomeFirstResponder(), false)
  }

  /// The repetition is what the desktop says, or none.
  func testTheRepetitionCanBeChosen() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    stage.input.router.keyRepeat = KeyRepeat(delay: .milliseconds(100), interval: .milliseconds(50))
    try stage.key("KEY_A", isDown: true)
    _ = stage.input.taken()
    stage.input.turn(for: .milliseconds(160))
    XCTAssertEqual(stage.input.taken(), Array(repeating: "field repeated a 'a'", count: 2))
    stage.input.router.keyRepeat = nil
    stage.input.turn(for: .seconds(2))
    try stage.key("KEY_B", isDown: true)
    stage.input.turn(for: .seconds(2))
    XCTAssertEqual(stage.input.taken(), ["field down b 'b'"])
  }

  /// A desktop tells of Shift before any key is wanted: the machine's keyboard, which is made at the first one, has it.
  func testTheMachinesKeyboardHasTheModifiersOfBefore() throws {
    let stage = try Stage(hasKeyboard: false)
    stage.send(.modifiers(ModifierState(depressed: 1)))
    stage.input.turn()
    stage.field.responder?.becomeFirstResponder()
    try stage.key("KEY_1", isDown: true)
    let own = try Keyboard(layout: .automatic(), sequences: try? ComposeTable.automatic())
    own.setModifiers(ModifierState(depressed: 1))
    let code = try XCTUnwrap(InputCode(named: "KEY_1"))
    let key = try XCTUnwrap(own.handle(code, isDown: true, of: InputDevice.ID(rawValue: 7), at: .zero))
    XCTAssertEqual(stage.input.taken(), ["field first", "field down \(key.keysym) '\(key.characters)'"])
    XCTAssertNotEqual(key.characters, "1")
  }

  /// A desktop keeps the modifiers: those that it tells count, and its keys change none.
  func testTheDesktopsModifiersCount() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    try stage.key("KEY_A", isDown: true)
    stage.send(.modifiers(ModifierState(depressed: 1)))
    stage.input.turn()
    try stage.key("KEY_B", isDown: true)
    stage.send(.keysReleased)
    stage.send(.modifiers(ModifierState()))
    stage.input.turn()
    try stage.key("KEY_LEFTSHIFT", isDown: true)
    try stage.key("KEY_C", isDown: true)
    XCTAssertEqual(
      stage.input.taken(),
      [
        "field first", "field down a 'a'", "field down B 'B'", "field cancelled a ''", "field cancelled B ''",
        "field down Shift_L ''", "field down c 'c'",
      ])
  }

  func testTheLampsAreTold() throws {
    let stage = try Stage()
    var lamps: [KeyboardLEDs] = []
    stage.input.router.onLEDs = { lamps.append($0) }
    try stage.key("KEY_CAPSLOCK", isDown: true)
    try stage.key("KEY_CAPSLOCK", isDown: false)
    XCTAssertEqual(lamps.first, [])
    XCTAssertEqual(lamps.last, .capsLock)
  }
  /// Keys that ask for another session reach it and no responder; Control, which is still held when the seat is lost, is cancelled, and does
  /// nothing to the first key afterwards.
  func testASessionIsAskedForWithControlHeld() throws {
    let stage = try Stage()
    stage.field.responder?.becomeFirstResponder()
    var sessions: [Int] = []
    stage.input.router.onSessionRequest = { sessions.append($0) }
    for key in ["KEY_LEFTCTRL", "KEY_LEFTALT", "KEY_F3"] { try stage.key(key, isDown: true) }
    XCTAssertEqual(sessions, [3])
    stage.send(.removed)
    stage.input.turn()
    XCTAssertEqual(
      stage.input.taken(),
      [
        "field first", "field down Control_L ''", "field down Alt_L ''", "field cancelled Control_L ''",
        "field cancelled Alt_L ''",
      ])
    stage.send(.added(stage.keys))
    // Their releases are read when the seat is back.
    for key in ["KEY_LEFTCTRL", "KEY_LEFTALT", "KEY_F3"] { try stage.key(key, isDown: false) }
    try stage.key("KEY_A", isDown: true)
    XCTAssertEqual(stage.input.taken(), ["field down a 'a'"])
    XCTAssertEqual(sessions, [3])
    // Without a taker it is a key as any other.
    stage.input.router.onSessionRequest = nil
    for key in ["KEY_LEFTCTRL", "KEY_LEFTALT", "KEY_F12"] { try stage.key(key, isDown: true) }
    XCTAssertEqual(stage.input.taken().last, "field down XF86Switch_VT_12 ''")
  }
}
