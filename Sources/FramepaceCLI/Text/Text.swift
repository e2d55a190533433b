import LinuxSystem
import Metering

extension Text {
  /// The number with as many decimals as it needs, at most three.
  static func number(_ value: Double) -> String {
    var text = decimal(value, 3)
    while text.hasSuffix("0") { text.removeLast() }
    return text.hasSuffix(".") ? String(text.dropLast()) : text
  }

  /// "40 s to go", "12 min to go".
  static func rest(_ seconds: Double) -> String {
    "\(seconds < 120 ? "\(decimal(seconds, 0)) s" : "\(decimal(seconds / 60, 0)) min") to go"
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

  /// "Did you mean 'orbit'?", for a word that is none of those which may stand there; nil if none is nearly the same: at most two letters off,
  /// and not all.
  static func suggestion(for word: String, among words: some Sequence<String>) -> String? {
    let near = words.filter { abs($0.count - word.count) <= 2 }.map { ($0, $0.editDistance(to: word)) }
    guard let nearest = near.min(by: { $0.1 < $1.1 }), (1...2).contains(nearest.1), nearest.1 < word.count else {
      return nil
    }
    return "Did you mean '\(nearest.0)'?"
  }
}
