/// Prints results in columns, a group at a time, so that a long run shows what it has.
struct Table {
  private static let widths = (name: 38, figure: 10, ratio: 7)
  private(set) var failures = 0
  private(set) var gates = 0

  func header() {
    print(Self.left("", Self.widths.name), terminator: "")
    for title in ["framepace", "peer"] { print(Self.right(title, Self.widths.figure), terminator: "") }
    print(Self.right("ratio", Self.widths.ratio), "  gate")
  }

  mutating func add(_ results: [Result], group: String) {
    print(group)
    for result in results { add(result) }
  }

  private mutating func add(_ result: Result) {
    var line = Self.left("  " + result.name, Self.widths.name)
    line += Self.right(Self.text(result.ours, result.unit), Self.widths.figure)
    if let peer = result.peer, let ratio = result.ratio {
      line += Self.right(Self.text(peer, result.unit), Self.widths.figure)
      line += Self.right(Self.decimal(ratio, places: 2), Self.widths.ratio)
    }
    if let holds = result.holds, let limit = result.limit {
      gates += 1
      if !holds { failures += 1 }
      if result.peer == nil { line += String(repeating: " ", count: Self.widths.figure + Self.widths.ratio) }
      line += "  ≤ \(Self.decimal(limit, places: limit == limit.rounded() ? 0 : 2)) gate \(holds ? "ok" : "FAILED")"
    }
    print(line)
  }

  /// A duration in the unit that keeps it between 1 and 1000, or a plain number.
  static func text(_ value: Double, _ unit: Result.Unit) -> String {
    switch unit {
    case .count: decimal(value, places: value == value.rounded() ? 0 : 2)
    case .nanoseconds:
      switch abs(value) {
      case ..<1e3: decimal(value, places: 1) + " ns"
      case ..<1e6: decimal(value / 1e3, places: 1) + " µs"
      case ..<1e9: decimal(value / 1e6, places: 2) + " ms"
      default: decimal(value / 1e9, places: 2) + " s"
      }
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
