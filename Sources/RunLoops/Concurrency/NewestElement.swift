import LinuxSystem

/// Hands the elements of a producer on a loop to one consumer, which may be late: only the newest is kept.
///
/// It ends once: by `finish`, when the consumer's task is cancelled, or when the last reference goes. Then it tells the
/// producer. Any thread may send and end.
package final class NewestElement<Element: Sendable>: Sendable {
  private struct State {
    var element: Element?
    var isFinished = false
    var onEnd: (@Sendable () -> Void)?
  }

  private let state = Lock(State())
  private let gate: TickGate

  /// - Parameter loop: the producer's. A consumer that lives on it too never leaves its thread.
  package init(loop: FrameLoop) {
    gate = TickGate(loop: loop)
  }

  deinit { finish() }

  /// - Parameter merge: makes of an older element that nobody has taken, and the new one, what is handed over.
  package func send(_ element: Element, merge: @Sendable (_ old: Element, _ new: Element) -> Element) {
    state.withLock { state in
      if !state.isFinished { state.element = state.element.map { merge($0, element) } ?? element }
    }
    gate.open()
  }

  /// Ends it: there is no next element.
  package func finish() {
    let onEnd = state.withLock { state in
      let onEnd = state.onEnd
      state = State(isFinished: true)
      return onEnd
    }
    onEnd?()
    gate.openForGood()
  }

  /// Has the end told to the producer: once, on the thread that ends it; at once when that has happened.
  package func atEnd(_ body: @escaping @Sendable () -> Void) {
    let isFinished = state.withLock { state in
      if !state.isFinished { state.onEnd = body }
      return state.isFinished
    }
    if isFinished { body() }
  }

  /// The newest element that was not taken yet, or the next one; nil after the end.
  package func next(isolation: isolated (any Actor)?) async -> Element? {
    await withTaskCancellationHandler {
      // Names the isolation, which a closure has only if it captures it: it would run on the global pool.
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
