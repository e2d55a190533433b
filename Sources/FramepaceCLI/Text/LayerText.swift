import Framepace
import Metering

/// The layers that cost most, and the advice that follows, in `framepace profile`.
enum LayerText {
  private static let mostRows = 5
  /// The most rows in JSON.
  private static let mostObjects = 100

  /// The table with an empty line below it; empty where no layer was laid out or drawn.
  static func table(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds, width: Int) -> String {
    let cells = cells(costs, frames: frames, budget: budget)
    guard cells.count > 1 else { return "" }
    let isWide = width >= 78
    let hasPixels = cells[0].contains("pixels")
    let widths = ([isWide ? 13 : 12, 7] + (hasPixels ? [10] : []) + [10, 11]).prefix(isWide ? 5 : 4)
    let names = TextTable.names(cells.map { $0[0] }, room: width - widths.reduce(0, +))
    func line(_ cells: [String], _ name: String) -> String {
      name + zip(cells.dropFirst(), widths).map { Text.right($0, $1) }.joined()
    }
    let advice = costs.advice(frames: frames, budget: budget).map {
      Text.paragraph($0.text.withoutControlCharacters, width: width)
    }
    return (zip(cells, names).map(line) + [""] + advice + (advice.isEmpty ? [] : [""])).joined(separator: "\n") + "\n"
  }

  /// The names of the columns, then the rows: the layers that cost most. Pixels are left out where no bitmap was drawn on the main thread.
  static func cells(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds) -> [[String]] {
    let rows = costs.rows.prefix(mostRows)
    guard !rows.isEmpty else { return [] }
    let hasPixels = rows.contains { $0.pixels > 0 }
    func line(_ start: [String], _ pixels: String, _ end: [String]) -> [String] { start + (hasPixels ? [pixels] : []) + end }
    return [line(["layer", "work", "times"], "pixels", ["us each", "of budget"])]
      + rows.map { row in
        let pixels = row.pixels == 0 ? "–" : "\(row.pixels / max(row.count, 1))"
        return line(
          [row.layer, row.work.name, "\(row.count)"], pixels,
          [
            Text.decimal(row.mean.milliseconds * 1000, 1), Text.decimal(share(row, frames, budget) * 100, 1) + " %",
          ])
      }
  }

  /// The members of the JSON object of a profile.
  static func json(
    _ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds
  ) -> [(key: String, value: JSONValue)] {
    let rows = costs.rows.prefix(mostObjects).map { row in
      JSONValue.object([
        ("name", .text(row.layer)), ("work", .text(row.work.name)), ("times", .count(row.count)),
        ("pixels", .count(row.pixels)), ("mean", .decimal(row.mean.milliseconds, 5)),
        ("max", .decimal(row.maximum.milliseconds, 5)), ("share", .decimal(share(row, frames, budget), 5)),
      ])
    }
    return [("layers", .list(rows)), ("layersLeftOut", .count(costs.rows.count - rows.count))]
  }

  static func adviceJSON(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds) -> JSONValue {
    .list(
      costs.advice(frames: frames, budget: budget).map { advice in
        .object([
          ("layer", .text(advice.layer)), ("saving", .milliseconds(advice.saving)), ("text", .text(advice.text)),
        ])
      })
  }

  /// The part of the budget that a frame spent on it on average.
  private static func share(_ row: LayerCosts.Row, _ frames: Int, _ budget: Nanoseconds) -> Double {
    row.time.seconds / Double(max(frames, 1)) / budget.seconds
  }
}
