public import Geometry

extension TextLayout {
  /// The rectangle of the letter at an offset, as high as its line. Without a width at a line break, at the end of the text and where
  /// an ellipsis stands for the letter.
  public func rect(ofGlyphAt offset: Int) -> Rect {
    let line = line(of: offset)
    guard let cell = line.cells.first(where: { $0.range.contains(offset - line.start) }) else {
      return line.rect(from: caretX(line, offset), to: caretX(line, offset))
    }
    return line.rect(from: cell.left, to: cell.right)
  }

  /// The rectangles that cover a part of the text: one for each piece of a line whose letters stand side by side.
  public func rects(in range: Range<Int>) -> [Rect] {
    var rects: [Rect] = []
    let firstLine = lines.boundary { $0.range.upperBound > range.lowerBound }
    for line in lines[firstLine...].prefix(while: { $0.range.lowerBound < range.upperBound }) {
      let first = rects.count
      for cell in line.cells.sorted(by: { ($0.left, $0.right) < ($1.left, $1.right) })
      where range.contains(cell.range.lowerBound + line.start) && cell.right > cell.left {
        let rect = line.rect(from: cell.left, to: cell.right)
        if rects.count > first, rect.minX - rects[rects.count - 1].maxX < 1e-6 {
          rects[rects.count - 1] = rects[rects.count - 1].union(rect)
        } else {
          rects.append(rect)
        }
      }
    }
    return rects
  }

  /// The letter at a point, or the nearest one of the nearest line: the offset at which it begins, and whether the point is in the half
  /// of it where the next letter of its direction follows. At an empty line the offset of the line.
  public func offset(at point: Point) -> (offset: Int, isTrailing: Bool) {
    let below = lines.boundary { $0.top > point.y }
    // Between two lines the nearer one.
    let isNearBelow =
      below > 0 && below < lines.count
      && lines[below].top - point.y < point.y - lines[below - 1].top - lines[below - 1].height
    let line = lines[isNearBelow ? below : max(below - 1, 0)]
    let x = point.x - line.baseline.x
    func distance(_ cell: Cell) -> Double { max(cell.left - x, x - cell.right, 0) }
    // A letter without a width is not where the next one is.
    let cells = line.cells.filter { $0.right > $0.left }
    guard let cell = cells.min(by: { distance($0) < distance($1) }) else { return (line.range.lowerBound, false) }
    let isRight = x > (cell.left + cell.right) / 2
    return (cell.range.lowerBound + line.start, isRight != cell.isRightToLeft)
  }

  /// The carets before the letter at an offset, without a width and as high as its line. There are two where the direction changes: the
  /// primary one is where a letter in the paragraph's direction would appear, the secondary one where one in the other would.
  public func caret(at offset: Int) -> (primary: Rect, secondary: Rect?) {
    let line = line(of: offset)
    let offset = offset - line.start
    let before = line.cells.first { $0.range.upperBound == offset }.map {
      (x: $0.trailing, isRightToLeft: $0.isRightToLeft)
    }
    let behind = line.cells.first { $0.range.contains(offset) }.map { (x: $0.leading, isRightToLeft: $0.isRightToLeft) }
    guard let first = behind ?? before else {
      let x = caretX(line, offset + line.start)
      return (line.rect(from: x, to: x), nil)
    }
    guard let before, let behind, abs(before.x - behind.x) > 1e-6 else {
      return (line.rect(from: first.x, to: first.x), nil)
    }
    let (primary, secondary) =
      before.isRightToLeft == line.isRightToLeft && behind.isRightToLeft != line.isRightToLeft
      ? (before.x, behind.x) : (behind.x, before.x)
    return (line.rect(from: primary, to: primary), line.rect(from: secondary, to: secondary))
  }

  /// The line of an offset: that which begins at it, where one ends there too.
  private func line(of offset: Int) -> Line { lines[max(lines.boundary { $0.range.lowerBound > offset } - 1, 0)] }

  /// The place of a caret that is at no letter: the end of the letters before it.
  private func caretX(_ line: Line, _ offset: Int) -> Double {
    let before = line.cells.filter { $0.range.upperBound + line.start <= offset }
    if let last = before.max(by: { $0.range.upperBound < $1.range.upperBound }) { return last.trailing }
    return line.isRightToLeft ? line.width : 0
  }
}

/// A letter in a line: what lies between two places of a caret.
private struct Cell {
  /// Bytes of the paragraph.
  var range: Range<Int>
  /// From the left end of the line's baseline.
  var left: Double
  var right: Double
  var isRightToLeft: Bool

  /// The side at which it begins in the order of the text.
  var leading: Double { isRightToLeft ? right : left }
  var trailing: Double { isRightToLeft ? left : right }
}

extension ShapedParagraph {
  /// The letters of a piece, in the order of the text. Those of a ligature share its width.
  fileprivate func cells(of piece: LinePiece) -> [Cell] {
    if piece.range.isEmpty { return [] }
    var cells: [Cell] = []
    var pen = piece.isRightToLeft ? piece.x + piece.width : piece.x
    func add(_ range: Range<Int>, _ width: Double, isLetter: Bool) {
      let next = piece.isRightToLeft ? pen - width : pen + width
      let (left, right) = (min(pen, next), max(pen, next))
      if !isLetter, let last = cells.last {
        cells[cells.count - 1] = Cell(
          range: last.range.lowerBound..<range.upperBound, left: min(last.left, left), right: max(last.right, right),
          isRightToLeft: piece.isRightToLeft)
      } else {
        cells.append(Cell(range: range, left: left, right: right, isRightToLeft: piece.isRightToLeft))
      }
      pen = next
    }
    piece.glyphs.forEachCluster(in: piece.range, isRightToLeft: piece.isRightToLeft) { cluster in
      let first = stop(at: cluster.range.lowerBound)
      let inner = stops[(first + 1)...].prefix { $0.offset < cluster.range.upperBound }.filter { $0.place.contains(.caret) }
      var start = cluster.range.lowerBound
      let isLetter = Int(stops[first].offset) == start && stops[first].place.contains(.caret)
      for (index, end) in (inner.map { Int($0.offset) } + [cluster.range.upperBound]).enumerated() {
        add(start..<end, cluster.advance / Double(inner.count + 1), isLetter: isLetter || index > 0)
        start = end
      }
    }
    return cells
  }
}

extension TextLayout.Line {
  /// Those of each piece in the order of the text; the pieces from left to right.
  fileprivate var cells: [Cell] { pieces.flatMap { paragraph.cells(of: $0) } }

  fileprivate func rect(from left: Double, to right: Double) -> Rect {
    Rect(x: baseline.x + left, y: top, width: right - left, height: height)
  }
}
