/// The resistance of content that a finger pulls beyond its edge.
///
/// A finger that went x beyond the edge has pulled the content x·d·c / (d + c·x) beyond it, where d is the viewport's length and c the
/// coefficient 0.55. That is UIScrollView's formula, published in January 2013 as "b = (1 − 1 / (x·c/d + 1))·d" ("Analysis of Apple's
/// rubber band scrolling", squareb.wordpress.com). The content never reaches d. From nine tenths of d on, for which a finger would have to
/// go 16 viewports far, the curve goes straight on, so that every place has a finger's.
public struct RubberBand: Hashable, BitwiseCopyable, Sendable {
  /// UIScrollView's coefficient: the part of the finger's way that the content goes at the edge.
  public static let usualCoefficient = 0.55

  public let length: Double
  public let coefficient: Double

  /// - Parameters:
  ///   - length: the viewport's in points; at least 1 is taken.
  ///   - coefficient: above 0, at most 1; another one becomes the usual one.
  public init(length: Double, coefficient: Double = usualCoefficient) {
    self.length = length > 1 ? min(length, ScrollExtent.longest) : 1
    self.coefficient = coefficient > 0 && coefficient <= 1 ? coefficient : Self.usualCoefficient
  }

  /// The way of the content beyond the edge for the finger's way, both in points. The sign stays.
  public func stretch(_ way: Double) -> Double {
    let far = abs(way)
    let straight = far - straightWay
    let stretched =
      straight > 0
      ? straightStretch + straight * slope(atStretch: straightStretch)
      : far * length * coefficient / (length + coefficient * far)
    return way < 0 ? -stretched : stretched
  }

  /// The finger's way for the content's way beyond the edge: the inverse of `stretch(_:)`.
  public func way(ofStretch stretch: Double) -> Double {
    let far = abs(stretch)
    let straight = far - straightStretch
    let way =
      straight > 0
      ? straightWay + straight / slope(atStretch: straightStretch)
      : far * length / (coefficient * (length - far))
    return stretch < 0 ? -way : way
  }

  /// The velocity of the content as a part of the finger's, where the content lies so far beyond the edge.
  public func slope(atStretch stretch: Double) -> Double {
    let left = 1 - min(abs(stretch), straightStretch) / length
    return coefficient * left * left
  }

  /// The place from which the curve is straight, and the finger's way to it.
  private var straightStretch: Double { 0.9 * length }
  private var straightWay: Double { 9 * length / coefficient }
}
