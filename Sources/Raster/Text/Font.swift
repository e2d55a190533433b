/// A font face at a size, for `TextLine`.
///
/// ```swift
/// let font = Font(try FontFace(path: "Inter.ttf"), size: 14, tabularFigures: true)
/// ```
public struct Font: Hashable, Sendable {
  public var face: FontFace
  /// The size of the design's em in points, limited to 0…10 000. Nothing is drawn at 0.
  public var size: Double {
    didSet { size = Self.usable(size) }
  }
  /// True to make all digits equally wide, if the font can (OpenType feature `tnum`): for figures that change while one
  /// looks at them.
  public var tabularFigures: Bool

  public init(_ face: FontFace, size: Double, tabularFigures: Bool = false) {
    self.face = face
    self.size = Self.usable(size)
    self.tabularFigures = tabularFigures
  }

  /// The height of a line above the baseline, in points like all heights here.
  public var ascent: Double { face.metrics.ascent * pointsPerUnit }
  /// The depth of a line below the baseline.
  public var descent: Double { face.metrics.descent * pointsPerUnit }
  /// The space that the design wants between two lines.
  var lineGap: Double { face.metrics.lineGap * pointsPerUnit }
  /// The distance from one baseline to the next.
  public var lineHeight: Double { ascent + descent + lineGap }
  /// The height of an "H", for centring capitals and digits.
  public var capHeight: Double { face.metrics.capHeight * pointsPerUnit }

  var pointsPerUnit: Double { size / Double(face.unitsPerEm) }

  private static func usable(_ size: Double) -> Double {
    size > 0 ? min(size, 10_000) : 0
  }
}
