public import Geometry
public import Raster

/// An image as content: it is stretched over the rectangle at which the effects place it, and cut to the bounds. What lies around the
/// middle of a larger one is seen beyond them, unless the layer masks to them or shows a part of the image.
extension Image: RenderContent {
  public var pixelSize: Size { Size(Double(width), Double(height)) }
  public var image: Image? { self }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    let shown = shown(in: bounds, effects, isMasked: false)
    return shown.place.intersection(shown.frame)
  }

  /// The image whose pixels a layer paints, the place of all of them, and the rectangle that cuts them: the bounds, or one in place of
  /// these.
  package func shown(
    in bounds: Rect, _ effects: RenderEffects?, isMasked: Bool
  ) -> (image: Image, place: Rect, frame: Rect) {
    let place = effects.contentRect(in: bounds)
    guard let whole, !isMasked, effects?.parts.cut.showsAll ?? true else { return (self, place, bounds) }
    let seen = place.intersection(bounds)
    if seen.isEmpty { return (self, place, bounds) }
    let (x, y) = (place.width / Double(width), place.height / Double(height))
    let (left, top) = (Double(whole.x) * x, Double(whole.y) * y)
    let (right, bottom) = (
      Double(whole.image.width - whole.x - width) * x, Double(whole.image.height - whole.y - height) * y
    )
    func widened(_ rect: Rect) -> Rect {
      Rect(
        x: rect.minX - left, y: rect.minY - top, width: left + rect.width + right, height: top + rect.height + bottom)
    }
    return (whole.image, widened(place), widened(seen))
  }

  public var description: String { "image \(width)x\(height)" }
}
