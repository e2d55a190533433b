import CWaylandClient
import Input
import LinuxSystem

/// A seat of the desktop: one person's pointer, keyboard and touch screens.
@MainActor
final class WaylandSeat {
  let connection: WaylandConnection
  /// Its number in the registry.
  let global: UInt32
  let pointer: OpaquePointer
  private unowned let input: WaylandInput
  private var stamps = InputStampClock()
  private var seatPointer: SeatPointer?
  private var touch: SeatTouch?
  private(set) var keyboard: SeatKeyboard?
  /// The seat's clipboard; nil where there is none.
  private(set) var selection: SeatSelection?
  /// The seat's input method; nil where there is none.
  private(set) var textInput: SeatTextInput?
  private var tablets: SeatTablets?
  private var gestures: SeatGestures?
  /// The number of the last key, button or touch, with which requests say what they answer.
  private(set) var lastSerial: UInt32?
  private(set) var keyboardDevice: InputDevice.ID?
  /// The devices of the pointer and of touch screens: each window has one of its own, which lies on the window as others do on a screen.
  private var devices: [(window: ObjectIdentifier, kind: Kind, id: InputDevice.ID)] = []

  enum Kind: Hashable {
    case pointer
    case touch
    case pen
  }

  init(_ pointer: OpaquePointer, global: UInt32, of input: WaylandInput, _ connection: WaylandConnection) {
    (self.pointer, self.global, self.input, self.connection) = (pointer, global, input, connection)
    wl_seat_add_listener(pointer, Self.listener, listenerData(self))
  }

  /// Takes its devices away.
  func destroy() {
    follow(capabilities: 0)
    tablets?.destroy()
    tablets = nil
    removeDevices(.pen)
    textInput?.destroy()
    textInput = nil
    selection?.destroy()
    selection = nil
    WaylandGlobals.release(seat: pointer)
  }

  var now: MonotonicTime { connection.clock.now }
  var cursor: CursorShape { input.cursor }
  var problem: KeyboardLayoutError? {
    get { input.layoutProblem }
    set { input.layoutProblem = newValue }
  }

  func time(of stamp: UInt32) -> MonotonicTime { stamps.time(of: stamp, now: now) }

  func window(_ surface: UInt) -> WaylandWindow? { connection.window(of: OpaquePointer(bitPattern: surface)) }

  func showCursor() {
    seatPointer?.showCursor()
    tablets?.showCursor()
  }

  func keyboardChanged() { input.keyboardChanged() }

  func keyboard(_ text: String) throws(KeyboardLayoutError) -> Keyboard {
    try Keyboard(layout: input.layout(of: text), sequences: input.sequences)
  }

  /// The text that is written in.
  var textState: TextInputState? { input.textInput.state }

  func compose(_ step: TextComposition) { input.textInput.onComposition?(step) }

  /// Somebody pressed a key or a button, or touched.
  func used(_ serial: UInt32) {
    lastSerial = serial
    input.used(self)
  }

  // MARK: Devices

  func send(_ action: InputEvent.Action, of device: InputDevice.ID?, at time: MonotonicTime) {
    if let device { input.send(InputEvent(time: time, device: device, action: action)) }
  }

  func send(_ action: InputEvent.Action, _ kind: Kind, of window: WaylandWindow, at time: MonotonicTime) {
    send(action, of: device(kind, of: window), at: time)
  }

  private func device(_ kind: Kind, of window: WaylandWindow) -> InputDevice.ID {
    let key = ObjectIdentifier(window)
    if let device = devices.first(where: { $0.window == key && $0.kind == kind }) { return device.id }
    let (name, abilities): (String, InputDevice.Abilities) =
      switch kind {
      case .pointer: ("pointer of the desktop", gestures == nil ? .pointer : [.pointer, .gestures])
      case .touch: ("touch screen of the desktop", .touch)
      case .pen: ("pen of the desktop", .pen)
      }
    let id = input.add(name: name, abilities, on: window.inputName)
    devices.append((key, kind, id))
    return id
  }

  private func removeDevices(_ kind: Kind) {
    for device in devices where device.kind == kind { input.remove(device.id) }
    devices.removeAll { $0.kind == kind }
  }

  private func follow(capabilities: UInt32) {
    // All globals are known by now.
    if capabilities != 0, selection == nil { selection = SeatSelection(of: self, pointer) }
    if capabilities != 0, textInput == nil { textInput = SeatTextInput(of: self, pointer) }
    // Tablets are there without any of the capabilities.
    if tablets == nil { tablets = SeatTablets(of: self, pointer) }
    let hasPointer = capabilities & WL_SEAT_CAPABILITY_POINTER.rawValue != 0
    let hasKeyboard = capabilities & WL_SEAT_CAPABILITY_KEYBOARD.rawValue != 0
    let hasTouch = capabilities & WL_SEAT_CAPABILITY_TOUCH.rawValue != 0
    if hasPointer, seatPointer == nil {
      if let new = wl_seat_get_pointer(pointer) {
        seatPointer = SeatPointer(new, of: self)
        gestures = SeatGestures(of: self, new)
      }
    } else if !hasPointer, let old = seatPointer {
      gestures?.destroy()
      gestures = nil
      old.destroy()
      seatPointer = nil
      removeDevices(.pointer)
    }
    if hasTouch, touch == nil {
      touch = wl_seat_get_touch(pointer).map { SeatTouch($0, of: self) }
    } else if !hasTouch, let old = touch {
      old.destroy()
      touch = nil
      // Fingers that are down are cancelled with it.
      removeDevices(.touch)
    }
    if hasKeyboard, keyboard == nil {
      keyboardDevice = input.add(name: "keyboard of the desktop", [.keyboard, .letters], on: nil)
      keyboard = wl_seat_get_keyboard(pointer).map { SeatKeyboard($0, of: self) }
    } else if !hasKeyboard, let old = keyboard {
      old.destroy()
      keyboard = nil
      if let keyboardDevice { input.remove(keyboardDevice) }
      keyboardDevice = nil
      input.keyboardChanged()
    }
  }

  private static let listener = listenerTable(
    wl_seat_listener(
      capabilities: { data, _, capabilities in
        onMain(data) { (seat: WaylandSeat) in seat.follow(capabilities: capabilities) }
      },
      name: { _, _, _ in }))
}
