import CEvdev
import Geometry
import LinuxSystem

/// The description of a device in a recording by `libinput record`: the kernel's, and what udev knows.
struct RecordedDevice {
  /// The range of an axis.
  struct Axis {
    var minimum = 0
    var maximum = 0
    /// In places a millimetre; 0 if that is not known.
    var resolution = 0

    /// The part of the range, from 0 to 1, as libinput has it: its last place is a place before the end.
    func part(_ value: Int) -> Double { Double(value - minimum) / Double(max(maximum - minimum, 0) + 1) }

    fileprivate var millimetres: Double? { resolution > 0 ? Double(maximum - minimum) / Double(resolution) : nil }
  }

  /// The reason why nothing of a device can be played.
  enum Obstacle: String {
    case touchpad = "a touchpad needs libinput itself"
    case tablet = "a pen's tablet needs libinput itself"
    /// The kernel's protocol A, which does not say which finger is which. A touch screen that has no multi-touch at all plays.
    case slotlessMultiTouch = "multi-touch without slots needs libinput itself"
  }

  var name = ""
  /// The line with the name, for errors.
  var line: RecordingLine
  /// The codes that it may send, by their type.
  var codes: [Int: Set<Int>] = [:]
  var axes: [Int: Axis] = [:]
  /// The properties that libinput goes by: `ID_INPUT_MOUSE` and such.
  var properties: [String: String] = [:]

  init(_ line: RecordingLine) { self.line = line }

  private func isTagged(_ kind: String) -> Bool { properties["ID_INPUT_\(kind)"] == "1" }

  func sends(_ type: Int32, _ code: Int32) -> Bool { codes[Int(type)]?.contains(Int(code)) == true }

  /// The reason why its events cannot be played; nil for a device without one.
  var obstacle: Obstacle? {
    if isTagged("TABLET") || isTagged("TABLET_PAD") { return .tablet }
    if isTagged("TOUCHPAD") { return .touchpad }
    let lacksSlots = sends(EV_ABS, ABS_MT_POSITION_X) && !sends(EV_ABS, ABS_MT_SLOT)
    return isTagged("TOUCHSCREEN") && lacksSlots ? .slotlessMultiTouch : nil
  }

  /// The kinds of events, by udev's properties as in libinput; none for a device that libinput does not use either, such as a joystick.
  var abilities: InputDevice.Abilities {
    guard properties["LIBINPUT_IGNORE_DEVICE"].map({ $0 == "0" }) ?? true else { return [] }
    var abilities = InputDevice.Abilities()
    if isTagged("TOUCHSCREEN") { abilities.insert(.touch) }
    if isTagged("MOUSE") || isTagged("POINTINGSTICK") { abilities.insert(.pointer) }
    guard isTagged("KEY") || isTagged("KEYBOARD") else { return abilities }
    abilities.insert(.keyboard)
    if [KEY_A, KEY_Z, KEY_ENTER].allSatisfy({ sends(EV_KEY, $0) }) { abilities.insert(.letters) }
    return abilities
  }

  /// The device as libinput would describe it, but for its calibration, which the places of its events have. A size that a script cannot have
  /// is left out, and control characters of its name are spaces.
  func device(_ id: InputDevice.ID) -> InputDevice {
    let (x, y) = (axes[Int(ABS_X)], axes[Int(ABS_Y)])
    var size: Size?
    if let width = x?.millimetres, let height = y?.millimetres, width > 0, height > 0,
      InputScriptLine.sizes.contains(width), InputScriptLine.sizes.contains(height)
    {
      size = Size(width: width, height: height)
    }
    // A touch screen that has no multi-touch has no slots either, and one finger.
    let fingers = (axes[Int(ABS_MT_SLOT)]?.maximum ?? 0) + 1
    return InputDevice(
      id: id, name: name.withoutControlCharacters, abilities: abilities,
      fingers: abilities.contains(.touch) && 1...1000 ~= fingers ? fingers : nil, size: size)
  }

  /// The matrix of udev, for places in parts of the area. One with a number beyond ±1000 is a mistake, as it sends all places far away from any
  /// display, and is none.
  var calibration: Affine {
    let numbers = properties["LIBINPUT_CALIBRATION_MATRIX"]?.split(separator: " ").compactMap { Double($0) } ?? []
    guard numbers.count == 6, numbers.allSatisfy((-1000.0...1000.0).contains) else { return .identity }
    return Affine(a: numbers[0], b: numbers[3], c: numbers[1], d: numbers[4], tx: numbers[2], ty: numbers[5])
  }
}
