import Glibc
import LinuxSystem
import LoopTestSupport
import Testing

@testable import RunLoops

/// Handlers of signals that interrupt the loop's own thread, as programs have them that were written for CFRunLoop.
@Suite(.serialized) struct SignalHandlerTests {
  /// The work of the signal handler, which cannot capture anything.
  nonisolated(unsafe) private static var act: (@Sendable () -> Void)?

  /// Interrupts a loop that sleeps.
  /// - Returns: the run's result.
  private func interrupt(_ words: Words, _ action: @escaping @Sendable (FrameLoop) -> Void) -> FrameLoop.RunResult? {
    let former = signal(SIGURG) { _ in SignalHandlerTests.act?() }
    defer { signal(SIGURG, former) }
    let state = Box<(loop: FrameLoop, thread: pthread_t)?>(nil)
    let result = Box<FrameLoop.RunResult?>(nil)
    let thread = startThread {
      // The threads of the tests have all signals blocked.
      var signals = sigset_t()
      sigemptyset(&signals)
      sigaddset(&signals, SIGURG)
      pthread_sigmask(SIG_UNBLOCK, &signals, nil)
      let loop = FrameLoop.current
      loop.add(FrameLoop.Source(.onLoop { _ in }), to: .default)
      loop.add(
        FrameLoop.Observer(
          .afterWaiting,
          .onLoop { [unowned loop] _, _ in
            words.add("woken")
            loop.stop()
          }), to: .default)
      Self.act = { [unowned loop] in action(loop) }
      state.value = (loop, pthread_self())
      result.value = loop.run(mode: .default, for: .seconds(20))
    }
    spin { state.value?.loop.isWaiting == true }
    if let thread = state.value?.thread { pthread_kill(thread, SIGURG) }
    thread.join()
    Self.act = nil
    return result.value
  }

  // Statement 53
  @Test func aStopEndsTheSleep() throws {
    // Before the system call, in it, and after it.
    for _ in 0..<100 {
      let words = Words()
      let result = interrupt(words) { $0.stop() }
      try #require(result == .stopped)
    }
  }

  // Statement 51
  @Test func aWakeUpEndsTheSleep() throws {
    for _ in 0..<100 {
      let words = Words()
      let result = interrupt(words) { $0.wakeUp() }
      try #require(result == .stopped && words.description == "woken")
    }
  }
}
