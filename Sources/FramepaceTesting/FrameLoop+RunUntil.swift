public import Framepace

extension FrameLoop {
  /// Runs the loop in a test until a condition holds or a time limit passes. It replaces guesses about how long asynchronous
  /// work takes.
  ///
  /// ```swift
  /// let isComplete = FrameLoop.main.run(timeout: .seconds(10)) { download.parts == 3 }
  /// ```
  ///
  /// The condition is checked first, and then each time the loop has nothing left to do and is about to wait. Code that
  /// makes it true on another thread must wake the loop; sources, blocks, performers and the main queue do so. The loop
  /// keeps running even if there is nothing to wait for. Call it on the loop's thread only.
  ///
  /// On manual time nothing waits: the clock jumps from deadline to deadline, up to the limit.
  ///
  /// - Parameters:
  ///   - mode: the mode in which the loop runs; its items are served.
  ///   - timeout: the limit, on the loop's clock.
  ///   - condition: is called on this thread.
  /// - Returns: true if the condition holds.
  public func run(mode: Mode = .default, timeout: Nanoseconds, until condition: () -> Bool) -> Bool {
    if condition() { return true }
    let deadline = clock.now + timeout
    let keepAlive = Source(.onLoop { _ in })
    add(keepAlive, to: mode)
    defer { keepAlive.invalidate() }
    return withoutActuallyEscaping(condition) { condition in
      let question = Question(condition)
      let observer = Observer(
        .beforeWaiting, order: ObserverOrder.turnEnd, evenWhenBusy: true,
        .onLoop { [unowned self] _, _ in
          if question.ask() { stop() }
        })
      add(observer, to: mode)
      defer { observer.invalidate() }
      // A stop by other code, or a handled source, ends a run but not the wait.
      while !question.holds, clock.now < deadline { _ = run(mode: mode, until: deadline) }
      return question.holds || question.ask()
    }
  }
}

/// A condition and its last result. Safe to pass to an observer: it is called on the waiting thread, and is invalidated
/// before the closure ends.
private final class Question: @unchecked Sendable {
  private let condition: () -> Bool
  private(set) var holds = false

  init(_ condition: @escaping () -> Bool) { self.condition = condition }

  func ask() -> Bool {
    holds = condition()
    return holds
  }
}
