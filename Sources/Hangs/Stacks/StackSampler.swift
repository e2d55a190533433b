import CStackSamples
import Glibc
import LinuxSystem

/// A thread that can be sampled.
struct SampledThread: Sendable {
  /// Its number in the system.
  let number: Int32
  let stack: cstack_range
  let processorClock: clockid_t

  /// Prepares the calling thread. It takes the signal of samples from now on.
  ///
  /// - Throws: `EBUSY` if every real-time signal has a handler already.
  static func current() throws(SystemError) -> SampledThread {
    guard cstack_install() >= 0 else { throw .last(call: "sigaction", subject: "a real-time signal for samples of stacks") }
    cstack_accept()
    var clock = clockid_t()
    let error = pthread_getcpuclockid(pthread_self(), &clock)
    guard error == 0 else { throw SystemError(call: "pthread_getcpuclockid", errno: error) }
    return SampledThread(
      number: Int32(truncatingIfNeeded: cstack_thread_number()), stack: cstack_own_stack(), processorClock: clock)
  }

  /// The processor time that the thread has used; zero after its end.
  var processorTime: Nanoseconds {
    var time = timespec()
    guard clock_gettime(processorClock, &time) == 0 else { return .zero }
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  /// A sample of the thread's stack.
  struct Sample {
    var frames: [StackFrame]
    /// False if the stack was too deep, or if a function in it is not understood.
    var isComplete: Bool
    /// How long the thread was stopped.
    var stopped: Nanoseconds
  }

  private static let turn = Lock(())

  /// One at a time in a process: there is one buffer.
  static func withBuffer<Result>(_ body: () throws -> Result) rethrows -> Result { try turn.withLock { _ in try body() } }

  /// Stops the thread for some microseconds, copies its stack, and finds its frames.
  ///
  /// - Returns: nil if the thread does not take the signal within 100 ms.
  func sample() -> Sample? {
    Self.withBuffer {
      guard let copy = cstack_take(number, stack, 100) else { return nil }
      let walk = StackWalk(copy)
      return Sample(
        frames: walk.frames, isComplete: walk.isComplete && copy.pointee.is_whole,
        stopped: Nanoseconds(copy.pointee.nanoseconds))
    }
  }
}
