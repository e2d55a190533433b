import Glibc
package import LinuxSystem
import Synchronization

/// The stops of the process: Ctrl-Z, `kill -STOP`. A handler of SIGCONT learns of the end of one.
package enum ProcessStops {
  /// In nanoseconds; zero before the first.
  private static let end = Atomic<Int64>(0)

  /// The end of the last stop by a clock; nil without one, and for a manual clock, which a stop does not move.
  package static func lastEnd(on clock: SystemClock) -> MonotonicTime? {
    let end = end.load(ordering: .relaxed)
    return end == 0 || clock.manual != nil ? nil : MonotonicTime(nanoseconds: end)
  }

  /// Watches for stops from now on, unless the program has a handler of SIGCONT or ignores it.
  package static func watch() {
    // Made here: the handler may interrupt anything.
    _ = end.load(ordering: .relaxed)
    var action = sigaction()
    guard sigaction(SIGCONT, nil, &action) == 0, action.__sigaction_handler.sa_handler == nil else { return }
    action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { _ in
      ProcessStops.end.store(SystemClock.monotonic.now.nanoseconds, ordering: .relaxed)
    }
    sigaction(SIGCONT, &action, nil)
  }
}
