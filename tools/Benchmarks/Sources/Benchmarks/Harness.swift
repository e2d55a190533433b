import AllocationCounter
import CPeers

enum Harness {
  static let rounds = 5
  /// How often a measurement beyond its gate is repeated. A busy machine or a pool that grows once does not exceed a gate five
  /// times; a slower program does.
  static let repetitions = 4
  /// True to skip peers without a gate.
  static let measuresGatesOnly = CommandLine.arguments.contains("--gate")

  /// Keeps the optimiser from removing a result that is not used.
  @inline(never)
  static func blackHole<Value>(_ value: Value) { withExtendedLifetime(value) {} }

  static func nanoseconds(_ body: () throws -> Void) rethrows -> Double {
    let start = peer_now()
    try body()
    return Double(peer_now() - start)
  }

  static func median(_ values: [Double]) -> Double {
    let sorted = values.sorted()
    return sorted.isEmpty ? .nan : (sorted[(sorted.count - 1) / 2] + sorted[sorted.count / 2]) / 2
  }

  /// The percentile by linear interpolation between the two nearest values.
  static func percentile(_ percent: Double, of values: [Double]) -> Double {
    let sorted = values.sorted()
    guard !sorted.isEmpty else { return .nan }
    let place = percent / 100 * Double(sorted.count - 1)
    let lower = sorted[Int(place)]
    return lower + (sorted[min(Int(place) + 1, sorted.count - 1)] - lower) * place.truncatingRemainder(dividingBy: 1)
  }

  /// The processor time of the calling thread. Other programs on the machine do not add to it.
  static func processorTime(_ body: () throws -> Void) rethrows -> Double {
    let start = peer_thread_time()
    try body()
    return Double(peer_thread_time() - start)
  }

  /// The processor time of one repetition. The repetitions together take some milliseconds; `limit` is their largest number.
  static func perCall(limit: Int = .max, _ body: (Int) -> Void) -> Double {
    var repeats = 1
    while true {
      let time = processorTime { body(repeats) }
      if time > 2e6 || repeats == limit { return time / Double(repeats) }
      repeats = min(repeats * 4, limit)
    }
  }

  /// Compares framepace with a peer in five alternating rounds, so that a disturbance of the machine affects both. The
  /// figures are the medians of the time of one of `repeats` calls.
  ///
  static func compare(
    _ name: String, repeats: Int = 1, limit: Double? = nil, ours: () throws -> Void, peer: () throws -> Void
  ) rethrows -> Result {
    try best {
      var oursTimes: [Double] = []
      var peerTimes: [Double] = []
      try ours()
      try peer()
      for _ in 0..<rounds {
        oursTimes.append(try nanoseconds { for _ in 0..<repeats { try ours() } } / Double(repeats))
        peerTimes.append(try nanoseconds { for _ in 0..<repeats { try peer() } } / Double(repeats))
      }
      return Result(name: name, unit: .nanoseconds, ours: median(oursTimes), peer: median(peerTimes), limit: limit)
    }
  }

  /// Repeats a measurement beyond its gate, and returns the best result.
  static func best(_ measure: () throws -> Result) rethrows -> Result {
    var result = try measure()
    for _ in 0..<repetitions where !result.holds {
      let again = try measure()
      if again.strain < result.strain { result = again }
    }
    return result
  }

  /// The time of one of `repeats` calls, without a peer and without a gate.
  static func time(_ name: String, repeats: Int, _ body: () throws -> Void) rethrows -> Result {
    try body()
    var times: [Double] = []
    for _ in 0..<rounds {
      times.append(try nanoseconds { for _ in 0..<repeats { try body() } } / Double(repeats))
    }
    return Result(name: name, unit: .nanoseconds, ours: median(times), peer: nil, limit: nil)
  }

  /// The heap allocations of all threads in one of `frames` calls, after `warmUp` calls have filled pools and caches.
  static func allocations(
    _ name: String, warmUp: Int = 10, frames: Int = 100, limit: Double? = 0, _ frame: () throws -> Void
  ) rethrows -> Result {
    for _ in 0..<warmUp { try frame() }
    return try best {
      allocation_counter_begin_all_threads()
      for _ in 0..<frames { try frame() }
      let counts = allocation_counter_end_all_threads()
      let perFrame = Double(counts.allocations) / Double(frames)
      return Result(name: name, unit: .count, ours: perFrame, peer: nil, limit: limit)
    }
  }
}
