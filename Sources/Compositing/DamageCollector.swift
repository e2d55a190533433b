import Geometry

/// Gathers the rectangles of one diff. A few go into the region as they are; very many are first united by the cell of the
/// output in which they lie, so that the time stays in proportion to their number.
struct DamageCollector {
  /// From this many rectangles on cells are used.
  private static let many = 96
  /// A cell's side in pixels, 1 << `cellShift`.
  private static let cellShift: Int32 = 8

  private var rects: ContiguousArray<IntRect> = []
  private var cells: ContiguousArray<IntRect> = []

  mutating func add(_ rect: IntRect) {
    rects.append(rect)
  }

  /// Empties what was gathered into `region`. All rectangles lie inside `output`, which starts at 0, 0.
  mutating func finish(output: IntRect, into region: inout DamageRegion) {
    if rects.count <= Self.many {
      for rect in rects { region.add(rect) }
    } else {
      let columns = Int((output.maxX - 1) >> Self.cellShift) + 1
      let rows = Int((output.maxY - 1) >> Self.cellShift) + 1
      cells.removeAll(keepingCapacity: true)
      cells.append(contentsOf: repeatElement(.zero, count: columns * rows))
      for rect in rects {
        let column = Int((rect.minX + rect.maxX) >> (Self.cellShift + 1))
        let row = Int((rect.minY + rect.maxY) >> (Self.cellShift + 1))
        cells[row * columns + column] = cells[row * columns + column].union(rect)
      }
      for cell in cells { region.add(cell) }
    }
    rects.removeAll(keepingCapacity: true)
  }
}
