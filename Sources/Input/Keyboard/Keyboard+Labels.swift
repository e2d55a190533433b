import CXKBCommon

extension Keyboard {
  /// The sign that a keyboard on the screen shows on a key: what the key would type by itself with the modifiers that apply now; for a dead key
  /// its accent. Empty for a key that types nothing.
  public func label(of code: InputCode) -> String {
    let typed = text { xkb_state_key_get_utf8(state, code.keycode, $0, $1) }
    return typed.isEmpty ? sign(of: keysym(of: code)) : typed
  }

  /// The symbol that a key has with the modifiers that apply now.
  public func keysym(of code: InputCode) -> Keysym { Keysym(rawValue: xkb_state_key_get_one_sym(state, code.keycode)) }

  /// The sign that stands for a symbol while a sequence waits for its end: the symbol's own character, the accent that a dead key gives when it
  /// is pressed twice, or a dot for the compose key. Empty for other symbols.
  public func sign(of keysym: Keysym) -> String {
    if keysym.rawValue == UInt32(XKB_KEY_Multi_key) { return "·" }
    if let scalar = Unicode.Scalar(xkb_keysym_to_utf32(keysym.rawValue)), scalar.value > 0x20, scalar.value != 0x7F {
      return String(scalar)
    }
    guard keysym != .none, let sequences, let compose = xkb_compose_state_new(sequences.pointer, XKB_COMPOSE_STATE_NO_FLAGS)
    else { return "" }
    defer { xkb_compose_state_unref(compose) }
    for _ in 0..<2 {
      guard xkb_compose_state_feed(compose, keysym.rawValue) == XKB_COMPOSE_FEED_ACCEPTED else { return "" }
    }
    guard xkb_compose_state_get_status(compose) == XKB_COMPOSE_COMPOSED else { return "" }
    return text { xkb_compose_state_get_utf8(compose, $0, $1) }
  }
}
