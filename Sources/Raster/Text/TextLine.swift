public import Geometry

/// One line of text, shaped once with kerning and ligatures. It can be drawn any number of times with
/// `DrawingContext.draw(_:at:color:)`.
///
/// The text is a single run, from right to left if its script is. Mixed directions and substitute fonts for missing
/// characters are not supported. Line breaks and control characters become spaces.
public struct TextLine: Sendable {
  public let string: String
  /// The glyphs of the whole line.
  public let run: GlyphRun

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
    font.face.shaper.shape(string, features: font.features) { glyph in
      glyphs.append(
        GlyphRun.Glyph(
          id: glyph.id, x: Double(pen + Int(glyph.xOffset)) * pointsPerUnit, y: Double(-glyph.yOffset) * pointsPerUnit))
      pen += Int(glyph.advance)
    }
    self.string = string
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

  /// True where letters that are written from right to left stand beside others or beside digits, which a line of one run has in the
  /// wrong order.
  package var mixesDirections: Bool {
    var (fromRight, fromLeft) = (false, false)
    for scalar in string.unicodeScalars {
      if scalar.properties.numericType == .decimal {
        fromLeft = true
      } else if scalar.properties.isAlphabetic {
        if scalar.isInBlockFromRight { fromRight = true } else { fromLeft = true }
      }
    }
    return fromRight && fromLeft
  }

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

extension Unicode.Scalar {
  /// True in the blocks whose letters have the direction from right to left: those that DerivedBidiClass.txt of Unicode reserves for it.
  fileprivate var isInBlockFromRight: Bool {
    switch value {
    case 0x0590...0x08FF, 0xFB1D...0xFDFF, 0xFE70...0xFEFF, 0x1_0800...0x1_0FFF, 0x1_E800...0x1_EFFF: true
    default: false
    }
  }
}
