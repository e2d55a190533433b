import FramepaceTesting
import Simulation

/// Compares a million ticks of displays with random faults with the displays' true vblanks. The figures are the same in
/// every run.
@MainActor
enum TickBenchmarks {
  static let all = Benchmark(name: "ticks", peers: [], isSimulated: true) {
    var books = Books()
    var seed: UInt64 = 0
    while books.ticks < 1_000_000 {
      try books.add(DisplayScenario.random(seed: seed, steps: 20))
      seed += 1
    }
    guard books.misses > books.ticks / 20 else { throw BenchmarkError("the displays were too good: \(books)") }
    return [
      count("ticks", books.ticks, limit: nil), count("intervals without one", books.misses, limit: nil),
      count("doubled", UInt64(books.doubled), limit: 0), count("miscounted", UInt64(books.miscounted), limit: 0),
    ]
  }

  private struct Books {
    var ticks: UInt64 = 0
    var misses: UInt64 = 0
    var doubled = 0
    var miscounted = 0

    mutating func add(_ scenario: DisplayScenario) throws {
      let result = scenario.play()
      ticks += result.ticks
      misses += result.misses
      doubled += result.doubled
      miscounted += result.miscounted
      if !result.isGood {
        let small = scenario.shrunk()
        complain("\(small)\n\(small.play())")
      }
      if let fault = result.fault { throw BenchmarkError(fault) }
    }
  }

  private static func count(_ name: String, _ count: UInt64, limit: Double?) -> Result {
    Result(name: name, unit: .count, ours: Double(count), peer: nil, limit: limit)
  }
}
