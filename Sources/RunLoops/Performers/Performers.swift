public import LinuxSystem

/// The performers that wait for a loop, and the source that makes the loop perform them.
///
/// The source is only in modes that a performer waits for: a performer keeps a run alive, an empty queue does not. Locks are
/// taken in the order performers, loop, item, mode.
final class Performers: Sendable {
  private struct State {
    var waiting = ModeQueues<Performer>()
    /// Taken by calls of the source that have not returned yet, the next one last. They wait on: a nested run may call them, and
    /// they can be refused.
    var taken: [Performer] = []
    /// An empty array, kept for its memory.
    var spare: [ModeQueues<Performer>.Entry] = []
    /// The performers that a timer performs.
    var timed: [ObjectIdentifier: Timed] = [:]
    /// The source's modes.
    var modes: [FrameLoop.Mode] = []
    var isClosed = false

    var all: [Performer] { waiting.all + taken + timed.values.map(\.performer) }

    /// True if a performer that has not been called names a mode.
    func isAwaited(in mode: FrameLoop.Mode) -> Bool {
      waiting.contains(naming: mode) || taken.contains { $0.modes.contains(mode) }
    }
  }

  private struct Timed {
    let performer: Performer
    let timer: FrameLoop.Timer
  }

  private let state = Lock(State())
  private let source = FrameLoop.Source(.onLoop { _ in ThreadRecord.current.running?.performWaiting() })

  /// The number of waiting performers, without those that wait for a time.
  var count: Int { state.withLock { $0.waiting.count } }

  // MARK: Adding

  /// Queues work and wakes the loop.
  func add(_ performer: Performer, to loop: FrameLoop) throws(PerformError) {
    try enqueue(loop) { (state) throws(SystemError) in
      let new = performer.modes.filter { !state.modes.contains($0) }
      for mode in new where mode != .common { try loop.makeMode(mode) }
      for mode in new { loop.insert(source, mode) }
      state.modes += new
      state.waiting.append(performer, modes: performer.modes)
    }
    source.signal()
    loop.wakeUp()
  }

  /// Lets a timer of the loop do the work.
  func add(_ performer: Performer, at time: MonotonicTime, to loop: FrameLoop) throws(PerformError) {
    let timer = FrameLoop.Timer(
      fireTime: time,
      .onLoop { [weak self, weak performer] _ in
        guard let self, let performer else { return }
        state.withLock { $0.timed[ObjectIdentifier(performer)] = nil }
        performer.perform()
      })
    do throws(SystemError) {
      for mode in performer.modes where mode != .common { try loop.makeMode(mode) }
    } catch {
      throw .system(error)
    }
    try keep(performer, with: timer, for: loop)
    for mode in performer.modes { loop.insert(timer, mode) }
  }

  /// Refuses a performer, and invalidates a timer with it, when the loop's thread ends or it is cancelled.
  func keep(_ performer: Performer, with timer: FrameLoop.Timer, for loop: FrameLoop) throws(PerformError) {
    try enqueue(loop) { $0.timed[ObjectIdentifier(performer)] = Timed(performer: performer, timer: timer) }
  }

  private func enqueue(_ loop: FrameLoop, _ change: (inout State) throws(SystemError) -> Void) throws(PerformError) {
    let isAccepted: Bool
    do throws(SystemError) {
      isAccepted = try state.withLock { (state) throws(SystemError) in
        if !state.isClosed { try change(&state) }
        return !state.isClosed
      }
    } catch {
      throw .system(error)
    }
    guard isAccepted else { throw loop.endError }
  }

  // MARK: Performing

  /// Performs all that wait for the loop's current mode. A performer that is queued during this waits for the next pass, or for a
  /// nested run: that goes on with the performers that this call has not reached.
  func performWaiting(in loop: FrameLoop) {
    guard let mode = loop.table.withLock({ $0.running }) else { return }
    state.withLock { state in
      var batch = exchange(&state.spare, with: [])
      state.waiting.take(for: mode, into: &batch)
      let left = state.taken.filter { mode.isOne(of: $0.modes) }
      state.taken.removeAll { mode.isOne(of: $0.modes) }
      // Stable: equal orders stay as they were queued.
      state.taken += (left.reversed() + batch.map(\.element)).sorted { $0.order < $1.order }.reversed()
      batch.removeAll(keepingCapacity: true)
      state.spare = batch
    }
    // Each is released outside the lock: its captures can run any code.
    while let performer = state.withLock({ takeNext(&$0, for: mode, loop) }) { performer.perform() }
  }

  private func takeNext(_ state: inout State, for mode: ModeState, _ loop: FrameLoop) -> Performer? {
    let index = state.taken.lastIndex { mode.isOne(of: $0.modes) }
    let next = index.map { state.taken.remove(at: $0) }
    // Before the performer is called: it may run the loop.
    leaveUnusedModes(&state, loop)
    return next
  }

  /// Takes the source out of modes that no performer waits for. In the others it is signalled, also if a call has consumed
  /// the signal.
  private func leaveUnusedModes(_ state: inout State, _ loop: FrameLoop) {
    let left = state.modes.filter { !state.isAwaited(in: $0) }
    state.modes.removeAll { left.contains($0) }
    // Never even briefly out of a mode that a performer waits for: a run in it may have no other item.
    for mode in left { loop.take(source, mode, keeping: state.modes) }
    if state.modes.isEmpty { source.clearSignal() } else { source.signal() }
  }

  // MARK: Refusing

  func cancel(in loop: FrameLoop, where isMeant: (Performer) -> Bool) {
    // Compared outside the lock: keys are of the caller's types.
    let cancelled = state.withLock { $0.all }.filter(isMeant)
    guard !cancelled.isEmpty else { return }
    let identities = Set(cancelled.map(ObjectIdentifier.init))
    let timers = state.withLock { state in
      let timers = identities.compactMap { state.timed.removeValue(forKey: $0)?.timer }
      state.waiting.removeAll { identities.contains(ObjectIdentifier($0)) }
      state.taken.removeAll { identities.contains(ObjectIdentifier($0)) }
      leaveUnusedModes(&state, loop)
      return timers
    }
    for timer in timers { timer.invalidate() }
    for performer in cancelled { performer.refuse(.cancelled) }
  }

  /// Refuses all waiting performers, and all new ones.
  func close(_ error: PerformError) {
    let (refused, timers) = state.withLock { state in
      let refused = (state.all, state.timed.values.map(\.timer))
      state.isClosed = true
      state.waiting = ModeQueues()
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

/// Work that waits for its turn on a loop. It is either performed or refused with an error, once.
final class Performer: Sendable {
  /// Does the work when called with nil; passes an error on to a waiting caller.
  typealias Body = @Sendable (PerformError?) -> Void

  let modes: [FrameLoop.Mode]
  let order: Int
  private weak let target: (any AnyObject & Sendable)?
  private let key: (any Hashable & Sendable)?
  private let body: Lock<Body?>

  init(
    modes: [FrameLoop.Mode], order: Int = 0, target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, body: @escaping Body
  ) {
    self.modes = modes
    self.order = order
    self.target = target
    self.key = key
    self.body = Lock(body)
  }

  deinit {
    // The loop was deallocated: nothing can perform it any more.
    refuse(.cancelled)
  }

  func perform() { takeBody()?(nil) }
  func refuse(_ error: PerformError) { takeBody()?(error) }

  private func takeBody() -> Body? {
    body.withLock { body in
      defer { body = nil }
      return body
    }
  }

  func isMeant(for target: AnyObject) -> Bool { self.target === target }

  func isMeant(for target: AnyObject?, key: some Hashable) -> Bool {
    guard let own = self.key, AnyHashable(own) == AnyHashable(key) else { return false }
    return target.map(isMeant(for:)) ?? true
  }
}

/// The reason why work was not performed.
public enum PerformError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The loop's thread has ended or was stopped, before the work was given to it or before its turn came.
  case threadEnded(name: String)
  /// The work was cancelled before its turn came.
  case cancelled
  /// A mode that the work was for could not be made, because the process has no descriptor left.
  case system(SystemError)

  public var description: String {
    switch self {
    case .threadEnded(let name):
      "nothing was performed: the thread of the loop, \"\(name)\", has ended or was stopped; use one that runs"
    case .cancelled: "nothing was performed: the work was cancelled before its turn came"
    case .system(let error): "nothing was performed: its mode could not be made: \(error). \(openFilesAdvice)"
    }
  }
}
