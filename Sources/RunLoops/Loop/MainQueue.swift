import CLinux
import Glibc
import Synchronization

/// libdispatch's main queue, which is also the main actor's executor, seen as a port of the main loop.
enum MainQueue {
  /// An event descriptor that libdispatch writes when the empty queue gets its first block.
  static let descriptor: Int32 = _dispatch_get_main_queue_handle_4CF()

  /// True inside a block of the queue, where a nested run must not serve it: libdispatch would do nothing.
  private static let draining = Atomic<Bool>(false)
  static var isDraining: Bool { draining.load(ordering: .relaxed) }

  /// Whether blocks wait.
  static var isReady: Bool {
    var descriptor = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
    return poll(&descriptor, 1, 0) > 0
  }

  /// Runs the blocks that are queued by now, on the main thread.
  static func drain() {
    var count: UInt64 = 0
    // Before the drain: a block that comes during it writes again.
    _ = read(descriptor, &count, 8)
    draining.store(true, ordering: .relaxed)
    _dispatch_main_queue_callback_4CF(nil)
    draining.store(false, ordering: .relaxed)
  }
}
