public import Geometry

/// The name of a property of a layer that can be animated. It is also the key of the animation that a change of the property
/// begins by itself.
public struct AnimatableProperty: RawRepresentable, Hashable, Sendable {
  public let rawValue: String

  public init(rawValue: String) { self.rawValue = rawValue }

  public static let position = AnimatableProperty(rawValue: "position")
  public static let bounds = AnimatableProperty(rawValue: "bounds")
  public static let opacity = AnimatableProperty(rawValue: "opacity")
  public static let backgroundColor = AnimatableProperty(rawValue: "backgroundColor")
  public static let cornerRadius = AnimatableProperty(rawValue: "cornerRadius")
  public static let transform = AnimatableProperty(rawValue: "transform")
  public static let sublayerTransform = AnimatableProperty(rawValue: "sublayerTransform")
  public static let zPosition = AnimatableProperty(rawValue: "zPosition")
  public static let anchorPoint = AnimatableProperty(rawValue: "anchorPoint")
  public static let anchorPointZ = AnimatableProperty(rawValue: "anchorPointZ")
  /// The turn in `transform`, as an angle: only this one can be animated further than half a turn.
  public static let rotation = AnimatableProperty(rawValue: "rotation")
}

/// A property together with the type of its values: an animation is made with one.
///
/// A kind of layer gives its own properties keys. Their values are kept by the layer; setting them begins animations as
/// setting the others does:
///
/// ```swift
/// extension AnimatableKey where Value == Double {
///   static var level: Self { Self("level", default: 0) }
/// }
///
/// final class Gauge: Layer {
///   var level: Double {
///     get { self[.level] }
///     set { self[.level] = newValue }
///   }
/// }
/// ```
///
/// Such a property changes in `Layer.presentation` while it animates. A layer that draws itself from it says so, and is then drawn
/// for each frame that shows another value, as that frame will show it. Core Animation draws a copy of the layer; here `draw(in:)`,
/// or `makeDrawing()`, reads `presentation`:
///
/// ```swift
/// class Gauge: Layer {                      // With `level` as above.
///   override class func needsDisplay(forKey property: AnimatableProperty) -> Bool { property.rawValue == "level" }
///   override func draw(in context: DrawingContext) {
///     let height = bounds.height * presentation[.level]
///     context.fill(Rect(x: 0, y: bounds.height - height, width: bounds.width, height: height), color: .white)
///   }
/// }
/// ```
///
/// The layer must be asked to draw by `setNeedsDisplay()` once, as every one that draws. Frames are drawn at once, while the frame's
/// animations are evaluated, also where `makeDrawing()` leaves other drawing to the workers.
public struct AnimatableKey<Value: Animatable>: Sendable {
  public let property: AnimatableProperty
  // The value's place in the values of a layer.
  @usableFromInline
  let get: @Sendable (AnimatableValues) -> Value
  @usableFromInline
  let set: @Sendable (inout AnimatableValues, Value) -> Void

  /// The key of a property that a kind of layer adds.
  ///
  /// - Parameters:
  ///   - name: different from the names of the layer's other properties.
  ///   - value: the property's value until it is set.
  @inlinable
  public init(_ name: String, default value: Value) {
    let property = AnimatableProperty(rawValue: name)
    self.init(property, { $0.named[property] as? Value ?? value }, { $0.named[property] = $1 })
  }

  @usableFromInline
  init(
    _ property: AnimatableProperty, _ get: @escaping @Sendable (AnimatableValues) -> Value,
    _ set: @escaping @Sendable (inout AnimatableValues, Value) -> Void
  ) {
    (self.property, self.get, self.set) = (property, get, set)
  }
}

extension AnimatableKey where Value == Color {
  public static var backgroundColor: Self {
    Self(.backgroundColor, { $0.backgroundColor ?? .clear }, { $0.backgroundColor = $1 })
  }
}
extension AnimatableKey where Value == Point {
  public static var position: Self { Self(.position, { $0.position }, { $0.position = $1 }) }
  public static var anchorPoint: Self { Self(.anchorPoint, { $0.anchorPoint }, { $0.anchorPoint = $1 }) }
}
extension AnimatableKey where Value == Rect {
  public static var bounds: Self { Self(.bounds, { $0.bounds }, { $0.bounds = $1 }) }
}
extension AnimatableKey where Value == Transform3D {
  public static var transform: Self { Self(.transform, { $0.transform }, { $0.transform = $1 }) }
  public static var sublayerTransform: Self {
    Self(.sublayerTransform, { $0.sublayerTransform }, { $0.sublayerTransform = $1 })
  }
}
extension AnimatableKey where Value == Double {
  public static var zPosition: Self { Self(.zPosition, { $0.zPosition }, { $0.zPosition = $1 }) }
  public static var anchorPointZ: Self { Self(.anchorPointZ, { $0.anchorPointZ }, { $0.anchorPointZ = $1 }) }
  public static var opacity: Self { Self(.opacity, { $0.opacity }, { $0.opacity = $1 }) }
  public static var cornerRadius: Self { Self(.cornerRadius, { $0.cornerRadius }, { $0.cornerRadius = $1 }) }
  /// Radians, clockwise; replaces the turn in the layer's transform.
  public static var rotation: Self { Self(.rotation, { $0.rotation }, { $0.rotation = $1 }) }
}
