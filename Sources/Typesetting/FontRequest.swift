public import Raster

/// A font by what it should be, for a ``FontLibrary``, which has the nearest to it.
///
/// ```swift
/// let request = FontRequest(["Inter", "DejaVu Sans"], size: 14, weight: 600)
/// ```
public struct FontRequest: Hashable, Sendable {
  /// The slant of letters.
  public enum Slant: String, CaseIterable, Hashable, Sendable {
    case upright
    /// Letters of a design of their own, or oblique ones where the family has none.
    case italic
    /// Upright letters that lean to the right, or italic ones.
    case oblique
  }

  /// The names of families, the first with preference; among them fontconfig's `sans-serif`, `serif` and `monospace`, which a
  /// library of files does not know.
  public var families: [String]
  /// The size of the em in points, as a `Font` has it.
  public var size: Double
  /// From 1 to 1000: 400 is regular, 700 is bold. Others are moved into the range.
  public var weight: Int {
    didSet { weight = Self.usable(weight) }
  }
  /// In percent of the normal width, from 1 to 1000; usual are 50 to 200.
  public var width: Double {
    didSet { width = Self.usable(width) }
  }
  public var slant: Slant
  /// The features of OpenType that are not as the font wants them by itself.
  public var features: [FontFeature]
  /// Places on the axes of a variable font; they go before weight, width and slant.
  public var variations: [FontVariation]

  public init(
    _ families: [String], size: Double, weight: Int = 400, width: Double = 100, slant: Slant = .upright,
    features: [FontFeature] = [], variations: [FontVariation] = []
  ) {
    (self.families, self.size, self.slant) = (families, size, slant)
    (self.features, self.variations) = (features, variations)
    (self.weight, self.width) = (Self.usable(weight), Self.usable(width))
  }

  private static func usable(_ weight: Int) -> Int { min(max(weight, 1), 1000) }
  private static func usable(_ width: Double) -> Double { width.isNaN ? 100 : min(max(width, 1), 1000) }

  /// The places on axes that a variable font of the family takes. Where it has an axis for slanted letters, upright ones are asked
  /// for too: the font's default may be any.
  var allVariations: [FontVariation] {
    [
      .weight(Double(weight)), .width(width),
      // Fonts lean by 8 to 15 degrees; the place is moved into the axis's range.
      .slant(slant == .upright ? 0 : -15), FontVariation("ital", slant == .italic ? 1 : 0),
    ] + variations
  }
}
