import CLinux
import Glibc

/// A thread of the operating system. Join it or detach it exactly once.
package struct SystemThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body` and ends.
  ///
  /// - Parameters:
  ///   - name: the name in `top -H`, `gdb` and `/proc`; see `shortened(_:)`.
  ///   - blocksSignals: true to block all signals except those of faults; false to inherit the caller's mask.
  /// - Throws: `EAGAIN` if the system has no thread left.
  package init(name: String, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    // A thread inherits the mask of its creator, so there is no moment at which it takes a signal.
    let mask = blocksSignals ? SignalMask.blockAll() : nil
    defer { mask?.restore() }

    let start = Unmanaged.passRetained(ThreadStart(name: Self.shortened(name), body: body))
    var handle = pthread_t()
    let error = pthread_create(&handle, nil, threadMain, start.toOpaque())
    guard error == 0 else {
      start.release()
      throw SystemError(call: "pthread_create", subject: name, errno: error)
    }
    self.handle = handle
  }

  package var isCurrent: Bool { pthread_equal(handle, pthread_self()) != 0 }

  /// For how long the thread has had a processor since it began; zero if it has ended.
  package var processorTime: Nanoseconds {
    var (clock, time) = (clockid_t(), timespec())
    guard pthread_getcpuclockid(handle, &clock) == 0, clock_gettime(clock, &time) == 0 else { return .zero }
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// Waits until the thread has ended. Must not be called from the thread itself.
  package func join() { pthread_join(handle, nil) }
  /// Lets the thread end by itself.
  package func detach() { pthread_detach(handle) }

  /// The part of a name that the kernel keeps: the whole characters within 15 bytes.
  package static func shortened(_ name: String) -> String {
    var short = ""
    var size = 0
    for character in name {
      size += character.utf8.count
      if size > 15 { break }
      short.append(character)
    }
    return short
  }

  /// The name of the calling thread.
  package static var currentName: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: 16) { buffer in
      guard let base = buffer.baseAddress else { return "" }
      clinux_get_thread_name(base)
      return String(cString: base)
    }
  }
}

/// The signals that the calling thread blocked before it blocked all of them for a while.
package struct SignalMask {
  private var former = sigset_t()

  /// Blocks all signals except those of faults: the process would end at once by a blocked one.
  package static func blockAll() -> SignalMask {
    var (all, mask) = (sigset_t(), SignalMask())
    sigfillset(&all)
    for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT] { sigdelset(&all, fault) }
    pthread_sigmask(SIG_SETMASK, &all, &mask.former)
    return mask
  }

  package func restore() {
    withUnsafePointer(to: former) { _ = pthread_sigmask(SIG_SETMASK, $0, nil) }
  }
}

/// The state that a new thread takes over.
private final class ThreadStart {
  let name: String
  let body: @Sendable () -> Void

  init(name: String, body: @escaping @Sendable () -> Void) {
    self.name = name
    self.body = body
  }
}

private func threadMain(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
  guard let argument else { return nil }
  let start = Unmanaged<ThreadStart>.fromOpaque(argument).takeRetainedValue()
  start.name.withCString { clinux_set_thread_name($0) }
  start.body()
  return nil
}
