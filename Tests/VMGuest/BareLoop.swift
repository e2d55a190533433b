import CDRM
import Glibc
import LinuxSystem

/// Receives the vblanks of a CRTC with a minimal program: `poll` and `drmHandleEvent`.
struct BareLoop: ~Copyable {
  struct Arrival {
    var stamp: MonotonicTime
    var sequence: UInt64
    /// The time at which the event's handler was called.
    var handled: MonotonicTime
  }

  private let card: OwnedDescriptor
  private let crtc: UInt32

  init(card path: String, crtc: UInt32) throws(SystemError) {
    card = try OwnedDescriptor.open(path, flags: O_RDWR | O_NONBLOCK)
    self.crtc = crtc
  }

  /// Requests one vblank after the other and returns their arrivals. It returns fewer if none comes for two seconds.
  ///
  /// - Parameter chore: work to do after each vblank.
  func arrivals(_ count: Int, chore: Chore? = nil) -> [Arrival] {
    var arrivals: [Arrival] = []
    arrivals.reserveCapacity(count)
    withUnsafeMutablePointer(to: &arrivals) { arrivals in
      let token = UInt64(UInt(bitPattern: arrivals))
      var context = drmEventContext()
      context.version = 4
      context.sequence_handler = { _, sequence, nanoseconds, token in
        let handled = SystemClock.monotonic.now
        // The pointer to the array, which outlives all requested events.
        UnsafeMutablePointer<[Arrival]>(bitPattern: UInt(token))?.pointee.append(
          Arrival(
            stamp: MonotonicTime(nanoseconds: Int64(clamping: nanoseconds)), sequence: sequence, handled: handled))
      }
      while arrivals.pointee.count < count {
        let before = arrivals.pointee.count
        drmCrtcQueueSequence(card.number, crtc, UInt32(DRM_CRTC_SEQUENCE_RELATIVE), 1, nil, token)
        while arrivals.pointee.count == before {
          var item = pollfd(fd: card.number, events: Int16(POLLIN), revents: 0)
          if poll(&item, 1, 2000) <= 0 { return }
          drmHandleEvent(card.number, &context)
        }
        chore?.perform()
      }
    }
    return arrivals
  }
}

/// A fixed amount of processor work. Like all work, it takes longer while the processor serves other threads.
struct Chore {
  private let rounds: Int

  init(lasting duration: Nanoseconds) {
    let trial = 200_000
    let times = (0..<7).map { _ in
      let begin = SystemClock.monotonic.now
      Self.work(trial)
      return (SystemClock.monotonic.now - begin).count
    }
    rounds = Int(Double(trial) * Double(duration.count) / Double(max(1, times.min() ?? 1)))
  }

  func perform() { Self.work(rounds) }

  @inline(never)
  private static func work(_ rounds: Int) {
    var number: UInt64 = 0x9E37_79B9_7F4A_7C15
    for _ in 0..<rounds {
      number ^= number << 13
      number ^= number >> 7
      number ^= number << 17
    }
    // This never happens, but the compiler must assume that it could.
    if number == 0 { abort() }
  }
}

extension [BareLoop.Arrival] {
  /// The number of vblanks between them that were not reported.
  var missed: UInt64 { zip(self, dropFirst()).reduce(0) { $0 + $1.1.sequence - $1.0.sequence - 1 } }
}
