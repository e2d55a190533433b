import CEvdev
import CLibinput
import CUdev
import Glibc
import Input
import LinuxSystem
import RunLoops

/// How long events take from the kernel to a handler, beside a minimal program: `poll` and libinput. Both read the same mouse, in turns.
@MainActor
func inputLatency(_ count: Int) throws(SystemError) {
  let reader = try InputReader()
  let mouse = try reader.add(.mouse, "test mouse")
  let bare = try BareInput()
  let hand = try Hand(descriptor: mouse.descriptor)
  defer { hand.stop() }
  var (own, minimal) = ([Nanoseconds](), [Nanoseconds]())
  let rounds = 5
  for _ in 0..<rounds {
    let start = SystemClock.monotonic.now
    reader.onEvent = { event in
      if case .motion = event.action, event.time > start { own.append(SystemClock.monotonic.now - event.time) }
    }
    let goal = own.count + count / rounds
    reader.run("the mouse does not move") {
      reader.removeEvents()
      return own.count >= goal
    }
    reader.onEvent = nil
    minimal += bare.latencies(count / rounds)
  }
  own.sort()
  minimal.sort()
  guard !own.isEmpty, !minimal.isEmpty else { return Guest.expect(false, "no event came") }
  let (ours, theirs) = (own[own.count / 2], minimal[minimal.count / 2])
  let ratio = Double(ours.count) / Double(max(theirs.count, 1))
  Guest.say(
    "p50 \(ours), with a bare loop \(theirs), p99 \(own[own.count * 99 / 100]) and \(minimal[minimal.count * 99 / 100]); "
      + "ratio of the medians \((ratio * 100).rounded() / 100)")
}

/// Moves a mouse every 2 ms, from a thread of its own.
@MainActor
private struct Hand {
  private let thread: LoopThread

  init(descriptor: Int32) throws(SystemError) {
    thread = try LoopThread(name: "hand")
    let timer = FrameLoop.Timer(
      fireTime: SystemClock.monotonic.now, interval: .milliseconds(2),
      .onLoop { _ in
        var events = [input_event(), input_event()]
        (events[0].type, events[0].code, events[0].value) = (UInt16(EV_REL), UInt16(REL_X), 1)
        (events[1].type, events[1].code, events[1].value) = (UInt16(EV_SYN), UInt16(SYN_REPORT), 0)
        _ = write(descriptor, &events, 2 * MemoryLayout<input_event>.size)
      })
    thread.loop.add(timer, to: .common)
  }

  func stop() { thread.stop() }
}

/// The least that a program with libinput does.
@MainActor
private final class BareInput {
  private let libinput: OpaquePointer
  private let interface: UnsafeMutablePointer<libinput_interface>

  init() throws(SystemError) {
    interface = .allocate(capacity: 1)
    interface.initialize(
      to: libinput_interface(
        open_restricted: { path, flags, _ in path.map { open($0, flags) } ?? -1 },
        close_restricted: { descriptor, _ in close(descriptor) }))
    guard let udev = udev_new(), let libinput = libinput_udev_create_context(interface, nil, udev),
      libinput_udev_assign_seat(libinput, "seat0") == 0
    else { throw .last(call: "libinput_udev_create_context") }
    self.libinput = libinput
  }

  /// The times from the kernel's stamp to here of so many movements, of none that waited for the call.
  func latencies(_ count: Int) -> [Nanoseconds] {
    var latencies: [Nanoseconds] = []
    let start = SystemClock.monotonic.now
    var request = pollfd(fd: libinput_get_fd(libinput), events: Int16(POLLIN), revents: 0)
    while latencies.count < count, poll(&request, 1, 5000) > 0 {
      libinput_dispatch(libinput)
      while let event = libinput_get_event(libinput) {
        if libinput_event_get_type(event) == LIBINPUT_EVENT_POINTER_MOTION {
          let stamp = libinput_event_pointer_get_time_usec(libinput_event_get_pointer_event(event))
          let time = MonotonicTime(nanoseconds: Int64(stamp) * 1000)
          if time > start { latencies.append(SystemClock.monotonic.now - time) }
        }
        libinput_event_destroy(event)
      }
    }
    return latencies
  }
}
