import CLinux
import Glibc

/// A thread of the operating system that was started here. Join it or detach it, once.
package struct SystemThread: Sendable {
  private let handle: pthread_t

  /// Starts a thread that runs `body` and ends.
  ///
  /// - Parameters:
  ///   - name: what `top -H`, `gdb` and `/proc` show; see `shortened(_:)`.
  ///   - blocksSignals: whether the thread leaves all signals but those of faults to others; else it blocks what the caller
  ///     does.
  /// - Throws: `EAGAIN` when the system has no thread left.
  package init(name: String, blocksSignals: Bool = true, _ body: @escaping @Sendable () -> Void) throws(SystemError) {
    var previous = sigset_t()
    if blocksSignals {
      // A thread starts with its creator's mask: no signal ever finds one that would take it. But a thread's own faults are
      // its own, and end the process at once where they are blocked.
      var all = sigset_t()
      sigfillset(&all)
      for fault in [SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGSYS, SIGABRT] { sigdelset(&all, fault) }
      pthread_sigmask(SIG_SETMASK, &all, &previous)
    }
    defer { if blocksSignals { pthread_sigmask(SIG_SETMASK, &previous, nil) } }

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

  /// Returns when the thread has ended. Not from the thread itself.
  package func join() { pthread_join(handle, nil) }
  /// Lets the thread end alone.
  package func detach() { pthread_detach(handle) }

  /// As much of a name as the kernel keeps: the characters that fit whole into 15 bytes.
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

/// What a thread is started with.
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
