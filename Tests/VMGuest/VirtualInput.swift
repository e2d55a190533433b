import CEvdev
import Glibc
import LinuxSystem

/// An input device of the kernel's uinput, at which the test does what a hand would.
@MainActor
final class VirtualInput {
  enum Kind {
    /// A screen that tells two fingers apart, of 4096 by 4096 places.
    case touchScreen
    case mouse
    case keyboard
    /// As that of a virtual machine, of 4096 by 4096 places.
    case tablet
  }

  private let device: OpaquePointer
  private let output: OpaquePointer

  init(_ kind: Kind, name: String) throws(SystemError) {
    guard let device = libevdev_new() else { throw .last(call: "libevdev_new") }
    libevdev_set_name(device, name)
    Self.describe(kind, device)
    var output: OpaquePointer?
    let result = libevdev_uinput_create_from_device(device, LIBEVDEV_UINPUT_OPEN_MANAGED.rawValue, &output)
    guard result == 0, let output else {
      libevdev_free(device)
      throw SystemError(call: "libevdev_uinput_create_from_device", subject: name, errno: -result)
    }
    (self.device, self.output) = (device, output)
  }

  isolated deinit {
    libevdev_uinput_destroy(output)
    libevdev_free(device)
  }

  /// The descriptor to which events are written.
  var descriptor: Int32 { libevdev_uinput_get_fd(output) }

  /// Writes events, and the end of their group.
  func write(_ events: (type: Int32, code: Int32, value: Int32)...) {
    for event in events { writeOne(event) }
    writeOne((EV_SYN, SYN_REPORT, 0))
  }

  /// Writes an event of a group that does not end yet.
  func writeOne(_ event: (type: Int32, code: Int32, value: Int32)) {
    let result = libevdev_uinput_write_event(output, UInt32(event.type), UInt32(event.code), event.value)
    Guest.expect(result == 0, "an event was not written: \(result)")
  }

  /// The lamps of a keyboard that were switched since the last call, by the kernel's names: true for those that light up.
  func readLamps() -> [String: Bool] {
    var lamps: [String: Bool] = [:]
    let descriptor = libevdev_uinput_get_fd(output)
    while true {
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      var event = input_event()
      guard poll(&request, 1, 0) > 0, read(descriptor, &event, MemoryLayout.size(ofValue: event)) > 0 else { return lamps }
      guard event.type == EV_LED else { continue }
      let name = libevdev_event_code_get_name(UInt32(EV_LED), UInt32(event.code)).map { String(cString: $0) }
      lamps[name ?? "\(event.code)"] = event.value != 0
    }
  }

  private static func describe(_ kind: Kind, _ device: OpaquePointer) {
    func enable(_ type: Int32, _ codes: Int32...) {
      libevdev_enable_event_type(device, UInt32(type))
      for code in codes { libevdev_enable_event_code(device, UInt32(type), UInt32(code), nil) }
    }
    func enableAxes(_ codes: Int32..., maximum: Int32 = 4095) {
      var axis = input_absinfo()
      axis.maximum = maximum
      // The screen has 10 by 10 centimetres.
      axis.resolution = maximum == 4095 ? 41 : 0
      libevdev_enable_event_type(device, UInt32(EV_ABS))
      for code in codes { libevdev_enable_event_code(device, UInt32(EV_ABS), UInt32(code), &axis) }
    }
    switch kind {
    case .touchScreen:
      libevdev_enable_property(device, UInt32(INPUT_PROP_DIRECT))
      enable(EV_KEY, BTN_TOUCH)
      enableAxes(ABS_X, ABS_Y, ABS_MT_POSITION_X, ABS_MT_POSITION_Y)
      enableAxes(ABS_MT_SLOT, maximum: 1)
      enableAxes(ABS_MT_TRACKING_ID, maximum: 65_535)
    case .mouse:
      enable(EV_KEY, BTN_LEFT, BTN_RIGHT)
      enable(EV_REL, REL_X, REL_Y, REL_WHEEL)
    case .keyboard:
      enable(EV_KEY, KEY_A, KEY_B, KEY_C, KEY_LEFTCTRL, KEY_LEFTALT, KEY_LEFTSHIFT, KEY_F2, KEY_ESC, KEY_ENTER, KEY_SPACE)
      enable(EV_LED, LED_CAPSL, LED_NUML, LED_SCROLLL)
    case .tablet:
      enable(EV_KEY, BTN_LEFT, BTN_RIGHT)
      enableAxes(ABS_X, ABS_Y)
    }
  }
}
