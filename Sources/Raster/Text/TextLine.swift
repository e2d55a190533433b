public import Geometry

/// One line of text, shaped once with kerning and ligatures and drawn as often as wanted.
///
/// The text is one run from left to right, or from right to left when its script is; mixed directions and other fonts for
/// missing characters are not looked for. Line breaks and control characters become spaces.
public struct TextLine: Sendable {
  /// A glyph of the font and where its origin lies, in points from the left end of the baseline, y down.
  public struct Glyph: Hashable, BitwiseCopyable, Sendable {
    public var id: UInt32
    public var x: Double
    public var y: Double
  }

  public let string: String
  public let font: Font
  /// From left to right.
  public let glyphs: [Glyph]
  /// From the first glyph's origin to where the next one would go: the sum of all advances, in points.
  public let width: Double

  public init(_ string: String, font: Font) {
    let pointsPerUnit = font.pointsPerUnit
    var glyphs: [Glyph] = []
    glyphs.reserveCapacity(string.utf8.count)
    var pen = 0
    font.face.shaper.shape(string, tabularFigures: font.tabularFigures) { glyph in
      glyphs.append(
        Glyph(
          id: glyph.id, x: Double(pen + Int(glyph.xOffset)) * pointsPerUnit, y: Double(-glyph.yOffset) * pointsPerUnit))
      pen += Int(glyph.advance)
    }
    self.string = string
    self.font = font
    self.glyphs = glyphs
    width = Double(pen) * pointsPerUnit
  }

  /// From the baseline up to where the line begins, in points.
  public var ascent: Double { font.ascent }
  /// From the baseline down to where the line ends, in points.
  public var descent: Double { font.descent }
  /// Ascent and descent.
  public var height: Double { ascent + descent }

  /// Where ink may be, in points around the left end of the baseline, y down: slanted and accented glyphs reach beyond
  /// width, ascent and descent. Add a pixel on each side for antialiasing. Zero without ink.
  public var inkBounds: Rect {
    var result = Rect.zero
    let unit = font.pointsPerUnit
    for glyph in glyphs {
      guard let ink = font.face.shaper.inkExtents(of: glyph.id) else { continue }
      // HarfBuzz's heights grow upwards: the top edge is the origin and the height negative.
      result = result.union(
        Rect(
          x: glyph.x + Double(ink.left) * unit, y: glyph.y - Double(ink.top) * unit, width: Double(ink.width) * unit,
          height: Double(-ink.height) * unit))
    }
    return result
  }

  /// The glyphs' outlines with the left end of the baseline at `baseline`, in points: to stroke a text or to clip to it.
  public func outline(at baseline: Point = .zero) -> Path {
    var path = Path()
    for glyph in glyphs {
      path.append(font.face.outline(of: glyph.id).applying(placement(of: glyph, at: baseline)))
    }
    return path
  }

  /// From the design's units, y up, to points.
  func placement(of glyph: Glyph, at baseline: Point) -> Affine {
    let unit = font.pointsPerUnit
    return Affine(a: unit, b: 0, c: 0, d: -unit, tx: baseline.x + glyph.x, ty: baseline.y + glyph.y)
  }

  /// The line itself when it is no wider than `width`; else as many of its first characters as fit with "…" after them. An
  /// empty line when not even that fits.
  public func truncated(to width: Double) -> TextLine {
    if self.width <= width { return self }
    let mark = font.face.shaper.glyph(for: "…") == nil ? "..." : "…"
    var best = TextLine("", font: font)
    // How many characters fit grows with the width but for a few units of kerning: a binary search over whole characters,
    // each try shaped as it would be drawn.
    var low = 0
    var high = string.count
    while low < high {
      let middle = (low + high) / 2
      var prefix = string.prefix(middle)
      while prefix.last?.isWhitespace == true { prefix.removeLast() }
      let candidate = TextLine(prefix + mark, font: font)
      if candidate.width <= width {
        best = candidate
        low = middle + 1
      } else {
        high = middle
      }
    }
    return best
  }
}
