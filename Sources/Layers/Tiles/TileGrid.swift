import Geometry
import Glibc
import RenderTree

/// A tile by its level of detail and its column and row, which count from the origin of the layer's coordinates.
struct TileKey: Hashable, BitwiseCopyable {
  /// The binary logarithm of the level's pixels per point, in those of the level that is not magnified.
  let level: Int
  let x: Int
  let y: Int

  /// The tile of a coarser level, or the same, in which this one lies.
  func coarser(_ level: Int) -> TileKey {
    // A shift rounds down, also below zero, and one that is too long gives 0 or -1.
    TileKey(level: level, x: x >> (self.level - level), y: y >> (self.level - level))
  }
}

/// The division of a tiled layer into tiles, level by level.
struct TileGrid: Hashable, BitwiseCopyable {
  /// The size of a tile in pixels, the same in each level.
  let width: Int
  let height: Int
  /// The pixels per point of level 0.
  let scale: Double

  /// A tile has so many pixels of its neighbours on each side, so that pixels are mixed across edges, and opaque tiles overlap.
  static let gutter = 1

  /// - Parameter tileSize: whole numbers from 1 on.
  init(tileSize: Size, scale: Double) {
    (width, height, self.scale) = (Int(tileSize.width), Int(tileSize.height), scale)
  }

  /// The pixels per point of a level.
  func scale(of level: Int) -> Double { scale * exp2(Double(level)) }

  /// The bytes of a tile's picture.
  var tileBytes: Int { ((width + 2 * Self.gutter) * 4 + 63) / 64 * 64 * (height + 2 * Self.gutter) }

  /// The levels that a layer with these bounds has: the lowest still shows a pixel in each direction.
  func levels(count: Int, bias: Int, in bounds: Rect) -> ClosedRange<Int> {
    let side = min(bounds.width, bounds.height) * scale
    let smallest = side > 0 && side.isFinite ? Int(max(min((-log2(side)).rounded(.up), 1e4), -1e4)) : bias
    return min(max(bias - count + 1, smallest), bias)...bias
  }

  /// The rectangle of a tile in points.
  func rect(of key: TileKey) -> Rect {
    let scale = scale(of: key.level)
    return Rect(
      x: Double(key.x * width) / scale, y: Double(key.y * height) / scale, width: Double(width) / scale,
      height: Double(height) / scale)
  }

  /// The rectangle that the picture of a tile shows: as much of it, and of the pixels around it, as lies in the bounds, in whole pixels.
  func pictureRect(of key: TileKey, in bounds: Rect) -> Rect {
    let scale = scale(of: key.level)
    func side(_ index: Int, _ length: Int, _ start: Double, _ end: Double) -> (start: Double, length: Double) {
      let first = max(Double(index * length - Self.gutter), (start * scale + 1e-6).rounded(.down))
      let last = min(Double((index + 1) * length + Self.gutter), (end * scale - 1e-6).rounded(.up))
      return (first / scale, max(last - first, 0) / scale)
    }
    let (x, y) = (side(key.x, width, bounds.minX, bounds.maxX), side(key.y, height, bounds.minY, bounds.maxY))
    return Rect(x: x.start, y: y.start, width: x.length, height: y.length)
  }

  /// The tiles of a level that lie in a rectangle with some of their area.
  func cells(_ level: Int, in rect: Rect) -> TileCells {
    let scale = scale(of: level)
    func range(_ start: Double, _ end: Double, _ length: Int) -> Range<Int> {
      let first = (start * scale / Double(length) + 1e-6).rounded(.down)
      let last = (end * scale / Double(length) - 1e-6).rounded(.up)
      guard abs(first) < 0x1p40, abs(last) < 0x1p40, first < last else { return 0..<0 }
      return Int(first)..<Int(last)
    }
    return TileCells(
      columns: range(rect.minX, rect.maxX, width), rows: range(rect.minY, rect.maxY, height))
  }
}

/// A rectangle of tiles in one level.
struct TileCells: Hashable {
  var columns: Range<Int>
  var rows: Range<Int>

  /// Empty for columns without rows.
  var isEmpty: Bool { columns.isEmpty || rows.isEmpty }
  /// The greatest number for more than can be counted.
  var count: Int {
    let (count, isTooMany) = columns.count.multipliedReportingOverflow(by: rows.count)
    return isTooMany ? .max : count
  }

  func contains(_ key: TileKey) -> Bool { columns.contains(key.x) && rows.contains(key.y) }

  /// The tiles up to so many around these, as far as they lie in `others`.
  func widened(by margin: Int, in others: TileCells) -> TileCells {
    TileCells(
      columns: (columns.lowerBound - margin..<columns.upperBound + margin).clamped(to: others.columns),
      rows: (rows.lowerBound - margin..<rows.upperBound + margin).clamped(to: others.rows))
  }

  /// At most so many of the tiles: those around one of them.
  func limited(to limit: Int, around x: Int, _ y: Int) -> TileCells {
    if columns.count <= limit / max(rows.count, 1) { return self }
    func part(_ range: Range<Int>, _ center: Int, _ count: Int) -> Range<Int> {
      let first = min(max(center - count / 2, range.lowerBound), max(range.upperBound - count, range.lowerBound))
      return first..<min(first + count, range.upperBound)
    }
    let side = max(Int(Double(limit).squareRoot()), 1)
    let height = min(rows.count, max(side, limit / max(min(columns.count, limit), 1)))
    let width = min(columns.count, max(limit / max(height, 1), 1))
    return TileCells(columns: part(columns, x, width), rows: part(rows, y, height))
  }
}

/// The tiles that a place on the output needs.
struct TileView {
  let level: Int
  /// The tiles that are seen.
  let visible: TileCells
  /// These and those beside them.
  let near: TileCells
  /// The middle of what is seen, in the layer's coordinates.
  let center: Point
  let bounds: Rect
  /// True if more tiles are seen than may be in memory.
  let isCut: Bool

  /// How many tiles on each side of the visible ones are near.
  static let margin = 1

  /// Nil for a layer of which nothing is seen.
  ///
  /// - Parameter limit: how many tiles may be in memory.
  init?(_ grid: TileGrid, _ bounds: Rect, levels: ClosedRange<Int>, at place: LayerPlacement, limit: Int) {
    guard !bounds.isEmpty, !place.clip.isEmpty, let back = place.homography.inverted,
      let seen = back.boundingBox(of: Rect(place.clip))?.intersection(bounds), !seen.isEmpty
    else { return nil }
    let scale = place.homography.scale(at: seen.center)
    guard scale > 0, scale.isFinite else { return nil }
    // A level that is too coarse by a millionth is as sharp.
    let wanted = (log2(scale / grid.scale) - 1e-6).rounded(.up)
    level = Int(min(max(wanted, Double(levels.lowerBound)), Double(levels.upperBound)))
    let (all, cells) = (grid.cells(level, in: bounds), grid.cells(level, in: seen))
    let (levelScale, center) = (grid.scale(of: level), seen.center)
    if cells.isEmpty { return nil }
    (self.center, self.bounds) = (center, bounds)
    visible = cells.limited(
      to: limit, around: Int((center.x * levelScale / Double(grid.width)).rounded(.down)),
      Int((center.y * levelScale / Double(grid.height)).rounded(.down)))
    isCut = visible != cells
    near = isCut ? visible : visible.widened(by: Self.margin, in: all)
  }

  /// True if both need the same tiles in the same bounds.
  func needsSame(as other: TileView) -> Bool {
    level == other.level && visible == other.visible && near == other.near && bounds == other.bounds
  }

  /// The tiles that are seen or near, row by row.
  var tiles: [TileKey] {
    near.rows.flatMap { y in near.columns.map { x in TileKey(level: level, x: x, y: y) } }
  }

  /// The tiles that are seen, from the middle outwards, and after them the others that are near, in the same order.
  func tilesByNeed(_ grid: TileGrid) -> [TileKey] {
    var keys = tiles.map { key in
      let way = grid.rect(of: key).center - center
      return (key: key, isSeen: visible.contains(key), distance: way.x * way.x + way.y * way.y)
    }
    keys.sort { one, other in
      if one.isSeen != other.isSeen { return one.isSeen }
      if one.distance != other.distance { return one.distance < other.distance }
      return (one.key.y, one.key.x) < (other.key.y, other.key.x)
    }
    return keys.map(\.key)
  }
}

extension Homography {
  /// The pixels per unit at a point of the plane, in the direction in which they are most; 0 for a point that is not seen.
  fileprivate func scale(at point: Point) -> Double {
    let w = w(point)
    guard w > 0, let image = apply(point) else { return 0 }
    let x = hypot(a - px * image.x, b - px * image.y) / w
    let y = hypot(c - py * image.x, d - py * image.y) / w
    return max(x, y)
  }
}
