import CDRM
import FrameTiming
import Glibc
import KMS
import LinuxSystem
import Presentation
import RunLoops
import Seats

/// A trouble for a display while it animates, which ends after a while.
enum Trouble: String, CaseIterable {
  case crtcOff = "crtc-off"
  case master
  /// The other program sets another mode.
  case otherMode = "other-mode"
  case power
  case unbound
  /// The card is pulled out, and put into another port.
  case pulled
  /// The screen is unplugged.
  case unplugged
  /// Another screen is plugged in, which wants another mode.
  case otherScreen = "other-screen"
  case fullQueue = "full-queue"
  /// Another program takes the processor.
  case hog
  /// The program is stopped.
  case stopped
  /// The whole machine stands still.
  case standstill
  case suspend
  case console

  /// The length of a pause in which nothing runs.
  var pause: Nanoseconds? {
    switch self {
    case .hog: .seconds(1)
    case .stopped, .standstill: .seconds(3)
    default: nil
    }
  }

  /// True if nothing can be shown meanwhile.
  var takesAway: Bool {
    [.master, .otherMode, .power, .unbound, .pulled, .unplugged, .console].contains(self)
  }
}

/// An animation meets trouble and goes on by itself afterwards: frames are seen again, each in its turn, and what is scanned
/// out is the last of them.
///
/// - Parameter dump: a name for the host, which gets what was composited last and what the screen shows.
@MainActor
func returns(_ trouble: Trouble, dump: String?) {
  let session = DisplaySession(seat: trouble == .console ? .automatic() : .direct(why: "a test"))
  Guest.say("\(trouble.rawValue): \(session.seat.reason); \(session.eventsReason)")
  let display: KMSDisplay
  do throws(KMSError) {
    guard let path = try DRMDevice.cardPaths().first else { throw .noDevice }
    display = try session.card(at: path).display()
  } catch { return Guest.expect(false, "cannot open a display: \(error)") }

  var states: [DisplayState] = []
  display.observe { if case .stateChanged(let state) = $0 { states.append(state) } }.keep()
  let animation = Animation(display, frames: 1_000_000, goesOn: true)
  let place = Place()
  // A machine on a busy host needs seconds for its first frames.
  for _ in 0..<20 where animation.feedback.count <= 5 { animation.run(limit: .seconds(1)) }
  let before = animation.feedback.count
  Guest.expect(before > 5, "only \(before) frames before the trouble")

  let begin = FrameLoop.Timer(
    fireTime: FrameLoop.main.clock.now + .milliseconds(300), .onMain { _ in place.begin(trouble, on: display) })
  FrameLoop.main.add(begin, to: .default)
  // The last second of three: what was on its way is over, and not spinning is seen.
  animation.run(limit: .seconds(3))
  let during = states
  let (frames, ticks, passes) = (animation.feedback.count, animation.ticks.count, animation.wakeUps)
  animation.run(limit: .seconds(1))
  let isAway = display.state != .showing
  Guest.expect(isAway == trouble.takesAway, "meanwhile the display is \(display.state)")
  if isAway {
    Guest.expect(animation.feedback.count == frames, "frames were seen meanwhile")
    Guest.expect(animation.ticks.count > ticks + 10, "the links do not go on")
    Guest.expect(animation.wakeUps - passes < 400, "the loop was woken \(animation.wakeUps - passes) times in a second")
  }
  place.end(trouble, on: display)
  let returned = FrameLoop.main.clock.now
  var rounds = 0
  // Retries come every five seconds at last.
  while rounds < 12, animation.feedback.count == frames || display.state != .showing {
    animation.run(limit: .milliseconds(500))
    rounds += 1
  }
  let delay = FrameLoop.main.clock.now - returned
  let (seen, ticked) = (animation.feedback.count, animation.ticks.count)
  animation.run(limit: .seconds(2))
  Guest.expect(display.state == .showing, "\(display.state); \(display.lastError.map { "\($0)" } ?? "no error")")
  Guest.expect(animation.feedback.count > seen + 15, "only \(animation.feedback.count - seen) frames in the last 2 s")
  Guest.expect(animation.ticks.count > ticked + 15, "only \(animation.ticks.count - ticked) ticks in the last 2 s")
  for (first, second) in zip(animation.ticks, animation.ticks.dropFirst()) {
    Guest.expect(first.timestamp < second.timestamp && first.frameNumber < second.frameNumber, "time went back")
  }
  if let pause = trouble.pause { expectPause(pause, in: animation) }
  Guest.expect(animation.lost.isEmpty, "\(animation.lost)")
  // So that what was handed over last is on the screen.
  animation.rest()
  if let last = animation.last { compareShown(display, with: last, dump: dump) }
  Guest.say(
    "\(trouble.rawValue): \(before) frames before, \(animation.feedback.count - frames) after; meanwhile \(during); "
      + "then \(states.dropFirst(during.count)) within \(delay.milliseconds) ms; \(animation.refusals) refused")
  display.invalidate()
}

/// One tick reports all intervals of a pause.
@MainActor
private func expectPause(_ pause: Nanoseconds, in animation: Animation) {
  let interval = animation.display.ticker.refreshRate.interval
  // Frame numbers, as the link may have been paused at the end.
  let longest = zip(animation.ticks, animation.ticks.dropFirst()).map { $1.frameNumber - $0.frameNumber }.max() ?? 0
  let length = interval * Int64(clamping: longest)
  Guest.expect(
    length > pause - .milliseconds(300) && length < pause + .seconds(2),
    "the longest pause had \(longest) intervals, \(length.milliseconds) ms")
}

/// Brings trouble to a display, and takes it away.
@MainActor
private final class Place {
  /// The device's folder of its driver, and its name in it.
  private let driver: String
  private let device: String
  private var other: DRMDevice?

  init() {
    let node = "/sys/class/drm/card0"
    driver = Self.target(of: "\(node)/device/driver")
    device = Self.target(of: "\(node)/device").split(separator: "/").last.map(String.init) ?? ""
  }

  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return "" }
    defer { free(resolved) }
    return String(cString: resolved)
  }

  func begin(_ trouble: Trouble, on display: KMSDisplay) {
    switch trouble {
    case .crtcOff:
      let result = drmModeSetCrtc(display.card.interface.descriptor, display.crtc, 0, 0, 0, nil, 0, nil)
      Guest.expect(result == 0, "cannot switch the CRTC off: \(result)")
    case .master, .otherMode:
      do {
        try display.card.dropMaster()
        let other = try DRMDevice(path: display.card.path)
        Guest.expect(other.isMaster, "the other program is not master")
        if trouble == .otherMode { try showBlack(width: 800, height: 600, on: other, display) }
        self.other = other
      } catch { Guest.expect(false, "\(error)") }
    case .power: display.isPowered = false
    // A driver of PCI devices; the node must be free for the one that comes.
    case .unbound: Guest.shell("echo \(device) >\(driver)/unbind")
    // The loop goes on while the kernel and we are told.
    case .pulled: Guest.shell("host unplug &")
    case .unplugged: Guest.shell("host monitor off")
    case .otherScreen: Guest.shell("host monitor 800x600")
    case .fullQueue: fillQueue(of: display)
    case .hog: Guest.shell("vm-guest spin 1000")
    case .stopped: Guest.shell("(kill -STOP \(getpid()); sleep 3; kill -CONT \(getpid())) &")
    case .standstill: Guest.shell("host stop 3 &")
    case .suspend:
      Guest.shell("echo 1 >/sys/module/suspend/parameters/pm_test_delay")
      Guest.shell("echo devices >/sys/power/pm_test; echo mem >/sys/power/state")
    case .console: Guest.shell("chvt 2")
    }
  }

  func end(_ trouble: Trouble, on display: KMSDisplay) {
    switch trouble {
    case .master, .otherMode: other = nil
    case .power: display.isPowered = true
    case .unbound: Guest.shell("echo \(device) >\(driver)/bind")
    case .pulled: Guest.shell("host plug &")
    case .unplugged: Guest.shell("host monitor 1024x768")
    case .otherScreen:
      Guest.expect("\(display.mode)".hasPrefix("800x600@"), "the other screen is driven at \(display.mode)")
      Guest.shell("host monitor 1280x800")
    case .console: Guest.shell("chvt 1")
    case .crtcOff, .fullQueue, .hog, .stopped, .standstill, .suspend: break
    }
  }

  /// Shows another program's picture. When that program ends, the screen goes off.
  private func showBlack(width: Int, height: Int, on other: DRMDevice, _ display: KMSDisplay) throws {
    let connectors = try other.connectors()
    guard let connector = connectors.first(where: { $0.name == display.connectorName }),
      let mode = connector.modes.first(where: { $0.width == width && $0.height == height })
    else { return Guest.expect(false, "no mode \(width)x\(height)") }
    let buffer = try other.interface.createDumbBuffer(width: width, height: height)
    let framebuffer = try other.interface.addFramebuffer(buffer, width: width, height: height, format: .xrgb8888)
    try other.interface.setCRTC(
      display.crtc, framebuffer: framebuffer, x: 0, y: 0, connectors: [connector.id], mode: mode)
  }

  /// The kernel has room for 128 events of a client, those that are asked for included.
  private func fillQueue(of display: KMSDisplay) {
    let descriptor = display.card.interface.descriptor
    var count = 0
    while count < 1000, drmCrtcQueueSequence(descriptor, display.crtc, UInt32(DRM_CRTC_SEQUENCE_RELATIVE), 60, nil, 0) == 0 {
      count += 1
    }
    Guest.expect((100...128).contains(count), "\(count) events fitted")
  }
}

/// Takes the processor from everybody for so many milliseconds.
@MainActor
func spin(milliseconds: Int) {
  var parameters = sched_param()
  parameters.sched_priority = 50
  Guest.expect(sched_setscheduler(0, SCHED_FIFO, &parameters) == 0, "no real-time priority")
  let end = SystemClock.monotonic.now + .milliseconds(Int64(milliseconds))
  while SystemClock.monotonic.now < end {}
}
