public import Geometry

/// One line of text, shaped once with kerning and ligatures. It can be drawn any number of times with
/// `DrawingContext.draw(_:at:color:)`.
///
/// The text is a single run, from right to left if its script is. Mixed directions and substitute fonts for missing
/// characters are not supported. Line breaks and control characters become spaces.
public struct TextLine: Sendable {
  /// A glyph of the font and the place of its origin, in points from the left end of the baseline, y downwards.
  public struct Glyph: Hashable, BitwiseCopyable, Sendable {
    public var id: UInt32
    public var x: Double
    public var y: Double
    /// The box around its outline in units of the design.
    package var box = GlyphBox.empty

    /// The ink in points around the left end of the baseline, where a unit of the design is so many points; empty without any.
    @inline(__always)
    func inkBox(_ unit: Double) -> Rect {
      if box.isEmpty { return .zero }
      return Rect(
        x: x + Double(box.minX) * unit, y: y - Double(box.maxY) * unit,
        width: Double(Int(box.maxX) - Int(box.minX)) * unit, height: Double(Int(box.maxY) - Int(box.minY)) * unit)
    }
  }

  public let string: String
  public let font: Font
  /// The glyphs from left to right.
  public let glyphs: [Glyph]
  /// The sum of all advances in points: the distance from the first glyph's origin to that of a glyph that would follow.
  public let width: Double

  public init(_ string: String, font: Font) {
    let pointsPerUnit = font.pointsPerUnit
    var glyphs: [Glyph] = []
    glyphs.reserveCapacity(string.utf8.count)
    var pen = 0
    font.face.shaper.shape(string, features: font.features) { glyph in
      glyphs.append(
        Glyph(
          id: glyph.id, x: Double(pen + Int(glyph.xOffset)) * pointsPerUnit, y: Double(-glyph.yOffset) * pointsPerUnit))
      pen += Int(glyph.advance)
    }
    font.face.addBoxes(to: &glyphs)
    self.string = string
    self.font = font
    self.glyphs = glyphs
    width = Double(pen) * pointsPerUnit
  }

  private init(_ line: TextLine, glyphs: [Glyph]) {
    (string, font, self.glyphs, width) = (line.string, line.font, glyphs, line.width)
  }

  /// The same line with only those of its glyphs whose ink may be seen in `rect`, which lies around the left end of the baseline.
  package func cut(to rect: Rect) -> TextLine {
    let unit = font.pointsPerUnit
    let seen = glyphs.filter { !$0.inkBox(unit).intersection(rect).isEmpty }
    return seen.count == glyphs.count ? self : TextLine(self, glyphs: seen)
  }

  /// The height of the line above the baseline, in points.
  public var ascent: Double { font.ascent }
  /// The depth of the line below the baseline, in points.
  public var descent: Double { font.descent }
  /// The sum of ascent and descent.
  public var height: Double { ascent + descent }

  /// The rectangle that holds all ink, in points around the left end of the baseline, y downwards; zero without ink. Slanted
  /// and accented glyphs reach beyond width, ascent and descent. Antialiasing adds up to a pixel on each side.
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

  /// The characters for which the font has no glyph.
  var missingCharacters: String {
    var missing = String.UnicodeScalarView()
    for scalar in string.unicodeScalars where scalar.properties.generalCategory != .control {
      if font.face.shaper.glyph(for: scalar) == nil { missing.append(scalar) }
    }
    return String(missing)
  }

  /// The outlines of the glyphs in points, with the left end of the baseline at `baseline`. Use it to stroke text or to clip
  /// to it.
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

  /// The line itself if it is no wider than `width`. Otherwise the longest beginning of it that fits with "…" behind it, or
  /// an empty line if not even "…" fits.
  public func truncated(to width: Double) -> TextLine {
    if self.width <= width { return self }
    let mark = font.face.shaper.glyph(for: "…") == nil ? "..." : "…"
    var best = TextLine("", font: font)
    // The width grows with the number of characters, but for a few units of kerning. So this is a binary search over whole
    // characters; each candidate is shaped as it would be drawn.
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
