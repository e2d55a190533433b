/// A face at a size.
public struct Font: Hashable, Sendable {
  public var face: FontFace
  /// The design's em in points; from 0, which draws nothing, to 10 000. What lies outside is taken as the nearest.
  public var size: Double {
    didSet { size = Self.usable(size) }
  }
  /// Whether all digits are as wide as each other, where the font can choose (OpenType feature `tnum`): for figures that
  /// change while one looks at them.
  public var tabularFigures: Bool

  public init(_ face: FontFace, size: Double, tabularFigures: Bool = false) {
    self.face = face
    self.size = Self.usable(size)
    self.tabularFigures = tabularFigures
  }

  /// From the baseline up to where the line begins; in points, as all heights here.
  public var ascent: Double { face.metrics.ascent * pointsPerUnit }
  /// From the baseline down to where the line ends.
  public var descent: Double { face.metrics.descent * pointsPerUnit }
  /// What the design wants between two lines.
  var lineGap: Double { face.metrics.lineGap * pointsPerUnit }
  /// From baseline to baseline.
  public var lineHeight: Double { ascent + descent + lineGap }
  /// Of an "H", to centre capitals and digits on something.
  public var capHeight: Double { face.metrics.capHeight * pointsPerUnit }

  var pointsPerUnit: Double { size / Double(face.unitsPerEm) }

  private static func usable(_ size: Double) -> Double {
    size > 0 ? min(size, 10_000) : 0
  }
}
