package import LinuxSystem

/// Formats numbers and columns for people.
package enum Text {
  package static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  package static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  /// The number with fixed decimals; "–" for nil.
  package static func decimal(_ value: Double?, _ decimals: Int) -> String {
    guard let value, value.isFinite, abs(value) < 1e12 else { return "–" }
    var factor = 1.0
    for _ in 0..<decimals { factor *= 10 }
    let scaled = Int64((abs(value) * factor).rounded())
    let sign = value < 0 && scaled != 0 ? "-" : ""
    guard decimals > 0 else { return "\(sign)\(scaled)" }
    let fraction = String(scaled % Int64(factor))
    return "\(sign)\(scaled / Int64(factor)).\(String(repeating: "0", count: decimals - fraction.count))\(fraction)"
  }

  package static func milliseconds(_ value: Nanoseconds?) -> String { decimal(value?.milliseconds, 2) }

  /// The share as a whole percentage.
  package static func percent(_ share: Double?) -> String { share == nil ? "–" : decimal(share.map { $0 * 100 }, 0) + " %" }

  /// A title followed by the items with commas between them. Lines are broken at `width` and indented to the title's end.
  package static func list(_ items: [String], title: String, width: Int) -> String {
    String.lines(
      of: items.enumerated().map { $0.offset < items.count - 1 ? $0.element + "," : $0.element }, title: title, width: width)
  }

  /// A title followed by a sentence, broken between words at `width` and indented to the title's end.
  package static func entry(_ sentence: String, title: String, width: Int) -> String {
    String.lines(of: sentence.split(separator: " ").map(String.init), title: title, width: width)
  }

  /// The sentence, broken between words at `width`.
  package static func paragraph(_ sentence: String, width: Int) -> String { sentence.paragraph(width: width) }
}
