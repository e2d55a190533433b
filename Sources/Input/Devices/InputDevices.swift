import CLibinput
public import Geometry
import Glibc
public import LinuxSystem
public import RunLoops
public import Seats

/// The input devices of a seat: tells on the main loop what people do at them, and which devices come and go.
///
/// ```swift
/// let session = SeatSession.automatic()
/// session.add(to: .main, mode: .common)
/// let input = try InputDevices(session: session) { event in print(event.action.words) }
/// input.add(to: .main, mode: .common)
/// ```
///
/// libinput reads the devices, with all that it knows of their faults; udev tells which there are. While another session has the
/// seat there are no devices: they are removed when it is lost, and come back as new ones.
@MainActor
public final class InputDevices: FrameLoop.ItemOwner {
  /// The devices that can be used now, in the order in which they came.
  public private(set) var devices: [InputDevice] = []

  /// The lamps that all keyboards show, also those that come later: `Keyboard.leds` after each key.
  public var leds = KeyboardLEDs() {
    didSet {
      guard leds != oldValue else { return }
      for keyboard in devices where keyboard.abilities.contains(.keyboard) { handles[keyboard.id].map(leds.show) }
    }
  }

  private let session: SeatSession
  private let clock: SystemClock
  private let context: LibinputContext
  private let source: FrameLoop.DescriptorSource
  private var handler: (@MainActor (InputEvent) -> Void)?
  private var observer: SeatSession.Observer?
  private var lastID: UInt32 = 0
  /// libinput's devices, which it keeps until their removal was read.
  private var handles: [InputDevice.ID: OpaquePointer] = [:]

  /// - Parameters:
  ///   - session: opens the devices. They are used while it is active.
  ///   - handler: called on the main loop with each event; those of one device come in their order.
  /// - Throws: the error of libinput, which cannot listen to udev. That there is no device, or none that may be opened, is no error: see
  ///   `absence`.
  public init(
    session: SeatSession, clock: SystemClock = .monotonic, handler: @escaping @MainActor (InputEvent) -> Void
  ) throws(SystemError) {
    (self.session, self.clock, self.handler) = (session, clock, handler)
    let context = try LibinputContext(session: session)
    self.context = context
    let relay = Relay()
    source = FrameLoop.DescriptorSource(descriptor: context.descriptor, .onMain { _, _ in relay.owner?.readEvents() })
    relay.owner = self
    let observer = SeatSession.Observer { [weak self] session in self?.follow(session) }
    self.observer = observer
    session.add(observer)
    follow(session)
  }

  isolated deinit { invalidate() }

  private final class Relay {
    weak var owner: InputDevices?
  }

  public var loopItem: any FrameLoop.Item { source }

  /// Why no device can be used; nil while there is one.
  public var absence: Absence? {
    if !devices.isEmpty { return nil }
    if handler == nil { return .ended }
    if session.state != .active { return .inactive }
    if access("/run/udev/control", F_OK) != 0 { return .noUdev }
    guard let refusal = refusals.first else { return .none(seat: session.seatName) }
    return .refused(refusal, others: refusals.count - 1)
  }

  /// Why devices could not be opened, by their paths.
  public var refusals: [SeatError] { context.refusals.sorted { $0.key < $1.key }.map(\.value) }

  /// How often the kernel threw events away because they were not read in time. libinput then makes up the state of keys and fingers. It
  /// tells of five in half a minute at most for each device, so this is the least number.
  public var overflows: Int { context.overflows }

  /// Ends the use of all devices. The handler is not called again.
  public func invalidate() {
    guard handler != nil else { return }
    handler = nil
    devices = []
    handles = [:]
    source.invalidate()
    if let observer { session.remove(observer) }
    context.end()
  }

  private func follow(_ session: SeatSession) {
    switch session.state {
    case .active: context.begin(seat: session.seatName)
    case .inactive, .disabling, .gone: context.suspend()
    }
    readEvents()
  }

  /// Reads what the devices have sent, now instead of when the loop comes to it.
  public func read() { readEvents() }

  /// Sets where the places of a touch screen, a tablet or an absolute pointer lie on its display, in the place of the matrix that udev has for the
  /// device (`LIBINPUT_CALIBRATION_MATRIX`), or of none. Set it when the device comes:
  ///
  /// ```swift
  /// if case .added(let device) = event.action, device.name == "panel" {
  ///   input.calibrate(device.id, by: Affine(a: -1, b: 0, c: 0, d: 1, tx: 1, ty: 0))  // mirrored
  /// }
  /// ```
  ///
  /// - Parameter matrix: maps a place in parts of the device's area, from (0, 0) at its left top to (1, 1), to the one that events tell.
  /// - Returns: false for a device that tells no places or is gone, and for a matrix that has no inverse.
  @discardableResult
  public func calibrate(_ device: InputDevice.ID, by matrix: Affine) -> Bool {
    guard let handle = handles[device], matrix.inverted != nil, libinput_device_config_calibration_has_matrix(handle) != 0
    else {
      return false
    }
    let rows = [matrix.a, matrix.c, matrix.tx, matrix.b, matrix.d, matrix.ty].map(Float.init)
    guard rows.allSatisfy(\.isFinite) else { return false }
    return libinput_device_config_calibration_set_matrix(handle, rows) == LIBINPUT_CONFIG_STATUS_SUCCESS
  }

  private func readEvents() {
    context.dispatch()
    while let handler, let event = context.next() {
      defer { libinput_event_destroy(event) }
      guard let event = take(event) else { continue }
      handler(event)
    }
  }

  private func take(_ event: OpaquePointer) -> InputEvent? {
    let device = libinput_event_get_device(event)
    switch libinput_event_get_type(event) {
    case LIBINPUT_EVENT_DEVICE_ADDED:
      lastID += 1
      let added = InputDevice(device, id: InputDevice.ID(rawValue: lastID))
      libinput_device_set_user_data(device, UnsafeMutableRawPointer(bitPattern: UInt(lastID)))
      devices.append(added)
      handles[added.id] = device
      if let device, added.abilities.contains(.keyboard) { leds.show(on: device) }
      return InputEvent(time: clock.now, device: added.id, action: .added(added))
    case LIBINPUT_EVENT_DEVICE_REMOVED:
      let id = InputDevice.ID(of: device)
      devices.removeAll { $0.id == id }
      handles[id] = nil
      return InputEvent(time: clock.now, device: id, action: .removed)
    default:
      return InputEvent(event, of: InputDevice.ID(of: device))
    }
  }
}

extension KeyboardLEDs {
  /// - Parameter device: a device of libinput; one that is gone takes no notice.
  fileprivate func show(on device: OpaquePointer) {
    let lamps: [(KeyboardLEDs, libinput_led)] = [
      (.capsLock, LIBINPUT_LED_CAPS_LOCK), (.numLock, LIBINPUT_LED_NUM_LOCK), (.scrollLock, LIBINPUT_LED_SCROLL_LOCK),
    ]
    let lit = lamps.reduce(0) { contains($1.0) ? $0 | $1.1.rawValue : $0 }
    libinput_device_led_update(device, libinput_led(rawValue: lit))
  }
}

extension InputDevice.ID {
  /// The number that `InputDevices` gave to a device of libinput.
  fileprivate init(of device: OpaquePointer?) {
    self.init(rawValue: UInt32(truncatingIfNeeded: UInt(bitPattern: libinput_device_get_user_data(device))))
  }
}
