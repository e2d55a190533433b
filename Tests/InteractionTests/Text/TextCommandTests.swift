import Input
import LinuxSystem
import Testing

@testable import Interaction

@Suite struct TextCommandTests {
  /// The command of the last of these keys, the others being held.
  private func command(_ keys: String, layout: String = "us", isRightToLeft: Bool = false) throws -> TextCommand? {
    let keyboard = try Keyboard(layout: KeyboardLayout(KeyboardLayout.Names(layout: layout)))
    var last: KeyEvent?
    for name in keys.split(separator: "+") {
      let code = try #require(InputCode(named: "KEY_\(name)"))
      last = keyboard.handle(code, isDown: true, of: InputDevice.ID(rawValue: 1), at: .zero)
    }
    return TextCommand(try #require(last), isRightToLeft: isRightToLeft)
  }

  @Test func keysAreCommands() throws {
    let expected: [(String, TextCommand?)] = [
      ("A", .insert("a")), ("LEFTSHIFT+A", .insert("A")), ("SPACE", .insert(" ")), ("LEFTALT+A", nil), ("LEFTMETA+A", nil),
      ("LEFT", .move(.character, .backward, extending: false)), ("RIGHT", .move(.character, .forward, extending: false)),
      ("LEFTSHIFT+RIGHT", .move(.character, .forward, extending: true)),
      ("LEFTCTRL+LEFT", .move(.word, .backward, extending: false)),
      ("RIGHTCTRL+RIGHTSHIFT+RIGHT", .move(.word, .forward, extending: true)),
      ("HOME", .move(.line, .backward, extending: false)), ("LEFTSHIFT+END", .move(.line, .forward, extending: true)),
      ("BACKSPACE", .delete(.character, .backward)), ("LEFTCTRL+BACKSPACE", .delete(.word, .backward)),
      ("DELETE", .delete(.character, .forward)), ("LEFTCTRL+DELETE", .delete(.word, .forward)),
      ("LEFTSHIFT+DELETE", .cut), ("LEFTSHIFT+INSERT", .paste), ("LEFTCTRL+INSERT", .copy), ("INSERT", nil),
      ("ENTER", .submit), ("KPENTER", .submit), ("TAB", .focus(.forward)), ("LEFTSHIFT+TAB", .focus(.backward)),
      ("LEFTCTRL+A", .selectAll), ("LEFTCTRL+C", .copy), ("LEFTCTRL+X", .cut), ("LEFTCTRL+V", .paste),
      ("LEFTCTRL+Z", .undo), ("LEFTCTRL+LEFTSHIFT+Z", .redo), ("LEFTCTRL+Y", .redo), ("LEFTCTRL+B", nil),
      ("LEFTCTRL+LEFTALT+C", nil), ("ESC", nil), ("F1", nil), ("UP", nil), ("LEFTSHIFT", nil),
      // Num Lock is off: the keypad has arrows.
      ("KP4", .move(.character, .backward, extending: false)), ("KPDOT", .delete(.character, .forward)),
    ]
    for (keys, command) in expected { #expect(try self.command(keys) == command, "\(keys)") }
  }

  @Test func lettersWithControlAreThoseOfTheLayout() throws {
    #expect(try command("LEFTCTRL+Y", layout: "de") == .undo)
    #expect(try command("LEFTCTRL+Q", layout: "fr") == .selectAll)
    // Cyrillic letters stand where the Latin ones do.
    #expect(try command("LEFTCTRL+C", layout: "ru") == .copy)
    #expect(try command("LEFTCTRL+V", layout: "gr") == .paste)
    #expect(try command("C", layout: "ru") == .insert("с"))
  }

  @Test func arrowsFollowTheDirectionOfTheLine() throws {
    #expect(try command("LEFT", isRightToLeft: true) == .move(.character, .forward, extending: false))
    #expect(try command("LEFTCTRL+RIGHT", isRightToLeft: true) == .move(.word, .backward, extending: false))
    #expect(try command("HOME", isRightToLeft: true) == .move(.line, .backward, extending: false))
  }

  @Test func releasesAndPendingKeysAreNone() throws {
    var key = KeyEvent(
      time: .zero, code: InputCode(rawValue: 30), phase: .up, keysym: Keysym(rawValue: 0x61), characters: "a")
    #expect(TextCommand(key) == nil)
    key.phase = .cancelled
    #expect(TextCommand(key) == nil)
    key.phase = .repeated
    #expect(TextCommand(key) == .insert("a"))
    (key.keysym, key.characters, key.isPending) = (Keysym(rawValue: 0xFF0D), "", true)
    #expect(TextCommand(key) == nil)
  }
}
