public import LinuxSystem

// Work for a loop, from any thread. Unlike a block of `perform(in:)` it wakes the loop, counts as a source that was
// handled, and is refused when the loop's thread has ended.
extension FrameLoop {
  // MARK: Without waiting

  /// Has the loop's thread do some work, in the next pass of a run in one of the modes.
  ///
  /// All that waits is performed in one pass: lower orders first, equal ones as they came. What is given meanwhile waits
  /// for the next pass.
  ///
  /// - Parameters:
  ///   - target: whom the work is for, to cancel it by; held weakly. The work itself captures what it needs.
  ///   - key: what the work is, to cancel it by.
  ///   - work: is called on the loop's thread.
  /// - Throws: `threadEnded` when the loop's thread has ended or was stopped.
  public func performLater(
    in modes: [Mode] = [.common], order: Int = 0, for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, _ work: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    let performer = Performer(modes: modes, order: order, target: target, key: key) { error in if error == nil { work() } }
    try performers.add(performer, to: self)
  }

  /// Has the main thread do some work; for the main thread's loops only.
  public func performLater(
    in modes: [Mode] = [.common], order: Int = 0, for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, onMain work: @escaping @MainActor () -> Void
  ) throws(PerformError) {
    try performLater(in: modes, order: order, for: target, key: key, onThisLoop(work))
  }

  /// Has the loop's thread do some work once a time has passed. A timer underneath counts it, on the loop's clock: after no
  /// time, too, the work waits for the loop.
  ///
  /// - Parameters:
  ///   - target: whom the work is for, to cancel it by; held weakly, unlike that of `performSelector:afterDelay:`. The work
  ///     is done without it, too, and itself captures what it needs.
  ///   - key: what the work is, to cancel it by.
  ///   - work: is called on the loop's thread.
  /// - Throws: `threadEnded` when the loop's thread has ended or was stopped.
  public func perform(
    after delay: Nanoseconds, in modes: [Mode] = [.default], for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, _ work: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    let performer = Performer(modes: modes, target: target, key: key) { error in if error == nil { work() } }
    try performers.add(performer, at: clock.now + max(delay, .zero), to: self)
  }

  /// Has the main thread do some work once a time has passed; for the main thread's loops only.
  public func perform(
    after delay: Nanoseconds, in modes: [Mode] = [.default], for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, onMain work: @escaping @MainActor () -> Void
  ) throws(PerformError) {
    try perform(after: delay, in: modes, for: target, key: key, onThisLoop(work))
  }

  // MARK: Waiting

  /// Has the loop's thread do some work, and waits until it is done; on the loop's own thread it is done at once.
  ///
  /// A loop that does not run in one of the modes keeps the caller waiting, and two threads must not wait for each other.
  ///
  /// - Returns: what the work returns.
  /// - Throws: what the work throws; a `PerformError` when it was not done: the loop's thread has ended or was stopped,
  ///   before or meanwhile.
  @available(*, noasync, message: "in asynchronous code, await the asynchronous version")
  public func performAndWait<Value: Sendable>(
    in modes: [Mode] = [.common], _ work: @escaping @Sendable () throws -> Value
  ) throws -> Value {
    if thread.isCurrent { return try work() }
    let outcome = Lock<Result<Value, any Error>?>(nil)
    let done = Latch()
    let performer = Performer(modes: modes) { error in
      let result = Result { try error.map { throw $0 } ?? work() }
      outcome.withLock { $0 = result }
      done.open()
    }
    try performers.add(performer, to: self)
    done.wait()
    guard let result = outcome.withLock({ $0 }) else { throw endError }
    return try result.get()
  }

  /// Has the main thread do some work, and waits until it is done; for the main thread's loops only.
  @available(*, noasync, message: "in asynchronous code, await MainActor.run")
  public func performAndWait<Value: Sendable>(
    in modes: [Mode] = [.common], onMain work: @escaping @MainActor () throws -> Value
  ) throws -> Value {
    requireMainThreadsLoop()
    // Safe: it is called on this loop's thread only, and that is the main thread.
    let work = unsafeBitCast(work, to: (@Sendable () throws -> Value).self)
    return try performAndWait(in: modes, work)
  }

  /// Has the loop's thread do some work, and suspends the task until it is done: no thread waits.
  ///
  /// - Returns: what the work returns.
  /// - Throws: what the work throws; a `PerformError` when it was not done: `threadEnded` when the loop's thread has ended
  ///   or was stopped, `cancelled` when the task was cancelled before the work's turn came.
  public func performAndWait<Value: Sendable>(
    in modes: [Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await suspend(until: nil, modes, isolation, work)
  }

  /// Has the loop's thread do some work once a time has passed, and suspends the task until it is done. A timer underneath
  /// counts the time, on the loop's clock: after no time, too, the work waits for the loop.
  ///
  /// - Returns: what the work returns.
  /// - Throws: what the work throws; a `PerformError` when it was not done: `threadEnded` when the loop's thread has ended
  ///   or was stopped, `cancelled` when the task was cancelled before the work's turn came; it does not wait for that turn.
  public func performAndWait<Value: Sendable>(
    after delay: Nanoseconds, in modes: [Mode] = [.default], isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await suspend(until: clock.now + max(delay, .zero), modes, isolation, work)
  }

  /// - Parameter time: when the work is done; nil for the next pass.
  private func suspend<Value: Sendable>(
    until time: MonotonicTime?, _ modes: [Mode], _ isolation: isolated (any Actor)?,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    let performer = SuspendedPerformer()
    return try await withTaskCancellationHandler {
      try await withCheckedThrowingContinuation(isolation: isolation) { continuation in
        performer.begin(
          Performer(modes: modes) { error in
            continuation.resume(with: Result { try error.map { throw $0 } ?? work() })
          }, at: time, on: self)
      }
    } onCancel: {
      performer.cancel(on: self)
    }
  }

  // MARK: Cancelling

  /// Cancels what waits for a target, by identity: what this loop was given for it and has not begun. From a thread other
  /// than the loop's, it may have begun and not be finished.
  public func cancelPerformers(for target: AnyObject) {
    performers.cancel(in: self) { $0.isMeant(for: target) }
  }

  /// Cancels what waits with a key, by equality; with a target only what is for that one.
  public func cancelPerformers(for target: AnyObject? = nil, key: some Hashable) {
    performers.cancel(in: self) { $0.isMeant(for: target, key: key) }
  }

  private func onThisLoop(_ work: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
    requireMainThreadsLoop()
    // Safe: it is called on this loop's thread only, and that is the main thread.
    return unsafeBitCast(work, to: (@Sendable () -> Void).self)
  }
}

/// What a task waits for: may be cancelled before it has begun.
private final class SuspendedPerformer: Sendable {
  private struct State {
    var performer: Performer?
    var isCancelled = false
  }

  private let state = Lock(State())

  func begin(_ performer: Performer, at time: MonotonicTime?, on loop: FrameLoop) {
    let isCancelled = state.withLock { state in
      state.performer = performer
      return state.isCancelled
    }
    if isCancelled { return performer.refuse(.cancelled) }
    do throws(PerformError) {
      if let time {
        try loop.performers.add(performer, at: time, to: loop)
      } else {
        try loop.performers.add(performer, to: loop)
      }
    } catch {
      performer.refuse(error)
    }
    // A cancellation that came meanwhile may not have found it.
    if state.withLock({ $0.isCancelled }) { cancel(on: loop) }
  }

  func cancel(on loop: FrameLoop) {
    let performer = state.withLock { state in
      state.isCancelled = true
      return state.performer
    }
    guard let performer else { return }
    performer.refuse(.cancelled)
    loop.performers.cancel(in: loop) { $0 === performer }
  }
}
