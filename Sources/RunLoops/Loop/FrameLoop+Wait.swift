import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Waits until one port of the mode is ready, or just looks.
  /// - Returns: the port that became ready first; nil when none was, or when the loop's own thread had asked for a wake-up.
  func wait(_ run: inout Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    let mode = run.mode
    // A timer that is due already needs no kernel to say so. It comes first, but then a port that is ready has its turn.
    let timersAreFirst = !run.servedTimers
    let (timerDeadline, isDue) = mode.lookAtTimers()
    run.servedTimers = isDue && timersAreFirst
    if run.servedTimers { return .timer }
    let isQuiet = isQuiet(run, servesMainQueue: servesMainQueue)
    // First, as it may take a wake-up with it, which then is looked for.
    if !polls || !isQuiet { wakeUpState.acknowledge() }
    // A stop by another thread before this pass listened to wake-ups left no other trace.
    let polls = polls || isDue || wakeUpState.isPending || stopRequested.load(ordering: .acquiring)
    let sleeps = !polls && clock.manual == nil
    if sleeps || !isQuiet, let port = ask(run, polls: !sleeps, servesMainQueue: servesMainQueue) {
      return unlessLimit(port, run)
    }
    if isDue {
      run.servedTimers = true
      return .timer
    }
    guard let manual = clock.manual, !polls else { return nil }
    // Manual time moves on when nothing is ready. Without a time to move to there is something real to wait for.
    let deadline = min(timerDeadline, run.limit)
    guard deadline != .distantFuture else { return ask(run, polls: false, servesMainQueue: servesMainQueue) }
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

  /// Whether the loop knows by itself that no port is ready but perhaps the timers: a look by the kernel takes as long as two
  /// passes without one.
  private func isQuiet(_ run: Run, servesMainQueue: Bool) -> Bool {
    // The main queue was looked at in this pass, unless the one before drained it.
    !run.mode.hasDescriptors && !wakeUpState.isSent && (!servesMainQueue || !run.drainedMainQueue)
  }

  /// Waits in the kernel, or has it look.
  private func ask(_ run: Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    // A limit that had passed before the run is none to be woken by.
    run.mode.prepareToWait(limit: run.polls ? .distantFuture : run.limit, servesMainQueue: servesMainQueue)
    return port(of: run.mode, polls: polls)
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
