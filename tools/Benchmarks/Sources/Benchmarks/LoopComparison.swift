import CPeers
import Glibc

/// Measures the same figures on every kind of loop.
struct LoopComparison {
  struct Figure {
    let name: String
    var unit = Result.Unit.nanoseconds
    /// The largest accepted ratio to each peer.
    var gates: KeyValuePairs<LoopKind, Double> = [:]
    /// The largest accepted value of the figure itself.
    var limit: Double?

    fileprivate var allGates: [Gate] {
      gates.map { Gate(peer: $0.key.column, limit: $0.value) } + (limit.map { [Gate(peer: nil, limit: $0)] } ?? [])
    }
  }

  /// The rows of the table.
  let figures: [Figure]
  private let kinds: [LoopKind]

  init(_ figures: [Figure]) {
    self.figures = figures
    kinds = LoopKind.allCases.filter { kind in
      kind == .framepace || !Harness.measuresGatesOnly || figures.contains { $0.gates.contains { $0.key == kind } }
    }
  }

  private var isWanted: Bool { !Harness.measuresGatesOnly || figures.contains { !$0.allGates.isEmpty } }

  /// Measures five rounds. In each round every kind has its turn, with a new thread and a new loop.
  ///
  /// - Parameter round: returns the figures in order; nil for a figure that the loop does not support.
  func results(onMainThread: Bool = false, round: (any MeasuredLoop) throws -> [Double?]) throws -> [Result] {
    try best {
      var rounds: [LoopKind: [[Double?]]] = [:]
      for _ in 0..<Harness.rounds {
        for kind in kinds {
          let figures =
            try onMainThread
            ? round(kind.make()) : BenchmarkThread.result { try round(kind.make()) }
          rounds[kind, default: []].append(figures)
        }
      }
      return rounds.mapValues { rounds in
        figures.indices.map { index in
          let values = rounds.compactMap { $0[index] }
          return values.isEmpty ? nil : Harness.median(values)
        }
      }
    }
  }

  /// Measures one round of all kinds at the same time, each on its own thread. Use it for figures that take long and use no
  /// processor time.
  func resultsAtOnce(round: @escaping (any MeasuredLoop) throws -> [Double?]) throws -> [Result] {
    try best {
      let outcomes = UnsafeMutableBufferPointer<[Double?]>.allocate(capacity: kinds.count)
      outcomes.initialize(repeating: [])
      defer {
        outcomes.deinitialize()
        outcomes.deallocate()
      }
      let threads = try kinds.enumerated().map { index, kind in
        try BenchmarkThread { outcomes[index] = (try? round(kind.make())) ?? figures.map { _ in nil } }
      }
      for thread in threads { thread.join() }
      return Dictionary(uniqueKeysWithValues: zip(kinds, outcomes))
    }
  }

  /// Keeps the better value of each figure if some are beyond their gates and are measured again.
  private func best(_ measure: () throws -> [LoopKind: [Double?]]) throws -> [Result] {
    guard isWanted else { return [] }
    var best = try results(of: measure())
    for _ in 0..<Harness.repetitions where !best.allSatisfy(\.holds) {
      let again = try results(of: measure())
      best = zip(best, again).map { $1.strain < $0.strain ? $1 : $0 }
    }
    return best
  }

  private func results(of values: [LoopKind: [Double?]]) -> [Result] {
    figures.enumerated().map { index, figure in
      Result(
        name: figure.name, unit: figure.unit, ours: values[.framepace]?[index] ?? .nan,
        peers: LoopKind.peers.map { values[$0]?[index] }, gates: figure.allGates)
    }
  }
}
