/// Runs `body` on the main actor, from a test on the process's main thread.
///
/// XCTest runs synchronous tests on that thread. On Linux a test case cannot be `@MainActor`, and asynchronous tests run on
/// other threads.
public func onMain<Result: Sendable>(_ body: @MainActor () throws -> Result) rethrows -> Result {
  try MainActor.assumeIsolated(body)
}
