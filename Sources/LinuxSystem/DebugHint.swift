// Callers have the same condition, so that a release build has neither the checks nor the messages.
#if DEBUG
  /// Tells a developer about a mistake that would otherwise just show as nothing on the screen. A debug build prints a hint on
  /// the standard error output, once for each kind of mistake; a release build has none of it.
  package enum DebugHint {
    private struct State: Sendable {
      var kinds: Set<String> = []
      /// The hints of a test, which are not printed.
      var collected: [String]?
    }

    private static let state = Lock(State())

    /// Gives a hint unless one of its kind was given before.
    package static func give(_ message: @autoclosure () -> String, kind: String) {
      guard state.withLock({ $0.kinds.insert(kind).inserted }) else { return }
      let message = message()
      let isCollected = state.withLock { state in
        state.collected?.append(message)
        return state.collected != nil
      }
      if !isCollected { StandardError.print(sentence: "framepace: \(message)") }
    }

    /// Returns the hints that are given inside `body` and does not print them. Earlier hints do not count.
    package static func collect<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) -> [String] {
      let outer = state.withLock { state in
        defer { state = State(collected: []) }
        return state
      }
      defer { state.withLock { $0 = outer } }
      try body()
      return state.withLock { $0.collected ?? [] }
    }
  }
#endif
