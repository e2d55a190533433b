import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Waits until one port of the mode is ready, or polls.
  /// - Returns: the port that became ready first; nil if none is ready, or if the loop's own thread had asked for a wake-up.
  func wait(_ run: inout Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    let mode = run.mode
    // A due timer is found without the kernel. It is served first, and in the next pass a ready port is.
    let timersAreFirst = !run.servedTimers
    let (timerDeadline, isDue) = mode.lookAtTimers()
    run.servedTimers = isDue && timersAreFirst
    if run.servedTimers { return .timer }
    let isQuiet = isQuiet(run, servesMainQueue: servesMainQueue)
    // Before the check for a wake-up: reading the event descriptor may consume one.
    if !polls || !isQuiet { wakeUpState.acknowledge() }
    // A stop from another thread, before this pass listened for wake-ups, shows in the flag only.
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
    // Manual time moves on when nothing is ready. Without a deadline the loop really waits.
    let deadline = min(timerDeadline, run.limit)
    guard deadline != .distantFuture else { return ask(run, polls: false, servesMainQueue: servesMainQueue) }
    manual.advance(to: deadline)
    run.servedTimers = true
    return unlessLimit(.timer, run)
  }

  /// Drops the timer port if only the run's limit has woken the loop. A timer that becomes due in an `afterWaiting` observer
  /// belongs to the next pass.
  private func unlessLimit(_ port: Port, _ run: Run) -> Port? {
    guard case .timer = port, run.limit != .distantFuture else { return port }
    return run.mode.hasTimerDue(at: clock.now) ? port : nil
  }

  /// True if no port but the timers can be ready, so that the kernel need not be asked: a poll takes as long as two passes
  /// without one.
  private func isQuiet(_ run: Run, servesMainQueue: Bool) -> Bool {
    // This pass has polled the main queue, unless the previous pass drained it.
    !run.mode.hasDescriptors && !wakeUpState.isSent && (!servesMainQueue || !run.drainedMainQueue)
  }

  /// Waits or polls in the kernel.
  private func ask(_ run: Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    // A limit that had passed before the run wakes nothing.
    run.mode.prepareToWait(limit: run.polls ? .distantFuture : run.limit, servesMainQueue: servesMainQueue)
    return port(of: run.mode, polls: polls)
  }

  private func port(of mode: ModeState, polls: Bool) -> Port? {
    withUnsafeTemporaryAllocation(of: EpollSet.Ready.self, capacity: 1) { buffer in
      while true {
        // One port at a time: the kernel queues a port that stays ready behind the others.
        if mode.ports.wait(into: buffer, timeout: polls ? 0 : -1) > 0 { return Port(buffer[0]) }
        // A wait without a time-out that returns nothing was ended by a signal.
        if polls { return nil }
      }
    }
  }
}
