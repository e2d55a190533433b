import CLinux
import Glibc

/// The times of a thread in stretches in which there was work for it.
package struct ThreadUsage: Equatable, BitwiseCopyable, Sendable {
  /// The time for which it had a processor; a stretch below `ThreadMeter.shortestStretch` counts as a whole.
  package var processor = Nanoseconds.zero
  /// The time for which it could run and had none: others had the processors, of this machine or of the host of a virtual one.
  package var runDelay = Nanoseconds.zero
  /// The same before the stretch, since it was to begin.
  package var startDelay = Nanoseconds.zero

  package init() {}

  package static func += (sum: inout ThreadUsage, other: ThreadUsage) {
    sum.processor += other.processor
    sum.runDelay += other.runDelay
    sum.startDelay += other.startDelay
  }
}

/// Measures for how long a thread has a processor while it works, and for how long it waits for one.
///
/// It belongs to the thread that makes it. Nothing is allocated. The beginning of a stretch costs a call of `getrusage`, which tells how often the
/// thread slept. The end of a stretch of 0.1 ms or more costs a reading of the thread's clock, and every sixteenth, as well as each in
/// which the thread was away, one of `/proc/thread-self/schedstat`. A thread that never slept in a stretch was ready in all of it: what it was
/// away for is run delay, also what the kernel does not count, as the time that the host of a virtual machine takes. Of a stretch in which
/// it slept, the delay is what the kernel counts; where that counts nothing, none.
///
/// A reading of the thread's clock takes 0.5 µs, of which 0.17 µs are the system call, `getrusage` 0.3 µs, the file 0.8 µs. The times of
/// `getrusage` are brought up to date when the thread sleeps, and at ticks of the kernel, which may be 4 ms apart: so they are those of the clock
/// for a thread that has just been woken, less the some 10 µs since then, and for no other. A shorter stretch hides no absence
/// that anybody looks for, and would pay half a percent of its time and more for a second reading.
///
/// Other ways are cheaper and worse. One reading a frame, each the end of a stretch and the beginning of the next, would count every turn
/// between them, and the kernel's own time for a sleep and the waking from it: 17 µs, more than the work of many a frame. A counter of
/// `perf_event_open` that is read without a call is refused to users where `perf_event_paranoid` is 3, as in Debian.
///
/// ```swift
/// let begin = meter.markWoken(at: clock.now)
/// work()
/// let usage = meter.usage(since: begin, at: clock.now)
/// ```
package final class ThreadMeter {
  /// The beginning of a stretch.
  package struct Mark: BitwiseCopyable, Sendable {
    package fileprivate(set) var time: MonotonicTime
    fileprivate var processor: Nanoseconds
    /// How often the thread had slept.
    package fileprivate(set) var sleeps: Int

    /// Leaves out what lies between two other marks.
    package mutating func leaveOut(from first: Mark, to second: Mark) {
      time += second.time - first.time
      processor += second.processor - first.processor
      sleeps += second.sleeps - first.sleeps
    }
  }

  /// A stretch that took less has no second reading: the thread counts as if it had had a processor in all of it.
  package static let shortestStretch = Nanoseconds.microseconds(100)
  /// A thread that was away for less has no delay that anybody looks for.
  private static let shortestAbsence = Nanoseconds.microseconds(500)
  /// Delays before a stretch pile up between two readings: at most over so many stretches.
  private static let longestRow = 16

  private let clock: SystemClock
  /// The descriptor of `/proc/thread-self/schedstat`; below 0 where there is none.
  private let statistics: Int32
  private var lastDelay = Nanoseconds.zero
  /// The end of the stretch up to which delays were read last.
  private var lastReading: MonotonicTime
  private var unread = 0
  /// The sleeps at the last waking.
  private var lastSleeps = 0

  package init(clock: SystemClock) {
    self.clock = clock
    statistics = clock.manual == nil ? open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC) : -1
    lastReading = clock.now
    lastDelay = totalDelay
    lastSleeps = account.sleeps
  }

  deinit {
    if statistics >= 0 { close(statistics) }
  }

  /// The thread's state now.
  package func mark(at time: MonotonicTime) -> Mark {
    Mark(time: time, processor: clock.threadProcessorTime, sleeps: account.sleeps)
  }

  /// The same for a thread that has waited for something to do until now, or would have if there had been nothing: cheaper, and exact to the time
  /// since its waking.
  package func markWoken(at time: MonotonicTime) -> Mark {
    let account = account
    defer { lastSleeps = account.sleeps }
    let hasSlept = account.sleeps != lastSleeps
    return Mark(
      time: time, processor: hasSlept ? account.processor : clock.threadProcessorTime, sleeps: account.sleeps)
  }

  /// The times of the thread from a mark to `time`, which is now.
  ///
  /// - Parameters:
  ///   - lateness: by how much the stretch began too late. Delays since the last reading count as the usage's `startDelay` up to that and to the
  ///     time since then, as a thread mostly waits when it is woken, and as its `runDelay` beyond.
  ///   - waited: for how long it is known to have waited for something else in the stretch.
  package func usage(
    since mark: Mark, at time: MonotonicTime, lateness: Nanoseconds = .zero, waited: Nanoseconds = .zero
  ) -> ThreadUsage {
    var usage = ThreadUsage()
    let (stretch, lateness) = (max(time - mark.time, .zero), max(lateness, .zero))
    usage.processor = stretch
    unread += 1
    guard stretch >= Self.shortestStretch || lateness >= Self.shortestAbsence || unread >= Self.longestRow else {
      return usage
    }
    usage.processor = min(clock.threadProcessorTime - mark.processor, stretch)
    let absence = stretch - usage.processor
    guard absence + lateness >= Self.shortestAbsence || unread >= Self.longestRow else { return usage }
    unread = 0
    let sinceEnd = clock.now - time
    let total = totalDelay
    // The kernel takes the processor of a thread whose time is up when that reads its clock: what it waited since the end is the next stretch's.
    let later = min(total - lastDelay, max(sinceEnd, .zero))
    let delay = total - lastDelay - later
    let before = max(mark.time - lastReading, .zero)
    (lastDelay, lastReading) = (total - later, time)
    // Interrupts take a part of a short absence.
    if absence >= Self.shortestAbsence, account.sleeps == mark.sleeps {
      usage.runDelay = absence
      usage.startDelay = min(max(delay - absence, .zero), lateness)
    } else {
      usage.startDelay = min(delay, lateness, before)
      usage.runDelay = min(delay - usage.startDelay, max(absence - waited, .zero))
    }
    return usage
  }

  /// How often the thread has given its processor up by itself, and for how long it had one as the kernel knew when it last looked.
  private var account: (sleeps: Int, processor: Nanoseconds) {
    if let manual = clock.manual { return (manual.threadSleeps, manual.threadProcessorTime) }
    var processor: Int64 = 0
    let sleeps = clinux_thread_account(&processor)
    return (sleeps, .microseconds(processor))
  }

  /// For how long the thread has waited for a processor since it began; zero where that is not known.
  private var totalDelay: Nanoseconds {
    if let manual = clock.manual { return manual.threadRunDelay }
    if statistics < 0 { return lastDelay }
    // Three numbers: the time with a processor, the time without, and how often it got one.
    return withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { bytes in
      let count = pread(statistics, bytes.baseAddress, bytes.count, 0)
      guard count > 0 else { return lastDelay }
      var (field, value) = (0, 0 as Int64)
      for byte in bytes.prefix(count) {
        if byte == UInt8(ascii: " ") {
          field += 1
        } else if field == 1, byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") {
          value = value &* 10 &+ Int64(byte - UInt8(ascii: "0"))
        }
      }
      return Nanoseconds(max(value, lastDelay.count))
    }
  }
}
