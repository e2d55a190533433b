import Geometry
import Input
import LinuxSystem

/// Events of devices that may come and go at any time, many of which no device would send.
struct RandomDevices {
  private var random: SplitMix64
  private var time: Int64 = 0
  private var present: [InputDevice.ID] = []
  private var lastID: UInt32 = 0

  init(seed: UInt64) { random = SplitMix64(seed: seed) }

  mutating func next() -> InputEvent {
    // Times go back now and then.
    time += Int64.random(in: -2_000_000...20_000_000, using: &random)
    if present.isEmpty || pick(60) {
      lastID += 1
      let id = InputDevice.ID(rawValue: lastID)
      if !present.isEmpty, pick(8) { return event(present[0], .added(device(present[0]))) }
      present.append(id)
      return event(id, .added(device(id)))
    }
    let id = pick(50) ? InputDevice.ID(rawValue: 9999) : present[Int.random(in: present.indices, using: &random)]
    if pick(80) {
      present.removeAll { $0 == id }
      return event(id, .removed)
    }
    return event(id, action())
  }

  /// The ends of all devices that are there.
  mutating func end() -> [InputEvent] {
    defer { present = [] }
    return present.map { event($0, .removed) }
  }

  private func event(_ id: InputDevice.ID, _ action: InputEvent.Action) -> InputEvent {
    InputEvent(time: MonotonicTime(nanoseconds: time), device: id, action: action)
  }

  private mutating func device(_ id: InputDevice.ID) -> InputDevice {
    InputDevice(
      id: id, name: "device", abilities: InputDevice.Abilities(rawValue: UInt8.random(in: 0..<32, using: &random)),
      size: pick(3) ? Size(width: 100, height: 50) : nil, outputName: pick(3) ? "B" : nil)
  }

  private mutating func action() -> InputEvent.Action {
    let finger = pick(20) ? Int.random(in: -5...1_000_000, using: &random) : Int.random(in: 0..<4, using: &random)
    switch Int.random(in: 0..<17, using: &random) {
    case 0, 1: return .touch(finger: finger, .down(part()))
    case 2, 3, 4, 5: return .touch(finger: finger, .moved(part()))
    case 6: return .touch(finger: finger, .up)
    case 7: return .touch(finger: finger, pick(4) ? .cancelled : .up)
    case 8: return .motion(Point(part().x * 90 - 45, part().y * 90 - 45))
    case 9: return .position(part())
    case 10: return .button(pick(3) ? .rightButton : .leftButton, isDown: pick(2))
    case 11: return .key(InputCode(rawValue: UInt16.random(in: 0..<600, using: &random)), isDown: pick(2))
    case 12:
      return pick(2)
        ? .scroll(pick(2) ? .wheel(part()) : pick(2) ? .fingers(part()) : .fingersEnded)
        : .gesture(pick(2) ? .changed(translation: part(), scale: 1, rotation: 1) : .began(.pinch, fingers: 2))
    case 13: return .left
    case 14: return .keysReleased
    case 15: return .modifiers(ModifierState(depressed: UInt32.random(in: 0..<256, using: &random)))
    default:
      return .pen(
        InputEvent.Pen(
          tool: .pen, contact: InputEvent.Pen.Contact.allCases[Int.random(in: 0..<3, using: &random)], position: part(),
          pressure: 0.5))
    }
  }

  private mutating func part() -> Point {
    if pick(40) { return Point(.nan, 0.5) }
    if pick(40) { return Point(.infinity, -1e300) }
    return Point(Double.random(in: -0.1...1.1, using: &random), Double.random(in: 0...1, using: &random))
  }

  private mutating func pick(_ count: Int) -> Bool { Int.random(in: 0..<count, using: &random) == 0 }
}
