import CStackSamples
import Glibc
import LinuxSystem
import Synchronization

/// The place at which the monitor's thread waits: until a time, or until somebody rings.
///
/// Safe to share although unchecked: `rung` is reached only while the mutex is held.
final class Bell: @unchecked Sendable {
  /// True while the thread waits for a loop to begin a turn, and so wants that loop to ring.
  let isParked = Atomic<Bool>(false)
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var rung = false

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    pthread_mutex_init(mutex, nil)
    condition = .allocate(capacity: 1)
    condition.initialize(to: pthread_cond_t())
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    condition.deallocate()
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  /// Wakes the thread, or lets its next wait return at once.
  func ring() {
    pthread_mutex_lock(mutex)
    rung = true
    isParked.store(false, ordering: .relaxed)
    pthread_cond_signal(condition)
    pthread_mutex_unlock(mutex)
  }

  /// Waits until the bell rings, or until a time.
  func wait(until limit: MonotonicTime?) {
    pthread_mutex_lock(mutex)
    if let nanoseconds = limit?.nanoseconds {
      var end = timespec(tv_sec: Int(nanoseconds / 1_000_000_000), tv_nsec: Int(nanoseconds % 1_000_000_000))
      while !rung, pthread_cond_timedwait(condition, mutex, &end) == 0 {}
    } else {
      while !rung { pthread_cond_wait(condition, mutex) }
    }
    rung = false
    isParked.store(false, ordering: .relaxed)
    pthread_mutex_unlock(mutex)
  }
}
