import LinuxSystem

/// A gate at which the consumer of a loop's ticks waits without leaving the loop's thread.
///
/// A continuation would resume on the global pool first, whatever the consumer's executor is. So the consumer calls an actor
/// whose executor holds the call until there is a tick, and then passes it to the loop: the consumer goes on directly on the
/// loop's thread.
actor TickGate {
  private nonisolated let keeper: Keeper

  init(loop: FrameLoop) {
    keeper = Keeper(loop)
  }

  nonisolated var unownedExecutor: UnownedSerialExecutor { keeper.asUnownedSerialExecutor() }

  /// Returns when the gate is open, and closes it.
  func pass() { keeper.close() }

  /// Lets one call through: the waiting one, or the next.
  nonisolated func open() { keeper.open() }

  /// Lets all calls through from now on, without the loop, which may never run again.
  nonisolated func openForGood() { keeper.openForGood() }
}

/// Holds the job of the waiting consumer; there is only one.
private final class Keeper: SerialExecutor {
  private enum Position { case closed, open, openForGood }

  private struct State {
    var position = Position.closed
    var job: UnownedJob?
  }

  private let loop: FrameLoop
  private let state = Lock(State())

  init(_ loop: FrameLoop) {
    self.loop = loop
  }

  func enqueue(_ job: consuming ExecutorJob) {
    let job = UnownedJob(job)
    let position = state.withLock { state in
      if state.position == .closed { state.job = job }
      return state.position
    }
    letThrough(job, position)
  }

  func close() {
    state.withLock { state in if state.position == .open { state.position = .closed } }
  }

  func open() { move(to: .open) }
  func openForGood() { move(to: .openForGood) }

  private func move(to position: Position) {
    let job = state.withLock { state in
      if state.position != .openForGood { state.position = position }
      defer { state.job = nil }
      return state.job
    }
    if let job { letThrough(job, position) }
  }

  private func letThrough(_ job: UnownedJob, _ position: Position) {
    switch position {
    case .closed: break
    case .open: loop.jobs.add(job, to: loop)
    case .openForGood: globalConcurrentExecutor.enqueue(ExecutorJob(job))
    }
  }

  /// Always true: the actor has no state to protect.
  func isIsolatingCurrentContext() -> Bool? { true }
}
