import CXKBCommon
import Input
import LinuxSystem
import Testing

@Suite struct KeyboardTests {
  /// Keys as `xkbcli how-to-type` finds them for the characters.
  @Test(arguments: [
    ("us", "", ["A": "a", "LEFTSHIFT A": "A", "2": "2", "LEFTSHIFT 2": "@", "Z": "z", "SLASH": "/", "SPACE": " "]),
    (
      "de", "",
      [
        "Z": "y", "Y": "z", "LEFTSHIFT Y": "Z", "SEMICOLON": "ö", "LEFTSHIFT SEMICOLON": "Ö", "MINUS": "ß",
        "RIGHTALT Q": "@", "RIGHTALT E": "€", "RIGHTALT 7": "{", "LEFTSHIFT 7": "/", "102ND": "<", "LEFTSHIFT MINUS": "?",
        "LEFTSHIFT RIGHTALT S": "ẞ",
      ]
    ),
    (
      "fr", "",
      [
        "Q": "a", "A": "q", "W": "z", "SEMICOLON": "m", "2": "é", "LEFTSHIFT 2": "2", "0": "à", "RIGHTALT 0": "@",
        "RIGHTALT E": "€", "M": ",", "LEFTSHIFT M": "?",
      ]
    ),
    ("us", "dvorak", ["X": "q", "LEFTSHIFT X": "Q", "A": "a", "S": "o", "D": "e", "Q": "'", "W": ",", "SLASH": "z"]),
  ])
  func layoutsGiveCharacters(layout: String, variant: String, expected: [String: String]) throws {
    let keyboard = try TestKeyboard.make(layout, variant)
    for (keys, characters) in expected { #expect(try keyboard.type(keys).characters == characters, "\(layout) \(keys)") }
  }

  /// Every key with every set of modifiers that selects one of its levels, against the list of the layout's symbols.
  @Test(arguments: [
    ("us", ""), ("de", ""), ("fr", ""), ("us", "dvorak"), ("us", "intl"), ("gb", ""), ("ru", ""), ("pl", ""), ("gr", ""),
    ("il", ""), ("ch", "fr"), ("tr", ""),
  ])
  func eachLevelOfEachKey(layout: String, variant: String) throws {
    let reference = try ReferenceLayout(layout, variant)
    let compiled = try KeyboardLayout(KeyboardLayout.Names(layout: layout, variant: variant), folders: TestKeyboard.folders)
    #expect(reference.entries.count > 400)
    for entry in reference.entries {
      let keyboard = try Keyboard(layout: compiled)
      for code in entry.taps { try keyboard.type([code]) }
      let event = try keyboard.type(entry.holds + [entry.code])
      #expect(event.modifiers == entry.modifiers && event.code == entry.code && event.phase == .down)
      var keysyms = entry.keysyms
      // A key whose level is not capitals' has its symbol's capital.
      if entry.modifiers.contains(.capsLock), let first = keysyms.first, event.keysym.rawValue != first {
        keysyms[0] = xkb_keysym_to_upper(first)
      }
      #expect(event.keysym.rawValue == (keysyms.count == 1 ? keysyms[0] : 0), "\(layout) \(variant) \(entry)")
      let text = ReferenceLayout.text(of: keysyms)
      let isCommand = !entry.modifiers.isDisjoint(with: .commands)
      #expect(event.characters == (isCommand ? "" : text), "\(layout) \(variant) \(entry)")
    }
  }

  @Test func locksLastAndLightTheirLamps() throws {
    let keyboard = try TestKeyboard.make("de")
    try keyboard.type("CAPSLOCK")
    #expect(keyboard.leds == .capsLock && keyboard.modifiers == .capsLock)
    #expect(try keyboard.type("SEMICOLON").characters == "Ö")
    #expect(try keyboard.type("LEFTSHIFT SEMICOLON").characters == "ö")
    try keyboard.type("NUMLOCK")
    #expect(keyboard.leds == [.capsLock, .numLock])
    #expect(try keyboard.type("KP7").characters == "7")
    try keyboard.type("CAPSLOCK")
    #expect(keyboard.leds == .numLock)
    try keyboard.type("NUMLOCK")
    #expect(keyboard.leds == [] && keyboard.modifiers == [])
    #expect(try keyboard.type("KP7").keysym == Keysym(named: "KP_Home"))
  }

  @Test func commandsAndControlCharactersAreNoText() throws {
    let keyboard = try TestKeyboard.make("us")
    for keys in ["LEFTCTRL C", "LEFTALT F", "LEFTMETA L", "ENTER", "TAB", "BACKSPACE", "ESC", "DELETE", "F5", "LEFTSHIFT"] {
      #expect(try keyboard.type(keys).characters.isEmpty, "\(keys)")
    }
    #expect(try keyboard.type("LEFTCTRL LEFTSHIFT C").modifiers.description == "control shift")
    #expect(try keyboard.type("LEFTCTRL C").keysym.name == "c")
    #expect(try keyboard.type("ENTER").keysym == Keysym(named: "Return"))
    #expect(try keyboard.type("A").repeats)
    #expect(try !keyboard.type("LEFTSHIFT").repeats)
  }

  @Test func severalKeyboardsAreOne() throws {
    let keyboard = try TestKeyboard.make("us")
    let (left, right) = (InputDevice.ID(rawValue: 1), InputDevice.ID(rawValue: 2))
    let (shift, a) = (try TestKeyboard.code("LEFTSHIFT"), try TestKeyboard.code("A"))
    #expect(keyboard.handle(shift, isDown: true, of: left, at: .zero)?.modifiers == [])
    #expect(keyboard.handle(a, isDown: true, of: right, at: .zero)?.characters == "A")
    // The same key again, and one that was never down.
    #expect(keyboard.handle(a, isDown: true, of: left, at: .zero) == nil)
    #expect(keyboard.handle(a, isDown: true, of: left, at: .zero) == nil)
    #expect(keyboard.handle(shift, isDown: false, of: right, at: .zero) == nil)
    #expect(keyboard.heldKeys == [shift, a])
    #expect(keyboard.releaseAll(of: right, at: MonotonicTime(nanoseconds: 5)) == [])
    let cancelled = keyboard.releaseAll(of: left, at: MonotonicTime(nanoseconds: 6))
    #expect(cancelled.map(\.code) == [shift, a] && cancelled.allSatisfy { $0.phase == .cancelled && $0.characters.isEmpty })
    #expect(cancelled.map(\.time.nanoseconds) == [6, 6] && cancelled.map(\.keysym.name) == ["Shift_L", "A"])
    #expect(keyboard.heldKeys == [] && keyboard.modifiers == [])
  }

  /// As at a switch of consoles by Ctrl-Alt-F2.
  @Test func keysPressedMeanwhileAreNotTyped() throws {
    let keyboard = try TestKeyboard.make("us")
    try keyboard.type("CAPSLOCK")
    for key in ["LEFTCTRL", "LEFTALT", "F2"] {
      _ = keyboard.handle(try TestKeyboard.code(key), isDown: true, of: TestKeyboard.device, at: .zero)
    }
    #expect(keyboard.releaseAll(at: .zero).map(\.keysym.name) == ["Control_L", "Alt_L", "XF86Switch_VT_2"])
    #expect(keyboard.releaseAll(at: .zero) == [])
    for key in ["LEFTCTRL", "LEFTALT", "F2", "B"] {
      #expect(keyboard.handle(try TestKeyboard.code(key), isDown: false, of: TestKeyboard.device, at: .zero) == nil)
    }
    #expect(try keyboard.type("B").characters == "B")
  }

  /// AltGr and the key beside Shift latch the third level: it lasts for one more key.
  @Test func aLatchEndsWithTheNextKeyOrTheFocus() throws {
    let keyboard = try TestKeyboard.make("de", options: "lv3:lsgt_switch_latch")
    #expect(try keyboard.type("RIGHTALT 102ND").keysym.name == "ISO_Level3_Latch")
    #expect(try ["Q", "Q"].map { try keyboard.type($0).characters } == ["@", "q"])
    try keyboard.type("RIGHTALT 102ND")
    #expect(keyboard.releaseAll(at: .zero) == [])
    #expect(try keyboard.type("Q").characters == "q")
  }

  @Test(arguments: 0..<4) func anyCodeIsHarmless(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let keyboard = try TestKeyboard.make("us", sequences: ComposeTable(text: "<dead_acute> <a> : \"á\"\n"))
    for code: UInt16 in [0, 1, 247, 248, 255, 700, 701, 702, 0x2FF, 0xFFF7, 0xFFF8, 0xFFFF] {
      let code = InputCode(rawValue: code)
      #expect(keyboard.handle(code, isDown: true, of: TestKeyboard.device, at: .zero)?.code == code)
    }
    #expect(keyboard.releaseAll(at: .zero).count == 12)
    for _ in 0..<1000 {
      let bound = UInt16.max >> UInt16.random(in: 0...8, using: &random)
      let code = InputCode(rawValue: UInt16.random(in: 0...bound, using: &random))
      let time = MonotonicTime(nanoseconds: Int64.random(in: .min ... .max, using: &random))
      let isHeld = keyboard.heldKeys.contains(code)
      let isDown = Bool.random(using: &random)
      let event = keyboard.handle(code, isDown: isDown, of: TestKeyboard.device, at: time)
      #expect((event != nil) == (isDown != isHeld), "seed \(seed)")
      if let event, code.rawValue > 700 { #expect(event.keysym == .none && event.characters == "", "seed \(seed)") }
    }
  }

  @Test func symbolsHaveNames() {
    #expect(Keysym(named: "dead_acute")?.name == "dead_acute" && Keysym(named: "a")?.rawValue == 0x61)
    #expect(Keysym(named: "nonsense") == nil && Keysym(named: "") == nil && Keysym.none.name == "NoSymbol")
    #expect(Keysym(rawValue: .max).name == "0xffffffff")
  }
}
