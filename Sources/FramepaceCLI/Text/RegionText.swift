import Framepace
import Metering

/// The application's own regions, in `framepace profile`.
enum RegionText {
  private static let mostRows = 8

  /// The table with an empty line below it; empty where there was no region.
  static func table(_ regions: RegionTally, frames: Int, budget: Nanoseconds, width: Int) -> String {
    let rows = rows(regions, frames: frames, budget: budget)
    guard !rows.isEmpty else { return "" }
    let (cells, widths) = ([head] + rows, [8, 10, 10, 11])
    let names = TextTable.names(cells.map { $0[0] }, room: width - widths.reduce(0, +))
    var lines = zip(cells, names).map { $1 + zip($0.dropFirst(), widths).map { Text.right($0, $1) }.joined() }
    if regions.lost > 0 {
      lines.append(
        Text.paragraph("\(regions.lost) regions are not counted: more ended in a frame than are kept", width: width))
    }
    return (lines + [""]).joined(separator: "\n") + "\n"
  }

  static let head = ["region", "times", "mean ms", "max ms", "of budget"]

  /// The rows of the table: the regions that took longest.
  static func rows(_ regions: RegionTally, frames: Int, budget: Nanoseconds) -> [[String]] {
    regions.rows.prefix(mostRows).map { row in
      [
        row.name, "\(row.count)", Text.milliseconds(row.mean), Text.milliseconds(row.maximum),
        Text.decimal(share(row, frames, budget) * 100, 1) + " %",
      ]
    }
  }

  static func json(_ regions: RegionTally, frames: Int, budget: Nanoseconds) -> JSONValue {
    .list(
      regions.rows.map { row in
        .object([
          ("name", .text(row.name)), ("times", .count(row.count)), ("mean", .decimal(row.mean.milliseconds, 5)),
          ("max", .decimal(row.maximum.milliseconds, 5)), ("share", .decimal(share(row, frames, budget), 5)),
        ])
      })
  }

  /// The time of all as a part of the budgets of all frames.
  private static func share(_ row: RegionTally.Row, _ frames: Int, _ budget: Nanoseconds) -> Double {
    row.time.seconds / Double(max(frames, 1)) / budget.seconds
  }
}
