import Geometry
import Input
import LinuxSystem
import Testing

@Suite struct InputScriptTests {
  @Test func linesAreEvents() throws {
    let script = try InputScript(
      """
      # By hand.
      framepace input 1

      0 1 added "Touch \\"panel\\"" touch fingers 10 size 152 91.5 output "DSI-1"
      0.5 1 touch 0 down 0.5 0.25   # a finger
      0.516667 1 touch 0 moved 0.5 0.27
      0.6 1 touch 0 up
      0.000000001 7 added "Keys" keyboard pointer
      1 7 key KEY_A down
      1 7 button 272 up
      """)
    let (panel, keys) = (InputDevice.ID(rawValue: 1), InputDevice.ID(rawValue: 7))
    func event(_ nanoseconds: Int64, _ device: InputDevice.ID, _ action: InputEvent.Action) -> InputEvent {
      InputEvent(time: MonotonicTime(nanoseconds: nanoseconds), device: device, action: action)
    }
    #expect(
      script.events == [
        event(
          0, panel,
          .added(
            InputDevice(
              id: panel, name: "Touch \"panel\"", abilities: .touch, fingers: 10, size: Size(width: 152, height: 91.5),
              outputName: "DSI-1"))),
        event(500_000_000, panel, .touch(finger: 0, .down(Point(0.5, 0.25)))),
        event(516_667_000, panel, .touch(finger: 0, .moved(Point(0.5, 0.27)))),
        event(600_000_000, panel, .touch(finger: 0, .up)),
        event(1, keys, .added(InputDevice(id: keys, name: "Keys", abilities: [.keyboard, .pointer]))),
        event(1_000_000_000, keys, .key(InputCode(rawValue: 30), isDown: true)),
        event(1_000_000_000, keys, .button(.leftButton, isDown: false)),
      ])
  }

  /// Abilities, size and the rest come in any order.
  @Test func wordsOfADeviceHaveNoOrder() throws {
    let ordered = "framepace input 1\n0 1 added \"a\" touch pen fingers 3 size 4 5 output \"DSI-1\""
    let other = "framepace input 1\n0 1 added \"a\" output \"DSI-1\" pen size 4 5 touch fingers 3"
    #expect(try InputScript(other) == InputScript(ordered))
  }

  @Test func linesOfAScriptAreItsHeaderAndItsEvents() throws {
    let text = "\u{9}# comment\n\nframepace input 1 # 1\n 0 1 added \"#\" touch\r\n   #\n1 1 touch 0 up"
    #expect(InputScript.lines(of: text).map(\.number) == [3, 4, 6])
    #expect(InputScript.lines(of: text).map(\.text).last == "1 1 touch 0 up")
    #expect(InputScript.lines(of: "").isEmpty)
    #expect(try InputScript(text).events.count == 2)
  }

  @Test func aByteOrderMarkIsNoText() throws {
    let text = "framepace input 1\n0 1 added \"a\" touch"
    #expect(try InputScript("\u{FEFF}" + text) == InputScript(text))
  }

  @Test func linesMayEndAsOnOtherSystems() throws {
    let script = try InputScript("framepace input 1\r\n0 1 added \"a\" touch\r\n\r\n1 1 touch 0 up\r\n")
    #expect(script.events.map(\.action.words) == ["added \"a\" touch", "touch 0 up"])
  }

  /// Random events through their text and back.
  @Test(arguments: 0..<50) func textReadsAsTheSameScript(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let script = InputScript(events: RandomInput.events(count: 200, &random))
    #expect(try InputScript(script.description) == script, "seed \(seed)")
  }

  /// Random events that are written line by line, and read back: the same, but that an older one is at the beginning.
  @Test(arguments: 0..<50) func aRecordedScriptHasTheEvents(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let events = RandomInput.events(count: 200, &random)
    let start = MonotonicTime(nanoseconds: Int64.random(in: 0...1_000_000_000, using: &random))
    let text = InputScript.heading + events.map { $0.scriptLine(since: start) + "\n" }.joined()
    let expected = events.map { event in
      InputEvent(
        time: MonotonicTime(nanoseconds: max((event.time - start).count, 0)), device: event.device, action: event.action)
    }
    #expect(try InputScript(text).events == expected, "seed \(seed)")
  }

  @Test func numbersAreRoundedForPeople() {
    let point = Point(0.123456, -0.00001)
    #expect(InputEvent.Action.position(point).words(decimals: 4) == "position 0.1235 0.0")
    #expect(InputEvent.Action.position(point).words == "position 0.123456 -1e-05")
  }

  @Test(arguments: [
    ("", "x:1:1: expected the line \"framepace input 1\", found the end of the line"),
    ("framepace input 2", "x:1:17: expected the line \"framepace input 1\", found \"2\""),
    ("framepace input 1\nsoon 1 removed", "x:2:1: expected a time in seconds, such as 0.5, found \"soon\""),
    ("framepace input 1\nnan 1 removed", "x:2:1: expected a time in seconds, such as 0.5, found \"nan\""),
    ("framepace input 1\n1e300 1 removed", "x:2:1: expected a time in seconds, such as 0.5, found \"1e300\""),
    (
      "framepace input 1\n\n0 1 removed",
      "x:3:3: expected the number of a device that a line above has added, and none removed, found \"1\""
    ),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 added \"\"",
      "x:3:3: expected the number of a device that is not there yet, found \"1\""
    ),
    (
      "framepace input 1\n0 1 added \"a\" touchscreen",
      "x:2:15: expected touch, pointer, keyboard, pen, gestures, letters, fingers, size or output, found \"touchscreen\""
    ),
    (
      "framepace input 1\n0 1 added \"a\" touch \"b\"",
      "x:2:21: expected touch, pointer, keyboard, pen, gestures, letters, fingers, size or output, found \"b\""
    ),
    ("framepace input 1\n0 1 added \"a", "x:2:13: expected a closing quote, found the end of the line"),
    (
      "framepace input 1\n0 1 added \"\"\n  0 1 touch 0 dwon 1 2",
      "x:3:15: expected down, moved, up or cancelled, found \"dwon\""
    ),
    ("framepace input 1\n0 1 added \"\"\n0 1 motion 1", "x:3:13: expected a distance, found the end of the line"),
    ("framepace input 1\n0 1 added \"\"\n0 1 motion 1 2 3", "x:3:16: expected the end of the line, found \"3\""),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 button left down",
      "x:3:12: expected BTN_LEFT or another of the kernel's names, found \"left\""
    ),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 button key_a down",
      "x:3:12: expected the kernel's name of a key or a button, such as BTN_LEFT, found \"key_a\""
    ),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 key enter down",
      "x:3:9: expected KEY_ENTER or another of the kernel's names, found \"enter\""
    ),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 touch 0 down 0,5 0,5",
      "x:3:18: expected a part of the area, such as 0.5, found \"0,5\""
    ),
    (
      "framepace input 1\n0 1 added \"\"\n0 1 key KEY_NONSENSE down",
      "x:3:9: expected the kernel's name of a key or a button, such as KEY_A, found \"KEY_NONSENSE\""
    ),
  ])
  func mistakesHaveAPlace(text: String, expected: String) {
    #expect {
      try InputScript(text, file: "x")
    } throws: {
      "\($0)" == expected
    }
  }

  /// Whatever is done to a script, it is read or refused, and an error is at a place of the text.
  @Test(arguments: 0..<20) func damagedScriptsAreHarmless(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let text = InputScript(events: RandomInput.events(count: 30, &random)).description
    for _ in 0..<100 {
      var bytes = Array(text.utf8)
      for _ in 0..<Int.random(in: 1...4, using: &random) {
        let place = Int.random(in: bytes.indices, using: &random)
        switch Int.random(in: 0..<3, using: &random) {
        case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
        case 1: bytes.remove(at: place)
        default: bytes.removeSubrange(place...)
        }
        if bytes.isEmpty { bytes = [0] }
      }
      let damaged = String(decoding: bytes, as: UTF8.self)
      do throws(InputScriptError) {
        let script = try InputScript(damaged)
        #expect(script.events.count <= 30)
      } catch {
        let lines = damaged.split(omittingEmptySubsequences: false) { $0 == "\n" || $0 == "\r\n" }
        #expect(lines.indices.contains(error.line - 1), "seed \(seed): \(error)")
        if lines.indices.contains(error.line - 1) {
          #expect(1...(lines[error.line - 1].unicodeScalars.count + 1) ~= error.column, "seed \(seed): \(error)")
        }
      }
    }
  }

  @Test func codesHaveTheKernelsNames() {
    #expect(InputCode(named: "KEY_A") == InputCode(rawValue: 30))
    #expect(InputCode.leftButton.name == "BTN_LEFT" && InputCode.rightButton.name == "BTN_RIGHT")
    #expect(InputCode.middleButton.name == "BTN_MIDDLE")
    #expect(InputCode(named: "REL_X") == nil && InputCode(named: "") == nil)
    #expect(InputCode(rawValue: 0xFFFF).description == "65535")
  }
}
