import LinuxSystem
import LoopTestSupport
import RunLoops

@testable import Downloads

/// The news of transfers, which come on the transfers' thread.
final class Completions: Sendable {
  private struct State {
    var results: [String: [Result<TransferAnswer, TransferError>]] = [:]
    var order: [String] = []
    var retries: [String: Int] = [:]
    var progress: [String: [Int]] = [:]
    var beginnings: [String: [[UInt8]]] = [:]
    /// News that came after the end.
    var late = 0
  }

  private let state = Lock(State())

  func handler(_ key: String) -> TransferLoop.Handler {
    .onLoop { [self] _, event in
      state.withLock { state in
        if state.results[key] != nil { state.late += 1 }
        switch event {
        case .progress(let received, _): state.progress[key, default: []].append(received)
        case .retrying: state.retries[key, default: 0] += 1
        case .finished(let result):
          state.results[key, default: []].append(result)
          state.order.append(key)
        }
      }
    }
  }

  func beginnings(_ key: String, first: Int) -> BeginningHandler {
    BeginningHandler(first: first) { [self] bytes in
      state.withLock { state in
        if state.results[key] != nil { state.late += 1 }
        state.beginnings[key, default: []].append(bytes)
      }
    }
  }

  var count: Int { state.withLock { $0.order.count } }
  var order: [String] { state.withLock { $0.order } }
  var late: Int { state.withLock { $0.late } }
  /// True if no request has ended more than once.
  var areSingle: Bool { state.withLock { state in state.late == 0 && state.results.values.allSatisfy { $0.count == 1 } } }
  func retries(_ key: String) -> Int { state.withLock { $0.retries[key] ?? 0 } }
  func progress(_ key: String) -> [Int] { state.withLock { $0.progress[key] ?? [] } }
  func beginnings(_ key: String) -> [[UInt8]] { state.withLock { $0.beginnings[key] ?? [] } }
  func result(_ key: String) -> Result<TransferAnswer, TransferError>? { state.withLock { $0.results[key]?.first } }
  func error(_ key: String) -> TransferError? {
    if case .failure(let error)? = result(key) { return error }
    return nil
  }
  func answer(_ key: String) -> TransferAnswer? { try? result(key)?.get() }

  func wait(for count: Int, file: StaticString = #file, line: UInt = #line) {
    spin(file: file, line: line) { self.count >= count }
  }
}

extension TransferConfiguration {
  /// Without a proxy, which the environment may name, and with a seed.
  static func local(limit: Int = 64, perHost: Int = 64) -> TransferConfiguration {
    var configuration = TransferConfiguration()
    (configuration.limit, configuration.limitPerHost, configuration.proxy) = (limit, perHost, .none)
    configuration.seed = 7
    return configuration
  }
}

extension TransferRequest {
  /// A request with pauses that take no time to speak of.
  init(_ text: String, attempts: Int = 1) throws {
    self.init(try WebAddress(text))
    retries.attempts = attempts
    retries.firstPause = .microseconds(100)
    retries.longestPause = .milliseconds(2)
  }
}
