import CLinux
import Glibc
import LinuxSystem
import Synchronization

/// How a sleeping loop is woken: one word that says whether a wake-up counts and whether one is pending, and an event
/// descriptor that is written at most once per pass, and never by the loop's own thread. It also is the loop's identity.
///
/// Every wake-up exchanges the word, also when nothing else follows: the loop's next exchange then sees all that the caller
/// wrote before. What was posted before an ignored wake-up is therefore seen by the pass that follows.
final class WakeUp: Sendable {
  private enum State {
    /// The loop is about to look at everything anyway, or does not run.
    static let ignoring: UInt8 = 0
    /// The loop sleeps, or may sleep before it looks again.
    static let listening: UInt8 = 1
    static let pending: UInt8 = 2
  }

  private let state = Atomic<UInt8>(State.ignoring)
  /// The event descriptor was, or is about to be, written, and has not woken the loop since.
  private let sent = Atomic<Bool>(false)
  /// It has woken the loop, and was not read since; touched by the loop's thread only.
  private let unread = Atomic<Bool>(false)
  private let waiting = Atomic<Bool>(false)
  private let event: OwnedDescriptor
  private let thread: ThreadRecord

  init(thread: ThreadRecord) {
    self.thread = thread
    event = orFatal { () throws(SystemError) in try OwnedDescriptor.event() }
  }

  var descriptor: Int32 { event.number }
  var isOwnThread: Bool { thread.isCurrent }
  var isPending: Bool { state.load(ordering: .relaxed) == State.pending }
  var isSent: Bool { sent.load(ordering: .relaxed) }

  /// Whether the loop sleeps, or looks whether it has to.
  var isWaiting: Bool { waiting.load(ordering: .acquiring) }
  func beginWait() { waiting.store(true, ordering: .releasing) }
  func endWait() { waiting.store(false, ordering: .releasing) }

  /// Whether the loop may sleep over what the caller did: it is another thread, or a handler of signals that has interrupted the
  /// loop's own one in its wait.
  var isFromOutside: Bool { !isOwnThread || isWaiting }

  func wakeUp() {
    let before = state.exchange(State.pending, ordering: .acquiringAndReleasing)
    guard before == State.listening, isFromOutside else { return }
    sent.store(true, ordering: .relaxed)
    var one: UInt64 = 1
    _ = write(event.number, &one, 8)
  }

  /// From now on a wake-up counts.
  /// - Returns: whether one came while they did not.
  func listen() -> Bool {
    state.exchange(State.listening, ordering: .acquiringAndReleasing) == State.pending
  }

  /// From now on a wake-up does not count.
  /// - Returns: whether one came while they did.
  func ignore() -> Bool {
    state.exchange(State.ignoring, ordering: .acquiringAndReleasing) == State.pending
  }

  /// The event descriptor has woken the loop. What it was woken for goes first: nobody waits for the read.
  func didWake() {
    sent.store(false, ordering: .relaxed)
    unread.store(true, ordering: .relaxed)
  }

  /// Makes the event descriptor wait for the next write. A wake-up whose write is read here already is pending.
  func acknowledge() {
    guard unread.load(ordering: .relaxed) else { return }
    unread.store(false, ordering: .relaxed)
    sent.store(false, ordering: .relaxed)
    var count: UInt64 = 0
    _ = read(event.number, &count, 8)
  }

  /// A run begins, maybe inside another.
  /// - Returns: what `endRun` needs to put the outer run back.
  func beginRun() -> UInt8 {
    state.exchange(State.listening, ordering: .acquiringAndReleasing)
  }

  /// A run ended: the outer run has its own state again. A wake-up that came during the inner one may have been meant for
  /// the outer one, which therefore does not sleep over it.
  func endRun(outer: UInt8, wasWoken: Bool) {
    let before = state.exchange(outer, ordering: .acquiringAndReleasing)
    if wasWoken || before == State.pending { wakeUp() }
  }
}
