import AllocationCounter
import CPeers

/// One line of the table: a figure, what it is held against, and the gate if it has one.
struct Result {
  enum Unit {
    case nanoseconds
    case count
  }

  let name: String
  let unit: Unit
  let ours: Double
  /// The peer's figure in the same run and unit.
  let peer: Double?
  /// The most that a gate lets through: of the ratio where there is a peer, else of the figure itself.
  let limit: Double?

  var ratio: Double? { peer.map { $0 > 0 ? ours / $0 : .infinity } }

  /// What the gate looks at.
  var gated: Double { ratio ?? ours }

  var holds: Bool? { limit.map { gated <= $0 } }
}

/// A named group of measurements that belong together.
struct Benchmark {
  let name: String
  let run: @MainActor () throws -> [Result]
}

enum Harness {
  static let rounds = 5

  /// Keeps the optimiser from dropping what nobody reads.
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

  /// Ours and a peer, five rounds each in turn, so that what disturbs the machine disturbs both. The figures are medians of
  /// the time of one of `repeats` calls.
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

  /// What is beyond its gate is measured twice more, and the best counts: a disturbed machine or a pool that had to grow once
  /// does not come three times, a slower program does.
  static func best(_ measure: () throws -> Result) rethrows -> Result {
    var result = try measure()
    for _ in 0..<2 where result.holds == false {
      let again = try measure()
      if again.gated < result.gated { result = again }
    }
    return result
  }

  /// The time of one of `repeats` calls, without a peer and so without a gate.
  static func time(_ name: String, repeats: Int, _ body: () throws -> Void) rethrows -> Result {
    try body()
    var times: [Double] = []
    for _ in 0..<rounds {
      times.append(try nanoseconds { for _ in 0..<repeats { try body() } } / Double(repeats))
    }
    return Result(name: name, unit: .nanoseconds, ours: median(times), peer: nil, limit: nil)
  }

  /// Heap allocations of all threads in one of `frames` calls, after `warmUp` of them have filled pools and caches.
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
