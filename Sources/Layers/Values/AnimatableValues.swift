public import Geometry
public import Raster
import RenderTree

/// The values of a layer's animatable properties at one moment: those of the model, or those on screen.
///
/// `Layer.presentation` gives the ones on screen.
public struct AnimatableValues: Sendable {
  /// The layer's rectangle in its own coordinates.
  public var bounds = Rect.zero
  /// The place of the anchor point in the superlayer's coordinates.
  public var position = Point.zero
  /// The point of `bounds` that `position` places and `transform` turns around, in parts of the size.
  public var anchorPoint = Point(0.5, 0.5)
  /// The numbers of `transform` that move the plane in itself.
  var flatTransform = Affine.identity
  /// The opacity of the layer with all its sublayers as one group, 0…1.
  public var opacity = 1.0
  public var backgroundColor: Color?
  /// The radius of the corners of background and clip, in the layer's units.
  public var cornerRadius = 0.0
  /// The picture in the layer, which takes the place of `content`.
  var image: Image?
  /// The content that the layer's kind has without a picture: a shape, or text in place of a picture that would have been drawn.
  var content: (any RenderContent)?
  /// The values of the properties that kinds of layers add.
  @usableFromInline
  var named: [AnimatableProperty: any Animatable] = [:]
  /// The values that few layers change, see `rare`; nil while all are at their defaults.
  @usableFromInline
  var rareBox: RareBox?

  public init() {}

  /// The picture in the layer; while it fades, the one of which most is seen. See `AnimatableKey.contents`.
  public internal(set) var contents: Image? {
    get { image ?? content?.image }
    set {
      image = newValue
      // It stood for the picture that was there before.
      if content is TextContent { content = nil }
    }
  }
}

extension AnimatableValues {
  /// The value of one property.
  ///
  /// ```swift
  /// let level = gauge.presentation[.level]
  /// ```
  @inlinable
  public subscript<Value>(key: AnimatableKey<Value>) -> Value {
    get { key.get(self) }
    set { key.set(&self, newValue) }
  }
}
