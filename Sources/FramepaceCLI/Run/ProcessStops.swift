import Framepace
import Glibc
import Synchronization

/// The stops of the process: Ctrl-Z, `kill -STOP`. A handler of SIGCONT learns of the end of one.
enum ProcessStops {
  /// In nanoseconds; zero before the first.
  private static let end = Atomic<Int64>(0)

  /// The end of the last stop; nil without one.
  static var lastEnd: MonotonicTime? {
    let end = end.load(ordering: .relaxed)
    return end == 0 ? nil : MonotonicTime(nanoseconds: end)
  }

  static func watch() {
    // Made here: the handler may interrupt anything.
    _ = lastEnd
    var action = sigaction()
    action.sa_flags = SA_RESTART
    action.__sigaction_handler.sa_handler = { _ in
      ProcessStops.end.store(SystemClock.monotonic.now.nanoseconds, ordering: .relaxed)
    }
    sigaction(SIGCONT, &action, nil)
  }
}
