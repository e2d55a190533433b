import Glibc

/// A gate at which threads wait until it is opened. It stays open until it is closed.
///
/// Safe to share although unchecked: the flag is reached only while the mutex is held.
package final class Latch: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let opened: UnsafeMutablePointer<pthread_cond_t>
  private var isOpen = false

  package init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    opened = .allocate(capacity: 1)
    opened.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(opened, &attributes)
  }

  deinit {
    pthread_cond_destroy(opened)
    opened.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Opens the gate: waiting threads and all later ones continue. Any thread may call it, any number of times.
  package func open() {
    pthread_mutex_lock(mutex)
    isOpen = true
    pthread_cond_broadcast(opened)
    pthread_mutex_unlock(mutex)
  }

  /// Closes the gate again, for a latch at which one thread waits: another one that was woken and has not run yet would wait again.
  package func close() {
    pthread_mutex_lock(mutex)
    isOpen = false
    pthread_mutex_unlock(mutex)
  }

  /// Waits until the latch is open. Any thread may call it.
  package func wait() { _ = wait(until: nil) }

  /// Waits until the latch is open, but not longer than a time. Any thread may call it.
  ///
  /// - Returns: true if the latch is open.
  package func wait(for limit: Nanoseconds) -> Bool { wait(until: SystemClock.monotonic.now + limit) }

  /// Waits until the latch is open, but not beyond a time. Any thread may call it.
  ///
  /// - Returns: true if the latch is open.
  package func wait(until limit: MonotonicTime?) -> Bool {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    if var end = limit?.timespec {
      while !isOpen, pthread_cond_timedwait(opened, mutex, &end) == 0 {}
    } else {
      while !isOpen { pthread_cond_wait(opened, mutex) }
    }
    return isOpen
  }
}
