import Input
import LinuxSystem
import Testing

@Suite struct KeyboardLabelTests {
  private let device = InputDevice.ID(rawValue: 1)

  private func code(_ name: String) throws -> InputCode { try #require(InputCode(named: "KEY_\(name)")) }

  @Test func labelsAreWhatKeysType() throws {
    let keyboard = try Keyboard(
      layout: KeyboardLayout(KeyboardLayout.Names(layout: "de")), sequences: ComposeTable(locale: ComposeTable.utf8Locale))
    let names = ["Z", "SEMICOLON", "EQUAL", "GRAVE", "BACKSPACE", "LEFTSHIFT", "UNKNOWN"]
    #expect(try names.map { keyboard.label(of: try code($0)) } == ["y", "ö", "´", "^", "", "", ""])
    #expect(try keyboard.keysym(of: code("RIGHTALT")).name == "ISO_Level3_Shift")
    _ = keyboard.handle(try code("RIGHTALT"), isDown: true, of: device, at: .zero)
    #expect(try keyboard.label(of: code("Q")) == "@")
  }

  @Test func signsOfSequences() throws {
    let keyboard = try Keyboard(
      layout: KeyboardLayout(KeyboardLayout.Names()), sequences: ComposeTable(locale: ComposeTable.utf8Locale))
    for (name, sign) in [
      ("dead_acute", "´"), ("dead_circumflex", "^"), ("dead_ogonek", "˛"), ("Multi_key", "·"), ("quotedbl", "\""),
      ("Return", ""), ("Shift_L", ""), ("F1", ""),
    ] { #expect(keyboard.sign(of: try #require(Keysym(named: name))) == sign, "\(name)") }
    #expect(keyboard.sign(of: .none) == "")
    #expect(keyboard.sign(of: Keysym(rawValue: .max)) == "")
    let plain = try Keyboard(layout: keyboard.layout)
    #expect(plain.sign(of: try #require(Keysym(named: "dead_acute"))) == "")
  }

  /// A label is the text that its key types, in layouts of several scripts, whatever modifiers are held; asking changes nothing.
  @Test(arguments: ["us", "de", "fr", "ru", "gr", "il", "jp", "us(intl)"])
  func labelsAgreeWithKeys(layout: String) throws {
    let parts = layout.split(separator: "(")
    let names = KeyboardLayout.Names(
      layout: String(parts[0]), variant: parts.count > 1 ? String(parts[1].dropLast()) : "")
    for held in [[], ["LEFTSHIFT"], ["RIGHTALT"], ["LEFTSHIFT", "RIGHTALT"]] {
      let keyboard = try Keyboard(layout: KeyboardLayout(names))
      for name in held { _ = keyboard.handle(try code(name), isDown: true, of: device, at: .zero) }
      if !keyboard.modifiers.isDisjoint(with: .commands) { continue }
      for number in UInt16(1)...120 {
        let code = InputCode(rawValue: number)
        guard !keyboard.heldKeys.contains(code) else { continue }
        let (label, symbol, modifiers) = (keyboard.label(of: code), keyboard.keysym(of: code), keyboard.modifiers)
        let key = try #require(keyboard.handle(code, isDown: true, of: device, at: .zero))
        #expect(key.characters == label || key.characters.isEmpty, "\(layout) \(held) \(code)")
        #expect(key.keysym == symbol, "\(layout) \(held) \(code)")
        _ = keyboard.handle(code, isDown: false, of: device, at: .zero)
        // A key that locks, latches or changes the group is no part of this.
        if keyboard.modifiers != modifiers || keyboard.keysym(of: code) != symbol { break }
      }
    }
  }
}
