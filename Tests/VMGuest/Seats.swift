import CDRM
import Glibc
import LinuxSystem
import RunLoops
import Seats

/// A session of seatd or of the builtin seat is switched away from and back to, by itself and from outside: what it is told,
/// and what becomes of its card.
@MainActor
func seatSwitch() throws(SeatError) {
  let session = try SeatSession.libseat()
  Guest.say(session.reason)
  session.add(to: .main, mode: .common)
  var seen: [SessionState] = []
  session.add(SeatSession.Observer { seen.append($0.state) })
  Guest.expect(session.waitUntilActive(for: .seconds(10)), "the session is \(session.state)")
  let console = activeConsole()

  let card = try session.openDevice(at: "/dev/dri/card0")
  Guest.expect(drmIsMaster(card.descriptor) == 1, "the card is not master")
  for way in ["switchSession", "chvt"] {
    seen = []
    if way == "chvt" { Guest.shell("chvt 2") } else { try session.switchSession(to: 2) }
    run(until: .inactive, session)
    Guest.expect(seen == [.disabling, .inactive], "\(way) away: \(seen)")
    Guest.expect(drmIsMaster(card.descriptor) == 0, "the card is still master")
    do {
      _ = try session.openDevice(at: "/dev/dri/card0")
      Guest.expect(false, "a device was opened by a session that is not active")
    } catch {
      Guest.say("\(way) away: \(seen.map { "\($0)" }.joined(separator: ", ")); \(error)")
    }
    seen = []
    Guest.shell("chvt \(console.dropFirst(3))")
    run(until: .active, session)
    Guest.expect(seen == [.active], "\(way) back: \(seen)")
    Guest.expect(drmIsMaster(card.descriptor) == 1, "the card has not become master again")
    Guest.expect(activeConsole() == console, "\(activeConsole()) is the console, not \(console)")
    Guest.say("\(way) back: \(seen.map { "\($0)" }.joined(separator: ", ")), master again")
  }
  session.closeDevice(card)
  session.close()
  Guest.expect(seen.last == .gone && session.error == nil, "closing: \(seen)")
}

/// A user to whom nobody hands out devices: what is opened all the same, or why it is not.
@MainActor
func seatDirect() {
  let session = SeatSession.automatic()
  Guest.say(session.reason)
  Guest.expect(session.isDirect && session.state == .active, "the session is \(session.state)")
  do {
    let card = try session.openDevice(at: "/dev/dri/card0")
    Guest.expect(drmIsMaster(card.descriptor) == 1, "the card is not master")
    Guest.say("the card is master")
    session.closeDevice(card)
  } catch {
    Guest.say("\(error)")
  }
  session.close()
}

/// Events of the kernel, where there is no udev: a card that changes, and what is enumerated.
@MainActor
func uevents() throws(SystemError) {
  var events: [DeviceEvent] = []
  let monitor = try DeviceMonitor(subsystems: ["drm"]) { event in
    events.append(event)
    FrameLoop.main.stop()
  }
  monitor.add(to: .main, mode: .common)
  Guest.say(monitor.reason)
  for device in try DeviceMonitor.devices(in: "drm") where device.isGraphicsCard {
    Guest.say(
      "\(device.node ?? "") of \(device.driver ?? "no driver"), \(device.seatName), boot display \(device.isBootDisplay)")
  }
  Guest.shell("echo change >/sys/class/drm/card0/uevent")
  FrameLoop.main.run(mode: .default, until: FrameLoop.main.clock.now + .seconds(10))
  guard case .changed(let device) = events.first, events.count == 1 else { return Guest.expect(false, "\(events)") }
  Guest.expect(device.node == "/dev/dri/card0" && device.isGraphicsCard, "\(device)")
  Guest.say("changed: \(device.syspath)")
}

@MainActor
private func run(until state: SessionState, _ session: SeatSession) {
  let limit = FrameLoop.main.clock.now + .seconds(10)
  while session.state != state, FrameLoop.main.clock.now < limit {
    FrameLoop.main.run(mode: .default, until: limit, returnAfterSourceHandled: true)
  }
  Guest.expect(session.state == state, "the session is \(session.state), not \(state)")
}

/// "tty1"
private func activeConsole() -> String {
  guard let bytes = try? OwnedDescriptor.contents(of: "/sys/class/tty/tty0/active", limit: 64) else { return "" }
  return String(decoding: bytes.filter { $0 > 32 }, as: UTF8.self)
}
