import CXKBCommon
import Input
import LinuxSystem
import Testing

/// Layouts from the data of xkb alone, whatever the machine and its user have set.
enum TestKeyboard {
  static let folders = ["/usr/share/X11/xkb"]
  static let device = InputDevice.ID(rawValue: 1)

  static func make(
    _ layout: String, _ variant: String = "", options: String = "", sequences: ComposeTable? = nil
  ) throws -> Keyboard {
    let names = KeyboardLayout.Names(layout: layout, variant: variant, options: options)
    return try Keyboard(layout: KeyboardLayout(names, folders: folders), sequences: sequences)
  }

  /// The kernel's code of a key, by its name without "KEY_".
  static func code(_ name: some StringProtocol) throws -> InputCode {
    try #require(InputCode(named: "KEY_\(name)"), "\(name)")
  }
}

extension Keyboard {
  /// Holds keys and taps the last of them: "LEFTSHIFT A".
  /// - Returns: the press of the last.
  @discardableResult
  func type(_ keys: String) throws -> KeyEvent {
    let codes = try keys.split(separator: " ").map { try TestKeyboard.code($0) }
    return try type(codes)
  }

  @discardableResult
  func type(_ codes: [InputCode]) throws -> KeyEvent {
    var last: KeyEvent?
    for code in codes { last = handle(code, isDown: true, of: TestKeyboard.device, at: .zero) }
    for code in codes.reversed() { _ = handle(code, isDown: false, of: TestKeyboard.device, at: .zero) }
    return try #require(last)
  }
}

/// A layout as xkb itself lists it: the symbols of each key and level, and the modifiers that select the level.
struct ReferenceLayout {
  struct Entry {
    var code: InputCode
    var keysyms: [UInt32]
    /// Keys to tap before, and to hold: the locks, and the modifiers.
    var taps: [InputCode]
    var holds: [InputCode]
    var modifiers: KeyModifiers
  }

  private(set) var entries: [Entry] = []

  /// The real modifiers, with a key of every layout that sets each.
  private static let keys: [(name: String, code: UInt16, isLock: Bool, modifier: KeyModifiers)] = [
    ("Shift", 42, false, .shift), ("Lock", 58, true, .capsLock), ("Control", 29, false, .control),
    ("Mod1", 56, false, .alt), ("Mod2", 69, true, .numLock), ("Mod4", 125, false, .logo), ("Mod5", 84, false, []),
  ]

  init(_ layout: String, _ variant: String = "", options: String = "") throws {
    let flags = XKB_CONTEXT_NO_DEFAULT_INCLUDES.rawValue | XKB_CONTEXT_NO_ENVIRONMENT_NAMES.rawValue
    let context = try #require(xkb_context_new(xkb_context_flags(rawValue: flags)))
    defer { xkb_context_unref(context) }
    for folder in TestKeyboard.folders { xkb_context_include_path_append(context, folder) }
    let keymap = try layout.withCString { layout in
      try variant.withCString { variant in
        try options.withCString { options in
          var names = xkb_rule_names(rules: nil, model: nil, layout: layout, variant: variant, options: options)
          return try #require(xkb_keymap_new_from_names(context, &names, XKB_KEYMAP_COMPILE_NO_FLAGS))
        }
      }
    }
    defer { xkb_keymap_unref(keymap) }
    for key in xkb_keymap_min_keycode(keymap)...xkb_keymap_max_keycode(keymap) where key >= 8 {
      for level in 0..<xkb_keymap_num_levels_for_key(keymap, key, 0) { add(keymap, key, level) }
    }
  }

  private mutating func add(_ keymap: OpaquePointer, _ key: xkb_keycode_t, _ level: xkb_level_index_t) {
    var symbols: UnsafePointer<xkb_keysym_t>?
    let count = Int(xkb_keymap_key_get_syms_by_level(keymap, key, 0, level, &symbols))
    let keysyms = Array(UnsafeBufferPointer(start: symbols, count: count))
    var masks = [xkb_mod_mask_t](repeating: 0, count: 64)
    let maskCount = xkb_keymap_key_get_mods_for_level(keymap, key, 0, level, &masks, masks.count)
    nextMask: for mask in masks.prefix(maskCount) {
      var rest = mask
      var entry = Entry(
        code: InputCode(rawValue: UInt16(truncatingIfNeeded: key - 8)), keysyms: keysyms, taps: [], holds: [],
        modifiers: [])
      for (name, code, isLock, modifier) in Self.keys {
        let index = xkb_keymap_mod_get_index(keymap, name)
        guard index < 32, mask & 1 << index != 0 else { continue }
        let code = InputCode(rawValue: code)
        // A modifier's key cannot be pressed while it is held.
        if code == entry.code { continue nextMask }
        if isLock { entry.taps.append(code) } else { entry.holds.append(code) }
        entry.modifiers.insert(modifier)
        rest &= ~(1 << index)
      }
      if rest == 0 { entries.append(entry) }
    }
  }

  /// The text of a symbol, without control characters.
  static func text(of keysyms: [UInt32]) -> String {
    var text = ""
    for keysym in keysyms {
      guard let scalar = UnicodeScalar(xkb_keysym_to_utf32(keysym)), scalar.value != 0 else { continue }
      if scalar.properties.generalCategory == .control { return "" }
      text.unicodeScalars.append(scalar)
    }
    return text
  }
}
