import CWaylandClient
public import Input
import LinuxSystem

/// The input devices of a desktop: tells what people do in the windows of a connection, as `InputDevices` tells it where there is no desktop.
///
/// ```swift
/// let display = try WaylandDisplay.open()
/// let engine = Engine(display: display, root: root)
/// let input = WaylandInput(connection: display.connection) { engine.inputRouter.receive($0) }
/// input.onKeyboard = { (engine.inputRouter.keyboard, engine.inputRouter.keyRepeat) = ($0, $1) }
/// ```
///
/// ### What the desktop decides
///
/// A window hears of the pointer while it is over the window, and of keys while the window has the keyboard. When it loses
/// them, hovering ends, and held keys are cancelled; fingers that the compositor takes for a gesture of its own are cancelled too. The
/// layout is the desktop's and comes from there, as do the modifiers, the delay and the rate of repetition, and the lamps. Repetition itself is the
/// router's, as everywhere.
///
/// ### Devices
///
/// A seat has one keyboard however many there are, and for each window a pointer, a touch screen and a pen, which lie on that window: parts of
/// their area are parts of the window. The pointer has the gestures of touchpads. They come with the first event.
///
/// ### Times
///
/// Stamps have milliseconds. See `InputStampClock` for their base.
///
/// Everything happens on the main loop, in the modes in which a window's display is served.
@MainActor
public final class WaylandInput {
  /// The devices that can be used now, in the order in which they came.
  public private(set) var devices: [InputDevice] = []
  /// The look of the pointer over all windows of the connection.
  public var cursor = CursorShape.standard {
    didSet { if cursor != oldValue { for seat in seats { seat.showCursor() } } }
  }
  /// Called with the keyboard in the desktop's layout and its repetition when they are known, and when they change: nil for no keyboard, and
  /// for no repetition. It has its own state, so that the application gives it to one router.
  public var onKeyboard: (@MainActor (Keyboard?, KeyRepeat?) -> Void)? {
    didSet { if keyboard != nil { keyboardChanged() } }
  }
  /// The error in the layout that the desktop sent; nil while it can be used.
  public internal(set) var layoutProblem: KeyboardLayoutError?

  /// The text that the desktop's programs copy and paste.
  public private(set) lazy var clipboard = WaylandClipboard(of: self)

  /// The desktop's input method.
  public private(set) lazy var textInput = WaylandTextInput(of: self)

  private var connection: WaylandConnection?
  private var handler: (@MainActor (InputEvent) -> Void)?
  private var seats: [WaylandSeat] = []
  /// The seat at which somebody did something last.
  private weak var usedSeat: WaylandSeat?
  private var lastID: UInt32 = 0
  /// Nil where there are none.
  private(set) lazy var sequences = try? ComposeTable.automatic()
  /// The layouts that were sent last. A keyboard on the screen has one of its own, and each change between it and another sends both again.
  private var layouts: [(text: String, layout: KeyboardLayout)] = []
  private static let mostLayouts = 4

  /// - Parameters:
  ///   - connection: that of the windows. Their display serves it on the loop.
  ///   - handler: called on the main loop with each event, in their order.
  public init(connection: WaylandConnection, handler: @escaping @MainActor (InputEvent) -> Void) {
    self.handler = handler
    reconnect(to: connection)
  }

  isolated deinit { invalidate() }

  /// Reads the devices of another connection from now on, after `WaylandDisplay.reconnect(to:)`. Those of the old one are removed.
  public func reconnect(to connection: WaylandConnection) {
    leave()
    self.connection = connection
    connection.followGlobals(
      { [weak self, weak connection] global in
        guard let self, let connection, connection === self.connection, handler != nil, global.interface == "wl_seat" else {
          return
        }
        // Version 8 has wheels in parts of a click.
        if let pointer = connection.bind(global, upTo: 8) {
          seats.append(WaylandSeat(pointer, global: global.name, of: self, connection))
        }
      },
      withdrawn: { [weak self, weak connection] name in
        guard let self, connection === self.connection, let index = seats.firstIndex(where: { $0.global == name }) else {
          return
        }
        seats.remove(at: index).destroy()
      },
      ended: { [weak self, weak connection] in
        guard let self, connection === self.connection else { return }
        leave()
      })
  }

  /// Ends the use of all devices. The handler is not called again.
  public func invalidate() {
    handler = nil
    onKeyboard = nil
    leave()
  }

  private func leave() {
    for seat in exchange(&seats, with: []) { seat.destroy() }
    connection = nil
    clipboard.forget()
  }

  // MARK: For seats

  private var keyboard: SeatKeyboard? { seats.lazy.compactMap(\.keyboard).first }

  var textInputs: [SeatTextInput] { seats.compactMap(\.textInput) }

  var selection: SeatSelection? { usedSeat?.selection ?? seats.lazy.compactMap(\.selection).first }

  func used(_ seat: WaylandSeat) {
    usedSeat = seat
    clipboard.inputCame()
  }

  /// The layout that a desktop sent, which takes a millisecond to compile.
  func layout(of text: String) throws(KeyboardLayoutError) -> KeyboardLayout {
    if let known = layouts.first(where: { $0.text == text }) { return known.layout }
    let layout = try KeyboardLayout(text: text)
    layouts = layouts.suffix(Self.mostLayouts - 1) + [(text, layout)]
    return layout
  }

  func keyboardChanged() { onKeyboard?(keyboard?.keyboard, keyboard?.keyRepeat) }

  func send(_ event: InputEvent) { handler?(event) }

  func add(name: String, _ abilities: InputDevice.Abilities, on outputName: String?) -> InputDevice.ID {
    lastID += 1
    let device = InputDevice(
      id: InputDevice.ID(rawValue: lastID), name: name, abilities: abilities, outputName: outputName)
    devices.append(device)
    send(InputEvent(time: now, device: device.id, action: .added(device)))
    return device.id
  }

  func remove(_ id: InputDevice.ID) {
    guard devices.contains(where: { $0.id == id }) else { return }
    devices.removeAll { $0.id == id }
    send(InputEvent(time: now, device: id, action: .removed))
  }

  private var now: MonotonicTime { connection?.clock.now ?? .zero }
}

/// Puts a value in a variable and returns the one that was there.
private func exchange<Value>(_ variable: inout Value, with value: Value) -> Value {
  let old = variable
  variable = value
  return old
}
