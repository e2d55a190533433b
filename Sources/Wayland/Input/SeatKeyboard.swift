import CWaylandClient
import Glibc
import Input
import LinuxSystem

/// The keyboard of a seat.
@MainActor
final class SeatKeyboard {
  private let pointer: OpaquePointer
  private unowned let seat: WaylandSeat
  private var isFocused = false
  private var modifiers = ModifierState()
  private(set) var keyboard: Keyboard?
  /// The repetition that the compositor wants; nil for none.
  private(set) var keyRepeat: KeyRepeat? = KeyRepeat()

  init(_ pointer: OpaquePointer, of seat: WaylandSeat) {
    (self.pointer, self.seat) = (pointer, seat)
    wl_keyboard_add_listener(pointer, Self.listener, listenerData(self))
  }

  func destroy() {
    if wl_keyboard_get_version(pointer) >= 3 { wl_keyboard_release(pointer) } else { wl_keyboard_destroy(pointer) }
  }

  private func setLayout(format: UInt32, _ descriptor: Int32, size: Int) {
    let file = OwnedDescriptor(owning: descriptor)
    guard format == WL_KEYBOARD_KEYMAP_FORMAT_XKB_V1.rawValue else { return }
    keyboard = nil
    if let text = Self.text(of: file, size: size) {
      do throws(KeyboardLayoutError) {
        keyboard = try seat.keyboard(text)
        seat.problem = nil
      } catch {
        seat.problem = error
      }
    }
    seat.keyboardChanged()
  }

  /// - Returns: nil for a file that is shorter than it is said to be, or far too large.
  private static func text(of file: borrowing OwnedDescriptor, size: Int) -> String? {
    guard (1...16 << 20).contains(size) else { return nil }
    var bytes = [UInt8](repeating: 0, count: size)
    var count = 0
    while count < size {
      let got = bytes.withUnsafeMutableBytes {
        pread(file.number, $0.baseAddress.map { $0 + count }, size - count, off_t(count))
      }
      guard got > 0 else { return nil }
      count += got
    }
    return String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
  }

  private func setRepeat(rate: Int32, delay: Int32) {
    keyRepeat =
      rate <= 0
      ? nil : KeyRepeat(delay: .milliseconds(Int64(max(delay, 0))), interval: Nanoseconds(1_000_000_000 / Int64(rate)))
    seat.keyboardChanged()
  }

  private func focus(_ isNow: Bool) {
    guard isNow != isFocused else { return }
    isFocused = isNow
    // Keys that are held on arrival were pressed for somebody else, and count as up.
    guard !isNow else { return }
    seat.send(.keysReleased, of: seat.keyboardDevice, at: seat.now)
    (modifiers.depressed, modifiers.latched) = (0, 0)
    seat.send(.modifiers(modifiers), of: seat.keyboardDevice, at: seat.now)
  }

  private func key(_ serial: UInt32, _ stamp: UInt32, _ key: UInt32, isDown: Bool) {
    guard isFocused, let code = UInt16(exactly: key) else { return }
    if isDown { seat.used(serial) }
    seat.send(.key(InputCode(rawValue: code), isDown: isDown), of: seat.keyboardDevice, at: seat.time(of: stamp))
  }

  private func setModifiers(_ state: ModifierState) {
    modifiers = state
    seat.send(.modifiers(state), of: seat.keyboardDevice, at: seat.now)
  }

  private static let listener = listenerTable(
    wl_keyboard_listener(
      keymap: { data, _, format, descriptor, size in
        onMain(data) { (keyboard: SeatKeyboard) in keyboard.setLayout(format: format, descriptor, size: Int(size)) }
      },
      enter: { data, _, _, _, _ in onMain(data) { (keyboard: SeatKeyboard) in keyboard.focus(true) } },
      leave: { data, _, _, _ in onMain(data) { (keyboard: SeatKeyboard) in keyboard.focus(false) } },
      key: { data, _, serial, stamp, key, state in
        onMain(data) { (keyboard: SeatKeyboard) in
          keyboard.key(serial, stamp, key, isDown: state == WL_KEYBOARD_KEY_STATE_PRESSED.rawValue)
        }
      },
      modifiers: { data, _, _, depressed, latched, locked, group in
        onMain(data) { (keyboard: SeatKeyboard) in
          keyboard.setModifiers(ModifierState(depressed: depressed, latched: latched, locked: locked, layout: group))
        }
      },
      repeat_info: { data, _, rate, delay in
        onMain(data) { (keyboard: SeatKeyboard) in keyboard.setRepeat(rate: rate, delay: delay) }
      }))
}
