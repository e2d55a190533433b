public import Glibc

/// A mutual exclusion lock around a value, on `pthread_mutex_t`.
///
/// (The standard library's `Mutex` is a bare futex that the thread sanitizer does not see.) Hold it for a few instructions;
/// never call out while holding it.
///
/// Safe to share although unchecked: the value is reached only inside `withLock`, one thread at a time.
public final class Lock<State>: @unchecked Sendable {
  @usableFromInline let mutex: UnsafeMutablePointer<pthread_mutex_t>
  // The mutex sees to exclusive access.
  @exclusivity(unchecked) @usableFromInline var state: State

  public init(_ state: sending State) {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    self.state = state
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Runs `body` with the value, alone. Not re-entrant.
  // Inlinable: called across modules, a generic function would go through its type's witnesses.
  @inlinable
  @inline(__always)
  public func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending State) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }
}
