import CPeers
import Dispatch
import LinuxSystem
import MessagePorts
import RunLoops

/// Measures work and messages for a sleeping thread and back, beside a minimal C program, a dispatch queue, and an actor
/// without its own executor, which runs on the calling thread.
enum ThreadBenchmarks {
  static let all = Benchmark(name: "threads", peers: ["raw", "queue", "actor"]) {
    // There is no gate: the start of a thread depends on the machine.
    guard !Harness.measuresGatesOnly else { return [] }
    return [try performAndWait(), try performLater(), try actorCall(), try message()]
  }

  private static let count = 1_000

  private static func performAndWait() throws -> Result {
    let thread = try LoopThread(name: "benchmark")
    let queue = DispatchQueue(label: "benchmark")
    let answered = DispatchSemaphore(value: 0)
    return try compare("perform and wait") {
      try Harness.nanoseconds { for _ in 0..<count { try thread.loop.performAndWait {} } }
    } raw: {
      try time(peer_call_thread)
    } queue: {
      // `sync` would run the block on the waiting thread.
      Harness.nanoseconds {
        for _ in 0..<count {
          queue.async { answered.signal() }
          answered.wait()
        }
      }
    }
  }

  /// Measures many calls at a time.
  private static func performLater() throws -> Result {
    let thread = try LoopThread(name: "benchmark")
    let queue = DispatchQueue(label: "benchmark")
    return try compare("perform later, each of 1,000") {
      try Harness.nanoseconds {
        for _ in 0..<count { try thread.loop.performLater {} }
        try thread.loop.performAndWait {}
      }
    } queue: {
      Harness.nanoseconds {
        for _ in 0..<count { queue.async {} }
        queue.sync {}
      }
    }
  }

  private static func actorCall() throws -> Result {
    let onThread = ActorOnThread(try LoopThread(name: "benchmark"))
    let onQueue = ActorOnQueue()
    let anywhere = ActorAnywhere()
    return try compare("call of an actor") {
      timeOfCalls { await onThread.call() }
    } queue: {
      timeOfCalls { await onQueue.call() }
    } actor: {
      timeOfCalls { await anywhere.call() }
    }
  }

  private static func message() throws -> Result {
    let thread = try LoopThread(name: "benchmark")
    let sockets = try MessageSocket.pair()
    let echo = MessagePort(
      sockets.0,
      .onLoop { port, event in
        if case .message(let bytes) = event { try? port.send(bytes) }
      })
    thread.loop.add(echo, to: .default)
    let loop = FrameLoop.current
    let port = MessagePort(sockets.1, .onLoop { _, _ in })
    loop.add(port, to: "benchmark")
    defer { port.invalidate() }
    let bytes = [UInt8](repeating: 0, count: 64)
    return try compare("message of 64 bytes") {
      try Harness.nanoseconds {
        for _ in 0..<count {
          try port.send(bytes)
          loop.run(mode: "benchmark", returnAfterSourceHandled: true)
        }
      }
    } raw: {
      try time(peer_message_thread)
    }
  }

  // MARK: - Peers

  private actor ActorOnThread {
    private let thread: LoopThread
    nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }
    init(_ thread: LoopThread) { self.thread = thread }
    private var calls = 0
    // The call stays opaque, as from another module: the compiler would remove the hop to an empty function.
    @inline(never) func call() { calls += 1 }
  }

  /// An executor on a dispatch queue. libdispatch has its own only on Apple's systems.
  private final class QueueExecutor: SerialExecutor {
    private let queue = DispatchQueue(label: "benchmark")

    func enqueue(_ job: consuming ExecutorJob) {
      let job = UnownedJob(job)
      queue.async { job.runSynchronously(on: self.asUnownedSerialExecutor()) }
    }
  }

  private actor ActorOnQueue {
    private let executor = QueueExecutor()
    nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
    private var calls = 0
    // The call stays opaque, as from another module.
    @inline(never) func call() { calls += 1 }
  }

  private actor ActorAnywhere {
    private var calls = 0
    // The call stays opaque, as from another module.
    @inline(never) func call() { calls += 1 }
  }

  private static func time(_ peer: (Int32, UnsafeMutablePointer<Int64>) -> Int32) throws -> Double {
    var time: Int64 = 0
    guard peer(Int32(count), &time) == 0 else { throw BenchmarkError("a peer makes no thread") }
    return Double(time)
  }

  /// The time of calls from a task that is isolated to nothing.
  private static func timeOfCalls(_ call: @escaping @Sendable () async -> Void) -> Double {
    let time = Lock(0.0)
    let done = DispatchSemaphore(value: 0)
    Task.detached {
      let start = peer_now()
      for _ in 0..<count { await call() }
      let end = peer_now()
      time.withLock { $0 = Double(end - start) }
      done.signal()
    }
    done.wait()
    return time.withLock { $0 }
  }

  /// Measures five rounds in which every subject has its turn. A closure returns the time of `count` calls.
  private static func compare(
    _ name: String, ours: @escaping () throws -> Double, raw: (() throws -> Double)? = nil,
    queue: (() throws -> Double)? = nil, actor: (() throws -> Double)? = nil
  ) throws -> Result {
    let measures = [ours, raw, queue, actor]
    var times = measures.map { _ in [Double]() }
    for _ in 0..<Harness.rounds {
      for (index, measure) in measures.enumerated() {
        if let time = try measure?() { times[index].append(time / Double(count)) }
      }
    }
    let medians = times.map { $0.isEmpty ? nil : Harness.median($0) }
    return Result(
      name: name, unit: .nanoseconds, ours: medians[0] ?? .nan, peers: Array(medians.dropFirst()), gates: [])
  }
}
