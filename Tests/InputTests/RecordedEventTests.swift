import Input
import LinuxSystem
import Testing

/// The kernel's events of one device, written by hand, and what becomes of them.
@Suite struct RecordedEventTests {
  /// - Parameters:
  ///   - tags: udev's properties.
  ///   - codes: the rows of `codes:`, and `absinfo:` behind them.
  ///   - events: groups of "type code value", each of which gets its end and comes 10 ms after the one before.
  static func recording(_ tags: [String], _ codes: String, _ groups: [String]) -> String {
    var text = """
      # libinput record
      version: 1
      ndevices: 1
      devices:
      - node: /dev/input/event7
        evdev:
          name: "device"
          id: [3, 1, 2, 3]
          codes:
      \(codes)
          properties: []
        udev:
          properties:
      \(tags.map { "    - \($0)" }.joined(separator: "\n"))
        quirks:
        events:

      """
    for (index, group) in groups.enumerated() {
      text += "  - evdev:\n"
      for event in "\(group);0 0 0".split(separator: ";") {
        let numbers = event.split(separator: " ").joined(separator: ", ")
        text += "    - [  0, \(index * 10_000), \(numbers)] # comment\n"
      }
    }
    return text
  }

  private static func words(_ tags: [String], _ codes: String, _ groups: String...) throws -> [String] {
    try InputScript(recording(tags, codes, groups)).events.dropFirst().map {
      "\(($0.time - .zero).count / 10_000_000) \($0.action.words)"
    }
  }

  private static let panel = ["ID_INPUT=1", "ID_INPUT_TOUCHSCREEN=1"]
  private static let slots = """
          1: [330]
          3: [0, 1, 47, 53, 54, 55, 57]
        absinfo:
          47: [0, 9, 0, 0, 0]
          53: [0, 99, 0, 0, 0]
          54: [100, 199, 0, 0, 0]
    """
  private static let mouse = ["ID_INPUT=1", "ID_INPUT_MOUSE=1"]

  @Test func aSlotsNextFingerIsAnother() throws {
    #expect(
      try Self.words(
        Self.panel, Self.slots, "3 57 1;3 53 50;3 54 150", "3 57 2;3 53 60", "3 57 -1;3 57 3;3 53 70", "3 57 -1", "3 53 1")
        == [
          "0 touch 0 down 0.5 0.5", "1 touch 0 up", "1 touch 0 down 0.6 0.5", "2 touch 0 up", "2 touch 0 down 0.7 0.5",
          "3 touch 0 up",
        ])
  }

  /// A finger whose coming was before the recording is not known, and its movements are none.
  @Test func movementsWithoutAFingerAreNone() throws {
    #expect(
      try Self.words(Self.panel, Self.slots, "3 53 50", "3 57 -1", "3 47 40;3 57 4;3 53 10;3 54 120")
        == ["2 touch 40 down 0.1 0.2"])
  }

  /// The kernel tells of a slot's tool when it changes: the next finger of a palm's slot is a palm as well.
  @Test func palmsAreCancelled() throws {
    #expect(
      try Self.words(
        Self.panel, Self.slots, "3 57 1;3 53 50;3 54 150", "3 55 2;3 53 60", "3 53 70;3 55 0", "3 57 -1",
        "3 57 2;3 55 2;3 53 10", "3 57 -1", "3 57 3", "3 57 -1", "3 57 4;3 55 0")
        == ["0 touch 0 down 0.5 0.5", "1 touch 0 cancelled", "8 touch 0 down 0.1 0.5"])
  }

  @Test func lostEventsEndWhatWasHeld() throws {
    #expect(
      try Self.words(
        Self.panel, Self.slots, "3 57 1;3 53 50;3 54 150;3 47 2;3 57 2", "3 47 0;3 53 60;0 3 0;3 53 70", "3 53 80",
        "3 57 5;3 53 20")
        == [
          "0 touch 0 down 0.5 0.5", "0 touch 2 down 0.0 -1.0", "1 touch 0 cancelled", "1 touch 2 cancelled",
          "3 touch 0 down 0.2 0.5",
        ])
    #expect(
      try Self.words(
        Self.mouse + ["ID_INPUT_KEY=1"], "      1: [30, 272, 273]", "1 30 1;1 272 1", "1 272 0;1 273 1;0 3 0;1 30 0",
        "1 30 0",
        "1 30 1")
        == ["0 key KEY_A down", "0 button BTN_LEFT down", "1 key KEY_A up", "1 button BTN_LEFT up", "3 key KEY_A down"])
  }

  @Test func calibrationMovesThePlaces() throws {
    #expect(
      try Self.words(
        Self.panel + ["LIBINPUT_CALIBRATION_MATRIX=0 -1 1 1 0 0"], Self.slots, "3 57 1;3 53 25;3 54 110")
        == ["0 touch 0 down 0.9 0.25"])
  }

  @Test func aScreenWithoutSlotsHasOneFinger() throws {
    let codes = "      1: [330]\n      3: [0, 1]\n    absinfo:\n      0: [0, 99, 0, 0, 0]\n      1: [0, 99, 0, 0, 0]"
    #expect(
      try Self.words(Self.panel, codes, "3 0 10;3 1 20;1 330 1", "3 0 30", "1 330 0", "3 0 40")
        == ["0 touch 0 down 0.1 0.2", "1 touch 0 moved 0.3 0.2", "2 touch 0 up"])
  }

  /// Within a group a movement comes before a wheel, and a button is last.
  @Test func aMouseMovesByItsCounts() throws {
    #expect(
      try Self.words(Self.mouse, "      1: [272]\n      2: [0, 1, 6, 8]", "1 272 1;2 8 1;2 0 -3", "2 1 4;2 6 -2", "1 272 0")
        == [
          "0 motion -3.0 0.0", "0 scroll wheel 0.0 -1.0", "0 button BTN_LEFT down", "1 motion 0.0 4.0",
          "1 scroll wheel -2.0 0.0", "2 button BTN_LEFT up",
        ])
  }

  /// The kernel's repeats, keys that went down before the recording, and those of a device that is no keyboard are none.
  @Test func keysGoDownAndUp() throws {
    let keys = ["1 30 0", "1 30 1", "1 30 2", "1 30 1", "1 30 0", "1 325 1"]
    let keyboard = Self.recording(["ID_INPUT_KEY=1"], "      1: [30]", keys)
    #expect(try InputScript(keyboard).events.dropFirst().map(\.action.words) == ["key KEY_A down", "key KEY_A up"])
    #expect(try InputScript(Self.recording(Self.mouse, "      1: [30]", keys)).events.count == 1)
  }

  /// A time from before the recording is negative, and written as the unsigned number that it is in memory.
  @Test func earlyEventsComeAtOnce() throws {
    let text = Self.recording(Self.mouse, "      2: [0, 1]", ["2 0 1", "2 0 2"])
      .replacing("[  0, 0,", with: "[18446744073709, 551615,")
    #expect(try InputScript(text).events.map { ($0.time - .zero).count } == [0, 0, 10_000_000])
  }

  /// The order of a device's events is that of its lines, also where the times go back.
  @Test func timesGoForwards() throws {
    let text = Self.recording(Self.mouse, "      1: [272]", ["1 272 1", "1 272 0"])
      .replacing("[  0, 0,", with: "[  5, 0,")
    #expect(
      try InputScript(text).events.dropFirst().map { "\(($0.time - .zero).count) \($0.action.words)" }
        == ["5000000000 button BTN_LEFT down", "5000000000 button BTN_LEFT up"])
  }

  /// Numbers of a matrix beyond 1000 are a mistake of udev's rules.
  @Test func aHugeMatrixIsNone() throws {
    func place(_ matrix: String) throws -> [String] {
      try Self.words(
        Self.panel + ["LIBINPUT_CALIBRATION_MATRIX=\(matrix)"], Self.slots, "3 57 1;3 53 50;3 54 150")
    }
    #expect(try place("1 0 0 0 1 0") == ["0 touch 0 down 0.5 0.5"])
    #expect(try place("1000 0 0 0 -1000 0") == ["0 touch 0 down 500.0 -500.0"])
    for matrix in ["1e30 0 0 0 1 0", "1 0 0 0 1 -1001", "1e999 0 0 0 1 0", "nan 0 0 0 1 0"] {
      #expect(try place(matrix) == ["0 touch 0 down 0.5 0.5"])
    }
  }

  /// The recording's script reads back: it has no place, distance or size that a script refuses.
  @Test func hugeNumbersAreThoseOfAScript() throws {
    let panel = Self.recording(
      Self.panel,
      """
            1: [330]
            3: [0, 1]
          absinfo:
            0: [0, 2000000, 0, 0, 1]
            1: [0, 0, 0, 0, 0]
      """, ["1 330 1;3 0 -2147483648;3 1 2147483647", "3 0 0;3 1 -3"])
    let flat = panel.replacing("1: [0, 0, 0, 0, 0]", with: "1: [0, 100, 0, 0, 1]")
    let mouse = Self.recording(
      Self.mouse, "      2: [0, 1, 8]", ["2 0 2147483647;2 1 -2147483648;2 8 2147483647", "2 0 1000000"])
    let far = ["touch 0 down -1073.7412871293564 1000000.0", "touch 0 moved 0.0 -3.0"]
    for (text, words) in [
      (panel, ["added \"device\" touch fingers 1"] + far),
      (
        mouse,
        [
          "added \"device\" pointer", "motion 1000000.0 -1000000.0", "scroll wheel 0.0 -1000000.0", "motion 1000000.0 0.0",
        ]
      ),
    ] {
      let script = try InputScript(text)
      #expect(script.events.map(\.action.words) == words)
      #expect(try InputScript(script.description) == script)
    }
    #expect(try InputScript(flat).events.first?.action.words == "added \"device\" touch fingers 1")
    let small = flat.replacing("0: [0, 2000000", with: "0: [0, 100000")
    #expect(try InputScript(small).events.first?.action.words == "added \"device\" touch fingers 1 size 100000.0 100.0")
    let named = try InputScript(mouse.replacing("\"device\"", with: "\"a\u{1B}b\""))
    #expect(named.events.first?.action.words == "added \"a b\" pointer")
    #expect(try InputScript(named.description) == named)
    let marked = try InputScript(mouse.replacing("\"device\"", with: "\"\u{308}a\\\"\u{308}b\""))
    #expect(marked.events.first?.action.words == "added \"\u{308}a\\\"\u{308}b\" pointer")
    #expect(try InputScript(marked.description) == marked)
  }

  @Test func devicesThatNobodyUsesAreLeftOut() throws {
    let mouse = Self.recording(Self.mouse, "      2: [0, 1]", ["2 0 1"])
    func joined(_ tags: [String], _ events: [String]) -> String {
      let other = Self.recording(tags, "      1: [30]\n      3: [0, 1]", events)
      return mouse + (other.firstRange(of: "- node").map { String(other[$0.lowerBound...]) } ?? "")
    }
    let script = try InputScript(mouse)
    #expect(try InputScript(joined(["ID_INPUT=1", "ID_INPUT_JOYSTICK=1"], ["3 0 1"])) == script)
    #expect(try InputScript(joined(["ID_INPUT_KEYBOARD=1", "LIBINPUT_IGNORE_DEVICE=1"], ["1 30 1"])) == script)
    #expect(try InputScript(joined(["ID_INPUT=1", "ID_INPUT_TOUCHPAD=1"], [])) == script)
    #expect(throws: InputScriptError.self) { try InputScript(joined(["ID_INPUT_TOUCHPAD=1"], ["3 0 1"])) }
  }

  @Test(arguments: [
    (["ID_INPUT_TOUCHPAD=1"], "      3: [0, 1]", "a touchpad needs libinput itself"),
    (["ID_INPUT_TABLET=1"], "      3: [0, 1]", "a pen's tablet needs libinput itself"),
    (["ID_INPUT_TOUCHSCREEN=1"], "      3: [53, 54]", "multi-touch without slots needs libinput itself"),
  ])
  func whatNeedsLibinputIsRefused(tags: [String], codes: String, reason: String) {
    let expected = """
      x:7:11: expected a touch screen, a pointer or a keyboard (\(reason), by libinput replay and framepace input --record), found "device"
      """
    #expect {
      try InputScript(Self.recording(tags, codes, ["3 0 1"]), file: "x")
    } throws: {
      "\($0)" == expected
    }
  }

  @Test(arguments: [
    ("version: 1", "version: 2", "x:2:10: expected 1, the version of the form that is known, found \"2\""),
    ("- node:", "- nod:", "x:5:8: expected a device's node, found \"/dev/input/event7\""),
    ("\"device\"", "device", "x:7:11: expected a name in quotes, found \"device\""),
    ("\"device\"", "\"device", "x:7:18: expected a closing quote, found the end of the line"),
    ("2: [0, 1]", "2: [0; 1]", "x:10:12: expected \",\", found \";\""),
    ("2: [0, 1]", "2: [0, 1", "x:10:15: expected \",\", found the end of the line"),
    ("2: [0, 1]", "two: [0, 1]", "x:10:7: expected a number, found \"two:\""),
    (
      "  - evdev", "   - evdev",
      "x:18:6: expected a line with the indentation that libinput record gives it, found \"evdev:\""
    ),
    ("[  0, 0, 2", "[  0, 0 2", "x:19:15: expected \",\", found \"2,\""),
    ("[  0, 0, 2", "[  0, 1000000, 2", "x:19:13: expected microseconds from 0 to 999999, found \"1000000,\""),
    ("[  0, 0, 2", "[2000000, 0, 2", "x:19:8: expected seconds from 0 to 999999, found \"2000000,\""),
    ("0, 1] # comment", "0, 99999999999] # comment", "x:19:22: expected the value of an event, found \"99999999999]\""),
    ("0, 1] # comment", "0, 1] 3", "x:19:25: expected the end of the line, found \"3\""),
    (
      "ID_INPUT_MOUSE=1", "ID_INPUT_MOUSE=0",
      "x:20:1: expected a touch screen, a pointer or a keyboard before the end, found the end of the line"
    ),
  ])
  func mistakesHaveAPlace(part: String, mistake: String, expected: String) throws {
    let text = Self.recording(Self.mouse, "      2: [0, 1]", ["2 0 1"])
    let place = try #require(text.firstRange(of: part))
    #expect {
      try InputScript(text.replacingCharacters(in: place, with: mistake), file: "x")
    } throws: {
      "\($0)" == expected
    }
  }
}

extension String {
  fileprivate func replacingCharacters(in range: Range<Index>, with text: String) -> String {
    self[..<range.lowerBound] + text + self[range.upperBound...]
  }
}
