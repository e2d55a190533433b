/// Edits. Those that are told which part of the list is seen return by how much its position must change, in points, so that the rows
/// in it stay where they are: those above the first whose upper edge is seen grow and shrink upwards.
extension RowIndex {
  // MARK: Without a viewport

  /// Gives a row its own height, such as that which it has when it is laid out; nothing for a row that is not in the list.
  public mutating func setHeight(_ height: Double, of row: Int) {
    guard 0..<count ~= row else { return }
    replaceHeight(of: row, with: Self.limit(height))
  }

  /// Inserts rows without heights of their own, before a row or at the end.
  public mutating func insert(_ rows: Int, at row: Int) {
    guard rows > 0 else { return }
    let index = split(at: min(max(row, 0), count))
    blocks.insert(Block(count: rows, estimatedHeight), at: index)
    merge(index - 1, index + 2)
    rebuild(from: max(index - 2, 0))
  }

  /// Removes rows, those of them that are in the list.
  public mutating func remove(_ rows: Range<Int>) {
    let rows = rows.clamped(to: 0..<count)
    guard !rows.isEmpty else { return }
    let first = split(at: rows.lowerBound)
    let last = split(at: rows.upperBound)
    blocks.removeSubrange(first..<last)
    merge(first - 1, first + 2)
    rebuild(from: max(first - 2, 0))
  }

  /// Moves rows with their heights.
  ///
  /// - Parameter destination: the index that the first of them has after it.
  public mutating func move(_ rows: Range<Int>, to destination: Int) {
    let rows = rows.clamped(to: 0..<count)
    guard !rows.isEmpty else { return }
    let first = split(at: rows.lowerBound)
    let last = split(at: rows.upperBound)
    let moved = Array(blocks[first..<last])
    blocks.removeSubrange(first..<last)
    rebuild(from: first)
    let index = split(at: min(max(destination, 0), count))
    blocks.insert(contentsOf: moved, at: index)
    rebuild(from: index)
    // The later seams first: the indices of the earlier ones stay.
    let seams = [index, index + moved.count, first, first + moved.count].sorted()
    for seam in seams.reversed() { merge(seam - 1, seam + 2) }
    rebuild(from: max(seams[0] - 2, 0))
  }

  // MARK: With one

  /// Sets a row's height; see `setHeight(_:of:)`.
  public mutating func setHeight(_ height: Double, of row: Int, seen: Range<Double>) -> Double {
    let anchor = anchor(in: seen, without: 0..<0)
    setHeight(height, of: row)
    return shift(of: anchor) { $0 }
  }

  /// Inserts rows: above what is seen if it is before the first row whose upper edge is seen, or before that row itself. See
  /// `insert(_:at:)`.
  public mutating func insert(_ rows: Int, at row: Int, seen: Range<Double>) -> Double {
    let anchor = anchor(in: seen, without: 0..<0)
    insert(rows, at: row)
    return shift(of: anchor) { $0 < row ? $0 : $0 + max(rows, 0) }
  }

  /// Removes rows; if no row stays that was seen, the rows after them take their place.
  public mutating func remove(_ rows: Range<Int>, seen: Range<Double>) -> Double {
    let rows = rows.clamped(to: 0..<count)
    let anchor = anchor(in: seen, without: rows)
    remove(rows)
    if anchor == nil { return min(0, offset(of: rows.lowerBound) - seen.lowerBound) }
    return shift(of: anchor) { $0 < rows.lowerBound ? $0 : $0 - rows.count }
  }

  /// Moves rows; the other rows that are seen stay. See `move(_:to:)`.
  public mutating func move(_ rows: Range<Int>, to destination: Int, seen: Range<Double>) -> Double {
    let rows = rows.clamped(to: 0..<count)
    let destination = min(max(destination, 0), count - rows.count)
    let anchor = anchor(in: seen, without: rows)
    move(rows, to: destination)
    return shift(of: anchor) { row in
      let row = row < rows.lowerBound ? row : row - rows.count
      return row < destination ? row : row + rows.count
    }
  }

  /// A row that is to stay where it is seen, and its offset: the first whose upper edge is seen, or the one around all that is seen.
  private func anchor(in seen: Range<Double>, without edited: Range<Int>) -> (row: Int, offset: Double)? {
    var row = seen.lowerBound > 0 ? (row(at: seen.lowerBound.nextDown) ?? 0) + 1 : 0
    if edited.contains(row) { row = edited.upperBound }
    if row < count {
      let offset = offset(of: row)
      if offset < seen.upperBound { return (row, offset) }
    }
    guard let around = self.row(at: seen.lowerBound), !edited.contains(around) else { return nil }
    return (around, offset(of: around))
  }

  private func shift(of anchor: (row: Int, offset: Double)?, newRow: (Int) -> Int) -> Double {
    anchor.map { offset(of: newRow($0.row)) - $0.offset } ?? 0
  }
}
