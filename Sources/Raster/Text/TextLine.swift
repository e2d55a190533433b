public import Geometry

/// One line of text, shaped once with kerning and ligatures. It can be drawn any number of times with
/// `DrawingContext.draw(_:at:color:)`.
///
/// Letters from left to right and from right to left are ordered by Unicode's bidirectional algorithm, UAX 9; the first letter that has
/// a direction is that of the line. Those of each script are shaped by its own rules. All are in one font: characters that it lacks are
/// not taken from others. Line breaks and control characters become spaces.
public struct TextLine: Sendable {
  public let string: String
  /// The glyphs of the whole line.
  public let run: GlyphRun
  /// True if the line begins at its right end.
  package let isRightToLeft: Bool

  public var font: Font { run.font }
  /// The glyphs from left to right.
  public var glyphs: [GlyphRun.Glyph] { run.glyphs }
  /// The sum of all advances in points: the distance from the first glyph's origin to that of a glyph that would follow.
  public var width: Double { run.width }

  public init(_ string: String, font: Font) {
    let pointsPerUnit = font.pointsPerUnit
    var glyphs: [GlyphRun.Glyph] = []
    glyphs.reserveCapacity(string.utf8.count)
    var pen = 0
    let line = string.isOnePart ? nil : LineParts(string)
    font.face.shaper.shape(string, line, features: font.features) { glyph in
      glyphs.append(
        GlyphRun.Glyph(
          id: glyph.id, x: Double(pen + Int(glyph.xOffset)) * pointsPerUnit, y: Double(-glyph.yOffset) * pointsPerUnit))
      pen += Int(glyph.advance)
    }
    self.string = string
    isRightToLeft = line?.isRightToLeft ?? false
    run = GlyphRun(font: font, glyphs: &glyphs, width: Double(pen) * pointsPerUnit)
  }

  /// The height of the line above the baseline, in points.
  public var ascent: Double { font.ascent }
  /// The depth of the line below the baseline, in points.
  public var descent: Double { font.descent }
  /// The sum of ascent and descent.
  public var height: Double { ascent + descent }

  /// The rectangle that holds all ink, in points around the left end of the baseline, y downwards; zero without ink. Slanted
  /// and accented glyphs reach beyond width, ascent and descent. Antialiasing adds up to a pixel on each side.
  public var inkBounds: Rect { run.inkBounds }

  /// The characters for which the font has no glyph.
  package var missingCharacters: String {
    var missing = String.UnicodeScalarView()
    for scalar in string.unicodeScalars where scalar.properties.generalCategory != .control {
      if font.face.shaper.glyph(for: scalar) == nil { missing.append(scalar) }
    }
    return String(missing)
  }

  /// The outlines of the glyphs in points, with the left end of the baseline at `baseline`. Use it to stroke text or to clip
  /// to it.
  public func outline(at baseline: Point = .zero) -> Path { run.outline(at: baseline) }

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
