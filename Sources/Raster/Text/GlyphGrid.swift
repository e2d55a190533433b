package import Geometry

/// The way of a run's glyphs to the pixels of an output, which depends on the run and on its transform alone.
///
/// Where the transform moves, scales evenly and turns by quarters, glyphs are bitmaps from the cache: they stand at whole pixels
/// across the line and at quarters of a pixel along it. Under other transforms, and above 128 pixels, they are outlines that stand
/// where the transform takes them.
package struct GlyphGrid {
  package enum Source: Hashable {
    case bitmaps(GlyphSize)
    case outlines
  }

  /// The place of a glyph, for comparison: in quarters and whole pixels for bitmaps, exact for outlines.
  package struct Spot: Hashable {
    var glyph: UInt32
    var x: Double
    var y: Double
  }

  package let source: Source
  private let run: GlyphRun
  /// From points around the left end of the baseline to pixels.
  private let toOutput: Affine
  private let turns: Int
  /// The points of a unit of the design.
  private let unit: Double

  /// - Parameters:
  ///   - baseline: the left end of the run's baseline.
  ///   - transform: from the coordinates in which `baseline` lies to pixels.
  package init(_ run: GlyphRun, at baseline: Point, _ transform: Affine) {
    self.run = run
    toOutput = Affine.translation(x: baseline.x, y: baseline.y).concatenating(transform)
    let size = Self.size(of: run, toOutput)
    source = size.map { .bitmaps($0) } ?? .outlines
    (turns, unit) = (size?.turns ?? 0, run.font.pointsPerUnit)
  }

  /// The size of the run's bitmaps; nil if they must be drawn as outlines.
  private static func size(of run: GlyphRun, _ map: Affine) -> GlyphSize? {
    let turns: Int
    // A run that is turned by no more than this moves none of its glyphs.
    let limit = 1 / (512 * max(run.width, run.font.size, 1))
    if abs(map.b) < limit, abs(map.c) < limit {
      guard map.a > 0 && map.d > 0 || map.a < 0 && map.d < 0 else { return nil }
      turns = map.a > 0 ? 0 : 2
    } else {
      guard abs(map.a) < limit, abs(map.d) < limit, map.b > 0 && map.c < 0 || map.b < 0 && map.c > 0 else { return nil }
      turns = map.b > 0 ? 1 : 3
    }
    func size64(_ scale: Double) -> Int? {
      let size = (run.font.size * abs(scale) * 64).rounded()
      return size >= 1 && size <= Double(GlyphSize.largest64) ? Int(size) : nil
    }
    let (along, across) = turns & 1 == 0 ? (map.a, map.d) : (map.b, map.c)
    guard let size = size64(along), size == size64(across) else { return nil }
    // Two pixels more than the longest outline, for its place between pixels.
    let longest = run.glyphs.reduce(0) { max($0, $1.box.side) }
    guard longest * size / (64 * run.font.face.unitsPerEm) <= GlyphBitmap.longestSide - 3 else { return nil }
    return GlyphSize(size64: size, turns: turns)
  }

  /// Places those of the run's glyphs that may reach `pixels`, all of which have bitmaps.
  package func place(in pixels: IntRect, _ placed: inout ContiguousArray<PlacedGlyph>) {
    placed.removeAll(keepingCapacity: true)
    placed.reserveCapacity(run.glyphs.count)
    let ink = IntRect(covering: toOutput.boundingBox(of: run.inkBox))
    let areAllSeen = !ink.isEmpty && pixels.contains(ink)
    for glyph in run.glyphs where areAllSeen ? !glyph.box.isEmpty : reaches(glyph, pixels) { placed.append(place(glyph)) }
  }

  /// The place of a bitmap's glyph on the grid.
  @inline(__always)
  private func place(_ glyph: GlyphRun.Glyph) -> PlacedGlyph {
    let (along, across) = gridPlace(glyph)
    let (x, y) = (Int32(along >> 2), Int32(across))
    let (column, row) =
      switch turns {
      case 0: (x, y)
      case 1: (-y, x)
      case 2: (-x, -y)
      default: (y, -x)
      }
    return PlacedGlyph(glyph: UInt16(clamping: glyph.id), quarter: UInt8(along & 3), x: column, y: row)
  }

  /// Quarters of a pixel along the line and pixels across it, from the output's corner.
  @inline(__always)
  private func gridPlace(_ glyph: GlyphRun.Glyph) -> (along: Int, across: Int) {
    let place = toOutput.apply(Point(glyph.x, glyph.y))
    let (along, across) =
      switch turns {
      case 0: (place.x, place.y)
      case 1: (place.y, -place.x)
      case 2: (-place.x, -place.y)
      default: (-place.y, place.x)
      }
    return (
      Self.wholeNumber(notAbove: DrawingContext.clamp(along) * 4 + 0.5),
      Self.wholeNumber(notAbove: DrawingContext.clamp(across) + 0.5)
    )
  }

  /// The largest whole number that is not above `value`. (The standard library's rounding calls a function of libm.)
  @inline(__always)
  private static func wholeNumber(notAbove value: Double) -> Int {
    let truncated = Int(value)
    return Double(truncated) > value ? truncated - 1 : truncated
  }

  package func spot(of glyph: GlyphRun.Glyph) -> Spot {
    guard case .bitmaps = source else {
      let place = toOutput.apply(Point(glyph.x, glyph.y))
      return Spot(glyph: glyph.id, x: place.x, y: place.y)
    }
    let (along, across) = gridPlace(glyph)
    return Spot(glyph: glyph.id, x: Double(along), y: Double(across))
  }

  /// True if the same glyph at the same spot looks the same in both.
  package func paintsGlyphs(like other: GlyphGrid) -> Bool {
    guard source == other.source, run.font.face === other.run.font.face else { return false }
    if case .bitmaps = source { return true }
    let (one, two) = (toOutput, other.toOutput)
    return run.font.size == other.run.font.size && one.a == two.a && one.b == two.b && one.c == two.c && one.d == two.d
  }

  /// True if all glyphs of this run, whose grid was `old` before, look the same as before, so many pixels from there. Those that
  /// are drawn as outlines do not.
  package func isMoved(from old: GlyphGrid, dx: Int, dy: Int) -> Bool {
    guard case .bitmaps = source, source == old.source else { return false }
    let (along, across) =
      switch turns {
      case 0: (dx, dy)
      case 1: (dy, -dx)
      case 2: (-dx, -dy)
      default: (-dy, dx)
      }
    return run.glyphs.allSatisfy { glyph in
      let (place, oldPlace) = (gridPlace(glyph), old.gridPlace(glyph))
      return place.along == oldPlace.along + 4 * along && place.across == oldPlace.across + across
    }
  }

  /// The rectangle beyond which a glyph leaves nothing, wherever it stands between pixels; nil for one without ink.
  @inline(__always)
  private func reach(of glyph: GlyphRun.Glyph) -> Rect? {
    if glyph.box.isEmpty { return nil }
    // Half a pixel to the grid, and what rounding the size makes of the longest glyph.
    return toOutput.boundingBox(of: glyph.inkBox(unit)).insetBy(dx: -0.75, dy: -0.75)
  }

  /// The pixels to which a glyph may reach.
  package func pixels(of glyph: GlyphRun.Glyph) -> IntRect { reach(of: glyph).map { IntRect(covering: $0) } ?? .zero }

  /// True if a glyph may reach any of the pixels.
  @inline(__always)
  private func reaches(_ glyph: GlyphRun.Glyph, _ pixels: IntRect) -> Bool {
    guard let reach = reach(of: glyph) else { return false }
    return reach.minX < Double(pixels.maxX) && reach.maxX > Double(pixels.minX) && reach.minY < Double(pixels.maxY)
      && reach.maxY > Double(pixels.minY)
  }

  /// Adds the coverage of those of the run's glyphs, as outlines, that `mask` may have.
  package func addOutlines(to mask: CoverageMask) {
    for glyph in run.glyphs where reaches(glyph, mask.pixels) {
      run.font.face.add(glyph.id, run.placement(of: glyph, at: .zero).concatenating(toOutput), to: mask)
    }
  }
}
