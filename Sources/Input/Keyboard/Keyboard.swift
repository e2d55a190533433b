import CXKBCommon
public import LinuxSystem

/// The keyboard of a seat: gives keys their characters, and knows which are held.
///
/// ```swift
/// let keyboard = try Keyboard(layout: .automatic(), sequences: try? ComposeTable.automatic())
/// if let event = keyboard.handle(code, isDown: isDown, of: device, at: time) { … }
/// input.leds = keyboard.leds
/// ```
///
/// All devices of the seat share one keyboard, as in most compositors: Shift on one applies to a letter on another, which pedals and separate
/// keypads rely on, and their lamps are the same. A key that is held on two of them is one key: it goes down with the first and up with the
/// last.
///
/// ### Compose sequences
///
/// A dead accent or the compose key begins a sequence; its keys have no characters until the last one, which has those of the whole. A key that
/// continues no sequence counts as if none had begun, and what was pending is dropped: acute and x give x. A command (a key with
/// Control, Alt or Logo) drops it too; modifiers belong to no sequence.
///
/// ### Keys that nobody lifts
///
/// `releaseAll(at:)` is for the loss of the focus or of the seat, `releaseAll(of:at:)` for a device that went away. Held keys are cancelled, as
/// are modifiers and a pending sequence; locks stay. A key that went down meanwhile is not known, so that its release
/// does nothing: it is not typed.
///
/// Control, Alt and a function key have the symbols "XF86Switch_VT_1" to "XF86Switch_VT_12", which ask for another console: the session
/// switches to it.
///
/// A keyboard belongs to one thread. For another layout, cancel the keys and make a new one.
public final class Keyboard {
  public let layout: KeyboardLayout
  let sequences: ComposeTable?
  private let compose: OpaquePointer?
  private(set) var state: OpaquePointer
  private var held: [InputCode: HeldKey] = [:]
  private var pressCount = 0
  /// True once the modifiers were set: keys do not change them then.
  private var followsModifiers = false
  private let masks: [(mask: xkb_mod_mask_t, modifier: KeyModifiers)]

  /// A key with its press, and the devices on which it is down.
  private struct HeldKey {
    var press: KeyEvent
    var number: Int
    var devices: Set<InputDevice.ID>
  }

  /// - Parameter sequences: the compose sequences; without them dead keys type nothing.
  public init(layout: KeyboardLayout, sequences: ComposeTable? = nil) throws(KeyboardLayoutError) {
    guard let state = xkb_state_new(layout.keymap) else { throw .noMemory }
    (self.layout, self.sequences, self.state) = (layout, sequences, state)
    compose = sequences.flatMap { xkb_compose_state_new($0.pointer, XKB_COMPOSE_STATE_NO_FLAGS) }
    let names: [(String, KeyModifiers)] = [
      (XKB_MOD_NAME_SHIFT, .shift), (XKB_MOD_NAME_CTRL, .control), (XKB_MOD_NAME_ALT, .alt), (XKB_MOD_NAME_LOGO, .logo),
      (XKB_MOD_NAME_CAPS, .capsLock), (XKB_MOD_NAME_NUM, .numLock),
    ]
    masks = names.compactMap { name, modifier in
      let index = xkb_keymap_mod_get_index(layout.keymap, name)
      return index < 32 ? (1 << index, modifier) : nil
    }
  }

  deinit {
    xkb_state_unref(state)
    xkb_compose_state_unref(compose)
  }

  /// The modifiers that apply to the next key.
  public var modifiers: KeyModifiers {
    let active = xkb_state_serialize_mods(state, XKB_STATE_MODS_EFFECTIVE)
    return masks.reduce(into: []) { result, entry in if active & entry.mask != 0 { result.insert(entry.modifier) } }
  }

  /// The lamps that the state asks for.
  public var leds: KeyboardLEDs {
    var leds = KeyboardLEDs()
    if xkb_state_led_name_is_active(state, XKB_LED_NAME_CAPS) > 0 { leds.insert(.capsLock) }
    if xkb_state_led_name_is_active(state, XKB_LED_NAME_NUM) > 0 { leds.insert(.numLock) }
    if xkb_state_led_name_is_active(state, XKB_LED_NAME_SCROLL) > 0 { leds.insert(.scrollLock) }
    return leds
  }

  /// The keys that are held, in the order of their presses.
  public var heldKeys: [InputCode] { inOrder(held.values).map(\.code) }

  /// Sets the modifiers, which keys do not change from then on: for a desktop that keeps them for all programs.
  public func setModifiers(_ modifiers: ModifierState) {
    followsModifiers = true
    xkb_state_update_mask(state, modifiers.depressed, modifiers.latched, modifiers.locked, 0, 0, modifiers.layout)
  }

  /// Takes a key of a device that went down or up.
  ///
  /// - Returns: nil for a key that means nothing: another device holds it, or it goes up and was not known to be down.
  public func handle(
    _ code: InputCode, isDown: Bool, of device: InputDevice.ID, at time: MonotonicTime
  ) -> KeyEvent? {
    guard isDown else { return held[code]?.devices.contains(device) == true ? lift(code, of: device, .up, time) : nil }
    guard held[code] == nil else {
      held[code]?.devices.insert(device)
      return nil
    }
    let key = code.keycode
    var event = KeyEvent(
      time: time, code: code, phase: .down, keysym: Keysym(rawValue: xkb_state_key_get_one_sym(state, key)),
      modifiers: modifiers, repeats: xkb_keymap_key_repeats(layout.keymap, key) != 0)
    // The characters are those before the key itself changes the state.
    if event.modifiers.isDisjoint(with: .commands) {
      addCharacters(to: &event, key)
    } else {
      endSequence()
    }
    if !followsModifiers { xkb_state_update_key(state, key, XKB_KEY_DOWN) }
    pressCount += 1
    held[code] = HeldKey(press: event, number: pressCount, devices: [device])
    return event
  }

  /// Cancels all keys, modifiers and a pending sequence. Locks stay.
  ///
  /// - Returns: the keys that were held, in the order of their presses.
  public func releaseAll(at time: MonotonicTime) -> [KeyEvent] {
    let events = inOrder(held.values).compactMap { press in
      held[press.code]?.devices.compactMap { lift(press.code, of: $0, .cancelled, time) }.last
    }
    endSequence()
    // A new state, as latched modifiers outlast their keys.
    if let fresh = xkb_state_new(layout.keymap) {
      xkb_state_update_mask(
        fresh, 0, 0, xkb_state_serialize_mods(state, XKB_STATE_MODS_LOCKED), 0, 0,
        xkb_state_serialize_layout(state, XKB_STATE_LAYOUT_LOCKED))
      xkb_state_unref(state)
      state = fresh
    }
    return events
  }

  /// Cancels the keys of a device that no other device holds, and a pending sequence.
  ///
  /// - Returns: these keys, in the order of their presses.
  public func releaseAll(of device: InputDevice.ID, at time: MonotonicTime) -> [KeyEvent] {
    endSequence()
    return inOrder(held.values.filter { $0.devices.contains(device) }).compactMap {
      lift($0.code, of: device, .cancelled, time)
    }
  }

  /// Ends that a device holds a key; nil if another still does.
  private func lift(
    _ code: InputCode, of device: InputDevice.ID, _ phase: KeyEvent.Phase, _ time: MonotonicTime
  ) -> KeyEvent? {
    guard var key = held[code] else { return nil }
    key.devices.remove(device)
    guard key.devices.isEmpty else {
      held[code] = key
      return nil
    }
    held[code] = nil
    var event = key.press
    (event.time, event.phase, event.modifiers) = (time, phase, modifiers)
    (event.characters, event.isPending) = ("", false)
    if !followsModifiers { xkb_state_update_key(state, code.keycode, XKB_KEY_UP) }
    return event
  }

  private func inOrder(_ keys: some Sequence<HeldKey>) -> [KeyEvent] {
    keys.sorted { $0.number < $1.number }.map(\.press)
  }

  /// Gives a press its characters, alone or with the sequence that it continues.
  private func addCharacters(to event: inout KeyEvent, _ key: xkb_keycode_t) {
    event.characters = text { xkb_state_key_get_utf8(state, key, $0, $1) }
    guard let compose, event.keysym != .none else { return }
    // A key that continues no sequence may begin one.
    for _ in 0..<2 {
      guard xkb_compose_state_feed(compose, event.keysym.rawValue) == XKB_COMPOSE_FEED_ACCEPTED else { return }
      switch xkb_compose_state_get_status(compose) {
      case XKB_COMPOSE_COMPOSING:
        (event.characters, event.isPending) = ("", true)
        return
      case XKB_COMPOSE_COMPOSED:
        event.characters = text { xkb_compose_state_get_utf8(compose, $0, $1) }
        event.keysym = Keysym(rawValue: xkb_compose_state_get_one_sym(compose))
        endSequence()
        return
      case XKB_COMPOSE_CANCELLED: endSequence()
      default: return
      }
    }
  }

  /// Drops a sequence that waits for its end: what it was typed for is elsewhere now.
  public func endSequence() {
    if let compose { xkb_compose_state_reset(compose) }
  }

  /// The text that a call of xkbcommon writes, or none if it has control characters.
  func text(_ write: (UnsafeMutablePointer<CChar>?, Int) -> Int32) -> String {
    let count = Int(write(nil, 0))
    guard count > 0 else { return "" }
    let text = String(unsafeUninitializedCapacity: count + 1) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { _ = write($0.baseAddress, count + 1) }
      return count
    }
    let isControl = text.unicodeScalars.contains { $0.value < 0x20 || 0x7F...0x9F ~= $0.value }
    return isControl ? "" : text
  }
}

extension InputCode {
  /// XKB counts from 8, as the X protocol did. Numbers that the layout does not have are harmless.
  var keycode: xkb_keycode_t { xkb_keycode_t(rawValue) + 8 }
}
