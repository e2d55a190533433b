import Geometry
import Input
import Layers
import LinuxSystem
import XCTest

@testable import Interaction

@preconcurrency @MainActor final class KeyboardPanelTests: XCTestCase {
  private final class Panel: KeyboardPanel {
    var isShown = false
    var label = ""
    func showKeys(of keyboard: Keyboard) { (isShown, label) = (true, keyboard.label(of: InputCode(rawValue: 30))) }
    func hideKeys() { isShown = false }
  }

  func testItIsShownForTextWithoutAKeyboard() throws {
    let stage = try TextFieldStage()
    let panel = Panel()
    stage.input.router.keyboardPanel = panel
    stage.name.beginEditing()
    XCTAssertFalse(panel.isShown)
    stage.send(.removed)
    XCTAssertTrue(panel.isShown)
    // A power button is no keyboard to write on.
    let button = InputDevice(id: InputDevice.ID(rawValue: 9), name: "Power Button", abilities: .keyboard)
    stage.input.router.receive(InputEvent(time: stage.input.clock.now, device: button.id, action: .added(button)))
    XCTAssertTrue(panel.isShown)
    stage.name.endEditing()
    XCTAssertFalse(panel.isShown)
    stage.town.beginEditing()
    XCTAssertTrue(panel.isShown)
    stage.send(.added(TextFieldStage.keys))
    XCTAssertFalse(panel.isShown)
    stage.input.router.keyboardPanelUse = .always
    XCTAssertTrue(panel.isShown)
    stage.input.router.keyboardPanelUse = .never
    XCTAssertFalse(panel.isShown)
    stage.input.router.keyboardPanelUse = .always
    stage.town.removeFromSuperlayer()
    stage.input.down(300, 200)
    stage.input.turn()
    XCTAssertFalse(panel.isShown)
  }

  func testItHasTheKeysOfTheMachineWhereNoKeyboardIsSet() throws {
    let input = InputStage()
    let field = TextField()
    field.frame = Rect(x: 20, y: 20, width: 160, height: 40)
    input.root.addSublayer(field)
    let panel = Panel()
    input.router.keyboardPanel = panel
    XCTAssertNil(input.router.keyboard)
    field.beginEditing()
    XCTAssertTrue(panel.isShown)
    XCTAssertEqual(
      input.router.keyboard?.layout.reason, try Keyboard(layout: .automatic()).layout.reason)
  }

  func testItFollowsModifiers() throws {
    let stage = try TextFieldStage()
    let panel = Panel()
    stage.input.router.keyboardPanelUse = .always
    stage.input.router.keyboardPanel = panel
    stage.name.beginEditing()
    XCTAssertEqual(panel.label, "a")
    stage.send(.key(try XCTUnwrap(InputCode(named: "KEY_LEFTSHIFT")), isDown: true))
    stage.input.turn()
    XCTAssertEqual(panel.label, "A")
    stage.send(.removed)
    stage.input.turn()
    XCTAssertEqual(panel.label, "a")
    stage.input.router.keyboard = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: "fr")))
    XCTAssertEqual(panel.label, "q")
    stage.input.router.keyboardPanel = nil
    XCTAssertFalse(panel.isShown)
  }
}
