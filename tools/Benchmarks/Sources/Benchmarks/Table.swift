/// Prints results in columns. It prints each group at once, so that a long run shows its results early.
struct Table {
  private static let ratioWidth = 7
  private(set) var failures = 0
  private(set) var gates = 0
  /// The word for a gate that does not hold.
  private var refusal = "gate FAILED"
  /// The peers of the current columns.
  private var peers: [String] = []

  /// - Parameter isFinal: false if the group is measured again, so that its gates do not count yet.
  mutating func add(_ results: [Result], of benchmark: Benchmark, isFinal: Bool) {
    guard !results.isEmpty else { return }
    refusal = isFinal ? "gate FAILED" : "gate exceeded"
    if isFinal {
      let all = results.flatMap { result in result.gates.map { result.holds($0) } }
      gates += all.count
      failures += all.count { !$0 }
    }
    if peers != benchmark.peers {
      peers = benchmark.peers
      header()
    }
    print(benchmark.name)
    for result in results { add(result) }
  }

  // With many columns the names have less room.
  private var nameWidth: Int { peers.count > 1 ? 30 : 38 }
  private var figureWidth: Int { peers.count > 1 ? 8 : 10 }

  private func header() {
    var line = Self.left("", nameWidth) + Self.right("framepace", 10)
    for peer in peers { line += Self.right(peer, figureWidth) }
    print(line + Self.right("ratio", Self.ratioWidth) + "  gate")
  }

  private func add(_ result: Result) {
    var line = Self.left("  " + result.name, nameWidth)
    line += Self.right(Self.text(result.ours, result.unit), 10)
    for column in peers.indices where !result.peers.isEmpty || !result.gates.isEmpty {
      let figure = result.peers.indices.contains(column) ? result.peers[column] : nil
      let absent = result.peers.isEmpty ? "" : "–"
      line += Self.right(figure.map { Self.text($0, result.unit) } ?? absent, figureWidth)
    }
    if result.gates.isEmpty, peers.count == 1, let ratio = result.ratio(to: 0) {
      line += Self.right(Self.decimal(ratio, places: 2), Self.ratioWidth)
    }
    // Each gate has its own line; the others stand below the first.
    let margin = String(repeating: " ", count: line.count)
    for (index, gate) in result.gates.enumerated() {
      if index > 0 {
        print(line)
        line = margin
      }
      let ratio = gate.peer == nil ? "" : Self.decimal(result.gated(gate), places: 2)
      line +=
        Self.right(ratio, Self.ratioWidth) + "  " + text(gate, result.unit)
        + (result.holds(gate) ? " gate ok" : " " + refusal)
    }
    print(line)
  }

  private func text(_ gate: Gate, _ unit: Result.Unit) -> String {
    if gate.peer == nil { return "≤ " + Self.text(gate.limit, unit) }
    let limit = "≤ " + Self.decimal(gate.limit, places: gate.limit == gate.limit.rounded() ? 0 : 2)
    guard peers.count > 1, let peer = gate.peer else { return limit }
    return limit + " " + peers[peer]
  }

  /// A duration with three significant digits, or a plain number.
  static func text(_ value: Double, _ unit: Result.Unit) -> String {
    switch unit {
    case .count: decimal(value, places: value == value.rounded() ? 0 : 2)
    case .nanoseconds:
      switch abs(value) {
      case ..<999.5: threeFigures(value) + " ns"
      case ..<999.5e3: threeFigures(value / 1e3) + " µs"
      case ..<999.5e6: threeFigures(value / 1e6) + " ms"
      default: threeFigures(value / 1e9) + " s"
      }
    }
  }

  private static func threeFigures(_ value: Double) -> String {
    switch abs(value) {
    case ..<9.995: decimal(value, places: 2)
    case ..<99.95: decimal(value, places: 1)
    default: decimal(value, places: 0)
    }
  }

  static func decimal(_ value: Double, places: Int) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    var scale = 1
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((value * Double(scale)).rounded())
    let digits = "\(abs(scaled) % scale)"
    let fraction = places == 0 ? "" : "." + String(repeating: "0", count: places - digits.count) + digits
    return "\(scaled < 0 ? "-" : "")\(abs(scaled) / scale)\(fraction)"
  }

  private static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(1, width - text.count))
  }

  private static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(1, width - text.count)) + text
  }
}
