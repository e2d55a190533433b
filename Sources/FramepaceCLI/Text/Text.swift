import Framepace

/// Formats numbers and columns.
enum Text {
  static func right(_ text: String, _ width: Int) -> String {
    String(repeating: " ", count: max(width - text.count, 0)) + text
  }

  static func left(_ text: String, _ width: Int) -> String {
    text + String(repeating: " ", count: max(width - text.count, 0))
  }

  /// The number with fixed decimals; "–" for nil.
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

  /// "40 s to go", "12 min to go".
  static func rest(_ seconds: Double) -> String {
    "\(seconds < 120 ? "\(decimal(seconds, 0)) s" : "\(decimal(seconds / 60, 0)) min") to go"
  }

  /// The share as a whole percentage.
  static func percent(_ share: Double?) -> String { share == nil ? "–" : decimal(share.map { $0 * 100 }, 0) + " %" }

  /// A title followed by the items with commas between them. Lines are broken at `width` and indented to the title's end.
  static func list(_ items: [String], title: String, width: Int) -> String {
    fill(items.enumerated().map { $0.offset < items.count - 1 ? $0.element + "," : $0.element }, title: title, width: width)
  }

  /// The sentence, broken between words at `width`.
  static func paragraph(_ sentence: String, width: Int) -> String {
    fill(sentence.split(separator: " ").map(String.init), title: "", width: width)
  }

  /// The items in as many columns as fit, without those that were there before.
  static func columns(_ items: [String], width: Int) -> String {
    var known: Set<String> = []
    var rest = items.filter { known.insert($0).inserted }[...]
    let column = 2 + (rest.map(\.count).max() ?? 0)
    var lines: [String] = []
    while !rest.isEmpty {
      let row = rest.prefix(max(1, width / column))
      rest = rest.dropFirst(row.count)
      lines.append(row.map { right($0, column) }.joined())
    }
    return lines.joined(separator: "\n")
  }

  private static func fill(_ items: [String], title: String, width: Int) -> String {
    var lines: [String] = []
    for item in items {
      if let last = lines.last, last.count + 1 + item.count <= width {
        lines[lines.count - 1] = last + " " + item
      } else {
        lines.append((lines.isEmpty ? title : left("", title.count)) + item)
      }
    }
    return lines.joined(separator: "\n")
  }

  /// The number of letters to put in, take out or change to get from one word to the other.
  static func distance(_ one: String, _ other: String) -> Int {
    var row = Array(0...other.count)
    for (index, letter) in one.enumerated() {
      var corner = row[0]
      row[0] = index + 1
      for (place, wanted) in other.enumerated() {
        (corner, row[place + 1]) = (
          row[place + 1], min(corner + (letter == wanted ? 0 : 1), row[place] + 1, row[place + 1] + 1)
        )
      }
    }
    return row[other.count]
  }
}
