public import Geometry
public import Raster

/// A part of a text: glyphs, or a rectangle such as an underline.
public enum TextPart: Sendable, CustomStringConvertible {
  case glyphs(TextRun)
  case fill(TextFill)

  fileprivate var isFill: Bool { if case .fill = self { true } else { false } }

  public var description: String {
    switch self {
    case .glyphs(let run):
      (run.string.map { "“\($0)”" } ?? "\(run.glyphs.glyphs.count) glyphs")
        + " \(run.color.premultipliedBGRA.hexadecimalColor)"
    case .fill(let fill): "rectangle \(fill.color.premultipliedBGRA.hexadecimalColor)"
    }
  }
}

/// Glyphs in one font and colour.
public struct TextRun: Sendable {
  /// The text of a line that was shaped by itself; nil for a part of a paragraph.
  public let string: String?
  public let glyphs: GlyphRun
  /// The left end of the baseline, in the layer's coordinates.
  public let baseline: Point
  public let color: Color

  public init(_ line: TextLine, at baseline: Point, color: Color) {
    self.init(line.string, line.run, at: baseline, color: color)
  }

  /// A part of a paragraph.
  public init(_ glyphs: GlyphRun, at baseline: Point, color: Color) {
    self.init(nil, glyphs, at: baseline, color: color)
  }

  private init(_ string: String?, _ glyphs: GlyphRun, at baseline: Point, color: Color) {
    (self.string, self.glyphs, self.baseline, self.color) = (string, glyphs, baseline, color)
  }

  /// The same without the glyphs that cannot be seen: a text may be far longer than its layer.
  fileprivate func cut(to area: Rect, seen: Rect) -> TextRun {
    // All of it is seen, but for a glyph or two.
    if glyphs.width <= area.width, baseline.y >= area.minY, baseline.y <= area.maxY { return self }
    return TextRun(string, glyphs.cut(to: seen.offsetBy(dx: -baseline.x, dy: -baseline.y)), at: baseline, color: color)
  }

  /// The pixels of the glyphs that are not the same in both. Those are the ones between a common beginning and a common end.
  fileprivate func changedPixels(_ map: Affine, from old: TextRun, _ oldMap: Affine) -> IntRect {
    let isSameLook = color == old.color
    if isSameLook, baseline == old.baseline, map == oldMap, glyphs.isIdentical(to: old.glyphs) { return .zero }
    let (grid, oldGrid) = (GlyphGrid(glyphs, at: baseline, map), GlyphGrid(old.glyphs, at: old.baseline, oldMap))
    let (glyphs, oldGlyphs) = (glyphs.glyphs, old.glyphs.glyphs)
    var (start, end) = (0, 0)
    if isSameLook, grid.paintsGlyphs(like: oldGrid) {
      let shared = min(glyphs.count, oldGlyphs.count)
      while start < shared, grid.spot(of: glyphs[start]) == oldGrid.spot(of: oldGlyphs[start]) { start += 1 }
      while end < shared - start,
        grid.spot(of: glyphs[glyphs.count - 1 - end]) == oldGrid.spot(of: oldGlyphs[oldGlyphs.count - 1 - end])
      { end += 1 }
    }
    var changed = IntRect.zero
    for index in start..<glyphs.count - end { changed = changed.union(grid.pixels(of: glyphs[index])) }
    for index in start..<oldGlyphs.count - end { changed = changed.union(oldGrid.pixels(of: oldGlyphs[index])) }
    return changed
  }

  /// The pixels that the glyphs may reach.
  fileprivate func pixels(_ map: Affine) -> IntRect {
    let grid = GlyphGrid(glyphs, at: baseline, map)
    return glyphs.glyphs.reduce(.zero) { $0.union(grid.pixels(of: $1)) }
  }
}

extension TextFill {
  /// The pixels of which it may cover any part.
  package func pixels(_ map: Affine) -> IntRect { wholePixels(map) ?? map.touchedPixels(of: rect) }

  fileprivate func isSame(_ map: Affine, as old: TextFill, _ oldMap: Affine) -> Bool {
    guard color == old.color else { return false }
    let (whole, oldWhole) = (wholePixels(map), old.wholePixels(oldMap))
    return whole == nil && oldWhole == nil ? rect == old.rect && map == oldMap : whole == oldWhole
  }
}

/// The parts of a text, back to front. A single one, as most texts have, is held without an array.
public struct TextParts: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  private enum Storage {
    case one(TextPart)
    case many([TextPart])
  }

  private let storage: Storage

  /// A single line.
  public init(_ run: TextRun) { storage = .one(.glyphs(run)) }
  /// Parts from back to front; there may be none.
  public init(_ parts: [TextPart]) { storage = parts.count == 1 ? .one(parts[0]) : .many(parts) }
  public init(arrayLiteral parts: TextPart...) { self.init(parts) }

  public var startIndex: Int { 0 }
  public var endIndex: Int {
    switch storage {
    case .one: 1
    case .many(let parts): parts.count
    }
  }

  /// The part at an index from 0 to `count - 1`.
  public subscript(position: Int) -> TextPart {
    switch storage {
    case .one(let part): part
    case .many(let parts): parts[position]
    }
  }

  /// The same without what cannot be seen in `area`, which cuts at some of its edges.
  func cut(to area: Rect, at edges: Edges) -> TextParts {
    if edges.isEmpty { return self }
    // Antialiasing and the grid of pixels move the ink by less than a pixel, whatever that is in points.
    func distance(_ edge: Edges, _ length: Double) -> Double { edges.contains(edge) ? length : 1e9 }
    let (left, top) = (distance(.minX, area.width), distance(.minY, area.height))
    let seen = Rect(
      x: area.minX - left, y: area.minY - top, width: left + area.width + distance(.maxX, area.width),
      height: top + area.height + distance(.maxY, area.height))
    switch storage {
    case .one(.glyphs(let run)): return TextParts(run.cut(to: area, seen: seen))
    case .one: return self
    case .many(let parts):
      return TextParts(
        parts.compactMap { part in
          switch part {
          case .glyphs(let run):
            let run = run.cut(to: area, seen: seen)
            return run.glyphs.glyphs.isEmpty ? nil : .glyphs(run)
          case .fill(let fill): return fill.rect.intersection(seen).isEmpty ? nil : part
          }
        })
    }
  }

  /// The distances by which ink leans over some edges of `area`.
  ///
  /// They are rounded up, so that most changes of a text leave them, and what the grid of pixels moves has room. Less than 1/128 of
  /// the font's size is none: many a T reaches so far.
  func lean(over edges: Edges, of area: Rect) -> Insets {
    if edges.isEmpty { return Insets() }
    var (ink, size) = (Rect.zero, 0.0)
    for part in self {
      switch part {
      case .glyphs(let run):
        ink = ink.union(run.glyphs.inkBox.offsetBy(dx: run.baseline.x, dy: run.baseline.y))
        size = Swift.max(size, run.glyphs.font.size)
      case .fill(let fill): ink = ink.union(fill.rect)
      }
    }
    func lean(_ edge: Edges, _ distance: Double) -> Double {
      guard edges.contains(edge), size > 0, size < 1e9, distance > size / 128, distance < 1e9 else { return 0 }
      return ((distance / size + 0.125) * 4).rounded(.up) / 4 * size
    }
    return Insets(
      top: lean(.minY, area.minY - ink.minY), left: lean(.minX, area.minX - ink.minX),
      bottom: lean(.maxY, ink.maxY - area.maxY), right: lean(.maxX, ink.maxX - area.maxX))
  }

  // MARK: Changes

  /// Adds the pixels in which these parts differ from `old`. Neither glyphs nor rectangles are compared with each other: in a
  /// paragraph, backgrounds, glyphs and lines below them follow each other.
  func addChanges(to changed: inout DamageRegion, _ map: Affine, from old: TextParts, _ oldMap: Affine) {
    var (start, oldStart, isFill) = (0, 0, true)
    while start < count || oldStart < old.count {
      let (end, oldEnd) = (end(from: start, isFill), old.end(from: oldStart, isFill))
      addChanges(start..<end, to: &changed, map, from: old, oldStart..<oldEnd, oldMap)
      (start, oldStart, isFill) = (end, oldEnd, !isFill)
    }
  }

  private func end(from start: Int, _ isFill: Bool) -> Int {
    var end = start
    while end < count, self[end].isFill == isFill { end += 1 }
    return end
  }

  /// The same for some of the parts. As many as before are compared one by one, others between a common beginning and a common end.
  private func addChanges(
    _ range: Range<Int>, to changed: inout DamageRegion, _ map: Affine, from old: TextParts, _ oldRange: Range<Int>,
    _ oldMap: Affine
  ) {
    if range.count == oldRange.count {
      for (index, oldIndex) in zip(range, oldRange) {
        self[index].addChanges(to: &changed, map, from: old[oldIndex], oldMap)
      }
      return
    }
    func isSame(_ index: Int, _ oldIndex: Int) -> Bool {
      var changed = DamageRegion()
      self[index].addChanges(to: &changed, map, from: old[oldIndex], oldMap)
      return changed.isEmpty
    }
    let shared = Swift.min(range.count, oldRange.count)
    var (start, end) = (0, 0)
    while start < shared, isSame(range.lowerBound + start, oldRange.lowerBound + start) { start += 1 }
    while end < shared - start, isSame(range.upperBound - 1 - end, oldRange.upperBound - 1 - end) { end += 1 }
    for index in range.lowerBound + start..<range.upperBound - end { changed.add(self[index].pixels(map)) }
    for index in oldRange.lowerBound + start..<oldRange.upperBound - end { changed.add(old[index].pixels(oldMap)) }
  }
}

extension TextPart {
  /// The pixels of which it may cover any part.
  fileprivate func pixels(_ map: Affine) -> IntRect {
    switch self {
    case .glyphs(let run): run.pixels(map)
    case .fill(let fill): fill.pixels(map)
    }
  }

  /// Adds the pixels in which this part differs from `old`, whose place among the parts it has.
  fileprivate func addChanges(to changed: inout DamageRegion, _ map: Affine, from old: TextPart, _ oldMap: Affine) {
    switch (self, old) {
    case (.glyphs(let run), .glyphs(let oldRun)): changed.add(run.changedPixels(map, from: oldRun, oldMap))
    case (.fill(let fill), .fill(let oldFill)) where fill.isSame(map, as: oldFill, oldMap): return
    default:
      changed.add(pixels(map))
      changed.add(old.pixels(oldMap))
    }
  }
}
