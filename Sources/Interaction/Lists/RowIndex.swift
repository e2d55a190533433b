/// The places of rows of unequal heights, one below the other: which row is at an offset, and at which offset a row is.
///
/// ```swift
/// var rows = RowIndex(count: 1_000_000, estimatedHeight: 44)
/// let visible = rows.rows(from: position, to: position + 480)
/// position += rows.setHeight(61, of: visible.lowerBound, seen: position..<position + 480)
/// ```
///
/// A row has an estimated height until its own is set. Rows lie in blocks of 512 at most; long runs of rows without a height of their own
/// are one block, so that a list of a million new rows is made at once and takes no memory. A lookup searches the blocks, O(log n), and
/// adds up the heights in one: about a microsecond. An edit rebuilds some blocks and moves those after them, O(512 + n/512): 5 to 20
/// microseconds in a million rows. A row with a height of its own takes 8 bytes, and its part of its block's 72: 8.2 MB for a million.
///
/// Heights are in points, within 0…10⁹; one that is not a number becomes 0. Rows and offsets outside of the list mean the nearest ones.
public struct RowIndex: Sendable {
  /// The most rows of a block whose rows have heights of their own, of which the block keeps each.
  static let blockSize = 512

  struct Block: Sendable {
    let count: Int
    /// The heights, NaN for a row without its own; none if all rows have the estimated one.
    private(set) var heights: [Double]
    /// The sum of the heights.
    private(set) var height = 0.0
    /// The index of its first row, and the offset of that.
    var firstRow = 0
    var top = 0.0

    init(count: Int, heights: [Double] = [], _ estimate: Double) {
      (self.count, self.heights) = (count, heights)
      height = offset(of: count, estimate)
    }

    mutating func setHeight(_ height: Double, of row: Int, _ estimate: Double) {
      heights[row] = height
      self.height = offset(of: count, estimate)
    }
  }

  /// The height of a row whose own is not known, at least 1 point.
  public let estimatedHeight: Double
  public private(set) var count: Int
  /// The sum of all heights in points.
  public private(set) var totalHeight: Double
  /// No two neighbours have estimated heights alone, and none have fewer rows together than fit into one block.
  var blocks: [Block]

  /// Rows without heights of their own.
  public init(count: Int = 0, estimatedHeight: Double) {
    self.estimatedHeight = estimatedHeight >= 1 ? Self.limit(estimatedHeight) : 1
    (self.count, totalHeight, blocks) = (0, 0, [])
    if count > 0 { blocks.append(Block(count: count, self.estimatedHeight)) }
    rebuild(from: 0)
  }

  /// Rows of known heights; NaN for one that has the estimated one.
  public init(heights: some Collection<Double>, estimatedHeight: Double) {
    self.init(estimatedHeight: estimatedHeight)
    var rest = heights[...]
    while !rest.isEmpty {
      let block = rest.prefix(Self.blockSize).map { $0.isNaN ? .nan : Self.limit($0) }
      blocks.append(Block(count: block.count, heights: block, self.estimatedHeight))
      rest = rest.dropFirst(Self.blockSize)
    }
    rebuild(from: 0)
  }

  /// The memory in bytes that heights and blocks take.
  public var byteCount: Int {
    // An array has a header of 32 bytes.
    blocks.reduce(0) { $0 + MemoryLayout<Block>.stride + 32 + $1.heights.count * MemoryLayout<Double>.stride }
  }

  static func limit(_ height: Double) -> Double { height > 0 ? min(height, ScrollExtent.longest) : 0 }

  // MARK: Lookup

  /// The offset of a row's upper edge; the total height for the row after the last.
  public func offset(of row: Int) -> Double {
    guard row < count else { return totalHeight }
    let row = max(row, 0)
    let index = block(of: row)
    return blocks[index].top + blocks[index].offset(of: row - blocks[index].firstRow, estimatedHeight)
  }

  /// The height of a row, its own or the estimated one; 0 for a row that is not in the list.
  public func height(of row: Int) -> Double { ownHeight(of: row) ?? (0..<count ~= row ? estimatedHeight : 0) }

  /// The height that was set for a row; nil for none.
  public func ownHeight(of row: Int) -> Double? {
    guard 0..<count ~= row else { return nil }
    let index = block(of: row)
    if blocks[index].heights.isEmpty { return nil }
    let height = blocks[index].heights[row - blocks[index].firstRow]
    return height.isNaN ? nil : height
  }

  /// The row at an offset: the last whose upper edge is not below it; nil without rows.
  public func row(at offset: Double) -> Int? {
    guard count > 0 else { return nil }
    var (low, high) = (0, blocks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if blocks[middle].top <= offset { low = middle } else { high = middle }
    }
    return blocks[low].firstRow + blocks[low].row(at: offset, estimatedHeight)
  }

  /// The rows that are seen between two offsets, the upper one included: from the row at the first to the last that begins before the
  /// second.
  ///
  /// It is empty between offsets that are not in order, and beyond the ends of the list.
  public func rows(from upper: Double, to lower: Double) -> Range<Int> {
    // Rows that begin at the lower offset are not seen.
    guard upper < lower, upper < totalHeight, lower > 0, let first = row(at: upper), let last = row(at: lower.nextDown)
    else {
      return upper >= totalHeight ? count..<count : 0..<0
    }
    return first..<last + 1
  }

  /// The block of a row of the list.
  private func block(of row: Int) -> Int {
    var (low, high) = (0, blocks.count)
    while high - low > 1 {
      let middle = (low + high) / 2
      if blocks[middle].firstRow <= row { low = middle } else { high = middle }
    }
    return low
  }

  // MARK: Blocks

  /// Gives a row of the list its own height. See `rebuild(from:)`.
  mutating func replaceHeight(of row: Int, with height: Double) {
    var index = block(of: row)
    if blocks[index].heights.isEmpty {
      // A block's worth of rows around it: those that are seen next to it are in the same.
      let first = blocks[index].firstRow + (row - blocks[index].firstRow) / Self.blockSize * Self.blockSize
      let end = min(first + Self.blockSize, blocks[index].firstRow + blocks[index].count)
      index = split(at: first)
      _ = split(at: end)
      replaceBlocks(index...index, with: Block(count: end - first, heights: blocks[index].listed, estimatedHeight))
      merge(index - 1, index + 2)
      index = block(of: row)
    }
    blocks[index].setHeight(height, of: row - blocks[index].firstRow, estimatedHeight)
    rebuild(from: index)
  }

  /// Makes a block begin at a row, up to the one after the last, and returns its index.
  mutating func split(at row: Int) -> Int {
    guard row < count else { return blocks.count }
    let index = block(of: row)
    let (block, local) = (blocks[index], row - blocks[index].firstRow)
    if local == 0 { return index }
    replaceBlocks(
      index...index, with: Block(count: local, heights: Array(block.heights.prefix(local)), estimatedHeight),
      Block(count: block.count - local, heights: Array(block.heights.dropFirst(local)), estimatedHeight))
    return index + 1
  }

  /// Joins blocks with the ones before them where they are to be one, from one index to another: those around every seam, and the next to
  /// them, which a split has made smaller.
  mutating func merge(_ first: Int, _ last: Int) {
    var (index, last) = (max(first, 1), last)
    while index <= last, index < blocks.count {
      let (upper, lower) = (blocks[index - 1], blocks[index])
      let areEstimated = upper.heights.isEmpty && lower.heights.isEmpty
      guard areEstimated || upper.count + lower.count <= Self.blockSize else {
        index += 1
        continue
      }
      let heights = areEstimated ? [] : upper.listed + lower.listed
      replaceBlocks(index - 1...index, with: Block(count: upper.count + lower.count, heights: heights, estimatedHeight))
      last -= 1
    }
  }

  /// Replaces blocks by others of the same rows: those after them stay where they are.
  private mutating func replaceBlocks(_ range: ClosedRange<Int>, with new: Block...) {
    let old = blocks[range.lowerBound]
    blocks.replaceSubrange(range, with: new)
    place(range.lowerBound..<range.lowerBound + new.count, old.firstRow, old.top)
  }

  /// Adds up the rows and heights before each block from one on, once all blocks are as they should be.
  mutating func rebuild(from index: Int) {
    let last = index > 0 ? blocks[index - 1] : nil
    (count, totalHeight) = place(
      index..<blocks.count, last.map { $0.firstRow + $0.count } ?? 0, last.map { $0.top + $0.height } ?? 0)
  }

  /// Puts blocks below one another, and returns the row and the offset below the last.
  @discardableResult
  private mutating func place(_ indices: Range<Int>, _ firstRow: Int, _ top: Double) -> (Int, Double) {
    var (row, top) = (firstRow, top)
    blocks.withUnsafeMutableBufferPointer { blocks in
      for index in indices {
        (blocks[index].firstRow, blocks[index].top) = (row, top)
        row += blocks[index].count
        top += blocks[index].height
      }
    }
    return (row, top)
  }
}

extension RowIndex.Block {
  /// The heights of all rows, also of estimated ones.
  var listed: [Double] { heights.isEmpty ? Array(repeating: .nan, count: count) : heights }

  /// The offset of a row within the block: the same sum wherever it is asked for, so that offsets never decrease from row to row.
  func offset(of row: Int, _ estimate: Double) -> Double {
    if heights.isEmpty { return Double(row) * estimate }
    var sum = 0.0
    for row in 0..<row { sum += heights[row].isNaN ? estimate : heights[row] }
    return sum
  }

  /// The last row of the block whose offset is not above one of the list; the first if there is none.
  func row(at offset: Double, _ estimate: Double) -> Int {
    if heights.isEmpty {
      let quotient = (offset - top) / estimate
      var row = quotient > 0 ? Int(min(quotient, Double(count - 1))) : 0
      // The division rounds: the sum decides.
      if row + 1 < count, top + Double(row + 1) * estimate <= offset { row += 1 }
      if row > 0, top + Double(row) * estimate > offset { row -= 1 }
      return row
    }
    var sum = 0.0
    for row in 0..<count - 1 {
      sum += heights[row].isNaN ? estimate : heights[row]
      if !(top + sum <= offset) { return row }
    }
    return count - 1
  }
}
