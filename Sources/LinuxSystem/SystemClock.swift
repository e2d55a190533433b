import CLinux
import Glibc
import Synchronization

/// The clock that a loop, a display and a meter read: the machine's clock, or one that a test moves by hand.
///
/// ```swift
/// let clock = ManualClock()
/// let loop = FrameLoop(clock: .manual(clock))
/// ```
public struct SystemClock: Sendable {
  /// The manual clock; nil for the machine's clock.
  public let manual: ManualClock?

  /// The machine's `CLOCK_MONOTONIC`.
  public static let monotonic = SystemClock(manual: nil)

  /// A clock that stands still until it is moved. A loop on it moves it to the next timer or limit instead of sleeping.
  public static func manual(_ clock: ManualClock) -> SystemClock { SystemClock(manual: clock) }

  /// The current time. It takes 20 ns on the machine's clock and never fails.
  @inline(__always)
  public var now: MonotonicTime {
    if let manual { return manual.now }
    return Self.monotonicNow()
  }

  /// The time that the machine was suspended since its start: `CLOCK_BOOTTIME` minus `CLOCK_MONOTONIC`. If the thread is
  /// delayed between the two readings, the result is too small by the delay, but never too large.
  public var slept: Nanoseconds {
    if let manual { return manual.slept }
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let sinceBoot = MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    return sinceBoot - Self.monotonicNow()
  }

  /// The time for which the calling thread has had a processor: `CLOCK_THREAD_CPUTIME_ID`, which takes a system call; on a manual clock
  /// what `ManualClock.advance(by:thread:)` says. A difference of two is a time, one of them is not.
  public var threadProcessorTime: Nanoseconds {
    if let manual { return manual.threadProcessorTime }
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Nanoseconds(Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }

  @inline(__always)
  static func monotonicNow() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

extension MonotonicTime {
  /// The time as the system's calls take it.
  var timespec: timespec {
    var result = Glibc.timespec()
    result.tv_sec = Int(nanoseconds / 1_000_000_000)
    result.tv_nsec = Int(nanoseconds % 1_000_000_000)
    return result
  }
}

/// A clock that stands still until its owner moves it, or a loop that would sleep otherwise. It never goes back. Any thread
/// may read and move it.
public final class ManualClock: Sendable {
  private let nanoseconds: Atomic<Int64>
  private let sleep = Atomic<Int64>(0)
  private let runnable = Atomic<Int64>(0)
  private let stolen = Atomic<Int64>(0)
  private let blocked = Atomic<Int64>(0)
  private let sleeps = Atomic<Int>(0)

  /// Makes a clock that stands at `start`.
  public init(start: MonotonicTime = .zero) {
    nanoseconds = Atomic(start.nanoseconds)
  }

  public var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

  /// Moves the clock forward to `time`; an earlier time changes nothing.
  public func advance(to time: MonotonicTime) {
    var current = nanoseconds.load(ordering: .relaxed)
    while time.nanoseconds > current {
      let (exchanged, original) = nanoseconds.weakCompareExchange(
        expected: current, desired: time.nanoseconds, ordering: .acquiringAndReleasing)
      if exchanged { return }
      current = original
    }
  }

  /// Moves the clock forward by `offset`; a negative offset changes nothing.
  public func advance(by offset: Nanoseconds) {
    advance(to: now + offset)
  }

  /// The state of the simulated thread while time passes.
  public enum ThreadState: Sendable {
    /// It has a processor.
    case running
    /// It could run, and others have the processors.
    case runnable
    /// It could run, and the host of a virtual machine has its processor: the kernel counts no delay.
    case stolen
    /// It waits for something else, such as a lock or a file.
    case blocked
  }

  /// Moves the clock forward by `offset`, in which the thread that is measured is in this state; a negative offset changes nothing.
  public func advance(by offset: Nanoseconds, thread state: ThreadState) {
    guard offset > .zero else { return }
    switch state {
    case .running: break
    case .runnable: runnable.add(offset.count, ordering: .acquiringAndReleasing)
    case .stolen: stolen.add(offset.count, ordering: .acquiringAndReleasing)
    case .blocked:
      blocked.add(offset.count, ordering: .acquiringAndReleasing)
      sleeps.add(1, ordering: .acquiringAndReleasing)
    }
    advance(by: offset)
  }

  /// The time in which the simulated thread could run and had no processor, as the kernel counts it.
  var threadRunDelay: Nanoseconds { Nanoseconds(runnable.load(ordering: .acquiring)) }

  /// How often the simulated thread has blocked.
  var threadSleeps: Int { sleeps.load(ordering: .acquiring) }

  var threadProcessorTime: Nanoseconds {
    let away = blocked.load(ordering: .acquiring) + stolen.load(ordering: .acquiring)
    return now - .zero - threadRunDelay - Nanoseconds(away)
  }

  /// The time that the simulated machine was suspended. The clock stood still during it.
  public var slept: Nanoseconds { Nanoseconds(sleep.load(ordering: .acquiring)) }

  /// Simulates that the machine was suspended for `time`.
  package func machineSlept(for time: Nanoseconds) {
    sleep.add(time.count, ordering: .acquiringAndReleasing)
  }
}
