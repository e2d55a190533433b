import AllocationCounter
import LinuxSystem
import TestLength
import Testing

@testable import Interaction

/// The same list, slow and obvious: an array of rows.
private struct ListedRows {
  struct Row {
    let name: Int
    var height: Double?
  }

  let estimate: Double
  var rows: [Row] = []
  private var names = 0

  init(_ estimate: Double) { self.estimate = estimate }

  mutating func insert(_ heights: [Double?], at row: Int) {
    rows.insert(contentsOf: heights.indices.map { Row(name: names + $0, height: heights[$0]) }, at: row)
    names += heights.count
  }

  /// The offsets of all upper edges, and the total height.
  var offsets: [Double] { rows.reduce(into: [0]) { $0.append($0[$0.count - 1] + ($1.height ?? estimate)) } }

  mutating func move(_ range: Range<Int>, to destination: Int) {
    let moved = rows[range]
    rows.removeSubrange(range)
    rows.insert(contentsOf: moved, at: destination)
  }

  func offset(ofName name: Int) -> Double? { rows.firstIndex { $0.name == name }.map { offsets[$0] } }
}

/// Rows that are edited at random, beside an array of them. Heights are eighths of a point, whose sums are exact.
private struct RowProgram {
  private var random: SplitMix64
  private(set) var index: RowIndex
  private(set) var listed = ListedRows(44.125)

  init(seed: Int) {
    random = SplitMix64(seed: UInt64(seed))
    let count = random.chance(0.1) ? 0 : Int.random(in: 0...(random.chance(0.3) ? 3000 : 100), using: &random)
    if random.chance(0.5) {
      var heights: [Double?] = []
      for _ in 0..<count { heights.append(random.chance(0.3) ? nil : Self.height(&random)) }
      index = RowIndex(heights: heights.map { $0 ?? .nan }, estimatedHeight: 44.125)
      listed.insert(heights, at: 0)
    } else {
      index = RowIndex(count: count, estimatedHeight: 44.125)
      listed.insert(Array(repeating: nil, count: count), at: 0)
    }
  }

  private static func height(_ random: inout SplitMix64) -> Double {
    random.chance(0.1) ? 0 : Double(Int.random(in: 0...1600, using: &random)) / 8
  }

  private mutating func row(upTo end: Int) -> Int { Int.random(in: 0...max(end, 0), using: &random) }

  private mutating func range() -> Range<Int> {
    let count = listed.rows.count
    let lower = row(upTo: count)
    return lower..<min(count, lower + row(upTo: random.chance(0.2) ? 2000 : 5))
  }

  private mutating func seen(_ total: Double) -> Range<Double> {
    let upper = (Double.random(in: -100...(total + 100), using: &random) * 8).rounded() / 8
    return upper..<upper + Double(Int.random(in: 0...800, using: &random))
  }

  /// Does one edit, and says what is wrong after it.
  mutating func edit() -> String? {
    let before = (rows: listed.rows, offsets: listed.offsets)
    let seen = seen(index.totalHeight)
    var edited: Range<Int> = 0..<0
    let shift: Double
    switch Int.random(in: 0..<8, using: &random) {
    case 0:
      let (row, count) = (row(upTo: listed.rows.count), Int.random(in: 1...(random.chance(0.1) ? 1500 : 4), using: &random))
      listed.insert(Array(repeating: nil, count: count), at: row)
      shift = index.insert(count, at: row, seen: seen)
    case 1:
      edited = range()
      listed.rows.removeSubrange(edited)
      shift = index.remove(edited, seen: seen)
    case 2:
      edited = range()
      let destination = row(upTo: listed.rows.count - edited.count)
      listed.move(edited, to: destination)
      shift = index.move(edited, to: destination, seen: seen)
    default:
      if listed.rows.isEmpty { return nil }
      let (row, height) = (row(upTo: listed.rows.count - 1), Self.height(&random))
      listed.rows[row].height = height
      shift = index.setHeight(height, of: row, seen: seen)
    }
    return wrongShift(shift, seen, before.rows, before.offsets, edited) ?? difference()
  }

  /// The first row with a seen upper edge which was not taken away is where it was on the screen.
  private func wrongShift(
    _ shift: Double, _ seen: Range<Double>, _ rows: [ListedRows.Row], _ offsets: [Double], _ edited: Range<Int>
  ) -> String? {
    let tops = rows.indices.filter { seen.contains(offsets[$0]) && !edited.contains($0) }
    let around = rows.indices.last {
      offsets[$0] <= seen.lowerBound && !edited.contains($0) && offsets[$0 + 1] > seen.lowerBound
    }
    guard let anchor = tops.first ?? around, let offset = listed.offset(ofName: rows[anchor].name) else { return nil }
    return offset - offsets[anchor] == shift
      ? nil : "row \(anchor) moves by \(offset - offsets[anchor]), the position by \(shift)"
  }

  private mutating func difference() -> String? {
    let offsets = listed.offsets
    let count = listed.rows.count
    if index.count != count { return "\(index.count) rows instead of \(count)" }
    if index.totalHeight != offsets[count] { return "height \(index.totalHeight) instead of \(offsets[count])" }
    if let crumbs = index.crumbs { return crumbs }
    for _ in 0..<5 where count > 0 {
      let row = row(upTo: count - 1)
      if index.offset(of: row) != offsets[row] { return "offset of \(row)" }
      if index.ownHeight(of: row) != listed.rows[row].height { return "own height of \(row)" }
      if index.height(of: row) != listed.rows[row].height ?? 44.125 { return "height of \(row)" }
      // At an edge itself, and anywhere.
      let places = [offsets[row], offsets[row].nextDown, Double.random(in: -50...(offsets[count] + 50), using: &random)]
      for place in places where index.row(at: place) != offsets[..<count].lastIndex(where: { $0 <= place }) ?? 0 {
        return "row at \(place)"
      }
      let seen = seen(index.totalHeight)
      if index.rows(from: seen.lowerBound, to: seen.upperBound) != rows(in: seen, offsets) { return "rows of \(seen)" }
    }
    return nil
  }

  private func rows(in seen: Range<Double>, _ offsets: [Double]) -> Range<Int> {
    let count = listed.rows.count
    if seen.lowerBound >= offsets[count] { return count..<count }
    guard !seen.isEmpty, seen.upperBound > 0, count > 0 else { return 0..<0 }
    let first = offsets[..<count].lastIndex { $0 <= seen.lowerBound } ?? 0
    return first..<(offsets[..<count].lastIndex { $0 < seen.upperBound } ?? 0) + 1
  }
}

extension RowIndex {
  /// Two blocks side by side that are to be one: both of estimated heights, or with no more rows together than one may have.
  fileprivate var crumbs: String? {
    zip(blocks, blocks.dropFirst()).first {
      $0.heights.isEmpty && $1.heights.isEmpty || $0.count + $1.count <= RowIndex.blockSize
    }.map { "blocks of \($0.count) and \($1.count) rows at \($0.firstRow) of \(count)" }
  }
}

@Suite struct RowIndexTests {
  @Test func editsAreThoseOfAnArray() {
    for seed in some(20, of: 0..<4000) {
      var program = RowProgram(seed: seed)
      for step in 0..<40 {
        if let failure = program.edit() {
          Issue.record("seed \(seed), step \(step): \(failure)")
          return
        }
      }
    }
  }

  /// A million rows of unequal heights that have no exact sums.
  @Test func aMillionRowsAreFoundAtOnce() {
    var random = SplitMix64(seed: UInt64(runSeed))
    let heights = (0..<1_000_000).map { 20 + Double($0 &* 7919 % 10_007) / 37 }
    var offsets = [0.0]
    offsets.reserveCapacity(heights.count + 1)
    for height in heights { offsets.append(offsets[offsets.count - 1] + height) }
    let index = RowIndex(heights: heights, estimatedHeight: 100)
    #expect(abs(index.totalHeight - offsets[1_000_000]) < 1e-3)
    for _ in 0..<500 {
      let row = Int.random(in: 0..<1_000_000, using: &random)
      let offset = index.offset(of: row)
      #expect(abs(offset - offsets[row]) < 1e-3, "seed \(runSeed)")
      // The row at its own offset, and none after it.
      #expect(index.row(at: offset) == row && index.row(at: offset.nextDown) == max(row - 1, 0), "seed \(runSeed)")
    }
  }

  /// Offsets never decrease, also where the sums of a division and of blocks are rounded another way.
  @Test func offsetsAreInOrder() {
    for seed in some(5, of: 0..<1000) {
      var random = SplitMix64(seed: UInt64(seed))
      var index = RowIndex(count: 2000, estimatedHeight: Double.random(in: 1...100, using: &random))
      for _ in 0..<20 {
        index.setHeight(Double.random(in: 0.1...100, using: &random), of: Int.random(in: 0..<2000, using: &random))
      }
      for row in 0..<2000 {
        let (top, bottom) = (index.offset(of: row), index.offset(of: row + 1))
        #expect(top <= bottom, "seed \(seed)")
        if top < bottom { #expect(index.row(at: top) == row, "seed \(seed), row \(row)") }
      }
      index.insert(1_000_000, at: 1000)
      for _ in 0..<500 {
        let row = Int.random(in: 1000..<1_001_000, using: &random)
        let top = index.offset(of: row)
        #expect(index.row(at: top) == row && index.row(at: top.nextDown) == row - 1, "seed \(seed), row \(row)")
      }
    }
  }

  /// A million new rows, of which one in the middle is laid out: 3 blocks and their places, where an array would have 8 MB.
  @Test func newRowsAreCheap() {
    var index = RowIndex(count: 1_000_000, estimatedHeight: 50)
    #expect(index.totalHeight == 50_000_000)
    index.setHeight(70, of: 500_000)
    #expect(index.byteCount == 512 * 8 + 3 * 72)
    #expect(index.offset(of: 500_000) == 25_000_000 && index.offset(of: 500_001) == 25_000_070)
    #expect(index.ownHeight(of: 499_999) == nil && index.ownHeight(of: 500_000) == 70)
    #expect(index.row(at: 25_000_069.5) == 500_000 && index.row(at: 25_000_070) == 500_001)
    index.move(500_000..<500_001, to: 0)
    #expect(index.offset(of: 1) == 70 && index.offset(of: 500_001) == 25_000_070 - 50 + 50)
    index.remove(0..<999_999)
    #expect(index.count == 1 && index.totalHeight == 50)
  }

  /// Blocks that edits have split are joined again.
  @Test func editsLeaveNoCrumbs() {
    for seed in some(3, of: 0..<300) {
      var random = SplitMix64(seed: UInt64(seed))
      for edits in 0..<4 {
        var index = RowIndex(heights: (0..<3000).map { $0 % 1000 < 900 ? 40 : .nan }, estimatedHeight: 50)
        for _ in 0..<500 {
          let row = Int.random(in: 0..<2000, using: &random)
          switch edits {
          case 3: index.setHeight(60, of: row)
          case 0: index.move(row..<row + 3, to: Int.random(in: 0..<2000, using: &random))
          case 1: index.insert(2, at: row)
          default: index.remove(row..<row + 1)
          }
        }
        #expect(index.crumbs == nil, "seed \(seed)")
        #expect(index.byteCount <= 8 * index.count + 72 * (2 * index.count / 512 + 2), "seed \(seed)")
      }
    }
  }

  @Test func lookingUpAllocatesNothing() {
    guard allocation_counter_is_available() else { return }
    let rows = RowIndex(heights: (0..<5000).map { Double($0 % 90) }, estimatedHeight: 50)
    func look() -> Double {
      var sum = 0.0
      for step in 0..<500 {
        let window = RowWindow(rows, position: Double(step * 400), viewport: 800, velocity: Double(step * 9))
        for row in window.visible { sum += window.distance(top: rows.offset(of: row), height: rows.height(of: row)) + 1 }
      }
      return sum
    }
    let first = look()
    allocation_counter_begin()
    let second = look()
    #expect(allocation_counter_end().allocations == 0)
    #expect(first == second && first > 5000)
  }

  @Test func numbersThatMeanNothingAreHarmless() {
    var index = RowIndex(count: -3, estimatedHeight: .nan)
    #expect(index.count == 0 && index.totalHeight == 0 && index.row(at: 0) == nil && index.rows(from: -1, to: 1).isEmpty)
    index.insert(3, at: 100)
    #expect(index.totalHeight == 3)
    index.setHeight(.nan, of: 0)
    index.setHeight(-4, of: 1)
    index.setHeight(.infinity, of: 2)
    index.setHeight(7, of: 3)
    index.setHeight(7, of: -1)
    #expect(index.totalHeight == 1e9 && index.height(of: 2) == 1e9 && index.height(of: 3) == 0 && index.height(of: -1) == 0)
    #expect(index.row(at: .nan) == 0 && index.row(at: -.infinity) == 0 && index.row(at: .infinity) == 2)
    #expect(index.rows(from: .nan, to: 1).isEmpty && index.rows(from: 5, to: 1).isEmpty)
    #expect(index.rows(from: -.infinity, to: .infinity) == 0..<3)
    #expect(index.offset(of: -1) == 0 && index.offset(of: 99) == 1e9)
    index.remove(-5..<1)
    index.remove(7..<9)
    index.move(1..<9, to: -1)
    index.insert(-1, at: 0)
    #expect(index.count == 2 && index.height(of: 0) == 1e9)
    #expect(index.remove(0..<2, seen: 500..<900) == -500 && index.count == 0)
    #expect(index.insert(2, at: 0, seen: 0..<10) == 0 && index.totalHeight == 2)
  }

  // MARK: Windows of a list

  @Test func rowsAreReadyInTheDirectionOfMotion() {
    let rows = RowIndex(count: 1000, estimatedHeight: 50)
    func window(_ velocity: Double) -> RowWindow { RowWindow(rows, position: 10_000, viewport: 500, velocity: velocity) }
    // At rest half a viewport on both sides; at 1,000 points per second 500 more where it goes; at most 4 viewports more.
    #expect(window(0).visible == 200..<210 && window(0).prefetched == 195..<215)
    #expect(window(1000).prefetched == 195..<225)
    #expect(window(-1000).prefetched == 185..<215)
    #expect(window(9000).prefetched == 195..<255 && window(.infinity).prefetched == 195..<255)
    #expect(window(.nan).prefetched == 195..<215)
    // Between rows, and above the first.
    #expect(RowWindow(rows, position: 10_020, viewport: 500, velocity: 0).visible == 200..<211)
    #expect(RowWindow(rows, position: -30, viewport: 100, velocity: 0).visible == 0..<2)
    #expect(RowWindow(rows, position: .nan, viewport: -1, velocity: 0).visible.isEmpty)
  }

  @Test func rowsAreMostUrgentWhereTheyAreSeenFirst() {
    let rows = RowIndex(count: 1000, estimatedHeight: 50)
    for velocity in [1000.0, -1000] {
      let window = RowWindow(rows, position: 10_000, viewport: 500, velocity: velocity)
      let order = window.prefetched.sorted {
        window.distance(top: rows.offset(of: $0), height: 50) < window.distance(top: rows.offset(of: $1), height: 50)
      }
      let (below, above) = (
        Array(210..<window.prefetched.upperBound), Array((window.prefetched.lowerBound..<200).reversed())
      )
      #expect(order == Array(200..<210) + (velocity > 0 ? below + above : above + below))
    }
  }
}
