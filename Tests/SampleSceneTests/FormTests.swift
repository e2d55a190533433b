import Framepace
import FramepaceTesting
import SampleScenes
import XCTest

/// The form of the sample `Form`, filled in by a finger and by a keyboard.
@preconcurrency @MainActor final class FormTests: XCTestCase {
  @MainActor
  private final class Stage {
    let stage: ManualStage<VirtualDisplay>
    let form: NameForm
    let keyboard: Keyboard
    private let finger = InputDevice(id: InputDevice.ID(rawValue: 1), name: "finger", abilities: .touch)

    init(layout: String = "us") throws {
      stage = try ManualStage(width: 480, height: 720, rate: .hertz60)
      stage.engine.waitsForDrawings = true
      keyboard = try Keyboard(
        layout: KeyboardLayout(KeyboardLayout.Names(layout: layout)),
        sequences: ComposeTable(locale: ComposeTable.utf8Locale))
      let router = stage.engine.inputRouter
      router.keyboard = keyboard
      form = NameForm(frame: stage.root.bounds, fonts: try SceneFonts().library(), router: router)
      stage.root.addSublayer(form)
      send(.added(finger))
      stage.run(for: .milliseconds(100))
    }

    func send(_ action: InputEvent.Action, of device: InputDevice? = nil) {
      let event = InputEvent(time: stage.clock.now, device: (device ?? finger).id, action: action)
      stage.engine.inputRouter.receive(event)
    }

    func tap(_ point: Point?) throws {
      let point = try XCTUnwrap(point)
      send(.touch(finger: 0, .down(Point(point.x / 480, point.y / 720))))
      stage.run(for: .milliseconds(40))
      send(.touch(finger: 0, .up))
      stage.run(for: .milliseconds(40))
    }

    func tap(_ layer: Layer) throws { try tap(Point(layer.frame.midX, layer.frame.midY)) }

    func tap(key name: String) throws { try tap(form.keyboard.point(of: XCTUnwrap(InputCode(named: "KEY_\(name)")))) }

    func type(_ text: String) throws {
      let codes = form.keyboard.codes(for: text, keyboard)
      XCTAssertEqual(codes.count, text.count)
      for code in codes { try tap(form.keyboard.point(of: code)) }
    }

    func check(_ name: String) throws {
      let folder = String(#filePath.dropLast("FormTests.swift".count)) + "Goldens"
      try GoldenImage.check(stage.display.capture(), against: "\(folder)/\(name).png")
    }
  }

  func testAFingerEntersAName() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    try stage.check("form")
    try stage.tap(stage.form.firstName)
    XCTAssertFalse(stage.form.keyboard.isHidden)
    try stage.tap(key: "LEFTSHIFT")
    try stage.type("A")
    // Shift was for one letter.
    try stage.type("da")
    try stage.tap(key: "ENTER")
    XCTAssertTrue(stage.form.lastName.isEditing)
    try stage.tap(key: "CAPSLOCK")
    try stage.type("BY")
    try stage.tap(key: "CAPSLOCK")
    try stage.type("ron")
    try stage.tap(key: "LEFTSHIFT")
    try stage.check("form-typing")
    try stage.tap(stage.form.sendButton)
    XCTAssertEqual(stage.form.message, "Hello, Ada BYron!")
    XCTAssertTrue(stage.form.keyboard.isHidden)
    // Nothing is held, and nothing moves any more.
    XCTAssertEqual(stage.keyboard.heldKeys, [])
    XCTAssertEqual(stage.keyboard.modifiers, [])
    stage.stage.run(for: .seconds(1))
    let frames = stage.stage.frames.count
    stage.stage.run(for: .seconds(5))
    XCTAssertEqual(stage.stage.frames.count, frames)
  }

  func testDeadKeysOfAGermanKeyboard() throws {
    let stage = try Stage(layout: "de")
    defer { stage.stage.engine.invalidate() }
    try stage.tap(stage.form.lastName)
    try stage.type("j´erö")
    try stage.tap(key: "102ND")
    try stage.tap(key: "RIGHTALT")
    try stage.type("@")
    XCTAssertEqual(stage.form.lastName.string, "jérö<@")
    try stage.type("´")
    try stage.check("form-german")
    // A touch beside the fields ends it.
    try stage.tap(Point(5, 5))
    XCTAssertTrue(stage.form.keyboard.isHidden)
  }

  func testASelection() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    stage.form.firstName.string = "Ada שלום Augusta"
    stage.form.code.string = "1815"
    try stage.tap(stage.form.firstName)
    stage.form.firstName.edit { $0.select(TextSelection(anchor: 2, head: 6)) }
    stage.stage.run(for: .milliseconds(100))
    try stage.check("form-selection")
  }

  /// A key that is held while its field goes is not held any more.
  func testAKeyThatIsHeldAtTheEnd() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    try stage.tap(stage.form.firstName)
    let point = try XCTUnwrap(stage.form.keyboard.point(of: XCTUnwrap(InputCode(named: "KEY_A"))))
    stage.send(.touch(finger: 0, .down(Point(point.x / 480, point.y / 720))))
    stage.stage.run(for: .milliseconds(20))
    XCTAssertEqual(stage.keyboard.heldKeys.count, 1)
    stage.form.removeFromSuperlayer()
    stage.stage.run(for: .seconds(2))
    XCTAssertEqual(stage.keyboard.heldKeys, [])
    XCTAssertEqual(stage.form.firstName.string, "a")
  }

  /// With a keyboard there is none on the screen.
  func testAKeyboardOfTheMachine() throws {
    let stage = try Stage()
    defer { stage.stage.engine.invalidate() }
    let keys = InputDevice(id: InputDevice.ID(rawValue: 2), name: "keys", abilities: [.keyboard, .letters])
    try stage.tap(stage.form.firstName)
    stage.send(.added(keys), of: keys)
    stage.stage.run(for: .milliseconds(20))
    XCTAssertTrue(stage.form.keyboard.isHidden)
    for name in ["A", "TAB", "B", "ENTER", "C", "ENTER"] {
      let code = try XCTUnwrap(InputCode(named: "KEY_\(name)"))
      stage.send(.key(code, isDown: true), of: keys)
      stage.send(.key(code, isDown: false), of: keys)
      stage.stage.run(for: .milliseconds(20))
    }
    XCTAssertEqual(stage.form.message, "Hello, a b!")
    XCTAssertEqual(stage.form.code.string, "c")
  }
}
