import LinuxSystem

/// What waits to be performed by a loop, and the source that calls for it.
///
/// The source is in the modes that something waits for, and in no other: performers keep a run alive, and an empty queue
/// does not. Locks are taken in the order performers, loop, item, mode.
final class Performers: Sendable {
  private struct State {
    /// By order; equal orders as they came.
    var waiting: [Performer] = []
    /// Taken by calls of the source that have not returned: they can still be refused.
    var taken: [Performer] = []
    var callDepth = 0
    /// Those that a timer performs.
    var timed: [ObjectIdentifier: Timed] = [:]
    /// The modes that the source is in.
    var modes: [FrameLoop.Mode] = []
    var status = Status.unused

    var all: [Performer] { waiting + taken + timed.values.map(\.performer) }
  }

  private struct Timed {
    let performer: Performer
    let timer: FrameLoop.Timer
  }

  private enum Status {
    /// The thread does not know of the loop's performers yet.
    case unused
    case open
    case closed
  }

  private let state = Lock(State())
  private let source = FrameLoop.Source(.onLoop { _ in ThreadRecord.current.running?.performWaiting() })

  /// How many wait for their turn; without those that wait for a time.
  var count: Int { state.withLock { $0.waiting.count } }

  // MARK: Adding

  /// Queues work and wakes the loop.
  func add(_ performer: Performer, to loop: FrameLoop) throws(PerformError) {
    try enqueue(performer, loop) { state in
      let place = state.waiting.lastIndex { $0.order <= performer.order }.map { $0 + 1 } ?? 0
      state.waiting.insert(performer, at: place)
      for mode in performer.modes where !state.modes.contains(mode) {
        state.modes.append(mode)
        loop.add(source, to: mode)
      }
    }
    source.signal()
    loop.wakeUp()
  }

  /// Has a timer of the loop do the work.
  func add(_ performer: Performer, at time: MonotonicTime, to loop: FrameLoop) throws(PerformError) {
    let timer = FrameLoop.Timer(
      fireTime: time,
      .onLoop { [weak self, weak performer] _ in
        guard let self, let performer else { return }
        state.withLock { $0.timed[ObjectIdentifier(performer)] = nil }
        performer.perform()
      })
    try keep(performer, with: timer, for: loop)
    for mode in performer.modes { loop.add(timer, to: mode) }
  }

  /// Refuses a performer, and invalidates a timer with it, when the loop's thread ends or it is cancelled.
  func keep(_ performer: Performer, with timer: FrameLoop.Timer, for loop: FrameLoop) throws(PerformError) {
    try enqueue(performer, loop) {
      $0.timed[ObjectIdentifier(performer)] = Timed(performer: performer, timer: timer)
    }
  }

  private func enqueue(_ performer: Performer, _ loop: FrameLoop, _ change: (inout State) -> Void) throws(PerformError) {
    let mustRegister = state.withLock { $0.status == .unused }
    if mustRegister, !loop.thread.notifyAtEnd(loop) { close(loop.endError) }
    let isAccepted = state.withLock { state in
      guard state.status != .closed else { return false }
      state.status = .open
      change(&state)
      return true
    }
    guard isAccepted else { throw loop.endError }
  }

  // MARK: Performing

  /// Performs what waits for the mode that `loop` runs in. What is queued during this waits for the next pass.
  func performWaiting(in loop: FrameLoop) {
    guard let mode = loop.table.withLock({ $0.running }) else { return }
    let batch = state.withLock { state in
      let batch = state.waiting.filter { mode.isOne(of: $0.modes) }
      state.waiting.removeAll { mode.isOne(of: $0.modes) }
      leaveUnusedModes(&state, loop)
      // The call took the signal that others need.
      if !state.waiting.isEmpty { source.signal() }
      state.taken += batch
      state.callDepth += 1
      return batch
    }
    for performer in batch { performer.perform() }
    // The last references may be these: what goes with a performer is its owner's, and must not find the lock taken.
    let done = state.withLock { state in
      state.callDepth -= 1
      return state.callDepth == 0 ? exchange(&state.taken, with: []) : []
    }
    withExtendedLifetime(done) {}
  }

  private func leaveUnusedModes(_ state: inout State, _ loop: FrameLoop) {
    let used = Set(state.waiting.flatMap(\.modes))
    let left = state.modes.filter { !used.contains($0) }
    state.modes.removeAll { !used.contains($0) }
    // Not for a moment out of a mode that somebody waits for: a run in it may have nothing else.
    for mode in left { loop.take(source, mode, keeping: state.modes) }
  }

  // MARK: Refusing

  func cancel(in loop: FrameLoop, where isMeant: (Performer) -> Bool) {
    // Compared without the lock: keys are the caller's own types.
    let cancelled = state.withLock { $0.all }.filter(isMeant)
    guard !cancelled.isEmpty else { return }
    let identities = Set(cancelled.map(ObjectIdentifier.init))
    let timers = state.withLock { state in
      let timers = identities.compactMap { state.timed.removeValue(forKey: $0)?.timer }
      state.waiting.removeAll { identities.contains(ObjectIdentifier($0)) }
      leaveUnusedModes(&state, loop)
      return timers
    }
    for timer in timers { timer.invalidate() }
    for performer in cancelled { performer.refuse(.cancelled) }
  }

  /// Refuses what waits, and all that comes.
  func close(_ error: PerformError) {
    let (refused, timers) = state.withLock { state in
      let refused = (state.all, state.timed.values.map(\.timer))
      state.status = .closed
      state.waiting = []
      state.timed = [:]
      return refused
    }
    source.invalidate()
    for timer in timers { timer.invalidate() }
    for performer in refused { performer.refuse(error) }
  }
}

extension FrameLoop {
  var endError: PerformError { .threadEnded(name: thread.name) }

  func performWaiting() { performers.performWaiting(in: self) }
}
