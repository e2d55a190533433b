import Input
import LinuxSystem
import Testing

@Suite struct ConsoleKeysTests {
  private static func key(_ name: String, isDown: Bool = true, of device: UInt32 = 1) throws -> InputEvent {
    let code = try #require(InputCode(named: name))
    return InputEvent(time: .zero, device: InputDevice.ID(rawValue: device), action: .key(code, isDown: isDown))
  }

  @Test func ctrlCInterrupts() throws {
    for control in ["KEY_LEFTCTRL", "KEY_RIGHTCTRL"] {
      var keys = ConsoleKeys()
      #expect(keys.chord(with: try Self.key("KEY_C")) == nil)
      #expect(keys.chord(with: try Self.key(control)) == nil)
      #expect(keys.chord(with: try Self.key("KEY_C", isDown: false)) == nil)
      // Two keyboards count as one.
      #expect(keys.chord(with: try Self.key("KEY_C", of: 2)) == .interrupt)
      #expect(keys.chord(with: try Self.key(control, isDown: false)) == nil)
      #expect(keys.chord(with: try Self.key("KEY_C")) == nil)
    }
  }

  @Test func ctrlAltAndAFunctionKeySwitch() throws {
    for number in 1...12 {
      var keys = ConsoleKeys()
      for name in ["KEY_LEFTALT", "KEY_LEFTCTRL"] { #expect(keys.chord(with: try Self.key(name)) == nil) }
      #expect(keys.chord(with: try Self.key("KEY_F\(number)")) == .session(number))
      #expect(keys.chord(with: try Self.key("KEY_A")) == nil)
      #expect(keys.chord(with: try Self.key("KEY_LEFTALT", isDown: false)) == nil)
      #expect(keys.chord(with: try Self.key("KEY_F\(number)")) == nil)
    }
  }

  /// A session that comes back gets its keyboards as new ones: what was held is not.
  @Test func aKeyboardThatGoesHoldsNothing() throws {
    var keys = ConsoleKeys()
    _ = keys.chord(with: try Self.key("KEY_LEFTCTRL"))
    _ = keys.chord(with: InputEvent(time: .zero, device: InputDevice.ID(rawValue: 1), action: .removed))
    #expect(keys.chord(with: try Self.key("KEY_C", of: 2)) == nil)
  }
}
