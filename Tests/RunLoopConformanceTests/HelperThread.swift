import Dispatch
import LinuxSystem

/// A thread that runs one body. A test can wait for its end, at which its loop releases its items.
final class HelperThread: Sendable {
  private let thread: SystemThread
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

  /// Waits for the end of the thread. To be called once.
  func join() { thread.join() }

  /// - Returns: true if the thread ended in time.
  func join(seconds: Int) -> Bool {
    guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
    join()
    return true
  }
}
