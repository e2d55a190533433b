import LinuxSystem

/// Finds for how long a thread was ready and had no processor: a value, which is told the kernel's figures at each look.
///
/// The kernel adds such a wait to its `schedstat` when it is over. One that lasts shows in this: the thread is ready, as it was at an
/// earlier look, has got no processor since, and has used less time of one than has passed. So does the time that the host of a
/// virtual machine takes.
struct RunDelay {
  /// The kernel's figures of a thread.
  struct Reading {
    var time: MonotonicTime
    var processorTime: Nanoseconds
    var schedule: ThreadState.Schedule
    /// True if the thread has a processor or waits for one only.
    var isReady: Bool
  }

  /// The first of the readings in a row at which the thread was ready, without having got a processor anew.
  private var first: Reading?

  /// - Returns: the time up to this reading. It falls where the kernel then adds less than was seen.
  mutating func total(_ reading: Reading) -> Nanoseconds {
    guard let first, reading.isReady, reading.schedule == first.schedule else {
      first = reading.isReady ? reading : nil
      return reading.schedule.runDelay
    }
    let wait = reading.time - first.time - (reading.processorTime - first.processorTime)
    return reading.schedule.runDelay + max(wait, .zero)
  }
}
