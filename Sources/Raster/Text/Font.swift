/// A font face at a size, for `TextLine`.
///
/// ```swift
/// let face = try FontFace(path: "Inter.var.ttf", variations: [.weight(600)])
/// let font = Font(face, size: 14, features: [.tabularFigures, FontFeature("ss01")])
/// ```
public struct Font: Hashable, Sendable {
  public var face: FontFace
  /// The size of the design's em in points, limited to 0…10 000. Nothing is drawn at 0.
  public var size: Double {
    didSet { size = Self.usable(size) }
  }
  /// The features that are not as the font wants them by itself: one of each tag, sorted by tags.
  public var features: [FontFeature] {
    didSet { features = FontFeature.normalized(features) }
  }

  /// A font with features, of which the last of each tag counts.
  public init(_ face: FontFace, size: Double, features: [FontFeature] = []) {
    self.face = face
    self.size = Self.usable(size)
    self.features = FontFeature.normalized(features)
  }

  /// A font with digits of one width or with its own.
  public init(_ face: FontFace, size: Double, tabularFigures: Bool) {
    self.init(face, size: size, features: tabularFigures ? [.tabularFigures] : [])
  }

  /// True if all digits are equally wide, if the font can: the feature `FontFeature.tabularFigures`.
  public var tabularFigures: Bool {
    get { features.contains(.tabularFigures) }
    set {
      features.removeAll { $0.tag == FontFeature.tabularFigures.tag }
      if newValue { features.append(.tabularFigures) }
    }
  }

  /// The height of a line above the baseline, in points like all heights here.
  public var ascent: Double { face.metrics.ascent * pointsPerUnit }
  /// The depth of a line below the baseline.
  public var descent: Double { face.metrics.descent * pointsPerUnit }
  /// The space that the design wants between two lines.
  package var lineGap: Double { face.metrics.lineGap * pointsPerUnit }
  /// The distance from one baseline to the next.
  public var lineHeight: Double { ascent + descent + lineGap }
  /// The height of an "H", for centring capitals and digits.
  public var capHeight: Double { face.metrics.capHeight * pointsPerUnit }

  /// The line below letters, and the one through them, as the design has them.
  package var underline: FontStroke { face.metrics.underline.scaled(by: pointsPerUnit) }
  package var strikethrough: FontStroke { face.metrics.strikethrough.scaled(by: pointsPerUnit) }

  package var pointsPerUnit: Double { size / Double(face.unitsPerEm) }

  private static func usable(_ size: Double) -> Double {
    size > 0 ? min(size, 10_000) : 0
  }
}

/// A horizontal stroke along a line of text.
package struct FontStroke: Hashable, Sendable {
  /// The height of its top edge above the baseline.
  package var top: Double
  package var thickness: Double

  fileprivate func scaled(by scale: Double) -> FontStroke { FontStroke(top: top * scale, thickness: thickness * scale) }
}
