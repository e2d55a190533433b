import Framepace
import Metering

/// The columns of figures that `--fps` prints, right-aligned. Columns that do not fit are left out.
struct FigureTable: Equatable {
  private struct Column: Equatable {
    var title: String
    var width: Int
    /// The importance of the column: the column with the greatest rank is left out first.
    var rank: Int
  }

  private static let all = [
    Column(title: "frames/s", width: 8, rank: 0), Column(title: "refresh", width: 9, rank: 5),
    Column(title: "p50 ms", width: 8, rank: 6), Column(title: "p99 ms", width: 8, rank: 4),
    Column(title: "work ms", width: 9, rank: 7), Column(title: "of budget", width: 11, rank: 3),
    Column(title: "late", width: 7, rank: 2), Column(title: "missed", width: 8, rank: 1),
    Column(title: "idle", width: 7, rank: 8),
  ]

  private var shown = Self.all.indices.map { $0 }

  /// - Parameter width: the longest line, in characters; nil for any length.
  init(width: Int? = nil) {
    guard let width else { return }
    while shown.count > 1, shown.reduce(0, { $0 + Self.all[$1].width }) > width {
      guard let least = shown.max(by: { Self.all[$0].rank < Self.all[$1].rank }) else { return }
      shown.removeAll { $0 == least }
    }
  }

  var header: String { line(Self.all.map(\.title)) }

  func row(_ figures: RunFigures) -> String {
    let (rates, counts, times) = (figures.rates, figures.counts, figures.times)
    return line([
      Text.decimal(rates.frameRate, 1),
      Text.decimal(rates.refreshRate ?? rates.nominalRefreshRate.hertz, 2),
      Text.milliseconds(times.frameInterval.p50),
      Text.milliseconds(times.frameInterval.p99),
      Text.milliseconds(times.work.p50),
      Text.percent(times.workShare),
      "\(counts.late)", "\(counts.missed)", "\(counts.idle)",
    ])
  }

  private func line(_ cells: [String]) -> String {
    shown.map { Text.right(cells[$0], Self.all[$0].width) }.joined()
  }
}
