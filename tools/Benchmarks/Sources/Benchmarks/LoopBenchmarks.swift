import AllocationCounter
import CPeers
import Glibc

/// Measures the loop beside CFRunLoop, libuv, GLib and a minimal C program.
enum LoopBenchmarks {
  static let all = Benchmark(name: "loop", peers: LoopKind.peers.map(\.title)) {
    try signals() + wakeUps() + observers() + timers(1_000) + timers(100_000) + lateness() + idleWakeUps() + allocations()
  }

  // MARK: Signals

  private static func signals() throws -> [Result] {
    let main = try LoopComparison([.init(name: "signal + pass, main thread", gates: [.coreFoundation: 1.0 / 6])])
      .results(onMainThread: true) { loop in [Harness.perCall(loop.signalAndPass)] }
    let own = try LoopComparison([
      .init(name: "signal + pass, own thread", gates: [.raw: 0.5, .coreFoundation: 0.25]),
      .init(name: "a run that only looks"),
      .init(name: "block queued and run", gates: [.coreFoundation: 1]),
    ]).results { loop in
      [
        Harness.perCall(loop.signalAndPass),
        Harness.perCall(loop.poll),
        loop.runBlocks(1) ? Harness.perCall(limit: 1_024) { _ = loop.runBlocks($0) } : nil,
      ]
    }
    return main + own
  }

  // MARK: Wake-ups

  private static func wakeUps() throws -> [Result] {
    let latency = try LoopComparison([
      .init(name: "wake by a thread, median", gates: [.raw: 1.2]), .init(name: "wake by a thread, p99"),
    ]).results { loop in
      let times = try wakeLatencies(of: loop, count: 300)
      return [Harness.median(times), Harness.percentile(99, of: times)]
    }
    let pending = try LoopComparison([.init(name: "wake-up while one waits", gates: [.raw: 2])]).results { loop in
      // During a callback the loop is awake, and a wake-up only sets a mark.
      var time = 0.0
      loop.signal()
      loop.serve {
        loop.wakeUp(repeats: 1)
        time = (try? BenchmarkThread.result { Harness.perCall(loop.wakeUp) }) ?? .nan
      }
      return [time]
    }
    return latency + pending
  }

  /// The time from another thread's signal to the callback on a sleeping loop.
  private static func wakeLatencies(of loop: any MeasuredLoop, count: Int) throws -> [Double] {
    let sleeps = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(sleeps, 0, 0)
    defer {
      sem_destroy(sleeps)
      sleeps.deallocate()
    }
    var signalled: Int64 = 0
    let other = try BenchmarkThread {
      for _ in 0..<count {
        sem_wait(sleeps)
        usleep(50)
        signalled = peer_now()
        loop.signal()
      }
    }
    var times: [Double] = []
    times.reserveCapacity(count)
    for _ in 0..<count {
      sem_post(sleeps)
      loop.serve { times.append(Double(peer_now() - signalled)) }
    }
    other.join()
    return times
  }

  // MARK: Observers

  private static func observers() throws -> [Result] {
    try LoopComparison([
      .init(name: "pass, 10 observers"), .init(name: "pass, 1,000 observers"),
      .init(name: "one observer's call", gates: [.raw: 4]),
    ]).results { loop in
      let none = Harness.perCall(loop.signalAndPass)
      loop.addObservers(10)
      let ten = Harness.perCall(loop.signalAndPass)
      loop.addObservers(990)
      let thousand = Harness.perCall(loop.signalAndPass)
      return [ten, thousand, (thousand - none) / 1_000]
    }
  }

  // MARK: Timers

  private static func timers(_ count: Int) throws -> [Result] {
    // The timers are spread over an hour that begins in an hour.
    let hour = 3_600_000_000_000
    let start = peer_now() + Int64(hour)
    let times = (0..<count).map { start + Int64(scattered($0, below: hour)) }
    let moves = 0..<16_384
    let which = moves.map { Int32(scattered($0, below: count)) }
    let newTimes = moves.map { start + Int64(scattered(count + $0, below: hour)) }

    let title = count == 1_000 ? "1,000 timers" : "100,000 timers"
    let isMany = count > 1_000
    return try LoopComparison([
      .init(name: "\(title): add", gates: isMany ? [.libuv: 3] : [:]),
      .init(name: "\(title): move", gates: isMany ? [.libuv: 2.5] : [:]),
      .init(name: "\(title): a pass"),
      .init(name: "\(title): tick's CPU", gates: isMany ? [.raw: 1.3] : [:]),
    ]).results { loop in
      loop.makeTimers(at: times)
      let add = Harness.processorTime { loop.addTimers() } / Double(count)
      let move = Harness.perCall(limit: moves.count) { loop.moveTimers(which[..<$0], to: newTimes[..<$0]) }
      let pass = Harness.perCall(loop.signalAndPass)
      let ticks = 100
      let tick = Harness.processorTime { _ = loop.tick(every: 1_000_000, count: ticks) } / Double(ticks)
      return [add, move, pass, tick]
    }
  }

  /// A pseudo-random number that is the same in every run: SplitMix64 at `index`.
  private static func scattered(_ index: Int, below limit: Int) -> Int {
    var bits = UInt64(index + 1) &* 0x9E37_79B9_7F4A_7C15
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((bits ^ bits >> 31) % UInt64(limit))
  }

  private static func lateness() throws -> [Result] {
    try lateness(at: "120 Hz", interval: 8_333_333, count: 30) + lateness(at: "1 kHz", interval: 1_000_000, count: 200)
  }

  private static func lateness(at rate: String, interval: Int64, count: Int) throws -> [Result] {
    try LoopComparison([
      .init(name: "\(rate), late by: median", gates: [.raw: 1.2]), .init(name: "\(rate), late by: p99"),
    ]).results { loop in
      let lateness = loop.tick(every: interval, count: count).map(Double.init)
      return [Harness.median(lateness), Harness.percentile(99, of: lateness)]
    }
  }

  // MARK: Rest

  private static func idleWakeUps() throws -> [Result] {
    try LoopComparison([.init(name: "wake-ups in 2 idle seconds", unit: .count, limit: 0)]).resultsAtOnce { loop in
      let before = peer_thread_sleeps()
      _ = loop.tick(every: 2_000_000_000, count: 1)
      // The loop sleeps once by design.
      return [Double(peer_thread_sleeps() - before - 1)]
    }
  }

  private static func allocations() throws -> [Result] {
    try LoopComparison([.init(name: "allocations in a pass", unit: .count, limit: 0)]).results { loop in
      loop.addObservers(10)
      loop.makeTimers(at: (1...100).map { peer_now() + $0 * 3_600_000_000_000 })
      loop.addTimers()
      loop.signalAndPass(repeats: 100)
      let passes = 1_000
      allocation_counter_begin_all_threads()
      loop.signalAndPass(repeats: passes)
      // The counter is read before the returned array is allocated.
      let allocations = allocation_counter_end_all_threads().allocations
      return [Double(allocations) / Double(passes)]
    }
  }
}
