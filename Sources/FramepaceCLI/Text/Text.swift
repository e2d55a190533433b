import Metering

extension Text {
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
