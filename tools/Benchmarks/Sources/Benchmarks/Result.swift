/// The most that is let through: of the ratio to a peer where there is one, else of the figure itself.
struct Gate {
  /// The peer's column, from 0.
  let peer: Int?
  let limit: Double
}

/// One line of the table: a figure, what it is held against, and the gates if it has any.
struct Result {
  enum Unit {
    case nanoseconds
    case count
  }

  let name: String
  let unit: Unit
  let ours: Double
  /// The peers' figures in the same run and unit, by column; nil for a peer that has no such thing.
  let peers: [Double?]
  let gates: [Gate]

  init(name: String, unit: Unit, ours: Double, peers: [Double?], gates: [Gate]) {
    self.name = name
    self.unit = unit
    self.ours = ours
    self.peers = peers
    self.gates = gates
  }

  /// One peer at most, and one gate.
  init(name: String, unit: Unit, ours: Double, peer: Double?, limit: Double?) {
    self.init(
      name: name, unit: unit, ours: ours, peers: peer.map { [$0] } ?? [],
      gates: limit.map { [Gate(peer: peer == nil ? nil : 0, limit: $0)] } ?? [])
  }

  func ratio(to peer: Int) -> Double? {
    guard peers.indices.contains(peer), let figure = peers[peer] else { return nil }
    return figure > 0 ? ours / figure : .infinity
  }

  /// What a gate looks at; infinite when its peer has no figure.
  func gated(_ gate: Gate) -> Double { gate.peer.map { ratio(to: $0) ?? .infinity } ?? ours }

  func holds(_ gate: Gate) -> Bool { gated(gate) <= gate.limit }
  var holds: Bool { gates.allSatisfy(holds) }

  /// How near the worst gate is to its limit, or how far beyond it: at most 1 when all hold.
  var strain: Double {
    gates.map { $0.limit > 0 ? gated($0) / $0.limit : (holds($0) ? 0 : 1 + gated($0)) }.max() ?? 0
  }
}

/// A named group of measurements that belong together.
struct Benchmark {
  let name: String
  /// The peers of its results, by column.
  var peers = ["peer"]
  let run: @MainActor () throws -> [Result]
}
