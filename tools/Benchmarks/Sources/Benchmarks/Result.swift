/// A limit for a result: for the ratio to a peer, or for the figure itself.
struct Gate {
  /// The index of the peer's column.
  let peer: Int?
  let limit: Double
}

/// A line of the table: a figure, the peers' figures and the gates.
struct Result {
  enum Unit {
    case nanoseconds
    case count
  }

  let name: String
  let unit: Unit
  let ours: Double
  /// The peers' figures in the same run and unit, by column; nil for a peer without such a figure.
  let peers: [Double?]
  let gates: [Gate]

  init(name: String, unit: Unit, ours: Double, peers: [Double?], gates: [Gate]) {
    self.name = name
    self.unit = unit
    self.ours = ours
    self.peers = peers
    self.gates = gates
  }

  /// A result with at most one peer and one gate.
  init(name: String, unit: Unit, ours: Double, peer: Double?, limit: Double?) {
    self.init(
      name: name, unit: unit, ours: ours, peers: peer.map { [$0] } ?? [],
      gates: limit.map { [Gate(peer: peer == nil ? nil : 0, limit: $0)] } ?? [])
  }

  func ratio(to peer: Int) -> Double? {
    guard peers.indices.contains(peer), let figure = peers[peer] else { return nil }
    return figure > 0 ? ours / figure : .infinity
  }

  /// The value that a gate limits; infinite if its peer has no figure.
  func gated(_ gate: Gate) -> Double { gate.peer.map { ratio(to: $0) ?? .infinity } ?? ours }

  func holds(_ gate: Gate) -> Bool { gated(gate) <= gate.limit }
  var holds: Bool { gates.allSatisfy(holds) }

  /// The largest ratio of a value to its limit: at most 1 if all gates hold.
  var strain: Double {
    gates.map { $0.limit > 0 ? gated($0) / $0.limit : (holds($0) ? 0 : 1 + gated($0)) }.max() ?? 0
  }
}

/// A named group of measurements.
struct Benchmark {
  let name: String
  /// The names of the peers' columns.
  var peers = ["peer"]
  /// True if the gates are on figures of simulated time, which are the same in every run, whatever else the machine does.
  var isSimulated = false
  let run: @MainActor () throws -> [Result]
}
