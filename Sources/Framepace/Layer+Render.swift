import Compositing
public import Layers
public import Raster

extension Layer {
  /// Draws the layer with its sublayers as an output shows it. See `render(in:with:)`.
  public func render(in context: DrawingContext) throws(BitmapError) { try render(in: context, with: Compositor()) }
}
