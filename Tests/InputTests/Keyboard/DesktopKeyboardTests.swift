import CXKBCommon
import Glibc
import LinuxSystem
import Testing

@testable import Input

/// A keyboard whose layout and modifiers are a desktop's.
@Suite struct DesktopKeyboardTests {
  private func text(of layout: KeyboardLayout) throws -> String {
    let text = try #require(xkb_keymap_get_as_string(layout.keymap, XKB_KEYMAP_FORMAT_TEXT_V1))
    defer { free(text) }
    return String(cString: text)
  }

  /// One keyboard follows its keys, as on a console. The other has the layout as a text, and is told the first one's modifiers after each
  /// key, as by a desktop: both give the same keys the same meaning.
  @Test(arguments: [("us", "", 1), ("de,ru", "", 2), ("fr", "", 3), ("us", "intl", 4)])
  func toldModifiersMeanTheSame(layout: String, variant: String, seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let names = KeyboardLayout.Names(
      layout: layout, variant: variant, options: layout.contains(",") ? "grp:menu_toggle" : "")
    let console = try Keyboard(layout: KeyboardLayout(names))
    let desktop = try Keyboard(layout: KeyboardLayout(text: text(of: console.layout)))
    let device = InputDevice.ID(rawValue: 1)
    let modifiers = [42, 54, 29, 97, 56, 100, 58, 69, 125, 127].map { InputCode(rawValue: $0) }
    var down: Set<InputCode> = []
    for step in 0..<3000 {
      let code =
        random.chance(0.4)
        ? modifiers[Int.random(in: 0..<10, using: &random)] : InputCode(rawValue: .random(in: 1..<90, using: &random))
      let isDown = down.remove(code) == nil
      if isDown { down.insert(code) }
      let time = MonotonicTime(nanoseconds: Int64(step))
      let expected = console.handle(code, isDown: isDown, of: device, at: time)
      #expect(desktop.handle(code, isDown: isDown, of: device, at: time) == expected, "seed \(seed), step \(step)")
      func mask(_ component: xkb_state_component) -> UInt32 { xkb_state_serialize_mods(console.state, component) }
      desktop.setModifiers(
        ModifierState(
          depressed: mask(XKB_STATE_MODS_DEPRESSED), latched: mask(XKB_STATE_MODS_LATCHED),
          locked: mask(XKB_STATE_MODS_LOCKED),
          layout: xkb_state_serialize_layout(console.state, XKB_STATE_LAYOUT_EFFECTIVE)))
      #expect(desktop.leds == console.leds, "seed \(seed), step \(step)")
    }
  }

  @Test(arguments: ["", "xkb_keymap {", "xkb_keymap { xkb_symbols { include \"us\" }; };", "nonsense"])
  func aTextThatIsNoLayoutIsRefused(text: String) {
    #expect { try KeyboardLayout(text: text) } throws: { error in
      if case KeyboardLayoutError.damagedLayout = error { true } else { false }
    }
  }
}
