import AllocationCounter
import Glibc
import LinuxSystem

/// Measures the foundations: the clock, the lock and the worker pool.
enum SystemBenchmarks {
  static let all = Benchmark(name: "system") {
    let clock = SystemClock.monotonic
    let lock = Lock(0)
    let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
    defer { mutex.deallocate() }
    pthread_mutex_init(mutex, nil)
    defer { pthread_mutex_destroy(mutex) }
    var count = 0

    let pool = WorkerPool(threads: 2)
    defer { pool.shutdown() }
    return [
      Harness.compare("clock, against clock_gettime", repeats: 1_000_000, limit: 1.2) {
        Harness.blackHole(clock.now)
      } peer: {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        Harness.blackHole(time)
      },
      Harness.compare("lock, against a pthread mutex", repeats: 1_000_000) {
        lock.withLock { $0 &+= 1 }
      } peer: {
        pthread_mutex_lock(mutex)
        count &+= 1
        pthread_mutex_unlock(mutex)
      },
      Harness.time("batch of 8 on the worker pool", repeats: 2_000) {
        pool.concurrentPerform(iterations: 8, priority: .compositing) { Harness.blackHole($0) }
      },
      Harness.allocations("allocations in that") {
        pool.concurrentPerform(iterations: 8, priority: .compositing) { Harness.blackHole($0) }
      },
    ]
  }
}
