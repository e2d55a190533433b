public import Geometry

/// Glyphs of one font at their places along a baseline: what is left of a text when it has been set.
public struct GlyphRun: Sendable {
  /// A glyph of the font and the place of its origin, in points from the left end of the baseline, y downwards.
  public struct Glyph: Hashable, BitwiseCopyable, Sendable {
    public var id: UInt32
    public var x: Double
    public var y: Double
    /// The box around its outline in units of the design.
    package var box = GlyphBox.empty

    package init(id: UInt32, x: Double, y: Double) { (self.id, self.x, self.y) = (id, x, y) }

    /// The ink in points around the left end of the baseline, where a unit of the design is so many points; empty without any.
    @inline(__always)
    func inkBox(_ unit: Double) -> Rect {
      if box.isEmpty { return .zero }
      return Rect(
        x: x + Double(box.minX) * unit, y: y - Double(box.maxY) * unit,
        width: Double(Int(box.maxX) - Int(box.minX)) * unit, height: Double(Int(box.maxY) - Int(box.minY)) * unit)
    }
  }

  public let font: Font
  /// The glyphs from left to right.
  public let glyphs: [Glyph]
  /// The distance in points from the left end to where a glyph that follows would begin.
  public let width: Double
  /// The rectangle around the boxes of all outlines, in points around the left end of the baseline; zero without ink.
  package let inkBox: Rect

  /// - Parameter glyphs: they get their boxes here, in place.
  package init(font: Font, glyphs: inout [Glyph], width: Double) {
    font.face.addBoxes(to: &glyphs)
    (self.font, self.glyphs, self.width) = (font, glyphs, width)
    inkBox = glyphs.inkBox(font.pointsPerUnit)
  }

  private init(_ run: GlyphRun, glyphs: [Glyph]) {
    (font, self.glyphs, width) = (run.font, glyphs, run.width)
    inkBox = glyphs.inkBox(font.pointsPerUnit)
  }

  /// The same run with only those of its glyphs whose ink may be seen in `rect`, which lies around the left end of the baseline.
  package func cut(to rect: Rect) -> GlyphRun {
    let unit = font.pointsPerUnit
    let seen = glyphs.filter { !$0.inkBox(unit).intersection(rect).isEmpty }
    return seen.count == glyphs.count ? self : GlyphRun(self, glyphs: seen)
  }

  /// True for another copy of the same run. One that was made anew is none, even if it is equal.
  package func isIdentical(to other: GlyphRun) -> Bool {
    font == other.font
      && glyphs.withUnsafeBufferPointer { own in
        other.glyphs.withUnsafeBufferPointer { own.baseAddress == $0.baseAddress && own.count == $0.count }
      }
  }

  /// The rectangle that holds all ink, in points around the left end of the baseline, y downwards; zero without ink. Slanted
  /// and accented glyphs reach beyond the width and the font's ascent and descent. Antialiasing adds up to a pixel on each side.
  public var inkBounds: Rect {
    var result = Rect.zero
    let unit = font.pointsPerUnit
    for glyph in glyphs {
      guard let ink = font.face.shaper.inkExtents(of: glyph.id) else { continue }
      // HarfBuzz's heights grow upwards: the origin is the top edge and the height is negative.
      result = result.union(
        Rect(
          x: glyph.x + Double(ink.left) * unit, y: glyph.y - Double(ink.top) * unit, width: Double(ink.width) * unit,
          height: Double(-ink.height) * unit))
    }
    return result
  }

  /// The outlines of the glyphs in points, with the left end of the baseline at `baseline`.
  public func outline(at baseline: Point = .zero) -> Path {
    var path = Path()
    for glyph in glyphs {
      path.append(font.face.outline(of: glyph.id).applying(placement(of: glyph, at: baseline)))
    }
    return path
  }

  /// Maps the design's units, y upwards, to points.
  func placement(of glyph: Glyph, at baseline: Point) -> Affine {
    let unit = font.pointsPerUnit
    return Affine(a: unit, b: 0, c: 0, d: -unit, tx: baseline.x + glyph.x, ty: baseline.y + glyph.y)
  }
}

extension [GlyphRun.Glyph] {
  /// The rectangle around the ink of all.
  fileprivate func inkBox(_ unit: Double) -> Rect { reduce(.zero) { $0.union($1.inkBox(unit)) } }
}
