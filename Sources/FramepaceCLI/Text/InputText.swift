import Framepace
import Geometry
import Input
import Metering

/// Input devices and their events as text.
enum InputText {
  /// - Parameter width: the longest line, in characters.
  static func table(_ devices: [InputDevice], width: Int) -> String {
    TextTable.text(
      [
        .init(title: "no", kind: .figures, cells: devices.map { "\($0.id)" }),
        .init(title: "name", kind: .words, cells: devices.map(\.name.withoutControlCharacters)),
        .init(title: "can", kind: .words, cells: devices.map { $0.abilities.names.joined(separator: " ") }),
        .init(title: "fingers", kind: .figures, cells: devices.map { $0.fingers.map { "\($0)" } ?? "" }),
        .init(title: "mm", kind: .figures, cells: devices.map { $0.size.map(size) ?? "" }),
        .init(title: "matrix", kind: .words, cells: devices.map { $0.calibration.map(matrix) ?? "" }),
        .init(title: "output", kind: .word, cells: devices.map { $0.outputName?.withoutControlCharacters ?? "" }),
      ], width: width)
  }

  /// A calibration matrix row by row, as udev has it.
  private static func matrix(_ matrix: Affine) -> String {
    [matrix.a, matrix.c, matrix.tx, matrix.b, matrix.d, matrix.ty].map(Text.number)
      .joined(separator: " ")
  }

  private static func size(_ size: Size) -> String {
    "\(Text.decimal(size.width, 0)) x \(Text.decimal(size.height, 0))"
  }

  /// An event: seconds, the number of the device, and the words of a script with rounded numbers.
  ///
  /// - Parameter start: when the seconds begin.
  static func line(_ event: InputEvent, since start: MonotonicTime, width: Int) -> String {
    let place = "\(Text.right(Text.decimal((event.time - start).seconds, 6), 12))  \(Text.right("\(event.device)", 2))  "
    let words = Text.paragraph(event.action.words(decimals: 4), width: max(width - place.count, TextTable.narrowest))
    return place + words.replacing("\n", with: "\n" + Text.left("", place.count))
  }

  /// - Parameters:
  ///   - name: of the file with the events; nil for those of this machine.
  ///   - overflows: how often the kernel threw events away.
  static func summary(
    _ tally: InputTally, of name: String? = nil, time: Nanoseconds, overflows: Int = 0, width: Int
  ) -> String {
    let counts = tally.devices
    let total = counts.reduce(0) { $0 + $1.events }
    let events = total == 1 ? "1 event" : "\(total) events"
    let devices = counts.count == 1 ? "1 device" : "\(counts.count) devices"
    var lines = [
      Text.paragraph(
        "\(name.map { "\($0): " } ?? "")\(events) of \(devices) in \(Text.number(time.seconds)) s", width: width)
    ]
    if overflows > 0 {
      let times = overflows == 1 ? "once" : "\(overflows) times"
      lines.append(
        Text.paragraph(
          "events were lost \(times) or more: they came faster than they were read (SYN_DROPPED)", width: width))
    }
    for device in counts where device.isBesidePanel {
      lines.append(
        Text.paragraph(
          "\(device.device.name.withoutControlCharacters): \(device.beside) of \(device.places) places lie beside the panel by more "
            + "than a twentieth of it: its calibration matrix (LIBINPUT_CALIBRATION_MATRIX) may be wrong", width: width))
    }
    guard total > 0 else { return lines.joined(separator: "\n") }
    let shown = counts.filter { $0.events > 0 }
    lines += [
      "",
      TextTable.text(
        [
          .init(title: "no", kind: .figures, cells: shown.map { "\($0.device.id)" }),
          .init(title: "events", kind: .figures, cells: shown.map { "\($0.events)" }),
          .init(title: "most in 1 s", kind: .figures, cells: shown.map { "\($0.mostInASecond)" }),
          .init(title: "name", kind: .words, cells: shown.map(\.device.name.withoutControlCharacters)),
        ], width: width),
    ]
    return lines.joined(separator: "\n")
  }
}

/// Counts the events of each device.
struct InputTally {
  struct Device {
    let device: InputDevice
    /// Without its coming and going.
    fileprivate(set) var events = 0
    /// The most events within a second: 100 of a device that sends one every 10 ms.
    fileprivate(set) var mostInASecond = 0
    /// The places of fingers, and those of them that lie beside the panel by more than a twentieth of it.
    fileprivate(set) var places = 0
    fileprivate(set) var beside = 0
    /// True if that is no accident at an edge, nor one touch.
    var isBesidePanel: Bool { beside >= 3 && beside * 20 > places }

    /// The times of the last second; those before `first` are over.
    private var recent: [MonotonicTime] = []
    private var first = 0

    fileprivate init(_ device: InputDevice) { self.device = device }

    fileprivate mutating func add(_ time: MonotonicTime, _ action: InputEvent.Action) {
      events += 1
      switch action {
      case .touch(_, .down(let place)), .touch(_, .moved(let place)):
        places += 1
        if abs(place.x - 0.5) > 0.55 || abs(place.y - 0.5) > 0.55 { beside += 1 }
      default: break
      }
      recent.append(time)
      while time - recent[first] >= .seconds(1) { first += 1 }
      if first > recent.count / 2 {
        recent.removeFirst(first)
        first = 0
      }
      mostInASecond = max(mostInASecond, recent.count - first)
    }
  }

  /// In the order in which they came.
  private(set) var devices: [Device] = []
  private var places: [InputDevice.ID: Int] = [:]

  /// True if no device did anything.
  var isEmpty: Bool { devices.allSatisfy { $0.events == 0 } }

  init(_ events: [InputEvent] = []) { for event in events { add(event) } }

  mutating func add(_ event: InputEvent) {
    switch event.action {
    case .added(let device):
      places[event.device] = devices.count
      devices.append(Device(device))
    case .removed: break
    default: if let place = places[event.device] { devices[place].add(event.time, event.action) }
    }
  }
}
