import Dispatch
import LinuxSystem

/// A thread that runs one body. Its end, at which loops let their items go, can be waited for.
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

  /// Waits for the thread's end.
  func join() {
    let joinedBefore = hasJoined.withLock { joined in
      defer { joined = true }
      return joined
    }
    if !joinedBefore { thread.join() }
  }

  /// - Returns: whether the thread ended in time.
  func join(seconds: Int) -> Bool {
    guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
    join()
    return true
  }
}
