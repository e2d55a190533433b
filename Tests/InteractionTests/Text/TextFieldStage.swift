import Geometry
import Input
import Layers
import LinuxSystem
import RunLoops
import XCTest

@testable import Interaction

/// Two text fields on a touch screen, with a keyboard, on manual time.
@MainActor
final class TextFieldStage: TextFieldDelegate {
  let input = InputStage()
  let name = TextField()
  let town = TextField()
  /// The calls of the delegate.
  var log: [String] = []
  static let keys = InputDevice(id: InputDevice.ID(rawValue: 7), name: "keys", abilities: [.keyboard, .letters])

  init(layout: String = "us", options: String = "") throws {
    let layout = try KeyboardLayout(KeyboardLayout.Names(layout: layout, options: options))
    input.router.keyboard = try Keyboard(layout: layout, sequences: ComposeTable(locale: ComposeTable.utf8Locale))
    send(.added(Self.keys))
    for (field, y) in [(name, 20.0), (town, 80.0)] {
      field.frame = Rect(x: 20, y: y, width: 160, height: 40)
      field.clipboard = Clipboard()
      field.editingDelegate = self
      input.root.addSublayer(field)
    }
    town.clipboard = name.clipboard
  }

  func send(_ action: InputEvent.Action) {
    input.router.receive(InputEvent(time: input.clock.now, device: Self.keys.id, action: action))
  }

  /// Presses keys one after another, such as "LEFTSHIFT+A B": those before a plus are held.
  func type(_ keys: String) throws {
    for chord in keys.split(separator: " ") {
      let codes = try chord.split(separator: "+").map { try XCTUnwrap(InputCode(named: "KEY_\($0)"), "\($0)") }
      for code in codes { send(.key(code, isDown: true)) }
      for code in codes.reversed() { send(.key(code, isDown: false)) }
      input.turn(for: .milliseconds(5))
    }
  }

  /// The place on the screen of a caret in the field.
  func point(of place: Int, in field: TextField) -> Point {
    let selection = field.editor.selection
    field.edit { $0.select(TextSelection(place)) }
    let rect = field.caretRect
    field.edit { $0.select(selection) }
    return Point(field.frame.minX + rect.midX, field.frame.minY + rect.midY)
  }

  func tap(_ point: Point) {
    input.down(point.x, point.y)
    input.turn(for: .milliseconds(20))
    input.up()
    input.turn(for: .milliseconds(20))
  }

  func taken() -> [String] {
    defer { log = [] }
    return log
  }

  private func title(_ field: TextField) -> String { field === name ? "name" : "town" }

  func textFieldDidChange(_ field: TextField) { log.append("\(title(field)) '\(field.string)'") }
  func textFieldDidReturn(_ field: TextField) { log.append("\(title(field)) return") }
  func textFieldDidBeginEditing(_ field: TextField) { log.append("\(title(field)) begins") }
  func textFieldDidEndEditing(_ field: TextField) { log.append("\(title(field)) ends") }
}
