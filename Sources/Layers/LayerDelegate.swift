public import Raster

/// Does for a layer what a subclass would override. Every requirement has a default that leaves things as they are.
@MainActor
public protocol LayerDelegate: AnyObject {
  /// Gives the layer's sublayers their places. Called when it needs layout.
  func layoutSublayers(of layer: Layer)
  /// Gives the layer new `contents`. Called when it needs display; by default it is drawn, by `draw(_:in:)`, into a bitmap
  /// of its size, for which `Layer.displayByDrawing()` is called.
  func display(_ layer: Layer)
  /// Draws the layer's contents, in its coordinates.
  func draw(_ layer: Layer, in context: DrawingContext)
  /// What a change of the property begins by itself; nil to have the layer's `actions` asked.
  func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction?
}

extension LayerDelegate {
  public func layoutSublayers(of layer: Layer) {}
  public func display(_ layer: Layer) { layer.displayByDrawing() }
  public func draw(_ layer: Layer, in context: DrawingContext) {}
  public func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction? { nil }
}
