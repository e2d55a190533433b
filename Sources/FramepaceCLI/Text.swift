import Framepace

/// Numbers and columns as text.
enum Text {
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  /// A number with fixed decimals; "–" when there is none.
  static func decimal(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite, abs(value) < 1e12 else { return "–" }
    var factor = 1.0
    for _ in 0..<decimals { factor *= 10 }
    let scaled = Int64((abs(value) * factor).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int64(factor))
    return "\(sign)\(scaled / Int64(factor)).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }

  static func milliseconds(_ value: Nanoseconds?) -> String { decimal(value?.milliseconds, 2) }

  /// A share as a whole percentage.
  static func percent(_ share: Double?) -> String { share == nil ? "–" : decimal(share.map { $0 * 100 }, 0) + " %" }
}
