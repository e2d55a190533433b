package import Geometry

/// The size that a layout gave a layer.
package struct LayoutPlacement: BitwiseCopyable {
  /// The size of the bounds before.
  let ownSize: Size
  /// The size of the bounds since.
  let size: Size
  /// The size before it was rounded to pixels.
  package let exactSize: Size
  /// The exact place less the rounded one, both from the corner of the topmost layer that a layout placed.
  package let offset: Point
  /// False if the height came from the layer's own content.
  package let isHeightKnown: Bool
}

extension Layer {
  /// The size that a layout gave the layer; nil where no manager lays out the superlayer, or if somebody else has set another size
  /// since.
  package var placement: LayoutPlacement? {
    guard let storedPlacement, storedPlacement.size == bounds.size, superlayer?.managedLayout != nil else { return nil }
    return storedPlacement
  }

  /// True while `place` sets the size of the layer.
  package var isBeingPlaced: Bool { superlayer?.managedLayout?.placed === self }

  /// The pixels per point of the output; 1 outside of a context.
  package var outputScale: Double { context?.scale ?? 1 }

  /// Takes the place that a layout has found, without regard to `transform`.
  package func place(in frame: Rect, exactSize: Size, offset: Point, isHeightKnown: Bool) {
    let ownSize = ownSize
    // Nobody asks how a layer came to its own size, but a layout of its own.
    let isPlain = frame.size == ownSize && managedLayout == nil
    storedPlacement =
      isPlain
      ? nil
      : LayoutPlacement(
        ownSize: ownSize, size: frame.size, exactSize: exactSize, offset: offset, isHeightKnown: isHeightKnown)
    position = Point(frame.minX + frame.width * anchorPoint.x, frame.minY + frame.height * anchorPoint.y)
    superlayer?.managedLayout?.placed = self
    bounds.size = frame.size
    superlayer?.managedLayout?.placed = nil
  }

  /// The size of the bounds, or on each side the one before a layout set another: a layout that is done again must not begin with its own
  /// result.
  var ownSize: Size {
    guard let storedPlacement, superlayer?.managedLayout != nil else { return bounds.size }
    let (own, placed) = (storedPlacement.ownSize, storedPlacement.size)
    // A side that is no number is that of a layout with a wrong setting, too.
    func isSame(_ one: Double, _ two: Double) -> Bool { one == two || one.isNaN && two.isNaN }
    return Size(
      isSame(bounds.width, placed.width) ? own.width : bounds.width,
      isSame(bounds.height, placed.height) ? own.height : bounds.height)
  }
}
