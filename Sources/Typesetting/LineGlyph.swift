import Raster

/// A glyph on its way into a line, in points.
struct LineGlyph: BitwiseCopyable, Sendable {
  var id: UInt32
  /// The byte of the paragraph at which the letters begin that it shows, alone or with others.
  var cluster: Int32
  /// The movement of the pen, with the space between letters.
  var advance: Double
  var xOffset: Float
  /// Upwards.
  var yOffset: Float
  var isSafe: Bool

  init(_ glyph: ShapedGlyph, _ unit: Double) {
    (id, cluster, isSafe) = (glyph.id, glyph.cluster, glyph.isSafeToBreak)
    advance = Double(glyph.advance) * unit
    (xOffset, yOffset) = (Float(Double(glyph.xOffset) * unit), Float(Double(glyph.yOffset) * unit))
  }
}

/// The smallest part of a text that has glyphs of its own.
struct LineCluster {
  /// Bytes of the paragraph.
  var range: Range<Int>
  var glyphs: Range<Int>
  var advance: Double
  var isSafe: Bool
  /// False if it has a glyph for what the font does not have.
  var isComplete: Bool
}

extension [LineGlyph] {
  var width: Double { reduce(0) { $0 + $1.advance } }

  /// Calls `visit` with the clusters in the order of the text, of which the glyphs show `range`.
  func forEachCluster(in range: Range<Int>, isRightToLeft: Bool, _ visit: (LineCluster) -> Void) {
    var index = isRightToLeft ? count : 0
    var pending: LineCluster?
    while isRightToLeft ? index > 0 : index < count {
      let first = index
      let cluster = self[isRightToLeft ? index - 1 : index].cluster
      if isRightToLeft {
        while index > 0, self[index - 1].cluster == cluster { index -= 1 }
      } else {
        while index < count, self[index].cluster == cluster { index += 1 }
      }
      let glyphs = Swift.min(first, index)..<Swift.max(first, index)
      if var last = pending {
        last.range = last.range.lowerBound..<Int(cluster)
        visit(last)
      }
      pending = LineCluster(
        range: Int(cluster)..<range.upperBound, glyphs: glyphs, advance: self[glyphs].reduce(0) { $0 + $1.advance },
        isSafe: self[glyphs].allSatisfy(\.isSafe), isComplete: self[glyphs].allSatisfy { $0.id != 0 })
    }
    if let pending { visit(pending) }
  }

  /// The glyphs of the clusters that begin in `range`.
  func part(_ range: Range<Int>, isRightToLeft: Bool) -> [LineGlyph] {
    let bounds =
      isRightToLeft
      ? boundary { $0.cluster < range.upperBound }..<boundary { $0.cluster < range.lowerBound }
      : boundary { $0.cluster >= range.lowerBound }..<boundary { $0.cluster >= range.upperBound }
    return Array(self[bounds])
  }

  /// Adds space behind every cluster that has a width: at its left where letters go from right to left.
  mutating func addSpace(_ space: Double, isRightToLeft: Bool) {
    var index = 0
    while index < count {
      var (last, advance) = (index, self[index].advance)
      while last + 1 < count, self[last + 1].cluster == self[index].cluster {
        last += 1
        advance += self[last].advance
      }
      if advance > 0 {
        self[last].advance += space
        if isRightToLeft { for moved in index...last { self[moved].xOffset += Float(space) } }
      }
      index = last + 1
    }
  }
}
