/// Runs `body` on the main actor, from a test that runs on the process's main thread.
///
/// XCTest runs synchronous tests there, but on Linux a test case cannot be `@MainActor` itself, and an asynchronous one runs
/// elsewhere.
public func onMain<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
