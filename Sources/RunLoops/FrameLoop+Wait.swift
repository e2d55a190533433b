import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Waits until one port of the mode is ready, or just looks.
  /// - Returns: the port that became ready first; nil when none was, or when the loop's own thread had asked for a wake-up.
  func wait(_ run: inout Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    let mode = run.mode
    // A timer that is due already needs no kernel to say so. It comes first, but then a port that is ready has its turn.
    let timersAreFirst = !run.servedTimers
    // A limit that had passed before the run is none to be woken by.
    let (timerDeadline, isDue) = mode.prepareToWait(
      limit: run.polls ? .distantFuture : run.limit, servesMainQueue: servesMainQueue, unlessDue: timersAreFirst)
    run.servedTimers = isDue && timersAreFirst
    if run.servedTimers { return .timer }
    // A stop by another thread before this pass listened to wake-ups left no other trace.
    let polls = polls || isDue || wakeUpState.isPending || stopRequested.load(ordering: .acquiring)
    if let port = port(of: mode, polls: polls || clock.manual != nil) { return unlessLimit(port, run) }
    if isDue {
      run.servedTimers = true
      return .timer
    }
    guard let manual = clock.manual, !polls else { return nil }
    // Manual time moves on when nothing is ready. Without a time to move to there is something real to wait for.
    let deadline = min(timerDeadline, run.limit)
    guard deadline != .distantFuture else { return port(of: mode, polls: false) }
    manual.advance(to: deadline)
    run.servedTimers = true
    return unlessLimit(.timer, run)
  }

  /// The run's limit wakes the loop as timers do. That is nothing to handle: a timer that becomes due only in an
  /// `afterWaiting` observer is for the next pass.
  private func unlessLimit(_ port: Port, _ run: Run) -> Port? {
    guard case .timer = port, run.limit != .distantFuture else { return port }
    return run.mode.hasTimerDue(at: clock.now) ? port : nil
  }

  private func port(of mode: ModeState, polls: Bool) -> Port? {
    withUnsafeTemporaryAllocation(of: EpollSet.Ready.self, capacity: 1) { buffer in
      while true {
        // One at a time: the kernel puts a port that stays ready behind the others.
        if mode.ports.wait(into: buffer, timeout: polls ? 0 : -1) > 0 { return Port(buffer[0]) }
        // Without a time-out it was a signal that ended the wait.
        if polls { return nil }
      }
    }
  }
}
