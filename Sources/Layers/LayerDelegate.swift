public import Raster

/// A delegate does for a layer what a subclass would override. Every requirement has a default.
@MainActor
public protocol LayerDelegate: AnyObject {
  /// Sets the frames of the layer's sublayers. Called when the layer needs layout.
  func layoutSublayers(of layer: Layer)
  /// Sets new `contents`. Called when the layer needs display. By default it calls `Layer.displayByDrawing()`, which draws
  /// with `draw(_:in:)` into a bitmap of the layer's size.
  func display(_ layer: Layer)
  /// Draws the layer's contents, in its coordinates.
  func draw(_ layer: Layer, in context: DrawingContext)
  /// The action of a change of the property; nil to use the layer's `actions`.
  func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction?
}

extension LayerDelegate {
  public func layoutSublayers(of layer: Layer) {}
  public func display(_ layer: Layer) { layer.displayByDrawing() }
  public func draw(_ layer: Layer, in context: DrawingContext) {}
  public func action(for layer: Layer, forKey property: AnimatableProperty) -> LayerAction? { nil }
}
