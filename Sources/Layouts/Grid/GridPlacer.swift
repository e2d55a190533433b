/// The cells of an item: indices of columns and rows, 0 for the first one of the grid's lists.
struct GridArea: Equatable {
  var columns = 0..<1
  var rows = 0..<1
}

/// Finds the cells of items: section 8 of CSS Grid Layout Level 1. "Minor" is the axis along which the flow goes, columns if it goes by
/// rows, and "major" the other one, in which tracks are added.
struct GridPlacer {
  /// The place of an item on one axis.
  enum Position {
    case fixed(Range<Int>)
    case span(Int)

    var span: Int {
      switch self {
      case .fixed(let range): range.count
      case .span(let span): span
      }
    }

    /// - Parameter count: the number of tracks of the grid's list.
    init(_ placement: GridPlacement, count: Int) {
      let limit = GridPlacement.limit
      func length(_ span: Int) -> Int { min(max(span, 1), limit) }
      /// The index of the track after a line.
      func index(_ line: Int) -> Int {
        let line = min(max(line, -2 * limit), 2 * limit)
        return line > 0 ? line - 1 : count + 1 + line
      }
      func range(_ start: Int, _ end: Int) -> Position {
        let start = min(max(start, -limit), limit - 1)
        return .fixed(start..<max(min(end, limit), start + 1))
      }
      switch placement {
      case .span(let span), .line(0, let span), .end(0, let span): self = .span(length(span))
      case .lines(0, 0): self = .span(1)
      case .line(let line, let span): self = range(index(line), index(line) + length(span))
      case .end(let line, let span): self = range(index(line) - length(span), index(line))
      case .lines(let line, 0): self = range(index(line), index(line) + 1)
      case .lines(0, let line): self = range(index(line) - 1, index(line))
      case .lines(let one, let other):
        let (start, end) = (min(index(one), index(other)), max(index(one), index(other)))
        self = range(start, start == end ? start + 1 : end)
      }
    }
  }

  private struct Item {
    let minor: Position
    let major: Position
  }

  private let isDense: Bool
  /// The lowest index of a track on each axis, and the end of those on the minor one.
  private let minorStart: Int
  private let majorStart: Int
  private var minorEnd: Int
  private var taken: TakenCells

  /// The areas of items, which are given in the order in which they are placed.
  static func areas(
    of items: [(column: GridPlacement, row: GridPlacement)], columns: Int, rows: Int, flow: GridLayout.Flow
  ) -> [GridArea] {
    let byRows = flow == .row || flow == .rowDense
    let placed = items.map { item in
      let (column, row) = (Position(item.column, count: columns), Position(item.row, count: rows))
      return byRows ? Item(minor: column, major: row) : Item(minor: row, major: column)
    }
    var placer = GridPlacer(placed, minorCount: byRows ? columns : rows, isDense: flow == .rowDense || flow == .columnDense)
    return placer.areas(of: placed).map {
      byRows ? GridArea(columns: $0.minor, rows: $0.major) : GridArea(columns: $0.major, rows: $0.minor)
    }
  }

  private init(_ items: [Item], minorCount: Int, isDense: Bool) {
    var (starts, end) = ((minor: 0, major: 0), minorCount)
    for item in items {
      if case .fixed(let range) = item.minor {
        starts.minor = min(starts.minor, range.lowerBound)
        end = max(end, range.upperBound)
      }
      if case .fixed(let range) = item.major { starts.major = min(starts.major, range.lowerBound) }
    }
    (minorStart, majorStart, minorEnd) = (starts.minor, starts.major, end)
    self.isDense = isDense
    taken = TakenCells(minorStart: minorStart, majorStart: majorStart)
  }

  private typealias Area = (minor: Range<Int>, major: Range<Int>)

  private mutating func areas(of items: [Item]) -> [Area] {
    var areas = [Area](repeating: (0..<1, 0..<1), count: items.count)
    func settle(_ index: Int, _ area: Area) {
      areas[index] = area
      taken.insert(minor: area.minor, major: area.major)
    }
    for (index, item) in items.enumerated() {
      if case .fixed(let minor) = item.minor, case .fixed(let major) = item.major { settle(index, (minor, major)) }
    }
    // Items in given rows follow each other in each of them.
    var ends: [Int: Int] = [:]
    for (index, item) in items.enumerated() {
      guard case .fixed(let major) = item.major, case .span(let span) = item.minor else { continue }
      let minor = freeMinor(span, from: ends[major.lowerBound] ?? minorStart, major: major)
      if !isDense { ends[major.lowerBound] = minor.upperBound }
      settle(index, (minor, major))
      minorEnd = max(minorEnd, minor.upperBound)
    }
    minorEnd = max(minorEnd, minorStart + (items.map(\.minor.span).max() ?? 0))
    var cursor = (minor: minorStart, major: majorStart)
    var firstOpen = majorStart
    /// The places that were found last for items of the same size: none before them is free.
    var found: [SIMD2<Int>: (minor: Int, major: Int)] = [:]
    for (index, item) in items.enumerated() {
      guard case .span(let span) = item.major else { continue }
      if isDense {
        while taken.isFull(firstOpen, to: minorEnd) { firstOpen += 1 }
        cursor = (minorStart, firstOpen)
        if case .span(let minorSpan) = item.minor { cursor = found[SIMD2(minorSpan, span)] ?? cursor }
      }
      let area: Area
      switch item.minor {
      case .fixed(let minor):
        if minor.lowerBound < cursor.minor { cursor.major += 1 }
        area = (minor, freeMajor(span, from: cursor.major, minor: minor))
      case .span(let minorSpan):
        area = freeArea(minorSpan, span, from: cursor)
        if isDense { found[SIMD2(minorSpan, span)] = (area.minor.lowerBound, area.major.lowerBound) }
      }
      cursor = (area.minor.lowerBound, area.major.lowerBound)
      settle(index, area)
    }
    return areas
  }

  /// Beyond the limit items lie over each other.
  private func range(_ start: Int, _ span: Int) -> Range<Int> {
    let start = min(start, GridPlacement.limit - 1)
    return start..<min(start + span, GridPlacement.limit)
  }

  private func freeMinor(_ span: Int, from start: Int, major: Range<Int>) -> Range<Int> {
    var minor = range(start, span)
    while minor.upperBound < GridPlacement.limit, let cell = taken.last(minor: minor, major: major) {
      minor = range(cell.minor + 1, span)
    }
    return minor
  }

  private func freeMajor(_ span: Int, from start: Int, minor: Range<Int>) -> Range<Int> {
    var major = range(start, span)
    while major.upperBound < GridPlacement.limit, let cell = taken.last(minor: minor, major: major) {
      major = range(cell.major + 1, span)
    }
    return major
  }

  private func freeArea(_ minorSpan: Int, _ majorSpan: Int, from cursor: (minor: Int, major: Int)) -> Area {
    var (start, major) = (cursor.minor, range(cursor.major, majorSpan))
    while true {
      // No place of this line is free before the lowest of the cells that are in the way.
      var lowest = start == minorStart ? Int.max : major.lowerBound
      while start + minorSpan <= minorEnd {
        guard major.upperBound < GridPlacement.limit, let cell = taken.last(minor: start..<start + minorSpan, major: major)
        else {
          return (start..<start + minorSpan, major)
        }
        lowest = min(lowest, cell.major)
        start = cell.minor + 1
      }
      major = range(lowest == .max ? major.lowerBound + 1 : lowest + 1, majorSpan)
      start = minorStart
    }
  }
}

/// The cells that items take: a bit for each, in lines along the minor axis.
private struct TakenCells {
  let minorStart: Int
  let majorStart: Int
  private var lines: [[UInt64]] = []

  init(minorStart: Int, majorStart: Int) { (self.minorStart, self.majorStart) = (minorStart, majorStart) }

  mutating func insert(minor: Range<Int>, major: Range<Int>) {
    let (first, end) = (minor.lowerBound - minorStart, minor.upperBound - minorStart)
    let lastLine = major.upperBound - majorStart
    if lines.count < lastLine { lines.append(contentsOf: repeatElement([], count: lastLine - lines.count)) }
    var taken = [UInt64](repeating: 0, count: (end + 63) / 64)
    for word in first / 64..<taken.count { taken[word] = Self.mask(word, first, end) }
    for line in major.lowerBound - majorStart..<lastLine {
      // Lines of one item share their memory.
      if lines[line].isEmpty {
        lines[line] = taken
        continue
      }
      if lines[line].count < taken.count {
        lines[line].append(contentsOf: repeatElement(0, count: taken.count - lines[line].count))
      }
      for word in first / 64..<taken.count { lines[line][word] |= taken[word] }
    }
  }

  /// The last taken cell of the last line that has one in the area, or the last of those that follow it without a gap.
  func last(minor: Range<Int>, major: Range<Int>) -> (minor: Int, major: Int)? {
    let (first, end) = (minor.lowerBound - minorStart, minor.upperBound - minorStart)
    for line in (major.lowerBound - majorStart..<major.upperBound - majorStart).reversed() where line < lines.count {
      let words = lines[line]
      for word in (first / 64..<max((end + 63) / 64, first / 64)).reversed() where word < words.count {
        let bits = words[word] & Self.mask(word, first, end)
        if bits != 0 {
          return (Self.lastOfRun(words, from: word * 64 + 63 - bits.leadingZeroBitCount) + minorStart, line + majorStart)
        }
      }
    }
    return nil
  }

  private static func lastOfRun(_ words: [UInt64], from index: Int) -> Int {
    var next = index + 1
    while next / 64 < words.count {
      let free = ~words[next / 64] >> UInt64(next % 64)
      if free != 0 { return next + free.trailingZeroBitCount - 1 }
      next = (next / 64 + 1) * 64
    }
    return next - 1
  }

  /// True if each cell of a line is taken, up to this end.
  func isFull(_ major: Int, to minorEnd: Int) -> Bool {
    let line = major - majorStart
    return line < lines.count && lines[line].reduce(0) { $0 + $1.nonzeroBitCount } >= minorEnd - minorStart
  }

  /// The bits of a word that lie between two indices.
  private static func mask(_ word: Int, _ first: Int, _ end: Int) -> UInt64 {
    let low = max(first - word * 64, 0)
    let high = min(end - word * 64, 64)
    return high <= low ? 0 : (UInt64.max >> UInt64(64 - high)) & (UInt64.max << UInt64(low))
  }
}
