import CLinux
import Glibc
import Synchronization

/// The clock that a loop, a display and a meter read: the machine's own, or one that a test moves by hand.
public struct SystemClock: Sendable {
  /// The clock that is moved by hand, if it is one.
  public let manual: ManualClock?

  /// The machine's `CLOCK_MONOTONIC`.
  public static let monotonic = SystemClock(manual: nil)

  /// A clock that time does not move. Who has it does, and a loop on it: to its next timer or limit, instead of sleeping.
  public static func manual(_ clock: ManualClock) -> SystemClock { SystemClock(manual: clock) }

  /// The time now. 20 ns on the machine's clock; never fails.
  @inline(__always)
  public var now: MonotonicTime {
    if let manual { return manual.now }
    return Self.monotonicNow()
  }

  /// How long the machine has slept since it was started, which `now` leaves out: `CLOCK_BOOTTIME` less `CLOCK_MONOTONIC`.
  /// Where the thread is held up between the two it is that much less, and never more.
  public var slept: Nanoseconds {
    if let manual { return manual.slept }
    var time = timespec()
    clock_gettime(CLOCK_BOOTTIME, &time)
    let sinceBoot = MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
    return sinceBoot - Self.monotonicNow()
  }

  @inline(__always)
  static func monotonicNow() -> MonotonicTime {
    var time = timespec()
    clock_gettime(CLOCK_MONOTONIC, &time)
    return MonotonicTime(nanoseconds: Int64(time.tv_sec) * 1_000_000_000 + Int64(time.tv_nsec))
  }
}

/// A clock that stands still until it is moved: by its owner, or by a loop that would sleep. It never goes back. Any thread
/// may read and move it.
public final class ManualClock: Sendable {
  private let nanoseconds: Atomic<Int64>
  private let sleep = Atomic<Int64>(0)

  /// Starts at `start`.
  public init(start: MonotonicTime = .zero) {
    nanoseconds = Atomic(start.nanoseconds)
  }

  public var now: MonotonicTime { MonotonicTime(nanoseconds: nanoseconds.load(ordering: .acquiring)) }

  /// Moves the clock forward to `time`; a time in the past changes nothing.
  public func advance(to time: MonotonicTime) {
    var current = nanoseconds.load(ordering: .relaxed)
    while time.nanoseconds > current {
      let (exchanged, original) = nanoseconds.weakCompareExchange(
        expected: current, desired: time.nanoseconds, ordering: .acquiringAndReleasing)
      if exchanged { return }
      current = original
    }
  }

  /// Moves the clock forward by `offset`; a negative one changes nothing.
  public func advance(by offset: Nanoseconds) {
    advance(to: now + offset)
  }

  /// How long the machine that this is the clock of has slept. The clock stood still meanwhile.
  public var slept: Nanoseconds { Nanoseconds(sleep.load(ordering: .acquiring)) }

  /// Lets the machine have slept for so much longer.
  public func machineSlept(for time: Nanoseconds) {
    sleep.add(time.count, ordering: .acquiringAndReleasing)
  }
}
