public import Geometry

// Parts of the built-in properties. Each is a property of its own: two animations of different parts go on beside each other, and
// the rest of the property is left alone.

extension AnimatableKey {
  fileprivate init(
    part name: String, get: @escaping @Sendable (AnimatableValues) -> Value,
    set: @escaping @Sendable (inout AnimatableValues, Value) -> Void
  ) {
    self.init(AnimatableProperty(rawValue: name), get: get, set: set)
  }
}

extension AnimatableKey where Value == Double {
  public static var positionX: Self { Self(part: "position.x", get: { $0.position.x }, set: { $0.position.x = $1 }) }
  public static var positionY: Self { Self(part: "position.y", get: { $0.position.y }, set: { $0.position.y = $1 }) }
  public static var boundsOriginX: Self {
    Self(part: "bounds.origin.x", get: { $0.bounds.origin.x }, set: { $0.bounds.origin.x = $1 })
  }
  public static var boundsOriginY: Self {
    Self(part: "bounds.origin.y", get: { $0.bounds.origin.y }, set: { $0.bounds.origin.y = $1 })
  }
  public static var boundsSizeWidth: Self {
    Self(part: "bounds.size.width", get: { $0.bounds.size.width }, set: { $0.bounds.size.width = $1 })
  }
  public static var boundsSizeHeight: Self {
    Self(part: "bounds.size.height", get: { $0.bounds.size.height }, set: { $0.bounds.size.height = $1 })
  }
  /// The scale in `transform`: the mean of both axes. Setting it sets both and keeps turn, skew and movement.
  public static var transformScale: Self {
    Self(part: "transform.scale", get: { $0.transform.meanScale }, set: { $0.transform.meanScale = $1 })
  }
  /// The scale of the x axis in `transform`, negative if it is the one that is mirrored.
  public static var transformScaleX: Self {
    Self(part: "transform.scale.x", get: { $0.transform.scaleX }, set: { $0.transform.scaleX = $1 })
  }
  /// The scale of the y axis in `transform`, negative if it is the one that is mirrored.
  public static var transformScaleY: Self {
    Self(part: "transform.scale.y", get: { $0.transform.scaleY }, set: { $0.transform.scaleY = $1 })
  }
  public static var transformTranslationX: Self {
    Self(part: "transform.translation.x", get: { $0.transform.tx }, set: { $0.transform.tx = $1 })
  }
  public static var transformTranslationY: Self {
    Self(part: "transform.translation.y", get: { $0.transform.ty }, set: { $0.transform.ty = $1 })
  }
}

extension AnimatableKey where Value == Point {
  public static var boundsOrigin: Self {
    Self(part: "bounds.origin", get: { $0.bounds.origin }, set: { $0.bounds.origin = $1 })
  }
  public static var transformTranslation: Self {
    Self(
      part: "transform.translation", get: { Point($0.transform.tx, $0.transform.ty) },
      set: { ($0.transform.tx, $0.transform.ty) = ($1.x, $1.y) })
  }
}

extension AnimatableKey where Value == Size {
  public static var boundsSize: Self {
    Self(part: "bounds.size", get: { $0.bounds.size }, set: { $0.bounds.size = $1 })
  }
}
