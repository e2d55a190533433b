import LinuxSystem

extension InputScript {
  /// True for the text of a recording by `libinput record`: its first item is the version of the form.
  public static func isRecording(_ text: String) -> Bool {
    var text = text.utf8[...]
    while let first = text.first, "# \r\n".utf8.contains(first) {
      guard let end = text.firstIndex(of: UInt8(ascii: "\n")) else { return false }
      text = text[text.index(after: end)...]
    }
    return text.starts(with: "version:".utf8)
  }

  /// Reads a recording by `libinput record`.
  ///
  /// libinput itself cannot be asked what it would make of the events: it takes a device of the kernel's, and no file. `EvdevInterpreter`
  /// does it for the devices that need no more than that; an event of another is an error.
  ///
  /// - Returns: the devices, and then the events of all of them in the order of their times; those of a device stay in their order.
  static func events(ofRecording text: String, file: String?) throws(InputScriptError) -> [InputEvent] {
    var reader = RecordingReader()
    let bytes = Array(text.utf8)
    var (start, number) = (0, 1)
    while start < bytes.count {
      let end = bytes[start...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
      if var line = RecordingLine(bytes[start..<end], number: number, file: file) { try reader.take(&line) }
      (start, number) = (end + 1, number + 1)
    }
    guard !reader.devices.isEmpty else {
      throw InputScriptError(
        file: file, line: max(number - 1, 1), column: 1, expected: "a touch screen, a pointer or a keyboard before the end",
        found: nil)
    }
    let events = reader.devices.flatMap { device, interpreter in interpreter.events }
    let inOrder = events.enumerated().sorted { ($0.element.time, $0.offset) < ($1.element.time, $1.offset) }
    return reader.devices.map { device, _ in InputEvent(time: .zero, device: device.id, action: .added(device)) }
      + inOrder.map(\.element)
  }
}

/// Reads the lines of a recording. Of a device's description it needs little: quirks, the descriptor of its HID reports, these reports
/// themselves, and parts that later versions of libinput add, are left out.
private struct RecordingReader {
  /// The parts of a device that are read.
  private static let sections: Set = ["evdev", "udev", "events"]

  /// The devices that were read, and may be used.
  private(set) var devices: [(device: InputDevice, interpreter: EvdevInterpreter)] = []

  /// The device of the present lines; nil before the first.
  private var recorded: RecordedDevice?
  /// True from the events of the present device on, if it may be used.
  private var isUsed = false
  /// The reason why the present device cannot be played, found at the beginning of its events.
  private var obstacle: RecordedDevice.Obstacle?
  /// The names of the items that the present lines belong to: "evdev" and in it "codes".
  private var section = ""
  private var part = ""
  /// The time of the last event of the present device.
  private var last = MonotonicTime.zero

  mutating func take(_ line: inout RecordingLine) throws(InputScriptError) {
    switch (line.indentation, line.isItem) {
    case (0, false):
      if try line.key() == "version" {
        _ = try line.integer("1, the version of the form that is known", in: 1...1)
        try line.readEnd()
      }
      recorded = nil
    case (0, true):
      guard try line.key("a device's node: and its path") == "node" else { throw line.unexpected("a device's node") }
      (recorded, section, part, isUsed, obstacle, last) = (RecordedDevice(line), "", "", false, nil, .zero)
    case _ where recorded == nil: break
    case (2, false) where section == "hid" && line.has("]"): section = ""
    case (2, false):
      (section, part) = (try line.key(), "")
      if section == "events" { try beginEvents() }
    case (2, true) where section == "events": part = try line.key("evdev:, libinput: or hid:")
    case (2..., _) where !Self.sections.contains(section), (5..., _) where part == "hid": break
    case (4, false) where section == "evdev": try describe(&line)
    case (4, false): part = try line.key()
    case (4, true) where section == "udev":
      let property = line.rest().split(separator: "=", maxSplits: 1).map(String.init)
      if property.count == 2 { recorded?.properties[property[0]] = property[1] }
    case (4, true) where section == "events" && part == "evdev": try takeEvent(&line)
    case (4, true): break
    case (6, false) where section == "evdev": try describeCodes(&line)
    case (5..., _) where section == "udev": break
    default: throw line.unexpected("a line with the indentation that libinput record gives it")
    }
  }

  // MARK: Descriptions

  private mutating func describe(_ line: inout RecordingLine) throws(InputScriptError) {
    part = try line.key()
    if part == "name" {
      recorded?.line = line
      recorded?.name = try line.quoted()
      try line.readEnd()
    }
  }

  private mutating func describeCodes(_ line: inout RecordingLine) throws(InputScriptError) {
    let number = try line.integer("a number", in: 0...0xFFFF)
    try line.skip(":")
    switch part {
    case "codes":
      recorded?.codes[number] = Set(try line.integers("the number of a code", in: 0...0xFFFF))
    case "absinfo":
      let expected = "minimum, maximum, fuzz, flat and resolution"
      let place = line
      let values = try line.integers(expected, in: Int(Int32.min)...Int(Int32.max))
      guard values.count == 5 else { throw place.unexpected(expected) }
      recorded?.axes[number] = RecordedDevice.Axis(minimum: values[0], maximum: values[1], resolution: values[4])
    default: return
    }
    try line.readEnd()
  }

  // MARK: Events

  private mutating func beginEvents() throws(InputScriptError) {
    guard let recorded, !isUsed else { return }
    obstacle = recorded.obstacle
    guard obstacle == nil, !recorded.abilities.isEmpty else { return }
    let device = recorded.device(InputDevice.ID(rawValue: UInt32(devices.count + 1)))
    devices.append((device, EvdevInterpreter(recorded, device)))
    isUsed = true
  }

  private mutating func takeEvent(_ line: inout RecordingLine) throws(InputScriptError) {
    if let recorded, let obstacle {
      throw recorded.line.unexpected(
        "a touch screen, a pointer or a keyboard (\(obstacle.rawValue), by libinput replay and framepace input --record)",
        found: recorded.name)
    }
    try line.skip("[")
    let time = try time(&line)
    try line.skip(",")
    let type = try line.integer("the type of an event", in: 0...0xFFFF)
    try line.skip(",")
    let code = try line.integer("the code of an event", in: 0...0xFFFF)
    try line.skip(",")
    let value = try line.integer("the value of an event", in: Int(Int32.min)...Int(Int32.max))
    try line.skip("]")
    try line.readEnd()
    last = max(last, time)
    guard isUsed else { return }
    devices[devices.count - 1].interpreter.take(type: Int32(type), code: Int32(code), value: value, at: last)
  }

  private func time(_ line: inout RecordingLine) throws(InputScriptError) -> MonotonicTime {
    let (place, expected) = (line, "seconds from 0 to 999999")
    let seconds = try line.integer(expected, in: 0...Int.max)
    // A time before the recording began is written as a very large number, as the recorder has none below 0: the event comes at once.
    let isEarly = seconds > 1 << 43
    guard isEarly || seconds < 1_000_000 else { throw place.unexpected(expected) }
    try line.skip(",")
    let microseconds = try line.integer("microseconds from 0 to 999999", in: 0...999_999)
    return isEarly ? .zero : MonotonicTime(nanoseconds: Int64(seconds * 1_000_000 + microseconds) * 1000)
  }
}
