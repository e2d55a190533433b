public import LinuxSystem

// Work for a loop, from any thread. Unlike a block of `perform(in:)`, it wakes the loop, counts as a handled source, and is
// refused after the end of the loop's thread.
extension FrameLoop {
  // MARK: Without waiting

  /// Queues work for the loop's thread, for the next pass of a run in one of the modes.
  ///
  ///     try FrameLoop.main.performLater(onMain: { label.text = "done" })
  ///
  /// All waiting work is performed in one pass: lower orders first, equal orders as they were queued. Work that is queued
  /// meanwhile waits for the next pass.
  ///
  /// - Parameters:
  ///   - target: an object by which the work can be cancelled; held weakly.
  ///   - key: a value by which the work can be cancelled.
  ///   - work: called on the loop's thread.
  /// - Throws: `threadEnded` when the loop's thread has ended or was stopped.
  public func performLater(
    in modes: [Mode] = [.common], order: Int = 0, for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, _ work: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    let performer = Performer(modes: modes, order: order, target: target, key: key) { error in if error == nil { work() } }
    try performers.add(performer, to: self)
  }

  /// Queues work for the main thread; for the main thread's loops only.
  public func performLater(
    in modes: [Mode] = [.common], order: Int = 0, for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, onMain work: @escaping @MainActor () -> Void
  ) throws(PerformError) {
    try performLater(in: modes, order: order, for: target, key: key, onThisLoop(work))
  }

  /// Queues work for the loop's thread, after a delay. The delay is a timer's, on the loop's clock: even without a delay the
  /// work waits for the loop.
  ///
  /// - Parameters:
  ///   - target: an object by which the work can be cancelled; held weakly, unlike that of `performSelector:afterDelay:`. The
  ///     work is also done after the target's end.
  ///   - key: a value by which the work can be cancelled.
  ///   - work: called on the loop's thread.
  /// - Throws: `threadEnded` when the loop's thread has ended or was stopped.
  public func perform(
    after delay: Nanoseconds, in modes: [Mode] = [.default], for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, _ work: @escaping @Sendable () -> Void
  ) throws(PerformError) {
    let performer = Performer(modes: modes, target: target, key: key) { error in if error == nil { work() } }
    try performers.add(performer, at: clock.now + max(delay, .zero), to: self)
  }

  /// Queues work for the main thread, after a delay; for the main thread's loops only.
  public func perform(
    after delay: Nanoseconds, in modes: [Mode] = [.default], for target: (any AnyObject & Sendable)? = nil,
    key: (any Hashable & Sendable)? = nil, onMain work: @escaping @MainActor () -> Void
  ) throws(PerformError) {
    try perform(after: delay, in: modes, for: target, key: key, onThisLoop(work))
  }

  // MARK: Waiting

  /// Lets the loop's thread do some work, and waits until it is done. On the loop's own thread the work is done at once.
  ///
  /// The caller waits until the loop runs in one of the modes. Two threads must not wait for each other.
  ///
  /// - Returns: the work's result.
  /// - Throws: the work's error; a `PerformError` if the work was not done, because the loop's thread has ended or was stopped.
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

  /// Lets the main thread do some work, and waits until it is done; for the main thread's loops only.
  @available(*, noasync, message: "in asynchronous code, await MainActor.run")
  public func performAndWait<Value: Sendable>(
    in modes: [Mode] = [.common], onMain work: @escaping @MainActor () throws -> Value
  ) throws -> Value {
    requireMainThreadsLoop()
    // Safe: the work is called on this loop's thread only, which is the main thread.
    let work = unsafeBitCast(work, to: (@Sendable () throws -> Value).self)
    return try performAndWait(in: modes, work)
  }

  /// Lets the loop's thread do some work, and suspends the task until it is done. No thread waits.
  ///
  /// - Returns: the work's result.
  /// - Throws: the work's error; a `PerformError` if the work was not done: `threadEnded` if the loop's thread has ended or
  ///   was stopped, `cancelled` if the task was cancelled before the work's turn.
  public func performAndWait<Value: Sendable>(
    in modes: [Mode] = [.common], isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await suspend(until: nil, modes, isolation, work)
  }

  /// Lets the loop's thread do some work after a delay, and suspends the task until it is done. The delay is a timer's, on
  /// the loop's clock: even without a delay the work waits for the loop.
  ///
  /// - Returns: the work's result.
  /// - Throws: the work's error; a `PerformError` if the work was not done: `threadEnded` if the loop's thread has ended or
  ///   was stopped, `cancelled` as soon as the task is cancelled before the work's turn.
  public func performAndWait<Value: Sendable>(
    after delay: Nanoseconds, in modes: [Mode] = [.default], isolation: isolated (any Actor)? = #isolation,
    _ work: @escaping @Sendable () throws -> Value
  ) async throws -> Value {
    try await suspend(until: clock.now + max(delay, .zero), modes, isolation, work)
  }

  /// - Parameter time: the time to do the work; nil for the next pass.
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

  /// Cancels this loop's waiting work for a target, compared by identity. Work that has begun is not cancelled: on another
  /// thread than the loop's, it may still be going on when this returns.
  public func cancelPerformers(for target: AnyObject) {
    performers.cancel(in: self) { $0.isMeant(for: target) }
  }

  /// Cancels this loop's waiting work with a key, compared by equality; with a target, only the work for that target.
  public func cancelPerformers(for target: AnyObject? = nil, key: some Hashable) {
    performers.cancel(in: self) { $0.isMeant(for: target, key: key) }
  }

  private func onThisLoop(_ work: @escaping @MainActor () -> Void) -> @Sendable () -> Void {
    requireMainThreadsLoop()
    // Safe: it is called on this loop's thread only, and that is the main thread.
    return unsafeBitCast(work, to: (@Sendable () -> Void).self)
  }
}

/// A performer that a task waits for. It may be cancelled before it is queued.
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
    // A cancellation that came meanwhile may have missed the performer.
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
