/// Tells a developer about a mistake that would otherwise just show as nothing on the screen. A debug build prints a hint on
/// the standard error output, once for each kind of mistake; in a release build nothing is checked.
package enum DebugHint {
  private struct State: Sendable {
    var kinds: Set<String> = []
    /// The hints of a test, which are not printed.
    var collected: [String]?
  }

  private static let state = Lock(State())

  /// Gives a hint unless one of its kind was given before.
  @inlinable
  @inline(__always)
  package static func give(
    _ message: @autoclosure () -> String, kind: @autoclosure () -> String, if isMistaken: @autoclosure () -> Bool = true
  ) {
    #if DEBUG
      if isMistaken(), isFirst(kind()) { print(message()) }
    #endif
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

  package static func isFirst(_ kind: String) -> Bool {
    state.withLock { $0.kinds.insert(kind).inserted }
  }

  package static func print(_ message: String) {
    let isCollected = state.withLock { state in
      state.collected?.append(message)
      return state.collected != nil
    }
    if !isCollected { StandardError.print("framepace: \(message)") }
  }
}
