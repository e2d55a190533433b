import Foundation
import Framepace
import Geometry
import Input
import Testing

@testable import FramepaceCLI

/// The output of `framepace input` for invented devices and events.
struct InputTextTests {
  private static func device(
    _ id: UInt32, _ name: String, _ abilities: InputDevice.Abilities, fingers: Int? = nil, size: Size? = nil,
    output: String? = nil
  ) -> InputDevice {
    InputDevice(
      id: InputDevice.ID(rawValue: id), name: name, abilities: abilities, fingers: fingers, size: size, outputName: output)
  }

  private static let devices = [
    device(1, "Power Button", .keyboard),
    device(2, "Goodix Capacitive TouchScreen", .touch, fingers: 10, size: Size(width: 151.6, height: 91), output: "DSI-1"),
    device(
      3, "ELAN0732:00 04F3:22E1 Touchpad", [.pointer, .gestures, .keyboard], size: Size(width: 104.25, height: 68)),
    device(12, "Wacom Intuos Pro M Pen", .pen, size: Size(width: 224, height: 148)),
  ]

  private static func event(_ seconds: Double, _ device: UInt32, _ action: InputEvent.Action) -> InputEvent {
    InputEvent(time: .zero + .seconds(seconds), device: InputDevice.ID(rawValue: device), action: action)
  }

  @Test func devicesAt80Columns() {
    let text = InputText.table(Self.devices, width: 79)
    #expect(
      text == """
        no  name                    can               fingers         mm  output
         1  Power Button            keyboard
         2  Goodix Capacitive       touch                  10   152 x 91  DSI-1
            TouchScreen
         3  ELAN0732:00 04F3:22E1   pointer keyboard            104 x 68
            Touchpad                gestures
        12  Wacom Intuos Pro M Pen  pen                        224 x 148
        """, "\(text)")
  }

  /// The matrix is written as in a rule of udev.
  @Test func aCalibratedDeviceHasItsMatrix() {
    var panel = Self.device(1, "Panel", .touch)
    panel.calibration = Affine(a: -1, b: 0.25, c: 0, d: -1.0625, tx: 1, ty: 0)
    let text = InputText.table([panel], width: 79)
    #expect(
      text == """
        no  name   can    matrix
         1  Panel  touch  -1 0 1 0.25 -1.063 0
        """, "\(text)")
  }

  /// Fingers beside their panel tell that its matrix is wrong; a few at the edge do not.
  @Test func aWrongMatrixIsSaid() {
    func text(_ places: [Double]) -> String {
      let touches = places.map { Self.event(1, 2, .touch(finger: 0, .moved(Point($0, 0.5)))) }
      return InputText.summary(
        InputTally([Self.event(0, 2, .added(Self.devices[1]))] + touches), time: .seconds(2), width: 79)
    }
    let right = Array(repeating: 0.5, count: 30)
    #expect(!text(right + [1.04, 1.2]).contains("beside"))
    for places in [[1.2], [1.2, -0.1]] { #expect(!text(places).contains("beside")) }
    let wrong = text(right + [1.2, -0.1, 1.3])
    #expect(
      wrong.contains(
        """
        Goodix Capacitive TouchScreen: 3 of 33 places lie beside the panel by more than
        a twentieth of it: its calibration matrix (LIBINPUT_CALIBRATION_MATRIX) may be
        wrong
        """), "\(wrong)")
  }

  /// Columns in which no device has anything are left out.
  @Test func aTableOfKeyboardsIsShort() {
    let text = InputText.table([Self.devices[0]], width: 79)
    #expect(text == "no  name          can\n 1  Power Button  keyboard", "\(text)")
  }

  /// No line is longer than the width, and every word of every device is there.
  @Test(arguments: 0..<50) func linesFit(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let devices = (1...8 as ClosedRange<UInt32>).map { id in
      let words = (0..<Int.random(in: 1...6, using: &random)).map { _ in
        String(repeating: "x", count: Int.random(in: 1...40, using: &random))
      }
      return Self.device(
        id, words.joined(separator: " "), InputDevice.Abilities(rawValue: UInt8.random(in: 0..<32, using: &random)),
        fingers: Bool.random(using: &random) ? 10 : nil,
        size: Bool.random(using: &random) ? Size(width: 1210.4, height: 680.6) : nil,
        output: Bool.random(using: &random) ? "HDMI-A-1" : nil)
    }
    for width in [69, 79, 199] {
      let lines = InputText.table(devices, width: width).split(separator: "\n")
      for line in lines { #expect(line.count <= width, "seed \(seed), \(width): \(line)") }
      func letters(_ text: some StringProtocol) -> Int { text.count { $0 == "x" } }
      let shown: Int = lines.reduce(0) { $0 + letters($1) }
      // A size has one too.
      let given: Int = devices.reduce(0) { $0 + letters($1.name) + ($1.size == nil ? 0 : 1) }
      #expect(shown == given, "seed \(seed), \(width)")
    }
  }

  @Test func eventsHaveRoundedNumbersAndFit() {
    let touch = InputText.line(
      Self.event(1.5, 3, .touch(finger: 0, .down(Point(0.123456789, 0.25)))), since: .zero, width: 79)
    #expect(touch == "    1.500000   3  touch 0 down 0.1235 0.25")
    let added = InputText.line(Self.event(2, 2, .added(Self.devices[1])), since: .zero + .seconds(0.5), width: 64)
    #expect(
      added == """
            1.500000   2  added "Goodix Capacitive TouchScreen" touch
                          fingers 10 size 151.6 91.0 output "DSI-1"
        """, "\(added)")
  }

  @Test func theSummaryCountsEachDevice() {
    var events = [Self.event(0, 2, .added(Self.devices[1])), Self.event(0, 1, .added(Self.devices[0]))]
    // 100 a second, and later 20.
    events += (0...150).map { Self.event(1 + Double($0) / 100, 2, .touch(finger: 0, .moved(.zero))) }
    events += (0..<20).map { Self.event(5 + Double($0) / 20, 2, .touch(finger: 0, .moved(.zero))) }
    events += [Self.event(6, 2, .removed)]
    let tally = InputTally(events)
    let text = InputText.summary(tally, of: "drag.input", time: .seconds(6), width: 79)
    #expect(
      text == """
        drag.input: 171 events of 2 devices in 6 s

        no  events  most in 1 s  name
         2     171          100  Goodix Capacitive TouchScreen
        """, "\(text)")
    #expect(
      InputText.summary(InputTally(), time: .milliseconds(1500), overflows: 2, width: 79) == """
        0 events of 0 devices in 1.5 s
        events were lost 2 times or more: they came faster than they were read
        (SYN_DROPPED)
        """)
  }

  /// The most in a second is that of all windows, found by trying each.
  @Test(arguments: 0..<50) func theMostInASecondIsThatOfEveryWindow(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var time = 0.0
    let times = (0..<300).map { _ in
      time += Double.random(in: 0...0.5, using: &random) * (Bool.random(using: &random) ? 0.01 : 1)
      return (time * 1000).rounded() / 1000
    }
    let events = times.map { Self.event($0, 1, .motion(.zero)) }
    let tally = InputTally([Self.event(0, 1, .added(Self.devices[0]))] + events)
    let most = events.map { first in events.count { (Nanoseconds.zero..<(.seconds(1))).contains($0.time - first.time) } }
    #expect(tally.devices.map(\.mostInASecond) == [most.max() ?? 0], "seed \(seed)")
  }
}

/// `framepace input` as a process.
struct InputCommandTests {
  private static let script = """
    framepace input 1
    # By hand.
    0    1  added "Touch panel" touch fingers 10 size 152 91
    0.5  1  touch 0 down 0.5 0.25
    0.6  1  touch 0 up

    """

  @Test func aScriptIsChecked() throws {
    let folder = try TemporaryFolder()
    try Self.script.write(toFile: folder.path + "/tap.input", atomically: true, encoding: .utf8)
    let result = try framepace(["input", "--check", "tap.input"], in: folder.path)
    #expect(result.status == 0 && result.error.isEmpty, "\(result.error)")
    #expect(
      result.output == """
        tap.input: 2 events of 1 device in 0.6 s

        no  events  most in 1 s  name
         1       2            2  Touch panel

        """)
  }

  /// They are no mistakes, as a recording may begin with them.
  @Test(arguments: [
    (
      "0.5   1  touch 1 up # late",
      "x:3: \"0.5 1 touch 1 up # late\" does nothing: no line before it presses that finger, button or key"
    ),
    (
      "\n0.5 1 touch 1 moved 0 0\n# no\n0.6 1 touch 1 cancelled",
      "x:4: \"0.5 1 touch 1 moved 0 0\" does nothing: no line before it presses that finger, button or key (lines 4, 6)"
    ),
    ("0 1 touch 0 down 0 0\n0 1 touch 0 moved 0 0\n0 1 touch 0 up\n1 1 touch 0 up", "x:6: \"1 1 touch 0 up\" does nothing"),
    (
      "0 2 added \"\" keyboard\n0 2 key KEY_A down\n1 1 key KEY_A up\n1 2 released", "x:5: \"1 1 key KEY_A up\" does nothing"
    ),
    ("0 1 key KEY_A down\n0 1 released\n1 1 key KEY_A up", "x:5: \"1 1 key KEY_A up\" does nothing"),
    ("0 1 button BTN_LEFT up", "x:3: \"0 1 button BTN_LEFT up\" does nothing"),
    (
      "0 1 button BTN_LEFT down\n0 1 removed\n1 1 added \"\" pointer\n1 1 button BTN_LEFT up",
      "x:6: \"1 1 button BTN_LEFT up\" does nothing"
    ),
    ("0 1 button BTN_LEFT down\n1 1 released\n1 1 button BTN_LEFT up", nil),
    ("0 1 touch 0 down 0 0\n0 1 key KEY_A down\n1 1 touch 0 cancelled\n1 1 key KEY_A up\n1 1 motion 1 1", nil),
    (
      "0 1 touch 0 down 0 0\n1 1 touch 0 down 1 0\n1 1 touch 0 up",
      "x:4: \"1 1 touch 0 down 1 0\" presses what is down: no line before it lifts that finger, button or key"
    ),
    (
      "0 1 key KEY_A down\n0 1 key KEY_A up\n0 1 key KEY_A down\n0 1 key KEY_B down\n",
      "x:5: \"0 1 key KEY_A down\" presses what stays down: no line after it lifts that finger, pen, button or key (lines 5, 6)"
    ),
    ("0 1 key KEY_A down\n0 1 touch 0 down 0 0\n0 1 released", "x:4: \"0 1 touch 0 down 0 0\" presses what stays down"),
    ("0 1 touch 0 down 0 0\n0 1 removed", nil),
    (
      "0.5 1 motion 1 1\n0.4 1 motion 1 1\n0.5 1 motion 1 1",
      "x:4: \"0.4 1 motion 1 1\" is earlier than a line above, and is played with that one"
    ),
    (
      "0 1 touch 0 down 640 0.5\n0 1 position 0 -0.51\n1 1 touch 0 up",
      "x:3: \"0 1 touch 0 down 640 0.5\" is far outside of the device: places are parts of its area, from 0 to 1 (lines 3, 4"
    ),
    (
      "500 1 motion 1 1\n520 1 motion 1 1",
      "x:3: \"500 1 motion 1 1\" comes more than a minute after the line above: times are in"
    ),
    ("60 1 motion 1 1\n120 1 motion 1 1", nil),
    ("0 1 position 1.5 -0.5\n9 1 motion 400 300", nil),
    (
      "0 2 added \"\" touch\n0 2 touch 0 down 0 0\n0 2 scroll ended\n0 2 motion 1 1\n1 2 touch 0 up",
      "x:5: \"0 2 scroll ended\" is of a kind that device 2 does not have: the line that adds it lacks pointer (lines 5, 6)"
    ),
    (
      "0 2 added \"\" touch\n0 2 button BTN_LEFT down\n0 2 button BTN_LEFT up",
      "x:4: \"0 2 button BTN_LEFT down\" is of a kind that device 2 does not have: the line that adds it lacks pointer or pen"
    ),
    ("0 2 added \"\" pen\n0 2 pen pen near 0 0\n0 2 button BTN_STYLUS down\n0 2 button BTN_STYLUS up", nil),
    (
      "0 2 added \"P\"\n0 2 motion 1 1",
      "x:3: \"0 2 added \"P\"\" adds a device without abilities: write them behind its name, such as touch"
    ),
    (
      "0 1 button KEY_A down\n0 1 button KEY_A up",
      "x:3: \"0 1 button KEY_A down\" names a key: write key in the place of button"
    ),
    (
      "0 1 key BTN_LEFT down\n0 1 key BTN_LEFT up",
      "x:3: \"0 1 key BTN_LEFT down\" names a button: write button in the place of key"
    ),
    (
      "0 2 added \"P\" pen\n0 2 pen pen down 0 0\n0 2 pen pen down 0 1",
      "x:4: \"0 2 pen pen down 0 0\" presses what stays down"
    ),
    ("0 2 added \"P\" pen\n0 2 pen pen down 0 0\n0 2 pen pen near 0 1", nil),
    (
      "0 2 added \"P\" gestures\n0 2 gesture changed 1 1 1 0",
      "x:4: \"0 2 gesture changed 1 1 1 0\" belongs to no gesture: no line before it begins one"
    ),
    ("0 2 added \"P\" gestures\n0 2 gesture began pinch 2\n0 2 gesture changed 1 1 1 0\n1 2 gesture ended", nil),
  ])
  func doubtfulEventsAreTold(lines: String, note: String?) throws {
    let folder = try TemporaryFolder()
    let text = "framepace input 1\n0 1 added \"\" touch pointer keyboard\n\(lines)\n"
    try text.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
    let result = try framepace(["input", "--check", "x"], in: folder.path)
    let output = result.output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(result.status == 0 && result.error.isEmpty)
    #expect(note.map { output.contains($0) } ?? (output.filter { $0 == ":" }.count == 1), "\(result.output)")
    // The script's own event is told, and no other.
    if note != nil { #expect(output.split(separator: "x:").count == 2, "\(result.output)") }
  }

  /// The events of a recording have no lines of their own.
  @Test func doubtfulEventsOfARecordingAreTold() throws {
    let folder = try TemporaryFolder()
    let path = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
      .appendingPathComponent("InputTests/Recordings/panel.yml").path
    let text = try String(contentsOfFile: path, encoding: .utf8)
    func check(_ text: String) throws -> String {
      try text.write(toFile: folder.path + "/x.yml", atomically: true, encoding: .utf8)
      let output = try framepace(["input", "--check", "x.yml"], in: folder.path).output
      return output.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    }
    #expect(try check(text).split(separator: "x.yml: ").count == 1)
    #expect(try check(text + "# 1 (obfuscated)\n").contains("x.yml: the recorder hid which keys were pressed"))
    let cut = text.split(separator: "\n").dropLast(10).joined(separator: "\n")
    let sentence = "presses what stays down: no line after it lifts that finger, pen, button or key (the first of 2)"
    #expect(try check(cut).contains("x.yml: \"0 s: touch 0 down 0.25 0.25\" \(sentence)"))
  }

  @Test(
    arguments: [
      (
        ["run", "feed", "--duration", "550ms", "--simulate", "steady"],
        "x: 2 of 3 events come after the end, which is at 0.55 s"
      ),
      (["run", "feed", "--duration", "700ms", "--simulate", "steady"], nil),
      (["run", "feed", "--quiet", "--duration", "550ms", "--simulate", "steady"], nil),
      (
        ["render", "feed", "--output", "a.png"],
        "x: 3 of 3 events come after the end, which is at 0.5 s: the script goes on to 0.7 s"
      ),
      (["render", "feed", "--output", "b.png", "--time", "0.7s"], nil),
      (
        ["render", "feed", "--output", "pictures", "--frames", "37"],
        "x: 2 of 3 events come after the end, which is at 0.6 s"
      ),
    ] as [([String], String?)])
  func eventsAfterTheEndAreTold(arguments: [String], note: String?) throws {
    let folder = try TemporaryFolder()
    let text = "framepace input 1\n0.51 1 added \"\" pointer\n0.65 1 scroll wheel 0 1\n0.7 1 scroll wheel 0 1\n"
    try text.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
    let result = try framepace(
      arguments + ["--input", "x"] + (arguments[0] == "render" ? ["--size", "90x60"] : []), in: folder.path)
    let error = result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(result.status == 0)
    #expect(note.map { error.contains($0) } ?? error.isEmpty, "\(result.error)")
  }

  /// A command that plays the script says the same, and plays it.
  @Test(arguments: [
    ["run", "still", "--duration", "20ms", "--simulate", "steady"], ["render", "still", "--output", "still.png"],
    ["profile", "orbit", "--frames", "2", "--display", "fallback"], ["input", "--duration", "1ms", "--input"],
  ])
  func doubtfulEventsAreToldWhenTheyArePlayed(arguments: [String]) throws {
    let folder = try TemporaryFolder()
    let text = "framepace input 1\n0 1 added \"\" touch\n0 1 touch 0 down 152 91\n0 1 touch 0 up\n"
    try text.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
    let result = try framepace(arguments + (arguments.last == "--input" ? ["x"] : ["--input", "x"]), in: folder.path)
    let error = result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(
      error.contains(
        "framepace: x:3: \"0 1 touch 0 down 152 91\" is far outside of the device: places are parts of its area"),
      "\(result.error)")
    if arguments[0] != "input" { #expect(result.status == 0) }
  }

  @Test(arguments: [
    (
      "framepace input 1\n0 1 added \"\"\n  0 1 touch 0 dwon 1 2",
      "x:3:15: expected down, moved, up or cancelled, found \"dwon\""
    ),
    ("framepace input 2\n", "x:1:17: expected the line \"framepace input 1\", found \"2\""),
    (
      "framepace input 1\n0 1 removed",
      "x:2:3: expected the number of a device that a line above has added, and none removed, found \"1\""
    ),
    ("", "cannot read 'x': it is empty"),
    ("framepace vblanks 1\n", "'x' is a recording of vblanks: use framepace vblank --replay x"),
  ])
  func mistakesHaveTheirPlace(text: String, message: String) throws {
    let folder = try TemporaryFolder()
    try text.write(toFile: folder.path + "/x", atomically: true, encoding: .utf8)
    let result = try framepace(["input", "--check", "x"], in: folder.path)
    #expect(result.status == 1 && result.output.isEmpty)
    #expect(result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ") == "framepace: \(message)")
  }

  @Test func whatIsNoTextIsRefused() throws {
    let folder = try TemporaryFolder()
    try Data([0xFF, 0xFE, 0x00]).write(to: URL(fileURLWithPath: folder.path + "/x"))
    let result = try framepace(["input", "--check", "x"], in: folder.path)
    #expect(result.status == 1 && result.error.hasPrefix("framepace: 'x' is no text"), "\(result.error)")
    let other = try framepace(["view", "x"], in: folder.path)
    #expect(other.status == 1)
    try Self.script.write(toFile: folder.path + "/tap.input", atomically: true, encoding: .utf8)
    let view = try framepace(["view", "tap.input"], in: folder.path)
    #expect(view.error.contains("is an event script: use framepace input --check tap.input"), "\(view.error)")
  }

  /// Without udev no device is found: the remedy is told, and no file is made.
  @Test(.enabled(if: access("/run/udev/control", F_OK) != 0))
  func missingDevicesAreExplained() throws {
    let folder = try TemporaryFolder()
    let result = try framepace(["input", "--duration", "1s", "--record", "x.input"], in: folder.path)
    #expect(result.status == 1 && result.output.isEmpty)
    let reason = "no input devices: libinput learns from udev which there are, and no udev daemon runs (start systemd-udevd)"
    #expect(result.error.split(whereSeparator: \.isWhitespace).joined(separator: " ") == "framepace: \(reason)")
    #expect(try folder.files.isEmpty)
    // A list of nothing is no error, as that of displays.
    let list = try framepace(["input", "--list"])
    #expect(list.status == 0 && list.error.isEmpty)
    #expect(list.output.split(whereSeparator: \.isWhitespace).joined(separator: " ") == reason)
  }
}
