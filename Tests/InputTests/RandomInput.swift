import Geometry
import Input
import LinuxSystem

/// Random events of devices that come and go, in any order that a script can have.
enum RandomInput {
  static func events(count: Int, _ random: inout SplitMix64) -> [InputEvent] {
    var events: [InputEvent] = []
    var devices: [InputDevice.ID] = []
    var lastID: UInt32 = 0
    for _ in 0..<count {
      let time = MonotonicTime(
        nanoseconds: Int64.random(in: 0...(1 << Int64.random(in: 1...49, using: &random)), using: &random))
      if devices.isEmpty || Int.random(in: 0..<10, using: &random) == 0 {
        lastID += 1
        devices.append(InputDevice.ID(rawValue: lastID))
        events.append(InputEvent(time: time, device: devices[devices.count - 1], action: .added(device(lastID, &random))))
      } else {
        let index = Int.random(in: devices.indices, using: &random)
        let action = action(&random)
        events.append(InputEvent(time: time, device: devices[index], action: action))
        if case .removed = action { devices.remove(at: index) }
      }
    }
    return events
  }

  private static func device(_ id: UInt32, _ random: inout SplitMix64) -> InputDevice {
    let name = (0..<Int.random(in: 0...12, using: &random)).map { _ in
      // Two of them join the character before them.
      "aZ \"\\#é1\u{308}\u{200D}".unicodeScalars.randomElement(using: &random) ?? "a"
    }
    return InputDevice(
      id: InputDevice.ID(rawValue: id), name: String(String.UnicodeScalarView(name)),
      abilities: InputDevice.Abilities(rawValue: UInt8.random(in: 0..<64, using: &random)),
      fingers: Bool.random(using: &random) ? Int.random(in: 1...1000, using: &random) : nil,
      size: Bool.random(using: &random) ? Size(width: number(&random, 0...1000), height: number(&random, 0...1000)) : nil,
      outputName: Bool.random(using: &random) ? "HDMI-A-1" : nil)
  }

  private static func action(_ random: inout SplitMix64) -> InputEvent.Action {
    let code = InputCode(rawValue: UInt16.random(in: 0...0x2FF, using: &random))
    let isDown = Bool.random(using: &random)
    switch Int.random(in: 0..<13, using: &random) {
    case 0: return .removed
    case 1, 2: return .touch(finger: Int.random(in: 0...1000, using: &random), touch(&random))
    case 3: return .motion(point(&random))
    case 4: return .position(point(&random))
    case 5: return .button(code, isDown: isDown)
    case 6: return .key(code, isDown: isDown)
    case 7: return .scroll(scroll(&random))
    case 8: return .pen(pen(&random))
    case 9: return .left
    case 10: return .keysReleased
    case 11:
      func mask() -> UInt32 { UInt32.random(in: 0...(.max), using: &random) }
      return .modifiers(ModifierState(depressed: mask(), latched: mask(), locked: mask(), layout: mask()))
    default: return .gesture(gesture(&random))
    }
  }

  private static func touch(_ random: inout SplitMix64) -> InputEvent.Touch {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .down(point(&random))
    case 1: .moved(point(&random))
    case 2: .up
    default: .cancelled
    }
  }

  private static func scroll(_ random: inout SplitMix64) -> InputEvent.Scroll {
    switch Int.random(in: 0..<4, using: &random) {
    case 0: .wheel(point(&random))
    case 1: .fingers(point(&random))
    case 2: .fingersEnded
    default: .continuous(point(&random))
    }
  }

  private static func pen(_ random: inout SplitMix64) -> InputEvent.Pen {
    InputEvent.Pen(
      tool: InputEvent.Pen.Tool.allCases.randomElement(using: &random) ?? .pen,
      contact: InputEvent.Pen.Contact.allCases.randomElement(using: &random) ?? .away, position: point(&random),
      pressure: Bool.random(using: &random) ? number(&random, 0...1) : nil,
      tilt: Bool.random(using: &random) ? point(&random) : nil)
  }

  private static func gesture(_ random: inout SplitMix64) -> InputEvent.TouchpadGesture {
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      .began(
        InputEvent.TouchpadGesture.Kind.allCases.randomElement(using: &random) ?? .hold,
        fingers: Int.random(in: 1...5, using: &random))
    case 1: .changed(translation: point(&random), scale: number(&random, 0...8), rotation: number(&random, -180...180))
    case 2: .ended
    default: .cancelled
    }
  }

  private static func point(_ random: inout SplitMix64) -> Point {
    Point(number(&random, -1000...1000), number(&random, -1000...1000))
  }

  private static func number(_ random: inout SplitMix64, _ range: ClosedRange<Double>) -> Double {
    Bool.random(using: &random)
      ? Double.random(in: range, using: &random) : Double.random(in: range, using: &random).rounded()
  }
}
