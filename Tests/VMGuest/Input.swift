import CEvdev
import Geometry
import Glibc
import Input
import LinuxSystem
import RunLoops
import Seats

/// Reads the machine's input devices, and keeps what they sent.
@MainActor
final class InputReader {
  private(set) var events: [InputEvent] = []
  /// Called with each event.
  var onEvent: (@MainActor (InputEvent) -> Void)?
  private var input: InputDevices?

  init() throws(SystemError) {
    input = try InputDevices(session: .direct(why: "a test")) { [unowned self] event in
      events.append(event)
      onEvent?(event)
    }
    input?.add(to: .main, mode: .common)
  }

  var devices: [InputDevice] { input?.devices ?? [] }
  var absence: InputDevices.Absence? { input?.absence }
  var overflows: Int { input?.overflows ?? 0 }

  func calibrate(_ device: InputDevice.ID, by matrix: Affine) -> Bool { input?.calibrate(device, by: matrix) ?? false }

  func show(_ leds: KeyboardLEDs) { input?.leds = leds }

  func removeEvents() { events.removeAll(keepingCapacity: true) }

  /// Runs the loop until a condition holds.
  func run(_ claim: String, until condition: () -> Bool) {
    let limit = FrameLoop.main.clock.now + .seconds(60)
    while !condition(), FrameLoop.main.clock.now < limit {
      FrameLoop.main.run(mode: .default, until: limit, returnAfterSourceHandled: true)
    }
    Guest.expect(condition(), "\(claim); the last events are \(events.suffix(4).map(\.action.words))")
  }

  /// Makes a device and waits until it is there.
  func add(_ kind: VirtualInput.Kind, _ name: String) throws(SystemError) -> VirtualInput {
    let device = try VirtualInput(kind, name: name)
    run("\(name) does not come") { devices.contains { $0.name == name } }
    return device
  }
}

/// Two fingers move, each time to other places.
@MainActor
func inputTouches(_ count: Int) throws(SystemError) {
  let reader = try InputReader()
  let screen = try reader.add(.touchScreen, "test screen")
  let device = reader.devices.first { $0.name == "test screen" }
  Guest.expect(device?.abilities == .touch && device?.fingers == 2, "\(reader.devices)")
  func place(_ step: Int, _ finger: Int) -> (x: Int32, y: Int32) {
    (Int32((step * 7 + finger * 100) % 4096), Int32((step * 13 + finger * 50) % 4096))
  }
  func write(_ step: Int, _ finger: Int, isNew: Bool = false) {
    let place = place(step, finger)
    let begin: [(type: Int32, code: Int32, value: Int32)] =
      isNew ? [(EV_ABS, ABS_MT_TRACKING_ID, Int32(finger + 1)), (EV_KEY, BTN_TOUCH, Int32(1))] : []
    screen.writeOne((EV_ABS, ABS_MT_SLOT, Int32(finger)))
    for event in begin { screen.writeOne(event) }
    screen.write((EV_ABS, ABS_MT_POSITION_X, place.x), (EV_ABS, ABS_MT_POSITION_Y, place.y))
  }
  reader.removeEvents()
  for finger in 0..<2 { write(0, finger, isNew: true) }
  reader.run("two fingers are not down") { reader.events.count == 2 }
  Guest.expect(reader.events.allSatisfy { if case .touch(_, .down) = $0.action { true } else { false } }, "\(reader.events)")

  var (seen, wrong) = (0, 0)
  var last = MonotonicTime.zero
  // The kernel keeps some groups of events for a reader.
  for first in stride(from: 1, through: count / 2, by: 4) {
    reader.removeEvents()
    let steps = first..<min(first + 4, count / 2 + 1)
    for step in steps { for finger in 0..<2 { write(step, finger) } }
    reader.run("movements \(first)… are lost") { reader.events.count >= 2 * steps.count }
    for (index, event) in reader.events.enumerated() {
      let place = place(first + index / 2, index % 2)
      let expected = InputEvent.Action.touch(
        finger: index % 2, .moved(Point(Double(place.x) / 4096, Double(place.y) / 4096)))
      if event.action != expected || event.time < last { wrong += 1 }
      last = event.time
    }
    seen += reader.events.count
  }
  Guest.expect(wrong == 0 && seen == count / 2 * 2, "\(seen) movements, \(wrong) of them wrong")
  let age = FrameLoop.main.clock.now - last
  Guest.expect(age >= .zero && age < .seconds(10), "the last event is \(age) old")
  Guest.say("\(seen) movements, none lost")
}

/// A mouse, a keyboard and an absolute pointer.
@MainActor
func inputKinds() throws(SystemError) {
  let reader = try InputReader()
  let mouse = try reader.add(.mouse, "test mouse")
  var keyboard: VirtualInput? = try reader.add(.keyboard, "test keyboard")
  let tablet = try reader.add(.tablet, "test tablet")
  reader.removeEvents()
  func expect(_ words: [String], _ write: () -> Void) {
    reader.removeEvents()
    write()
    reader.run("\(words) does not come") { reader.events.count >= words.count }
    Guest.expect(reader.events.map(\.action.words) == words, "\(reader.events.map(\.action.words)), not \(words)")
    for event in reader.events { Guest.say(event.action.words) }
  }
  expect(["button BTN_LEFT down"]) { mouse.write((EV_KEY, BTN_LEFT, 1)) }
  // A click that is too short for a finger is the switch's fault to libinput.
  usleep(200_000)
  expect(["button BTN_LEFT up"]) { mouse.write((EV_KEY, BTN_LEFT, 0)) }
  expect(["scroll wheel 0.0 -1.0"]) { mouse.write((EV_REL, REL_WHEEL, 1)) }
  expect(["key KEY_A down", "key KEY_A up"]) {
    keyboard?.write((EV_KEY, KEY_A, 1))
    keyboard?.write((EV_KEY, KEY_A, 0))
  }
  expect(["key KEY_B down"]) { keyboard?.write((EV_KEY, KEY_B, 1)) }
  // A key that is held comes up with its keyboard.
  expect(["key KEY_B up", "removed"]) { keyboard = nil }
  expect(["position 0.25 0.5"]) { tablet.write((EV_ABS, ABS_X, 1024), (EV_ABS, ABS_Y, 2048)) }
  let id = reader.devices.first { $0.name == "test tablet" }?.id
  // Mirrored, as where it is mounted in a mirror.
  Guest.expect(id.map { reader.calibrate($0, by: Affine(a: -1, b: 0, c: 0, d: 1, tx: 1, ty: 0)) } ?? false, "no calibration")
  Guest.expect(!(id.map { reader.calibrate($0, by: Affine.scale(0)) } ?? true), "all places are one")
  reader.removeEvents()
  tablet.write((EV_ABS, ABS_X, 512), (EV_ABS, ABS_Y, 1024))
  reader.run("no position comes") { !reader.events.isEmpty }
  guard case .position(let place)? = reader.events.first?.action else { return Guest.expect(false, "\(reader.events)") }
  Guest.expect(abs(place.x - 0.875) < 0.001 && place.y == 0.25, "\(place)")
  Guest.say("calibrated: \(place)")
  reader.removeEvents()
  mouse.write((EV_REL, REL_X, 5))
  reader.run("no motion comes") { !reader.events.isEmpty }
  guard case .motion(let distance)? = reader.events.first?.action else { return Guest.expect(false, "\(reader.events)") }
  Guest.expect(distance.x > 0 && distance.y == 0, "\(distance)")
  try expectLamps(reader)
}

/// The lamps of a keyboard follow, and those of one that comes later.
@MainActor
private func expectLamps(_ reader: InputReader) throws(SystemError) {
  let keyboard = try reader.add(.keyboard, "keyboard with lamps")
  reader.show([.capsLock, .scrollLock])
  let first = keyboard.readLamps()
  Guest.expect(first == ["LED_CAPSL": true, "LED_SCROLLL": true], "\(first)")
  reader.show([.numLock, .scrollLock])
  let second = keyboard.readLamps()
  Guest.expect(second == ["LED_CAPSL": false, "LED_NUML": true], "\(second)")
  let late = try reader.add(.keyboard, "late keyboard").readLamps()
  Guest.expect(late == ["LED_NUML": true, "LED_SCROLLL": true], "\(late)")
  reader.show([])
  let none = keyboard.readLamps()
  Guest.expect(none == ["LED_NUML": false, "LED_SCROLLL": false], "\(none)")
  Guest.say("the lamps follow")
}

/// More movements than the kernel keeps for a reader: that some are lost is known, and the last place is right.
@MainActor
func inputOverflow() throws(SystemError) {
  let reader = try InputReader()
  let screen = try reader.add(.touchScreen, "test screen")
  reader.removeEvents()
  screen.write((EV_ABS, ABS_MT_TRACKING_ID, 1), (EV_ABS, ABS_MT_POSITION_X, 0), (EV_KEY, BTN_TOUCH, 1))
  reader.run("the finger is not down") { reader.events.count == 1 }
  Guest.expect(reader.overflows == 0, "\(reader.overflows) overflows before there was one")
  let count: Int32 = 4000
  for step in 1...count { screen.write((EV_ABS, ABS_MT_POSITION_X, step)) }
  let last = InputEvent.Action.touch(finger: 0, .moved(Point(Double(count) / 4096, 0)))
  reader.run("the last place does not come") { reader.events.last?.action == last }
  Guest.expect(reader.events.count < Int(count), "\(reader.events.count) events: nothing was lost")
  Guest.expect(reader.overflows > 0, "the loss is not told")
  Guest.say("\(reader.events.count - 1) of \(count) movements came, \(reader.overflows) overflows")
}

/// A touch screen goes while a finger is down, and comes back.
@MainActor
func inputHotplug(_ count: Int) throws(SystemError) {
  let reader = try InputReader()
  var ids: Set<InputDevice.ID> = []
  func descriptors() -> Int { (try? OwnedDescriptor.names(in: "/proc/self/fd").count) ?? 0 }
  var before = 0
  // The machine has a keyboard and a mouse.
  reader.run("the machine's own devices do not come") { !reader.devices.isEmpty }
  for round in 0..<count {
    reader.removeEvents()
    var screen: VirtualInput? = try reader.add(.touchScreen, "screen \(round)")
    screen?.write(
      (EV_ABS, ABS_MT_TRACKING_ID, 1), (EV_ABS, ABS_MT_POSITION_X, 9), (EV_ABS, ABS_MT_POSITION_Y, 9), (EV_KEY, BTN_TOUCH, 1)
    )
    reader.run("the finger is not down") { reader.events.count == 2 }
    screen = nil
    reader.run("screen \(round) does not go") { reader.events.last?.action == .removed }
    Guest.expect(!reader.devices.contains { $0.name == "screen \(round)" }, "\(reader.devices)")
    if round == 0 {
      Guest.say(reader.events.map(\.action.words).joined(separator: ", "))
      before = descriptors()
    }
    ids.formUnion(reader.events.map(\.device))
  }
  Guest.expect(ids.count == count, "\(ids.count) numbers for \(count) devices")
  Guest.expect(descriptors() == before, "\(descriptors()) descriptors, \(before) after the first device")
  Guest.say("came and went \(count) times")
}

@MainActor
func inputNone() throws(SystemError) {
  Guest.say(try InputReader().absence?.description ?? "there are devices")
}
