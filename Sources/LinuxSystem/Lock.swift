public import Glibc

/// A mutual exclusion lock around a value, on `pthread_mutex_t`. A copy is the same lock.
///
/// (The standard library's `Mutex` is a bare futex that the thread sanitizer does not see.) Hold it for a few instructions;
/// never call out while holding it.
///
/// Safe to share although unchecked: the value is reached only inside `withLock`, one thread at a time.
public struct Lock<State>: @unchecked Sendable {
  /// Mutex and value side by side: what takes the lock has the value at hand.
  @usableFromInline let storage: ManagedBuffer<pthread_mutex_t, State>

  public init(_ state: sending State) {
    storage = LockStorage<State>.create(minimumCapacity: 1) { _ in pthread_mutex_t() }
    storage.withUnsafeMutablePointers { mutex, value in
      _ = pthread_mutex_init(mutex, nil)
      value.initialize(to: state)
    }
  }

  /// Runs `body` with the value, alone. Not re-entrant.
  // Inlinable: called across modules, a generic function would go through its type's witnesses.
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
