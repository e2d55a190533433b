import Input
import LinuxSystem
import Testing

/// The keys of a US keyboard, as a list of what is down.
private struct ReferenceKeyboard {
  struct Down: Equatable {
    var device: InputDevice.ID
    var code: UInt16
  }

  var down: [Down] = []
  var isCapsLocked = false
  var isNumLocked = false
  /// A lock ends when its key is lifted for the second time.
  var endsCaps = false
  var endsNum = false

  func isHeld(_ code: UInt16) -> Bool { down.contains { $0.code == code } }

  var modifiers: KeyModifiers {
    var modifiers = KeyModifiers()
    if isHeld(42) || isHeld(54) { modifiers.insert(.shift) }
    if isHeld(29) || isHeld(97) { modifiers.insert(.control) }
    if isHeld(56) || isHeld(100) { modifiers.insert(.alt) }
    if isHeld(125) || isHeld(126) { modifiers.insert(.logo) }
    if isCapsLocked || isHeld(58) { modifiers.insert(.capsLock) }
    if isNumLocked || isHeld(69) { modifiers.insert(.numLock) }
    return modifiers
  }

  static let modifierCodes: [UInt16] = [42, 54, 29, 97, 56, 100, 125, 126, 58, 69]
  static let letters: [UInt16: Character] = {
    let rows: [(UInt16, String)] = [(16, "qwertyuiop"), (30, "asdfghjkl"), (44, "zxcvbnm")]
    return rows.reduce(into: [:]) { result, row in
      for (index, letter) in row.1.enumerated() { result[row.0 + UInt16(index)] = letter }
    }
  }()

  /// True if the key went down.
  mutating func press(_ code: UInt16, _ device: InputDevice.ID) -> Bool {
    let isNew = !isHeld(code)
    if !down.contains(Down(device: device, code: code)) { down.append(Down(device: device, code: code)) }
    if isNew, code == 58 { (isCapsLocked, endsCaps) = (true, isCapsLocked) }
    if isNew, code == 69 { (isNumLocked, endsNum) = (true, isNumLocked) }
    return isNew
  }

  /// True if the key went up.
  mutating func release(_ code: UInt16, _ device: InputDevice.ID) -> Bool {
    guard let index = down.firstIndex(of: Down(device: device, code: code)) else { return false }
    down.remove(at: index)
    if isHeld(code) { return false }
    if code == 58, endsCaps { isCapsLocked = false }
    if code == 69, endsNum { isNumLocked = false }
    return true
  }

  func characters(_ code: UInt16) -> String {
    guard let letter = Self.letters[code], modifiers.isDisjoint(with: .commands) else { return "" }
    return modifiers.contains(.shift) != modifiers.contains(.capsLock) ? letter.uppercased() : String(letter)
  }
}

@Suite struct KeyboardProgramTests {
  /// Random presses and releases on three keyboards that come and go, against a list of what is down.
  @Test(arguments: 0..<20) func randomProgramsHoldWhatIsHeld(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let keyboard = try TestKeyboard.make("us")
    var reference = ReferenceKeyboard()
    let letters = ReferenceKeyboard.letters.keys.sorted()
    for step in 0..<2000 {
      let time = MonotonicTime(nanoseconds: Int64(step))
      let device = InputDevice.ID(rawValue: UInt32.random(in: 1...3, using: &random))
      let code =
        (Bool.random(using: &random) ? ReferenceKeyboard.modifierCodes : letters).randomElement(using: &random) ?? 0
      let before = reference.modifiers
      switch Int.random(in: 0..<100, using: &random) {
      case 0: check(keyboard.releaseAll(at: time), releasing: reference.down, &reference)
      case 1...3:
        let down = reference.down.filter { $0.device == device }
        check(keyboard.releaseAll(of: device, at: time), releasing: down, &reference)
      case 4..<54:
        let characters = reference.characters(code)
        let event = keyboard.handle(InputCode(rawValue: code), isDown: true, of: device, at: time)
        #expect((event != nil) == reference.press(code, device), "seed \(seed) step \(step)")
        if let event {
          #expect(event.characters == characters && event.modifiers == before, "seed \(seed) \(event)")
          #expect(event.phase == .down && event.code.rawValue == code, "seed \(seed) \(event)")
          #expect(event.repeats == !ReferenceKeyboard.modifierCodes.contains(code) && event.time == time, "seed \(seed)")
        }
      default:
        let event = keyboard.handle(InputCode(rawValue: code), isDown: false, of: device, at: time)
        #expect((event != nil) == reference.release(code, device), "seed \(seed) step \(step)")
        if let event {
          #expect(event.phase == .up && event.modifiers == before && event.time == time, "seed \(seed) \(event)")
        }
      }
      #expect(keyboard.modifiers == reference.modifiers, "seed \(seed) step \(step)")
      #expect(Set(keyboard.heldKeys.map(\.rawValue)) == Set(reference.down.map(\.code)), "seed \(seed) step \(step)")
      #expect(keyboard.leds.contains(.capsLock) == reference.isCapsLocked, "seed \(seed) step \(step)")
      #expect(keyboard.leds.contains(.numLock) == reference.isNumLocked, "seed \(seed) step \(step)")
    }

    /// Releases keys of the reference as one program does, and compares those that are cancelled.
    func check(_ events: [KeyEvent], releasing down: [ReferenceKeyboard.Down], _ reference: inout ReferenceKeyboard) {
      let expected = down.filter { reference.release($0.code, $0.device) }.map(\.code)
      #expect(Set(events.map(\.code.rawValue)) == Set(expected) && events.count == expected.count, "seed \(seed)")
      #expect(events.allSatisfy { $0.phase == .cancelled && $0.characters.isEmpty }, "seed \(seed)")
    }
  }
}
