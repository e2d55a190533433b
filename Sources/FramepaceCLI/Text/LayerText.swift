import Framepace
import Metering

/// The layers that cost most, and the advice that follows, in `framepace profile`.
enum LayerText {
  private static let mostRows = 5

  /// The table with an empty line below it; empty where no layer was laid out or drawn.
  static func table(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds, width: Int) -> String {
    let rows = rows(costs, frames: frames, budget: budget)
    guard !rows.isEmpty else { return "" }
    let isWide = width >= 78
    func line(_ name: String, _ cells: [String]) -> String {
      let nameWidth = isWide ? 30 : 20
      let widths = [13, 7, 10, 10, 9]
      let name = name.count < nameWidth ? name : "\(name.prefix(nameWidth - 2))…"
      return Text.left(name, nameWidth)
        + zip(isWide ? cells : Array(cells.dropLast()), widths).map { Text.right($0, $1) }.joined()
    }
    let lines = ([head] + rows).map { line($0[0].withoutControlCharacters, Array($0.dropFirst())) }
    let advice = costs.advice(frames: frames, budget: budget).map { Text.paragraph($0.text, width: width) }
    return (lines + [""] + advice + (advice.isEmpty ? [] : [""])).joined(separator: "\n") + "\n"
  }

  static let head = ["layer", "work", "times", "pixels", "us", "budget"]

  /// The rows of the table: the layers that cost most.
  static func rows(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds) -> [[String]] {
    costs.rows.prefix(mostRows).map { row in
      let pixels = row.pixels == 0 ? "–" : "\(row.pixels / max(row.count, 1))"
      return [
        row.layer, row.work.name, "\(row.count)", pixels, Text.decimal(row.mean.milliseconds * 1000, 1),
        Text.decimal(share(row, frames, budget) * 100, 1) + " %",
      ]
    }
  }

  static func json(_ costs: LayerCosts.Summary, frames: Int, budget: Nanoseconds) -> JSONValue {
    .list(
      costs.rows.prefix(100).map { row in
        .object([
          ("name", .text(row.layer)), ("work", .text(row.work.name)), ("times", .count(row.count)),
          ("pixels", .count(row.pixels)), ("mean", .decimal(row.mean.milliseconds, 5)),
          ("max", .decimal(row.maximum.milliseconds, 5)), ("share", .decimal(share(row, frames, budget), 5)),
        ])
      })
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
