public import Geometry
public import Input
public import LinuxSystem

/// Follows the contacts and the pointer of all devices: turns the events of devices into those of screens.
///
/// A pure state machine. It takes events in any order, also those that no device sends: a finger that comes twice is cancelled in between, one
/// that is lifted without having come is ignored, and a device that goes away cancels its contacts and releases its keys. So each contact
/// begins once and ends once.
public struct ContactTracker: Sendable {
  /// The screens, at least one for events to come out. Contacts and pointer are moved by `setScreens(_:at:_:)`.
  public private(set) var screens: [InputScreen]
  /// The pointer's place among the frames of the screens; nil before a device moved it or scrolled. It begins in the middle of the
  /// first screen.
  ///
  /// A device that merely claims to be a pointer, as HDMI-CEC adapters and touch controllers do, shows none.
  public var pointer: Point? { pointerPlace?.point }
  /// True from a movement of the pointer until a finger touches a screen.
  public private(set) var isPointerVisible = false

  /// The pointer's screen, and its place among the frames of the screens; nil while it is not to be seen.
  var visiblePointer: VisiblePointer? {
    guard isPointerVisible, let place = pointerPlace else { return nil }
    let isPressed = contacts.contains { if case .button = $0.source { true } else { false } }
    return VisiblePointer(screen: place.screen, point: place.point, isPressed: isPressed, uses: pointerUses)
  }

  private var devices: [InputDevice.ID: Device] = [:]
  private var contacts: [Entry] = []
  private var lastID: UInt32 = 0
  private var pointerPlace: PointerPlace?
  /// See `VisiblePointer.uses`.
  private var pointerUses = 0

  private struct PointerPlace: Sendable {
    var screen: Int
    /// Among the frames of the screens, and on the screen's root layer.
    var point: Point
    var root: Point
  }

  private struct Device: Sendable {
    var device: InputDevice
    var screen: Int
    var hasKeysDown = false
    /// The screen over which a pen hovers.
    var hover: Int?
    /// True while fingers on a touchpad scroll, or are in one of its gestures.
    var isScrolling = false
    var isInGesture = false
  }

  private struct Entry: Sendable {
    enum Source: Hashable { case finger(Int), pen, button(InputCode) }
    var device: InputDevice.ID
    var source: Source
    var id: Contact.ID
    var screen: Int
    var location: Point
    var kind: ContactKind
  }

  public init(screens: [InputScreen]) { self.screens = screens }

  /// The contacts that have begun and not ended.
  public var contactCount: Int { contacts.count }

  /// Takes an event, and passes on those that it means for screens: none, one or several.
  public mutating func handle(_ event: InputEvent, _ emit: (ScreenEvent) -> Void) {
    switch event.action {
    case .added(let device):
      endDevice(event.device, at: event.time, emit)
      devices[event.device] = Device(device: device, screen: screen(of: device))
    case .removed:
      endDevice(event.device, at: event.time, emit)
      devices[event.device] = nil
      if !devices.values.contains(where: { $0.device.abilities.contains(.pointer) }) { hidePointer(event, emit) }
    default:
      guard let device = devices[event.device], screens.indices.contains(device.screen) else { return }
      act(event, device, emit)
    }
  }

  /// Sets the screens: one was turned, came or went. Contacts are cancelled, since their layers may be elsewhere.
  public mutating func setScreens(_ screens: [InputScreen], at time: MonotonicTime, _ emit: (ScreenEvent) -> Void) {
    cancelAll(at: time, emit)
    self.screens = screens
    for (id, device) in devices {
      let screen = screen(of: device.device)
      devices[id]?.screen = screen
    }
    pointerPlace = pointer.flatMap { place(near: $0) }
  }

  /// Cancels all contacts and releases all keys, as when the session loses its displays.
  public mutating func cancelAll(at time: MonotonicTime, _ emit: (ScreenEvent) -> Void) {
    for id in devices.keys.sorted() { endDevice(id, at: time, emit) }
  }

  // MARK: Devices

  /// The screen that a device lies on: by the name that udev gives, or else the one with a panel of its size, or else the first.
  private func screen(of device: InputDevice) -> Int {
    if let name = device.outputName, let index = screens.firstIndex(where: { $0.name == name }) { return index }
    guard let size = device.size else { return 0 }
    let alike = screens.indices.filter { screens[$0].hasPanel(like: size) }
    return alike.count == 1 ? alike[0] : 0
  }

  private mutating func endDevice(_ id: InputDevice.ID, at time: MonotonicTime, _ emit: (ScreenEvent) -> Void) {
    guard let device = devices[id] else { return }
    for index in contacts.indices.reversed() where contacts[index].device == id { end(at: index, .cancelled, time, emit) }
    if device.hasKeysDown { emit(ScreenEvent(time: time, screen: device.screen, device: id, action: .keysReleased)) }
    if let hover = device.hover { emit(ScreenEvent(time: time, screen: hover, device: id, action: .hoverEnded)) }
    if let place = pointerPlace {
      func send(_ action: ScreenEvent.Action) {
        emit(ScreenEvent(time: time, screen: place.screen, device: id, action: action))
      }
      if device.isScrolling { send(.scroll(.fingersEnded, at: place.root)) }
      if device.isInGesture { send(.gesture(.cancelled, at: place.root)) }
    }
    devices[id] = Device(device: device.device, screen: device.screen)
  }

  private mutating func act(_ event: InputEvent, _ device: Device, _ emit: (ScreenEvent) -> Void) {
    let screen = device.screen
    switch event.action {
    case .motion, .position, .button, .scroll, .gesture: pointerUses &+= 1
    default: break
    }
    func send(_ action: ScreenEvent.Action, on screen: Int) {
      emit(ScreenEvent(time: event.time, screen: screen, device: event.device, action: action))
    }
    switch event.action {
    case .added, .removed: break
    case .touch(let finger, let touch): handle(touch, of: finger, event, screen, emit)
    case .motion(let distance):
      guard distance.x.isFinite, distance.y.isFinite, distance != .zero, let from = startOfPointer else { return }
      movePointer(to: Point(from.x + distance.x, from.y + distance.y), event, emit)
    case .position(let part):
      guard part.x.isFinite, part.y.isFinite else { return }
      let picture = screens[screen].picturePoint(of: part, quarterTurns: screens[screen].quarterTurns)
      let origin = screens[screen].frame.origin
      movePointer(to: Point(origin.x + picture.x, origin.y + picture.y), event, emit)
    case .button(let button, let isDown):
      // A pen's buttons are those of a device that is no pointer.
      if device.device.abilities.contains(.pointer) { press(button, isDown, event, emit) }
    case .scroll(let scroll):
      guard scroll.isFinite, let place = placePointer() else { return }
      if case .fingers = scroll { devices[event.device]?.isScrolling = true }
      if case .fingersEnded = scroll { devices[event.device]?.isScrolling = false }
      send(.scroll(scroll, at: place.root), on: place.screen)
    case .gesture(let gesture):
      guard gesture.isFinite, let place = placePointer() else { return }
      if case .began = gesture { devices[event.device]?.isInGesture = true }
      if gesture == .ended || gesture == .cancelled { devices[event.device]?.isInGesture = false }
      send(.gesture(gesture, at: place.root), on: place.screen)
    case .key(let key, let isDown):
      if isDown { devices[event.device]?.hasKeysDown = true }
      send(.key(key, isDown: isDown), on: screen)
    case .modifiers(let state): send(.modifiers(state), on: screen)
    case .keysReleased:
      guard device.hasKeysDown else { return }
      devices[event.device]?.hasKeysDown = false
      send(.keysReleased, on: screen)
    case .left: hidePointer(event, emit)
    case .pen(let pen): handle(pen, event, screen, emit)
    }
  }

  // MARK: Contacts

  private mutating func handle(
    _ touch: InputEvent.Touch, of finger: Int, _ event: InputEvent, _ screen: Int, _ emit: (ScreenEvent) -> Void
  ) {
    let index = index(of: .finger(finger), of: event.device)
    switch touch {
    case .down(let part):
      if let index { end(at: index, .cancelled, event.time, emit) }
      guard part.x.isFinite, part.y.isFinite else { return }
      hidePointer(event, emit)
      begin(.finger(finger), .finger, screens[screen].rootPoint(touchedAt: part), nil, screen, event, emit)
    case .moved(let part):
      guard let index, part.x.isFinite, part.y.isFinite else { return }
      move(at: index, to: screens[contacts[index].screen].rootPoint(touchedAt: part), nil, event.time, emit)
    case .up: if let index { end(at: index, .ended, event.time, emit) }
    case .cancelled: if let index { end(at: index, .cancelled, event.time, emit) }
    }
  }

  private mutating func handle(
    _ pen: InputEvent.Pen, _ event: InputEvent, _ screen: Int, _ emit: (ScreenEvent) -> Void
  ) {
    guard pen.position.x.isFinite, pen.position.y.isFinite else { return }
    let location = screens[screen].rootPoint(touchedAt: pen.position)
    let index = index(of: .pen, of: event.device)
    switch (pen.contact, index) {
    case (.down, nil): begin(.pen, .pen(pen.tool), location, pen.pressure, screen, event, emit)
    case (.down, let index?): move(at: index, to: location, pen.pressure, event.time, emit)
    case (_, let index?): end(at: index, .ended, event.time, emit)
    case (_, nil): break
    }
    let hover = pen.contact == .near ? screen : nil
    if hover != nil { emit(ScreenEvent(time: event.time, screen: screen, device: event.device, action: .hover(location))) }
    if hover == nil, let before = devices[event.device]?.hover {
      emit(ScreenEvent(time: event.time, screen: before, device: event.device, action: .hoverEnded))
    }
    devices[event.device]?.hover = hover
  }

  private mutating func press(
    _ button: InputCode, _ isDown: Bool, _ event: InputEvent, _ emit: (ScreenEvent) -> Void
  ) {
    if !isDown {
      if let index = index(of: .button(button), of: event.device) { end(at: index, .ended, event.time, emit) }
      return
    }
    let isHeld = contacts.contains { entry in
      if case .button = entry.source { entry.device == event.device } else { false }
    }
    guard !isHeld, let start = startOfPointer, let place = place(near: start) else { return }
    begin(.button(button), .pointer(button), place.root, nil, place.screen, event, emit)
  }

  private func index(of source: Entry.Source, of device: InputDevice.ID) -> Int? {
    contacts.firstIndex { $0.device == device && $0.source == source }
  }

  private mutating func begin(
    _ source: Entry.Source, _ kind: ContactKind, _ location: Point, _ pressure: Double?, _ screen: Int, _ event: InputEvent,
    _ emit: (ScreenEvent) -> Void
  ) {
    lastID = lastID == .max ? 1 : lastID + 1
    let id = Contact.ID(rawValue: lastID)
    contacts.append(
      Entry(device: event.device, source: source, id: id, screen: screen, location: location, kind: kind))
    send(contacts[contacts.count - 1], .began, pressure, event.time, emit)
  }

  private mutating func move(
    at index: Int, to location: Point, _ pressure: Double?, _ time: MonotonicTime, _ emit: (ScreenEvent) -> Void
  ) {
    contacts[index].location = location
    send(contacts[index], .moved, pressure, time, emit)
  }

  private mutating func end(
    at index: Int, _ phase: Contact.Phase, _ time: MonotonicTime, _ emit: (ScreenEvent) -> Void
  ) {
    send(contacts.remove(at: index), phase, nil, time, emit)
  }

  private func send(
    _ entry: Entry, _ phase: Contact.Phase, _ pressure: Double?, _ time: MonotonicTime, _ emit: (ScreenEvent) -> Void
  ) {
    let contact = Contact(id: entry.id, phase: phase, time: time, location: entry.location)
    emit(
      ScreenEvent(
        time: time, screen: entry.screen, device: entry.device,
        action: .contact(contact, by: entry.kind, pressure: pressure)))
  }

  // MARK: The pointer

  /// The pointer's place, which is in the middle of the first screen before it moves.
  private var startOfPointer: Point? { pointer ?? screens.first.map { Point($0.frame.midX, $0.frame.midY) } }

  /// The pointer's place. One that was never moved has one from now on.
  private mutating func placePointer() -> PointerPlace? {
    pointerPlace = pointerPlace ?? startOfPointer.flatMap { place(near: $0) }
    return pointerPlace
  }

  /// The place at a point; beside all screens that at the edge of the screen on which the pointer is, or else of the nearest.
  private func place(near point: Point) -> PointerPlace? {
    let usable = screens.indices.filter { screens[$0].frame.width > 0 && screens[$0].frame.height > 0 }
    func distance(_ index: Int) -> Double {
      let edge = screens[index].nearestPoint(to: point)
      let (x, y) = (point.x - edge.x, point.y - edge.y)
      return x * x + y * y
    }
    let current = pointerPlace.flatMap { usable.contains($0.screen) ? $0.screen : nil }
    let index =
      usable.first { screens[$0].frame.contains(point) } ?? current ?? usable.min { distance($0) < distance($1) }
    return index.map { index in
      let edge = screens[index].nearestPoint(to: point)
      return PointerPlace(screen: index, point: edge, root: screens[index].rootPoint(at: edge))
    }
  }

  private mutating func movePointer(to point: Point, _ event: InputEvent, _ emit: (ScreenEvent) -> Void) {
    guard let place = place(near: point) else { return }
    let before = pointerPlace
    (pointerPlace, isPointerVisible) = (place, true)
    var isHeld = false
    for index in contacts.indices where contacts[index].kind.isPointer {
      // The contact stays with its screen, whose coordinates go on beyond the edge.
      move(at: index, to: screens[contacts[index].screen].rootPoint(at: place.point), nil, event.time, emit)
      isHeld = true
    }
    if isHeld { return }
    if let before, before.screen != place.screen {
      emit(ScreenEvent(time: event.time, screen: before.screen, device: event.device, action: .hoverEnded))
    }
    emit(ScreenEvent(time: event.time, screen: place.screen, device: event.device, action: .hover(place.root)))
  }

  private mutating func hidePointer(_ event: InputEvent, _ emit: (ScreenEvent) -> Void) {
    guard isPointerVisible, let place = pointerPlace else { return }
    isPointerVisible = false
    emit(ScreenEvent(time: event.time, screen: place.screen, device: event.device, action: .hoverEnded))
  }
}

extension ContactKind {
  var isPointer: Bool { if case .pointer = self { true } else { false } }
}

extension InputEvent.Scroll {
  fileprivate var isFinite: Bool {
    switch self {
    case .wheel(let point), .fingers(let point), .continuous(let point): point.x.isFinite && point.y.isFinite
    case .fingersEnded: true
    }
  }
}

extension InputEvent.TouchpadGesture {
  fileprivate var isFinite: Bool {
    guard case .changed(let translation, let scale, let rotation) = self else { return true }
    return translation.x.isFinite && translation.y.isFinite && scale.isFinite && rotation.isFinite
  }
}
