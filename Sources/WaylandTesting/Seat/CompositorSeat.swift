import CWaylandTesting
import Glibc

/// The devices of a scripted compositor, and the windows that have them: one pointer, one keyboard, one touch screen.
///
/// Each call sends its events at once, with the loop's time.
@MainActor
public final class CompositorSeat {
  /// The kinds of devices that a seat may have.
  public struct Devices: OptionSet, Hashable, Sendable {
    public let rawValue: UInt32

    public init(rawValue: UInt32) { self.rawValue = rawValue }

    public static let pointer = Devices(rawValue: 1)
    public static let keyboard = Devices(rawValue: 2)
    public static let touch = Devices(rawValue: 4)
    public static let all: Devices = [.pointer, .keyboard, .touch]
  }

  /// The cursor that a client asked for.
  public enum Cursor: Hashable, Sendable {
    /// The client has not said.
    case unknown
    case hidden
    /// A surface of the client's, with its hot spot in points.
    case surface(x: Int, y: Int)
    /// One of the shapes of cursor-shape-v1, by its number.
    case shape(UInt32)
  }

  /// The devices that there are. Clients are told.
  public var devices = Devices.all {
    didSet {
      guard devices != oldValue else { return }
      for object in objects(\.seats) { object.send("capabilities", .uint(devices.rawValue)) }
    }
  }
  /// The keyboard's layout as a file of XKB, for keyboards that are bound later; nil for one without a layout.
  public var keymap: String?
  /// How often a key repeats in a second, and after how many milliseconds, for keyboards that are bound later; 0 for never.
  public var repeatRate = 25
  public var repeatDelay = 600
  public private(set) var cursor = Cursor.unknown
  /// The window with the keyboard, and the one that hears of the pointer.
  public private(set) var keyboardFocus: CompositorWindow?
  public private(set) var pointerFocus: CompositorWindow?

  unowned let compositor: ScriptedCompositor
  /// The serials of all arrivals of the pointer; the newest is the last.
  private var arrivals: [UInt32] = []
  /// The surface of the window that the pointer is over.
  private var pointerSurface: CompositorSurface?
  /// The pointer's place in it, in points.
  private var pointerPlace = (x: 0.0, y: 0.0)
  /// The serials of keys, buttons and touches.
  private var used: Set<UInt32> = []
  /// The fingers that are down, with their windows.
  private var fingers: [Int: CompositorWindow] = [:]

  init(of compositor: ScriptedCompositor) { self.compositor = compositor }

  // MARK: Keyboard

  /// Gives a window the keyboard, or takes it from all.
  ///
  /// - Parameter keys: those that are held already, by the kernel's numbers.
  public func focusKeyboard(_ window: CompositorWindow?, keys: [UInt32] = []) {
    if let old = keyboardFocus {
      compositor.inputMethod.focus(old, false)
      send(\.keyboards, old, "leave", .uint(compositor.nextSerial()), .object(old.surface.object))
    }
    keyboardFocus = window
    guard let window else { return }
    send(\.keyboards, window, "enter", .uint(compositor.nextSerial()), .object(window.surface.object), .array(keys))
    sendModifiers()
    compositor.inputMethod.focus(window, true)
    compositor.clipboard.tell(window.surface.object.client)
  }

  /// True for the serial of something that a person did.
  func isUsed(_ serial: UInt32) -> Bool { used.contains(serial) }

  func nextUse() -> UInt32 {
    let serial = compositor.nextSerial()
    used.insert(serial)
    return serial
  }

  /// A key goes down or up.
  ///
  /// - Parameter code: the kernel's number.
  public func key(_ code: UInt32, isDown: Bool) {
    guard let window = keyboardFocus else { return }
    send(
      \.keyboards, window, "key", .uint(nextUse()), .uint(compositor.milliseconds), .uint(code),
      .uint(isDown ? 1 : 0))
  }

  /// The state of the modifiers that is sent next, as masks of XKB.
  public var modifiers: (depressed: UInt32, latched: UInt32, locked: UInt32, group: UInt32) = (0, 0, 0, 0) {
    didSet { sendModifiers() }
  }

  private func sendModifiers() {
    guard let window = keyboardFocus else { return }
    send(
      \.keyboards, window, "modifiers", .uint(compositor.nextSerial()), .uint(modifiers.depressed), .uint(modifiers.latched),
      .uint(modifiers.locked), .uint(modifiers.group))
  }

  // MARK: Pointer

  /// Moves the pointer to a place of a window, in points of its content, or to where there is none. Where the window's own frame is, that has
  /// the pointer. As with wlroots, a client that has no seat when the pointer comes to its window hears nothing of it until it comes again.
  public func movePointer(_ window: CompositorWindow?, x: Double = 0, y: Double = 0) {
    let target = window?.surface.target(x: x, y: y)
    let isNew = pointerSurface !== target?.0
    if isNew, let old = pointerFocus, let surface = pointerSurface {
      send(\.pointers, old, "leave", .uint(compositor.nextSerial()), .object(surface.object))
      frame(old)
    }
    let hears = isNew ? window?.surface.object.client.seats.isEmpty == false : pointerFocus != nil
    (pointerFocus, pointerSurface) = (hears ? window : nil, target?.0)
    guard let window = pointerFocus, let (surface, x, y) = target else { return }
    pointerPlace = (x, y)
    if isNew {
      cursor = .unknown
      enter(window.surface.object.client.pointers, surface)
    } else {
      send(\.pointers, window, "motion", .uint(compositor.milliseconds), .fixed(x), .fixed(y))
    }
    frame(window)
  }

  private func enter(_ pointers: [ServerObject], _ surface: CompositorSurface) {
    let serial = compositor.nextSerial()
    arrivals.append(serial)
    let (x, y) = pointerPlace
    for pointer in pointers { pointer.send("enter", .uint(serial), .object(surface.object), .fixed(x), .fixed(y)) }
  }

  /// A button goes down or up.
  ///
  /// - Parameter code: the kernel's number: 272 for the left button.
  public func button(_ code: UInt32 = 272, isDown: Bool) {
    guard let window = pointerFocus else { return }
    send(
      \.pointers, window, "button", .uint(nextUse()), .uint(compositor.milliseconds), .uint(code),
      .uint(isDown ? 1 : 0))
    frame(window)
  }

  /// Turns a wheel.
  ///
  /// - Parameters:
  ///   - clicks120: 120 for each click. Clients with an older seat hear of whole clicks, and in any case of 10 points for each.
  ///   - isHorizontal: true for the second wheel.
  public func turnWheel(_ clicks120: Int, isHorizontal: Bool = false) {
    guard let window = pointerFocus else { return }
    let axis: UInt32 = isHorizontal ? 1 : 0
    for pointer in window.surface.object.client.pointers {
      pointer.send("axis_source", .uint(0))
      if pointer.version >= 8 {
        pointer.send("axis_value120", .uint(axis), .int(clicks120))
      } else if clicks120 / 120 != 0 {
        pointer.send("axis_discrete", .uint(axis), .int(clicks120 / 120))
      }
      pointer.send("axis", .uint(compositor.milliseconds), .uint(axis), .fixed(Double(clicks120) / 12))
    }
    frame(window)
  }

  /// Moves fingers on a touchpad, which scrolls; nil for both lifts them.
  public func scroll(x: Double?, y: Double?) {
    guard let window = pointerFocus else { return }
    for pointer in window.surface.object.client.pointers {
      pointer.send("axis_source", .uint(1))
      if x == nil, y == nil { pointer.send("axis_stop", .uint(compositor.milliseconds), .uint(0)) }
      if let y { pointer.send("axis", .uint(compositor.milliseconds), .uint(0), .fixed(y)) }
      if let x { pointer.send("axis", .uint(compositor.milliseconds), .uint(1), .fixed(x)) }
    }
    frame(window)
  }

  private func frame(_ window: CompositorWindow) { send(\.pointers, window, "frame") }

  // MARK: Touch

  /// A finger goes down in a window, at a place in points of its content.
  public func touchDown(_ finger: Int, _ window: CompositorWindow, x: Double, y: Double) {
    let (surface, x, y) = window.surface.target(x: x, y: y)
    fingers[finger] = window
    send(
      \.touches, window, "down", .uint(nextUse()), .uint(compositor.milliseconds),
      .object(surface.object), .int(finger), .fixed(x), .fixed(y))
    send(\.touches, window, "frame")
  }

  public func touchMoved(_ finger: Int, x: Double, y: Double) {
    guard let window = fingers[finger] else { return }
    send(\.touches, window, "motion", .uint(compositor.milliseconds), .int(finger), .fixed(x), .fixed(y))
    send(\.touches, window, "frame")
  }

  public func touchUp(_ finger: Int) {
    guard let window = fingers.removeValue(forKey: finger) else { return }
    send(\.touches, window, "up", .uint(compositor.nextSerial()), .uint(compositor.milliseconds), .int(finger))
    send(\.touches, window, "frame")
  }

  /// The compositor takes all fingers for itself.
  public func cancelTouches() {
    for client in Set(fingers.values.map { ObjectIdentifier($0.surface.object.client) }) {
      guard let window = fingers.values.first(where: { ObjectIdentifier($0.surface.object.client) == client }) else {
        continue
      }
      send(\.touches, window, "cancel")
    }
    fingers = [:]
  }

  // MARK: Clients

  func bind(_ seat: ServerObject) {
    let client = seat.client
    client.seats.append(seat)
    seat.onEnd = { client.seats.removeAll { $0 === seat } }
    seat.send("capabilities", .uint(devices.rawValue))
    seat.send("name", .string("seat0"))
    seat.onRequest = { [unowned self] request in
      switch request.name {
      case "get_keyboard":
        let keyboard = request.newObject(0)
        client.keyboards.append(keyboard)
        keyboard.onEnd = { client.keyboards.removeAll { $0 === keyboard } }
        begin(keyboard)
      case "get_pointer":
        let pointer = request.newObject(0)
        client.pointers.append(pointer)
        pointer.onEnd = { client.pointers.removeAll { $0 === pointer } }
        pointer.onRequest = { [unowned self] in if $0.name == "set_cursor" { setCursor($0) } }
        if let window = pointerFocus, let surface = pointerSurface, surface.object.client === client {
          enter([pointer], surface)
          frame(window)
        }
      case "get_touch":
        let touch = request.newObject(0)
        client.touches.append(touch)
        touch.onEnd = { client.touches.removeAll { $0 === touch } }
      default: break
      }
    }
  }

  private func begin(_ keyboard: ServerObject) {
    let text = Array((keymap ?? "").utf8CString)
    let file = wayland_testing_file(text, text.count)
    if file >= 0 {
      keyboard.send("keymap", .uint(keymap == nil ? 0 : 1), .descriptor(file), .uint(UInt32(text.count)))
      close(file)
    }
    keyboard.send("repeat_info", .int(repeatRate), .int(repeatDelay))
  }

  private func setCursor(_ request: Request) {
    guard checkEnter(request.uint(0)) else { return }
    cursor = request.resource(1) == nil ? .hidden : .surface(x: request.int(2), y: request.int(3))
  }

  func offerCursorShapes(_ manager: ServerObject) {
    manager.onRequest = { [unowned self] request in
      guard request.name == "get_pointer" || request.name == "get_tablet_tool_v2" else { return }
      let isTool = request.name != "get_pointer"
      let device = request.newObject(0)
      device.onRequest = { [unowned self] request in
        if isTool, request.name == "set_shape" {
          if compositor.tablet.hasArrived(request.uint(0)) { return compositor.tablet.cursor = request.uint(1) }
          return compositor.note(.unknownInput, "a pen's cursor for \(request.uint(0))")
        }
        if request.name == "set_shape", checkEnter(request.uint(0)) { cursor = .shape(request.uint(1)) }
      }
    }
  }

  private func checkEnter(_ serial: UInt32) -> Bool {
    if !arrivals.contains(serial) { compositor.note(.unknownInput, "a cursor for \(serial)") }
    // One for an earlier arrival was sent before the client read of the newest, and has no effect.
    return serial == arrivals.last
  }

  func forget(_ window: CompositorWindow) {
    compositor.tablet.forget(window)
    if keyboardFocus === window { keyboardFocus = nil }
    if pointerFocus === window { (pointerFocus, pointerSurface) = (nil, nil) }
    fingers = fingers.filter { $0.value !== window }
  }

  private func objects(_ kind: KeyPath<CompositorClient, [ServerObject]>) -> [ServerObject] {
    compositor.clients.values.flatMap { $0[keyPath: kind] }
  }

  private func send(
    _ kind: KeyPath<CompositorClient, [ServerObject]>, _ window: CompositorWindow, _ event: String,
    _ arguments: EventArgument...
  ) {
    for object in window.surface.object.client[keyPath: kind] { object.post(event, arguments) }
  }
}
