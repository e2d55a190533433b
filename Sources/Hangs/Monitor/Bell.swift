import LinuxSystem
import Synchronization

/// The place at which the monitor's thread waits: until a time, or until somebody rings.
final class Bell: Sendable {
  /// True while the thread waits for a loop to begin a turn, and so wants that loop to ring.
  let isParked = Atomic<Bool>(false)
  private let latch = Latch()

  /// Wakes the thread, or lets its next wait return at once.
  func ring() {
    // First: the thread, once woken, may park again.
    isParked.store(false, ordering: .sequentiallyConsistent)
    latch.open()
  }

  /// Waits until the bell rings, or until a time.
  func wait(until limit: MonotonicTime?) {
    _ = latch.wait(until: limit)
    isParked.store(false, ordering: .sequentiallyConsistent)
    // A later ring finds the thread awake, before it looks at the loops.
    latch.close()
  }
}
