public import Framepace

extension FrameLoop {
  /// Runs the loop, for a test, until a condition holds or a time limit passes: what is asynchronous is waited for without a
  /// guess of how long it takes.
  ///
  /// The condition is asked at first, then each time when the loop has done everything and is about to wait. Whoever makes it
  /// true on another thread must wake the loop, as sources, blocks, performers and the main queue do. The loop is kept
  /// running while there is nothing to wait for. On the loop's thread only.
  ///
  /// On manual time nothing is waited for: the clock goes from deadline to deadline, the limit at the latest.
  ///
  /// - Parameters:
  ///   - mode: in which the loop runs; its items are served.
  ///   - timeout: the limit, on the loop's clock.
  ///   - condition: is called on this thread.
  /// - Returns: whether the condition held.
  public func run(mode: Mode = .default, timeout: Nanoseconds, until condition: () -> Bool) -> Bool {
    if condition() { return true }
    let deadline = clock.now + timeout
    let keepAlive = Source { _ in }
    add(keepAlive, to: mode)
    defer { keepAlive.invalidate() }
    return withoutActuallyEscaping(condition) { condition in
      let question = Question(condition)
      let observer = Observer(.beforeWaiting, order: .max, evenWhenBusy: true) { [unowned self] _, _ in
        if question.ask() { stop() }
      }
      add(observer, to: mode)
      defer { observer.invalidate() }
      // Somebody else's stop, or a source that was handled, ends a run and not the waiting.
      while !question.holds, clock.now < deadline { _ = run(mode: mode, until: deadline) }
      return question.holds || question.ask()
    }
  }
}

/// A condition and its last answer. Safe to hand to an observer: that is called on the thread that waits here, and is
/// invalidated before the closure ends.
private final class Question: @unchecked Sendable {
  private let condition: () -> Bool
  private(set) var holds = false

  init(_ condition: @escaping () -> Bool) { self.condition = condition }

  func ask() -> Bool {
    holds = condition()
    return holds
  }
}
