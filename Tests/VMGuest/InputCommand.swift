import CEvdev
import Glibc
import Input
import LinuxSystem

/// Runs `framepace input` beside a reader of its own: the script that it records has the same events, at the same times.
///
/// - Parameter options: more options of the command.
@MainActor
func inputRecord(_ options: String = "") throws(SystemError) {
  let reader = try InputReader()
  let screen = try reader.add(.touchScreen, "test screen")
  let keyboard = try reader.add(.keyboard, "test keyboard")
  let (said, recorded) = ("/tmp/record.said", "/tmp/record.input")
  Guest.shell("framepace input \(options) --duration 5s --record \(recorded) >\(said) 2>&1 &")
  wait(for: "test keyboard", in: said)

  /// The kernel keeps few groups of events for a reader, and none when the device is gone.
  func read(_ words: String) {
    reader.run("\(words) does not come") { reader.events.last?.action.words.hasPrefix(words) == true }
    usleep(2000)
  }
  for finger in 0..<2 as Range<Int32> {
    screen.write(
      (EV_ABS, ABS_MT_SLOT, finger), (EV_ABS, ABS_MT_TRACKING_ID, finger + 1), (EV_ABS, ABS_MT_POSITION_X, 100),
      (EV_KEY, BTN_TOUCH, 1))
    read("touch \(finger) down")
  }
  for step in 1...200 as ClosedRange<Int32> {
    screen.write((EV_ABS, ABS_MT_SLOT, step % 2), (EV_ABS, ABS_MT_POSITION_Y, step * 13))
    read("touch \(step % 2) moved")
  }
  for value in [1, 0] as [Int32] { keyboard.write((EV_KEY, KEY_A, value)) }
  read("key KEY_A up")
  var mouse: VirtualInput? = try reader.add(.mouse, "test mouse")
  wait(for: "test mouse", in: recorded)
  mouse?.write((EV_REL, REL_X, 5), (EV_REL, REL_Y, -3))
  read("motion")
  wait(for: "motion", in: recorded)
  mouse = nil
  reader.run("the mouse does not go") { reader.events.last?.action == .removed }
  wait(for: "wrote ", in: said)

  let text = String(decoding: try OwnedDescriptor.contents(of: recorded, limit: 1 << 20), as: UTF8.self)
  let script: InputScript
  do throws(InputScriptError) {
    script = try InputScript(text, file: recorded)
  } catch {
    return Guest.expect(false, "\(error)")
  }
  for name in ["test screen", "test keyboard", "test mouse"] {
    let (ours, theirs) = (actions(of: name, in: reader.events), actions(of: name, in: script.events))
    Guest.expect(!ours.isEmpty && ours == theirs, "\(name): \(ours.suffix(3)) here, \(theirs.suffix(3)) recorded")
    Guest.say("\(name): \(theirs.count) events are the same")
  }
  Guest.shell("cat \(said); framepace input --list; framepace input --check \(recorded)")
}

/// The events of a device, with the time since its first one; its coming and going have no time of the kernel.
private func actions(of name: String, in events: [InputEvent]) -> [InputEvent] {
  let id = events.first { if case .added(let device) = $0.action { device.name == name } else { false } }?.device
  let events = events.filter { event in
    if case .added = event.action { return false }
    return event.device == id && event.action != .removed
  }
  guard let first = events.first else { return [] }
  return events.map { event in
    InputEvent(time: .zero + (event.time - first.time), device: InputDevice.ID(rawValue: 1), action: event.action)
  }
}

/// A user without rights to devices gets those of the seat. Then the console types nothing, and Ctrl-C at its keyboard ends the command.
@MainActor
func inputSeat() throws(SystemError) {
  let keyboard = try InputReader().add(.keyboard, "test keyboard")
  let before = keyboardMode()
  Guest.expect(before != typesNothing, "the console types nothing already")
  let said = "/tmp/seat.said"
  Guest.shell("su member -c '/usr/local/bin/framepace input --duration 600s; echo status $?' >\(said) 2>&1 &")
  wait(for: "Ctrl-C at it ends this", in: said)
  Guest.expect(keyboardMode() == typesNothing, "the console types: mode \(keyboardMode())")
  for (key, value) in [(KEY_LEFTCTRL, 1), (KEY_C, 1), (KEY_C, 0), (KEY_LEFTCTRL, 0)] as [(Int32, Int32)] {
    keyboard.write((EV_KEY, key, value))
  }
  wait(for: "status ", in: said)
  Guest.expect(keyboardMode() == before, "the console is left with mode \(keyboardMode())")
  Guest.shell("cat \(said)")
}

/// Opened with the user's own rights, keys also go to the console. If that is the command's own terminal they are neither shown there, nor
/// left for the next program.
@MainActor
func inputTyped() throws(SystemError) {
  let keyboard = try InputReader().add(.keyboard, "test keyboard")
  let console = open("/dev/tty1", O_RDWR | O_NOCTTY | O_CLOEXEC)
  Guest.expect(console >= 0, "/dev/tty1: \(errno)")
  var echoes: Bool {
    var settings = termios()
    return tcgetattr(console, &settings) == 0 && settings.c_lflag & tcflag_t(ECHO) != 0
  }
  var typed: Int32 {
    var count: Int32 = -1
    return ioctl(console, UInt(FIONREAD), &count) == 0 ? count : -1
  }
  func typeLine() {
    for (key, value) in [(KEY_A, 1), (KEY_A, 0), (KEY_ENTER, 1), (KEY_ENTER, 0)] as [(Int32, Int32)] {
      keyboard.write((EV_KEY, key, value))
    }
  }
  Guest.expect(echoes && typed == 0, "the console does not echo, or somebody has typed: \(typed)")
  typeLine()
  wait("what is typed does not reach the console: \(typed)") { typed == 2 }
  tcflush(console, TCIFLUSH)

  let said = "/tmp/typed.said"
  // The shell of a new session opens the console, which becomes its own terminal. When it ends the kernel hangs up.
  let session = "exec <>/dev/tty1; framepace input --duration 3s; echo status $?; sleep 60"
  Guest.shell("setsid sh -c '\(session)' >\(said) 2>&1 &")
  wait("the console echoes on") { !echoes }
  typeLine()
  wait(for: "key KEY_ENTER up", in: said)
  wait(for: "status 0", in: said)
  Guest.expect(echoes && typed == 0, "\(typed) characters are left for the next program; the console echoes: \(echoes)")
  Guest.say("nothing is left of what was typed")
}

/// The mode of the keyboard of the console in front, as the kernel has it.
@MainActor
private func keyboardMode() -> Int32 {
  var mode: Int32 = -1
  let console = open("/dev/tty0", O_RDWR | O_NOCTTY | O_CLOEXEC)
  // KDGKBMODE
  Guest.expect(console >= 0 && ioctl(console, 0x4B44, &mode) == 0, "/dev/tty0: \(errno)")
  if console >= 0 { close(console) }
  return mode
}

/// K_OFF of <linux/kd.h>.
private let typesNothing: Int32 = 4

/// Waits until a file has a text.
@MainActor
private func wait(for text: String, in path: String) {
  var contents = ""
  wait("\(path) does not get '\(text)': \(contents)") {
    contents = (try? OwnedDescriptor.contents(of: path, limit: 1 << 20)).map { String(decoding: $0, as: UTF8.self) } ?? ""
    return contents.contains(text)
  }
}

/// Waits for a condition. The test ends if it does not come.
@MainActor
private func wait(_ claim: @autoclosure () -> String, until condition: () -> Bool) {
  for _ in 0..<6000 {
    if condition() { return }
    usleep(10_000)
  }
  Guest.expect(false, claim())
  Guest.finish()
}
