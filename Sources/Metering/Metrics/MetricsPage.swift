import LinuxSystem

/// A page of metrics in Prometheus' text format, version 0.0.4.
///
/// ```swift
/// var page = MetricsPage(frames: [meter.takeMetrics(of: "lobby", at: now)])
/// page.add(.counter, "kiosk_orders_total", help: "Orders taken.", [.init(Double(orders))])
/// print(page.text)
/// ```
///
/// A metric is a family of samples that differ by their labels. Add a family once, with all its samples: the format allows no second
/// time. What the text of a label or a help may not contain is escaped.
public struct MetricsPage: Sendable {
  /// The meaning of a family's values.
  public enum Kind: String, Sendable {
    /// A value that only grows, from 0 at the program's start.
    case counter
    /// A value that goes up and down.
    case gauge
    /// How many values are at most as large as each of some bounds.
    case histogram
  }

  /// One value of a family.
  public struct Sample: Sendable {
    /// Names and values; names are `[a-zA-Z_][a-zA-Z0-9_]*`.
    public var labels: [(name: String, value: String)]
    public var value: Double

    public init(_ value: Double, _ labels: [(name: String, value: String)] = []) {
      (self.labels, self.value) = (labels, value)
    }
  }

  /// The value of the HTTP header `Content-Type` for the text.
  public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

  /// The page. Each line ends with a line break.
  public private(set) var text = ""

  public init() {}

  /// Adds a family of counters or gauges. Without samples it is left out.
  ///
  /// - Parameters:
  ///   - name: `[a-zA-Z_:][a-zA-Z0-9_:]*`; by the rules of Prometheus it ends in the base unit, such as `_seconds`, and that of a
  ///     counter in `_total`.
  ///   - help: one sentence.
  public mutating func add(_ kind: Kind, _ name: String, help: String, _ samples: [Sample]) {
    guard !samples.isEmpty else { return }
    begin(kind, name, help)
    for sample in samples { line(name, sample.labels, Self.number(sample.value)) }
  }

  /// Adds a family of histograms of durations, in seconds. Without samples it is left out.
  ///
  /// - Parameters:
  ///   - name: ends in `_seconds`.
  ///   - samples: histograms with their labels, among which there is no `le`.
  public mutating func add(
    _ name: String, help: String, _ samples: [(labels: [(name: String, value: String)], buckets: DurationBuckets)]
  ) {
    guard !samples.isEmpty else { return }
    begin(.histogram, name, help)
    for (labels, buckets) in samples {
      for (bound, count) in zip(buckets.bounds, buckets.counts) {
        line("\(name)_bucket", labels + [("le", Self.number(bound.seconds))], "\(count)")
      }
      line("\(name)_bucket", labels + [("le", "+Inf")], "\(buckets.count)")
      line("\(name)_sum", labels, Self.number(buckets.sum.seconds))
      line("\(name)_count", labels, "\(buckets.count)")
    }
  }

  private mutating func begin(_ kind: Kind, _ name: String, _ help: String) {
    text += "# HELP \(name) \(Self.escaped(help, quotes: false))\n# TYPE \(name) \(kind.rawValue)\n"
  }

  private mutating func line(_ name: String, _ labels: [(name: String, value: String)], _ value: String) {
    text += name
    for (index, label) in labels.enumerated() {
      text += "\(index == 0 ? "{" : ",")\(label.name)=\"\(Self.escaped(label.value, quotes: true))\""
    }
    text += "\(labels.isEmpty ? "" : "}") \(value)\n"
  }

  private static func number(_ value: Double) -> String {
    if value.isNaN { return "NaN" }
    if value.isInfinite { return value < 0 ? "-Inf" : "+Inf" }
    if let whole = Int64(exactly: value) { return "\(whole)" }
    return "\(value)"
  }

  /// A carriage return would end a line for some readers, and is no part of a name: a space stands for it.
  private static func escaped(_ text: String, quotes: Bool) -> String {
    var result = ""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\\": result += "\\\\"
      case "\n": result += "\\n"
      case "\r": result += " "
      case "\"" where quotes: result += "\\\""
      default: result.unicodeScalars.append(scalar)
      }
    }
    return result
  }
}
