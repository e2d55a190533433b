public import Geometry
public import Raster

/// An image as content: it is stretched over the rectangle at which the effects place it, and cut to the bounds.
extension Image: RenderContent {
  public var pixelSize: Size { Size(Double(width), Double(height)) }
  public var image: Image? { self }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    effects.contentRect(in: bounds).intersection(bounds)
  }

  public var description: String { "image \(width)x\(height)" }
}
