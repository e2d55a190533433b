import Dispatch
import LinuxSystem

/// A thread that runs one body. A test can wait for its end, at which its loop releases its items.
final class HelperThread: Sendable {
  private let thread: SystemThread
  private let hasJoined = Lock(false)
  private let ended = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    do throws(SystemError) {
      thread = try SystemThread(name: "scenario") { [ended] in
        body()
        ended.signal()
      }
    } catch {
      fatalError("\(error)")
    }
  }

  /// Waits for the end of the thread.
  func join() {
    let joinedBefore = hasJoined.withLock { joined in
      defer { joined = true }
      return joined
    }
    if !joinedBefore { thread.join() }
  }

  /// - Returns: true if the thread ended in time.
  func join(seconds: Int) -> Bool {
    guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
    join()
    return true
  }
}
