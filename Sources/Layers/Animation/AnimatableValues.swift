public import Geometry

/// The properties of a layer that can be animated, with their values at one moment: the layer's own, or those on screen.
public struct AnimatableValues: Hashable, BitwiseCopyable, Sendable {
  /// The layer's rectangle in its own coordinates.
  public var bounds = Rect.zero
  /// Where the anchor point lies in the superlayer's coordinates.
  public var position = Point.zero
  /// The point of `bounds` that `position` places and `transform` turns around, in parts of the size. Not animated itself.
  public var anchorPoint = Point(0.5, 0.5)
  /// Applied around the anchor point.
  public var transform = Affine.identity
  /// Of the layer with all its sublayers as one group, 0…1.
  public var opacity = 1.0
  public var backgroundColor: Color?
  /// Of background and clip, in the layer's units.
  public var cornerRadius = 0.0

  public init() {}

  /// The turn in `transform`, in radians from −π to π; clockwise, as y points down.
  public var rotation: Double {
    get { transform.rotation }
    set { transform = transform.withRotation(newValue) }
  }

  /// From the layer's coordinates to its superlayer's: the anchor point goes to the origin, is transformed, and goes to
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
  /// One property, by its name.
  subscript(property: AnimatableProperty) -> AnimationValue {
    get {
      switch property {
      case .position: .point(position)
      case .bounds: .rect(bounds)
      case .opacity: .number(opacity)
      case .backgroundColor: .color(backgroundColor ?? .clear)
      case .cornerRadius: .number(cornerRadius)
      case .transform: .transform(transform)
      case .rotation: .number(rotation)
      }
    }
    set {
      switch (property, newValue) {
      case (.position, .point(let value)): position = value
      case (.bounds, .rect(let value)): bounds = value
      case (.opacity, .number(let value)): opacity = value
      case (.backgroundColor, .color(let value)): backgroundColor = value
      case (.cornerRadius, .number(let value)): cornerRadius = value
      case (.transform, .transform(let value)): transform = value
      case (.rotation, .number(let value)): rotation = value
      default: preconditionFailure("Layers: \(newValue) is no value for \(property.rawValue)")
      }
    }
  }
}
