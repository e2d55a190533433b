import Dispatch
import Glibc
import LinuxSystem

/// A thread that runs one body. Its end, at which loops let their items go, can be waited for.
///
/// Safe to share although unchecked: the handle is written before anybody else can have the thread.
final class HelperThread: @unchecked Sendable {
  private var handle = pthread_t()
  private let hasJoined = Lock(false)
  private let ended = DispatchSemaphore(value: 0)

  init(_ body: @escaping @Sendable () -> Void) {
    let start = Unmanaged.passRetained(
      Start { [ended] in
        body()
        ended.signal()
      })
    let error = pthread_create(
      &handle, nil,
      { pointer in
        guard let pointer else { return nil }
        Unmanaged<Start>.fromOpaque(pointer).takeRetainedValue().body()
        return nil
      }, start.toOpaque())
    precondition(error == 0, "no thread")
  }

  /// Waits for the thread's end.
  func join() {
    let joinedBefore = hasJoined.withLock { joined in
      defer { joined = true }
      return joined
    }
    if !joinedBefore { pthread_join(handle, nil) }
  }

  /// - Returns: whether the thread ended in time.
  func join(seconds: Int) -> Bool {
    guard ended.wait(timeout: .now() + .seconds(seconds)) == .success else { return false }
    join()
    return true
  }

  private final class Start: Sendable {
    let body: @Sendable () -> Void
    init(_ body: @escaping @Sendable () -> Void) { self.body = body }
  }
}
