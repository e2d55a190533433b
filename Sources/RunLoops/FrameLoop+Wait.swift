import LinuxSystem
import Synchronization

extension FrameLoop {
  /// Waits until one port of the mode is ready, or just looks.
  /// - Returns: the port that became ready first; nil when none was, or when the loop's own thread had asked for a wake-up.
  func wait(_ run: inout Run, polls: Bool, servesMainQueue: Bool) -> Port? {
    let firstTimer = run.mode.prepareToWait(limit: run.limit, servesMainQueue: servesMainQueue)
    // A stop by another thread before this pass listened to wake-ups left no other trace.
    let polls = polls || wakeUpState.isPending || stopRequested.load(ordering: .acquiring)
    if let manual = clock.manual { return wait(&run, polls: polls, firstTimer: firstTimer, clock: manual) }
    return port(of: run.mode, polls: polls)
  }

  /// On manual time: what is due or ready comes first, then the clock moves to the first timer or the limit, and only
  /// without either there is something to wait for.
  private func wait(_ run: inout Run, polls: Bool, firstTimer: MonotonicTime, clock: ManualClock) -> Port? {
    let isDue = firstTimer <= clock.now && firstTimer != .distantFuture
    // Timers that are always due and ports that are always ready take turns, as the kernel has them do in real time.
    let portsAreFirst = !isDue || run.servedTimers
    run.servedTimers = false
    if portsAreFirst, let port = port(of: run.mode, polls: true) { return port }
    if !isDue {
      if polls { return nil }
      let deadline = min(firstTimer, run.limit)
      if deadline == .distantFuture { return port(of: run.mode, polls: false) }
      clock.advance(to: deadline)
    }
    run.servedTimers = true
    return .timer
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
