import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// Wakes a sleeping loop: an atomic state, and an event descriptor that is written at most once per pass, and never by the
/// loop's own thread. The object also identifies the loop.
///
/// Every wake-up exchanges the state, even if it is ignored: after the loop's next exchange the loop sees everything that the
/// caller wrote before. So the next pass finds work that was posted before an ignored wake-up.
final class WakeUp: Sendable {
  private enum State {
    /// The loop is about to check everything anyway, or does not run.
    static let ignoring: UInt8 = 0
    /// The loop sleeps, or may sleep before its next check.
    static let listening: UInt8 = 1
    static let pending: UInt8 = 2
  }

  private let state = Atomic<UInt8>(State.ignoring)
  /// True from just before the event descriptor is written until it has woken the loop.
  private let sent = Atomic<Bool>(false)
  /// True from when the event descriptor has woken the loop until it is read. Used by the loop's thread only.
  private let unread = Atomic<Bool>(false)
  private let waiting = Atomic<Bool>(false)
  private let event: OwnedDescriptor
  private let thread: ThreadRecord

  init(thread: ThreadRecord) throws(SystemError) {
    self.thread = thread
    event = try .event()
  }

  var descriptor: Int32 { event.number }
  var isOwnThread: Bool { thread.isCurrent }
  var isPending: Bool { state.load(ordering: .relaxed) == State.pending }
  var isSent: Bool { sent.load(ordering: .relaxed) }

  /// True while the loop sleeps, or polls before it sleeps.
  var isWaiting: Bool { waiting.load(ordering: .acquiring) }
  func beginWait() { waiting.store(true, ordering: .releasing) }
  func endWait() { waiting.store(false, ordering: .releasing) }

  /// True if the loop may sleep without noticing the caller's change: the caller is another thread, or a signal handler that
  /// interrupted the loop's own thread in its wait.
  var isFromOutside: Bool { !isOwnThread || isWaiting }

  func wakeUp() {
    let before = state.exchange(State.pending, ordering: .acquiringAndReleasing)
    guard before == State.listening, isFromOutside else { return }
    sent.store(true, ordering: .relaxed)
    var one: UInt64 = 1
    _ = write(event.number, &one, 8)
  }

  /// Begins to accept wake-ups.
  /// - Returns: true if one came while they were ignored.
  func listen() -> Bool {
    state.exchange(State.listening, ordering: .acquiringAndReleasing) == State.pending
  }

  /// Begins to ignore wake-ups.
  /// - Returns: true if one came while they were accepted.
  func ignore() -> Bool {
    state.exchange(State.ignoring, ordering: .acquiringAndReleasing) == State.pending
  }

  /// Notes that the event descriptor has woken the loop. It is read later: no thread waits for that.
  func didWake() {
    sent.store(false, ordering: .relaxed)
    unread.store(true, ordering: .relaxed)
  }

  /// Reads the event descriptor, so that it waits for the next write. A wake-up whose write is consumed here is pending.
  func acknowledge() {
    guard unread.load(ordering: .relaxed) else { return }
    unread.store(false, ordering: .relaxed)
    sent.store(false, ordering: .relaxed)
    var count: UInt64 = 0
    _ = read(event.number, &count, 8)
  }

  /// Begins a run, maybe inside another.
  /// - Returns: the state of the outer run, for `endRun`.
  func beginRun() -> UInt8 {
    state.exchange(State.listening, ordering: .acquiringAndReleasing)
  }

  /// Ends a run and restores the outer run's state. A wake-up that came during the inner run may have been meant for the
  /// outer one, which is therefore woken too.
  func endRun(outer: UInt8, wasWoken: Bool) {
    let before = state.exchange(outer, ordering: .acquiringAndReleasing)
    if wasWoken || before == State.pending { wakeUp() }
  }
}

/// Makes something that a loop cannot work without, such as its descriptors, and ends the program if that fails. Use it only
/// where no error can be thrown.
///
/// - Parameter advice: the remedy, as a sentence.
func orFatal<Value: ~Copyable>(_ advice: String = openFilesAdvice, _ make: () throws(SystemError) -> Value) -> Value {
  do { return try make() } catch { failForLack(error, advice) }
}

func failForLack(_ error: SystemError, _ advice: String = openFilesAdvice) -> Never {
  fatalError("framepace: a loop cannot go on: \(error). \(advice)")
}

let openFilesAdvice = "Raise the process's limit of open files (ulimit -n)."
