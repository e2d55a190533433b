import LinuxSystem

/// Passes the elements of a producer on a loop to one consumer. If the consumer is late, only the newest element is kept.
///
/// It ends by `finish`, when the consumer's task is cancelled, or when it is deallocated, and then notifies the producer.
/// Any thread may send and end.
package final class NewestElement<Element: Sendable>: Sendable {
  private struct State {
    var element: Element?
    var isFinished = false
    var onEnd: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let gate: TickGate

  /// - Parameter loop: the producer's loop. A consumer that lives on it too never leaves its thread.
  package init(loop: FrameLoop) {
    gate = TickGate(loop: loop)
  }

  deinit { finish() }

  /// - Parameter merge: combines an older element that was not taken with the new one.
  package func send(_ element: Element, merge: @Sendable (_ old: Element, _ new: Element) -> Element) {
    state.withLock { state in
      if !state.isFinished { state.element = state.element.map { merge($0, element) } ?? element }
    }
    gate.open()
  }

  /// Ends the sequence.
  package func finish() {
    let onEnd = state.withLock { state in
      let onEnd = state.onEnd
      state = State(isFinished: true)
      return onEnd
    }
    onEnd?()
    gate.openForGood()
  }

  /// Sets a closure that is called once at the end, on the thread that ends the sequence; at once if it has ended.
  package func atEnd(_ body: @escaping @Sendable () -> Void) {
    let isFinished = state.withLock { state in
      if !state.isFinished { state.onEnd = body }
      return state.isFinished
    }
    if isFinished { body() }
  }

  /// Takes the newest element, or waits for the next one; nil after the end.
  package func next(isolation: isolated (any Actor)?) async -> Element? {
    await withTaskCancellationHandler {
      // A closure has the isolation only if it captures it. Otherwise it would run on the global pool.
      _ = isolation
      while true {
        let (element, isFinished) = state.withLock { state in
          defer { state.element = nil }
          return (state.element, state.isFinished)
        }
        if element != nil || isFinished { return element }
        await gate.pass()
      }
    } onCancel: {
      finish()
    }
  }
}
