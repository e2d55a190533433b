import CLinux
import Glibc
import LinuxSystem

/// The signals that this process blocks for its signal sources, with their former actions.
enum CaughtSignals {
  private struct Former {
    var action: sigaction
    /// True if the first source's thread had blocked the signal before.
    var wasBlocked: Bool
    /// The number of sources with the signal. A source that names a signal twice counts twice.
    var count: Int
  }

  private static let former = Lock<[Int32: Former]>([:])

  static func set(of numbers: [Int32]) -> sigset_t {
    var signals = sigset_t()
    sigemptyset(&signals)
    for number in numbers { sigaddset(&signals, number) }
    return signals
  }

  /// Begins to catch signals, for a source of the calling thread.
  static func add(_ numbers: [Int32]) throws(SystemError) {
    for (index, number) in numbers.enumerated() {
      do throws(SystemError) {
        try add(number)
      } catch {
        remove(Array(numbers[..<index]))
        throw error
      }
    }
  }

  private static func add(_ number: Int32) throws(SystemError) {
    var signal = sigset_t()
    sigemptyset(&signal)
    guard sigaddset(&signal, number) == 0 else { throw .last(call: "sigaddset", subject: "signal \(number)") }
    try former.withLock { (former) throws(SystemError) in
      var blocked = sigset_t()
      pthread_sigmask(SIG_BLOCK, &signal, &blocked)
      let wasBlocked = sigismember(&blocked, number) == 1
      if former[number] != nil {
        former[number]?.count += 1
        return
      }
      // A signal to the process goes to any thread that does not block it, such as a thread that was started before.
      var action = sigaction()
      action.sa_flags = SA_SIGINFO | SA_RESTART
      action.__sigaction_handler.sa_sigaction = { number, _, context in passOn(number, context) }
      var old = sigaction()
      guard sigaction(number, &action, &old) == 0 else {
        let error = SystemError.last(call: "sigaction", subject: "signal \(number)")
        if !wasBlocked { pthread_sigmask(SIG_UNBLOCK, &signal, nil) }
        throw error
      }
      former[number] = Former(action: old, wasBlocked: wasBlocked, count: 1)
    }
  }

  /// Ends a source's catching of signals. The last source of a signal restores it, on the thread that made the source.
  static func remove(_ numbers: [Int32]) {
    former.withLock { former in
      for number in numbers {
        guard var entry = former[number] else { continue }
        entry.count -= 1
        former[number] = entry.count > 0 ? entry : nil
        guard entry.count == 0 else { continue }
        sigaction(number, &entry.action, nil)
        guard !entry.wasBlocked else { continue }
        var signal = set(of: [number])
        pthread_sigmask(SIG_UNBLOCK, &signal, nil)
      }
    }
  }
}

/// Handles a signal that reached a thread instead of the signal descriptor: the thread blocks the signal from now on, and the
/// signal is sent to the process again, until every thread blocks it. Calls only async-signal-safe functions.
private func passOn(_ number: Int32, _ context: UnsafeMutableRawPointer?) {
  if let context { sigaddset(&context.assumingMemoryBound(to: ucontext_t.self).pointee.uc_sigmask, number) }
  kill(getpid(), number)
}
