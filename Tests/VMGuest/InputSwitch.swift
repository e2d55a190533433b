import CEvdev
import Geometry
import Glibc
import Input
import LinuxSystem
import RunLoops
import Seats

/// A program of a seat follows Ctrl-Alt-F2 and comes back, with the keys held all the while and lifted in the other session: devices go and
/// come, and Control, whose release nobody read, is not held any more.
@MainActor
func inputSwitch() throws {
  let session = try SeatSession.libseat()
  session.add(to: .main, mode: .common)
  Guest.expect(session.waitUntilActive(for: .seconds(10)), "the session is \(session.state)")
  Guest.say(session.reason)
  var (keys, chords, events) = (ConsoleKeys(), [ConsoleChord](), [InputEvent]())
  let input = try InputDevices(session: session) { event in
    events.append(event)
    guard let chord = keys.chord(with: event) else { return }
    chords.append(chord)
    if case .session(let number) = chord {
      do { try session.switchSession(to: number) } catch { Guest.expect(false, "\(error)") }
    }
  }
  input.add(to: .main, mode: .common)
  func run(_ claim: String, until condition: () -> Bool) {
    let limit = FrameLoop.main.clock.now + .seconds(20)
    while !condition(), FrameLoop.main.clock.now < limit {
      FrameLoop.main.run(mode: .default, until: limit, returnAfterSourceHandled: true)
    }
    Guest.expect(condition(), "\(claim); the last events are \(events.suffix(5).map(\.action.words))")
  }
  let keyboard = try VirtualInput(.keyboard, name: "test keyboard")
  let screen = try VirtualInput(.touchScreen, name: "test screen")
  func areThere() -> Bool {
    ["test keyboard", "test screen"].allSatisfy { name in input.devices.contains { $0.name == name } }
  }
  run("the devices do not come", until: areThere)
  screen.write((EV_ABS, ABS_MT_TRACKING_ID, 1), (EV_ABS, ABS_MT_POSITION_X, 9), (EV_KEY, BTN_TOUCH, 1))
  run("the finger is not down") { if case .touch(_, .down)? = events.last?.action { true } else { false } }
  events = []
  for code in [KEY_LEFTCTRL, KEY_LEFTALT, KEY_F2] { keyboard.write((EV_KEY, code, 1)) }
  run("the session stays") { session.state == .inactive && input.devices.isEmpty }
  Guest.expect(chords == [.session(2)], "\(chords)")
  Guest.expect(events.contains { $0.action == .removed }, "no device went")

  // In the other session the keys are lifted, and so is the finger.
  for code in [KEY_F2, KEY_LEFTALT, KEY_LEFTCTRL] { keyboard.write((EV_KEY, code, 0)) }
  screen.write((EV_ABS, ABS_MT_TRACKING_ID, -1), (EV_KEY, BTN_TOUCH, 0))
  let away = events.count
  Guest.shell("chvt 1")
  run("the devices do not come back") { session.state == .active && areThere() }
  keyboard.write((EV_KEY, KEY_C, 1))
  keyboard.write((EV_KEY, KEY_C, 0))
  run("C does not come") { events.last?.action == .key(InputCode(rawValue: UInt16(KEY_C)), isDown: false) }
  Guest.expect(chords == [.session(2)], "Control is held after the way back: \(chords)")
  let later = events[away...].filter { if case .added = $0.action { false } else { $0.action != .removed } }
  Guest.expect(later.count == 2, "more than C came: \(later.map(\.action.words))")
  Guest.say("away and back with Control held: \(later.map(\.action.words).joined(separator: ", "))")
  input.invalidate()
  session.close()
}
