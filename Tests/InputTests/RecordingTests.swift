import Geometry
import Input
import LinuxSystem
import Testing

/// Recordings that `libinput record` 1.22.1 of Debian 12 made of devices of the kernel's uinput.
@Suite struct RecordingTests {
  private static func path(_ name: String) -> String {
    String(#filePath.dropLast("RecordingTests.swift".count)) + "Recordings/\(name).yml"
  }

  static func text(_ name: String) throws -> String {
    String(decoding: try OwnedDescriptor.contents(of: path(name), limit: 1 << 20), as: UTF8.self)
  }

  @Test func aPanelIsThatOfAScript() throws {
    let script = try InputScript(
      """
      framepace input 1
      0        1 added "Goodix Touch Panel" touch fingers 5 size 159.875 89.875
      0        1 touch 0 down 0.25 0.25
      0.047519 1 touch 0 moved 0.25625 0.25
      0.064534 1 touch 3 down 0.75 0.75
      0.080286 1 touch 0 moved 0.25625 0.2638888888888889
      0.080286 1 touch 3 moved 0.75 0.7361111111111112
      0.096504 1 touch 0 up
      0.096504 1 touch 3 moved 0.7578125 0.7361111111111112
      0.114232 1 touch 3 up
      """)
    #expect(try InputScript(contentsOf: Self.path("panel")) == script)
  }

  /// The recording was made with `--with-libinput`, and says beside the kernel's events what libinput made of them.
  @Test func eventsAreThoseThatLibinputTold() throws {
    let text = try Self.text("five-devices")
    let script = try InputScript(text)
    var told: [String] = []
    var (device, pointers) = (0, 0)
    for line in text.split(separator: "\n") {
      if line.hasPrefix("- node:") { device += 1 }
      guard let event = ToldEvent(line), let words = event.words else { continue }
      told.append("\(event.time) \(device) \(words)")
      if words.hasPrefix("motion") || words.hasPrefix("position") { pointers += 1 }
    }
    let ours = script.events.compactMap { event -> String? in
      switch event.action {
      case .added, .scroll: return nil
      default: return "\(Int((event.time - .zero).count / 1000)) \(event.device) \(event.action.words(decimals: 3))"
      }
    }
    #expect(ours.sorted() == told.sorted())
    #expect(ours.count == 23 && pointers == 4)
    #expect(
      script.events.compactMap { if case .added(let device) = $0.action { device } else { nil } }
        .map { "\($0.name): \($0.abilities.names.joined(separator: " ")), \($0.fingers ?? 0)" } == [
          "Goodix Touch Panel: touch, 5", "Test \"Wheel\" Mouse: pointer, 0", "Test Keyboard: keyboard letters, 0",
          "QEMU-like Tablet: pointer, 0", "Resistive Panel: touch, 1",
        ])
  }

  /// libinput told these as `POINTER_SCROLL_WHEEL` of 120, 30, 30, 60 and 120 to the right, and −120 of a wheel that has whole clicks alone.
  @Test func wheelsTurn() throws {
    let clicks = try InputScript(Self.text("five-devices")).events.compactMap { event -> String? in
      if case .scroll = event.action { "\(event.device) \(event.action.words)" } else { nil }
    }
    #expect(
      clicks == [
        "2 scroll wheel 0.0 1.0", "2 scroll wheel 0.0 0.25", "2 scroll wheel 0.0 0.25", "2 scroll wheel 0.0 0.5",
        "2 scroll wheel 1.0 0.0", "4 scroll wheel 0.0 -1.0",
      ])
  }

  /// Events of several devices come in the order of their times, which begin with the recording.
  @Test func devicesAreMerged() throws {
    let times = try InputScript(Self.text("five-devices")).events.map(\.time)
    #expect(times == times.sorted() && times.filter { $0 == .zero }.count == 5)
  }

  /// A device of USB has the descriptor of its HID reports, and those with `--with-hidraw`; some have quirks. Those of uinput have none of these.
  @Test func reportsAndQuirksAreLeftOut() throws {
    let text = try Self.text("panel")
    let events = try InputScript(text).events
    #expect(events.count == 9)
    let descriptor = "  hid: [\n    0x05, 0x0d, 0x09, 0x04, \n    0xa1, 0x01\n  ]\n"
    let report = "  - hid:\n      time: [  0,      0]\n      hidraw0: [\n        0x01, 0x02, \n        0x03\n      ]\n"
    let full = text.replacing("  udev:\n", with: descriptor + "  udev:\n")
      .replacing("  quirks:\n", with: "  quirks:\n  - AttrTouchSizeRange=10:8\n  - ModelTouchscreenFusion=1\n")
      .replacing("  - evdev:\n", with: report + "  - evdev:\n")
    let lines = [text, full].map { $0.split(separator: "\n").count }
    #expect(lines[1] - lines[0] == 4 + 2 + 6 * 6)
    #expect(try InputScript(full).events == events)
    // Only the list of a descriptor ends with a bracket alone.
    #expect(throws: InputScriptError.self) { try InputScript(text.replacing("  udev:\n", with: "  ]\n  udev:\n")) }
  }

  @Test func aRecordingReadsAsItsScript() throws {
    for name in ["panel", "five-devices"] {
      let script = try InputScript(Self.text(name))
      #expect(try InputScript(script.description) == script)
    }
  }

  /// Whatever is done to a recording, it is read, as a script that reads back, or refused, and an error is at a place of the text.
  @Test(arguments: 0..<20) func damagedRecordingsAreHarmless(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let text = try Self.text(seed % 2 == 0 ? "panel" : "five-devices")
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).count
    for _ in 0..<20 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) where !bytes.isEmpty {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        case 2: bytes.removeSubrange(place...)
        case 3: bytes[place] = "0123456789-[], :#".utf8.randomElement(using: &random) ?? 0
        default:
          // A line at another place, so that events come in impossible orders.
          let from = Int.random(in: bytes.indices, using: &random)
          let line = bytes[from...].prefix { $0 != 10 } + [10]
          bytes.insert(contentsOf: line, at: bytes[place...].firstIndex(of: 10).map { $0 + 1 } ?? bytes.count)
        }
      }
      let damaged = String(decoding: bytes, as: UTF8.self)
      do throws(InputScriptError) {
        let script = try InputScript(damaged)
        #expect(script.events.count <= 2 * lines, "seed \(seed)")
        #expect((try? InputScript(script.description)) == script, "seed \(seed)")
      } catch {
        let lines = damaged.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        #expect(lines.indices.contains(error.line - 1), "seed \(seed): \(error)")
        if lines.indices.contains(error.line - 1) {
          #expect(1...(lines[error.line - 1].count + 1) ~= error.column, "seed \(seed): \(error)")
        }
      }
    }
  }
}

/// An event of libinput as `libinput record --with-libinput` writes it: `- {time: 21.099885, type: TOUCH_UP, slot: 0, seat_slot: 0}`.
private struct ToldEvent {
  /// In microseconds.
  let time: Int
  private let fields: [String: String]

  init?(_ line: Substring) {
    guard let open = line.firstIndex(of: "{"), let close = line.lastIndex(of: "}") else { return nil }
    var fields: [String: String] = [:]
    var (key, isList) = ("", false)
    for word in line[line.index(after: open)..<close].split(separator: " ") {
      if word.hasSuffix(":") {
        (key, isList) = (String(word.dropLast()), false)
      } else {
        if word.hasPrefix("[") { isList = true }
        fields[key, default: ""] += word.filter { $0 != "[" && $0 != "]" && (isList || $0 != ",") }
      }
    }
    let digits = fields["time"]?.filter { $0 != "." } ?? ""
    guard let time = Int(digits) else { return nil }
    (self.time, self.fields) = (time, fields)
  }

  /// Nil for the end of a group of touches, and for a wheel, whose old form this is.
  var words: String? {
    switch fields["type"] {
    case "TOUCH_DOWN": "touch \(finger) down \(place)"
    case "TOUCH_MOTION": "touch \(finger) moved \(place)"
    case "TOUCH_UP": "touch \(finger) up"
    case "KEYBOARD_KEY": "key \(code("key")) \(isPressed ? "down" : "up")"
    case "POINTER_BUTTON": "button \(code("button")) \(isPressed ? "down" : "up")"
    case "POINTER_MOTION": "motion \(numbers("unaccel").map { "\($0)" }.joined(separator: " "))"
    case "POINTER_MOTION_ABSOLUTE": "position \(place)"
    default: nil
    }
  }

  /// A screen without slots has −1.
  private var finger: Int { max(Int(fields["slot"] ?? "") ?? 0, 0) }
  private var isPressed: Bool { fields["state"] == "pressed" }
  /// In parts to the thousandth; the file has hundredths with two decimals.
  private var place: String { numbers("transformed").map { "\(($0 * 10).rounded() / 1000)" }.joined(separator: " ") }

  private func code(_ key: String) -> InputCode { InputCode(rawValue: UInt16(fields[key] ?? "") ?? 0) }

  private func numbers(_ key: String) -> [Double] {
    (fields[key] ?? "").split(separator: ",").compactMap { Double($0) }
  }
}
