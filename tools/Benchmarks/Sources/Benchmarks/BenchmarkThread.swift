import Glibc

/// A thread with its own loop.
struct BenchmarkThread {
  private final class Start {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }

  private let handle: pthread_t

  init(_ body: @escaping () -> Void) throws {
    var handle = pthread_t()
    let start = Unmanaged.passRetained(Start(body))
    let error = pthread_create(
      &handle, nil,
      { start in
        if let start { Unmanaged<Start>.fromOpaque(start).takeRetainedValue().body() }
        return nil
      }, start.toOpaque())
    guard error == 0 else { throw BenchmarkError("pthread_create: error \(error)") }
    self.handle = handle
  }

  func join() { pthread_join(handle, nil) }

  /// Runs `body` on a new thread and returns its result. The thread and its loops have ended by then.
  static func result<Value>(of body: () throws -> Value) throws -> Value {
    var result: Swift.Result<Value, any Error>?
    try withoutActuallyEscaping(body) { body in
      try BenchmarkThread { result = Swift.Result(catching: body) }.join()
    }
    guard let result else { throw BenchmarkError("a thread ended without a result") }
    return try result.get()
  }
}
