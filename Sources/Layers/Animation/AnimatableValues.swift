public import Geometry

/// The values of a layer's animatable properties at one moment: those of the model, or those on screen.
///
/// `Layer.presentation` gives the ones on screen.
public struct AnimatableValues: Sendable {
  /// The layer's rectangle in its own coordinates.
  public var bounds = Rect.zero
  /// The place of the anchor point in the superlayer's coordinates.
  public var position = Point.zero
  /// The point of `bounds` that `position` places and `transform` turns around, in parts of the size. It is not animated.
  public var anchorPoint = Point(0.5, 0.5)
  /// Applied around the anchor point.
  public var transform = Affine.identity
  /// The opacity of the layer with all its sublayers as one group, 0…1.
  public var opacity = 1.0
  public var backgroundColor: Color?
  /// The radius of the corners of background and clip, in the layer's units.
  public var cornerRadius = 0.0
  /// The values of the properties that kinds of layers add.
  @usableFromInline
  var named: [AnimatableProperty: any Animatable] = [:]
  /// The values that few layers change, see `rare`; nil while all are at their defaults.
  @usableFromInline
  var rareBox: RareBox?

  public init() {}

  /// The turn in `transform`, in radians from −π to π; clockwise, as y points down.
  public var rotation: Double {
    get { transform.rotation }
    set { transform = transform.withRotation(newValue) }
  }

  /// Maps the layer's coordinates to its superlayer's: the anchor point goes to the origin, is transformed, and goes to
  /// `position`.
  public var transformToSuperlayer: Affine {
    let anchor = Point(
      bounds.minX + anchorPoint.x * bounds.width, bounds.minY + anchorPoint.y * bounds.height)
    var result = transform
    result.tx += position.x - (transform.a * anchor.x + transform.c * anchor.y)
    result.ty += position.y - (transform.b * anchor.x + transform.d * anchor.y)
    return result
  }

  /// The smallest upright rectangle around the layer, in the superlayer's coordinates.
  ///
  /// Setting it keeps anchor point and transform and gives `bounds` a size and `position` a value: so that reading it back
  /// gives what was set where the transform scales, mirrors, moves and turns by right angles. By another angle no
  /// rectangle need have a given frame; then the layer is as large as the frame turned back, around the same centre.
  public var frame: Rect {
    get { transformToSuperlayer.boundingBox(of: bounds) }
    set {
      var linear = transform
      linear.tx = 0
      linear.ty = 0
      if let back = linear.inverted {
        bounds.size = back.boundingBox(of: Rect(origin: .zero, size: newValue.size)).size
      }
      let center = transformToSuperlayer.apply(bounds.center)
      position.x += newValue.midX - center.x
      position.y += newValue.midY - center.y
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
    get {
      switch key.storage {
      case .field(let get, _): get(self)
      case .named(let value): named[key.property] as? Value ?? value
      }
    }
    set {
      switch key.storage {
      case .field(_, let set): set(&self, newValue)
      case .named: named[key.property] = newValue
      }
    }
  }
}
