import Framepace
import Metering

/// A table for people. Where it is too wide, cells are broken into lines.
enum TextTable {
  struct Column {
    enum Kind {
      /// Figures, which end below each other.
      case figures
      case word
      /// Words, whose cells may be broken.
      case words
    }

    var title: String
    var kind: Kind
    /// The cells, from the first row on.
    var cells: [String]
  }

  /// - Parameters:
  ///   - columns: have as many cells each. Those whose cells are all empty are left out.
  ///   - width: the longest line, in characters. Cells that may be broken are not made narrower than `narrowest`.
  static func text(_ columns: [Column], width: Int) -> String {
    let columns = columns.filter { $0.cells.contains { !$0.isEmpty } }
    var widths = columns.map { column in ([column.title] + column.cells).map(\.count).max() ?? 0 }
    var excess = widths.reduce(0, +) + gap.count * (columns.count - 1) - width
    while excess > 0 {
      let broken = columns.indices.filter { columns[$0].kind == .words && widths[$0] > narrowest }
      guard let widest = broken.max(by: { widths[$0] < widths[$1] }) else { break }
      widths[widest] -= 1
      excess -= 1
    }
    let cells = zip(columns, widths).map { column, width in
      column.cells.map { column.kind == .words ? parts(of: $0, width: width) : [$0] }
    }
    // Lines that were broken may all be shorter.
    widths = columns.indices.map { index in (cells[index].joined() + [columns[index].title]).map(\.count).max() ?? 0 }
    var lines = [line(columns.map(\.title), columns, widths)]
    for row in 0..<(columns.map(\.cells.count).max() ?? 0) {
      for part in 0..<(cells.map { $0[row].count }.max() ?? 0) {
        lines.append(line(cells.map { part < $0[row].count ? $0[row][part] : "" }, columns, widths))
      }
    }
    return lines.joined(separator: "\n")
  }

  static let narrowest = 12
  private static let gap = "  "

  /// Names as the first column of a table, all as wide: as wide as the longest needs, or as there is room for; then they are cut.
  ///
  /// - Parameter room: the characters that the other columns leave; at least `narrowest` are taken.
  static func names(_ names: [String], room: Int) -> [String] {
    let names = names.map(\.withoutControlCharacters)
    let width = min(max(names.map(\.count).max() ?? 0, usualName), max(room, narrowest))
    return names.map { Text.left($0.count <= width ? $0 : "\($0.prefix(width - 1))…", width) }
  }

  private static let usualName = 20

  private static func line(_ cells: [String], _ columns: [Column], _ widths: [Int]) -> String {
    var line = cells.indices.map { index in
      columns[index].kind == .figures ? Text.right(cells[index], widths[index]) : Text.left(cells[index], widths[index])
    }.joined(separator: gap)
    while line.last == " " { line.removeLast() }
    return line
  }

  /// The lines of a cell; a word that is too long is cut into pieces.
  private static func parts(of cell: String, width: Int) -> [String] {
    Text.paragraph(cell, width: width).split(separator: "\n").flatMap { line in
      stride(from: 0, to: line.count, by: width).map { String(line.dropFirst($0).prefix(width)) }
    }
  }
}
