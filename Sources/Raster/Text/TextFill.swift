public import Geometry

/// A rectangle of a text in one colour, such as an underline or the background of some letters.
///
/// In a text that is neither turned nor mirrored, or turned by quarters, its edges go to the nearest ones of pixels, as the
/// baselines of glyphs do, and it is at least a pixel wide and high.
public struct TextFill: Hashable, Sendable {
  public var rect: Rect
  public var color: Color

  public init(_ rect: Rect, color: Color) { (self.rect, self.color) = (rect, color) }

  package func offsetBy(dx: Double, dy: Double) -> TextFill { TextFill(rect.offsetBy(dx: dx, dy: dy), color: color) }

  /// The pixels that it fills; nil under a map that leaves its edges where they come to lie.
  package func wholePixels(_ map: Affine) -> IntRect? {
    guard map.isInvertible, !rect.isEmpty else { return .zero }
    // A smaller turn moves no edge.
    let limit = 1 / (512 * max(rect.width, rect.height, 1))
    let turns: Int
    if abs(map.b) < limit, abs(map.c) < limit {
      guard map.a > 0 && map.d > 0 || map.a < 0 && map.d < 0 else { return nil }
      turns = map.a > 0 ? 0 : 2
    } else {
      guard abs(map.a) < limit, abs(map.d) < limit, map.b > 0 && map.c < 0 || map.b < 0 && map.c > 0 else { return nil }
      turns = map.b > 0 ? 1 : 3
    }
    // As the text stands, so that a turned output has the same pixels in other places.
    let upright = Affine.quarterTurns(-turns).boundingBox(of: map.boundingBox(of: rect))
    let (x, y) = (Self.edge(upright.minX), Self.edge(upright.minY))
    let pixels = Rect(
      x: x, y: y, width: max(Self.edge(upright.maxX) - x, 1), height: max(Self.edge(upright.maxY) - y, 1))
    return IntRect(covering: Affine.quarterTurns(turns).boundingBox(of: pixels))
  }

  private static func edge(_ place: Double) -> Double { (place + 0.5).rounded(.down) }
}

extension DrawingContext {
  /// Fills a rectangle of a text.
  public func draw(_ fill: TextFill) {
    guard let pixels = fill.wholePixels(transform), let inverse = transform.inverted else {
      return self.fill(fill.rect, color: fill.color)
    }
    self.fill(inverse.boundingBox(of: Rect(pixels)), color: fill.color)
  }
}
