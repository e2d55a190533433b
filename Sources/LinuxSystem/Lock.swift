public import Glibc

/// A mutual exclusion lock around a value, on `pthread_mutex_t`. A copy is the same lock.
///
/// ```swift
/// let names = Lock<[String]>([])
/// names.withLock { $0.append("one") }
/// ```
///
/// Hold it for a few instructions, and call no other code while holding it. (The thread sanitizer does not see the standard
/// library's `Mutex`, which is a bare futex.)
///
/// Safe to share although unchecked: the value is reached only inside `withLock`, by one thread at a time.
public struct Lock<State>: @unchecked Sendable {
  /// The mutex and the value are in one allocation, so that they share a cache line.
  @usableFromInline let storage: ManagedBuffer<pthread_mutex_t, State>

  public init(_ state: sending State) {
    storage = LockStorage<State>.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
    storage.withUnsafeMutablePointers { mutex, value in
      _ = pthread_mutex_init(mutex, nil)
      value.initialize(to: state)
    }
  }

  /// Runs `body` with exclusive access to the value. Calling it again inside `body` deadlocks.
  // Inlinable: a call to a generic function of another module goes through witnesses of its type.
  @inlinable
  @inline(__always)
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    // Safe: the storage outlives this call, and the mutex is held.
    nonisolated(unsafe) let (mutex, value) = storage.withUnsafeMutablePointers { ($0, $1) }
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&value.pointee)
  }
}

private final class LockStorage<State>: ManagedBuffer<pthread_mutex_t, State> {
  deinit {
    withUnsafeMutablePointers { mutex, value in
      value.deinitialize(count: 1)
      _ = pthread_mutex_destroy(mutex)
    }
  }
}
