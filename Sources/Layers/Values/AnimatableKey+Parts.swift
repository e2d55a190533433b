public import Geometry

// Parts of the built-in properties. Each is a property of its own: two animations of different parts go on beside each other, and
// the rest of the property is left alone.

extension AnimatableKey {
  fileprivate init(
    _ name: String, _ get: @escaping @Sendable (AnimatableValues) -> Value,
    _ set: @escaping @Sendable (inout AnimatableValues, Value) -> Void
  ) {
    self.init(AnimatableProperty(rawValue: name), get, set)
  }

  /// A part of `transform` that a map of the plane has as well as one of space.
  fileprivate init(
    _ name: String, flat: @escaping @Sendable (Affine) -> Value, solid: @escaping @Sendable (Transform3D.Parts) -> Value,
    setFlat: @escaping @Sendable (inout Affine, Value) -> Void,
    setSolid: @escaping @Sendable (inout Transform3D.Parts, Value) -> Void
  ) {
    self.init(
      name,
      { values in
        if values.isFlat { return flat(values.flatTransform) }
        return Transform3D.Parts(values.transform).map(solid) ?? flat(values.flatTransform)
      },
      { values, value in
        if values.isFlat { setFlat(&values.flatTransform, value) } else { setSolid(&values.parts, value) }
      })
  }
}

extension AnimatableKey where Value == Double {
  public static var positionX: Self { Self("position.x", { $0.position.x }, { $0.position.x = $1 }) }
  public static var positionY: Self { Self("position.y", { $0.position.y }, { $0.position.y = $1 }) }
  public static var boundsOriginX: Self { Self("bounds.origin.x", { $0.bounds.origin.x }, { $0.bounds.origin.x = $1 }) }
  public static var boundsOriginY: Self { Self("bounds.origin.y", { $0.bounds.origin.y }, { $0.bounds.origin.y = $1 }) }
  public static var boundsSizeWidth: Self {
    Self("bounds.size.width", { $0.bounds.size.width }, { $0.bounds.size.width = $1 })
  }
  public static var boundsSizeHeight: Self {
    Self("bounds.size.height", { $0.bounds.size.height }, { $0.bounds.size.height = $1 })
  }
  /// The scale in `transform`: the mean of x and y. Setting it sets these, in space z too, and keeps turn, skew and movement.
  public static var transformScale: Self {
    Self(
      "transform.scale", flat: { $0.meanScale }, solid: { ($0.scale.x + $0.scale.y) / 2 },
      setFlat: { $0.meanScale = $1 }, setSolid: { $0.scale = SIMD3(repeating: $1) })
  }
  /// The scale of the x axis in `transform`, negative if it is the one that is mirrored.
  public static var transformScaleX: Self {
    Self(
      "transform.scale.x", flat: { $0.scaleX }, solid: { $0.scale.x }, setFlat: { $0.scaleX = $1 },
      setSolid: { $0.scale.x = $1 })
  }
  /// The scale of the y axis in `transform`, negative if it is the one that is mirrored.
  public static var transformScaleY: Self {
    Self(
      "transform.scale.y", flat: { $0.scaleY }, solid: { $0.scale.y }, setFlat: { $0.scaleY = $1 },
      setSolid: { $0.scale.y = $1 })
  }
  /// The scale of the z axis in `transform`, negative if it is the one that is mirrored.
  public static var transformScaleZ: Self { Self("transform.scale.z", { $0.parts.scale.z }, { $0.parts.scale.z = $1 }) }
  /// The turn around the x axis in `transform`, in radians: the first of three. Positive turns take the bottom towards the viewer.
  public static var transformRotationX: Self {
    Self("transform.rotation.x", { $0.parts.angles.x }, { $0.parts.angles.x = $1 })
  }
  /// The turn around the y axis in `transform`, in radians: the second of three. Positive turns take the left towards the viewer.
  public static var transformRotationY: Self {
    Self("transform.rotation.y", { $0.parts.angles.y }, { $0.parts.angles.y = $1 })
  }
  public static var transformTranslationX: Self {
    Self(
      "transform.translation.x", flat: { $0.tx }, solid: { $0.translation.x }, setFlat: { $0.tx = $1 },
      setSolid: { $0.translation.x = $1 })
  }
  public static var transformTranslationY: Self {
    Self(
      "transform.translation.y", flat: { $0.ty }, solid: { $0.translation.y }, setFlat: { $0.ty = $1 },
      setSolid: { $0.translation.y = $1 })
  }
  public static var transformTranslationZ: Self {
    Self("transform.translation.z", { $0.parts.translation.z }, { $0.parts.translation.z = $1 })
  }
}

extension AnimatableKey where Value == Point {
  public static var boundsOrigin: Self { Self("bounds.origin", { $0.bounds.origin }, { $0.bounds.origin = $1 }) }
  public static var transformTranslation: Self {
    Self(
      "transform.translation", flat: { Point($0.tx, $0.ty) }, solid: { Point($0.translation.x, $0.translation.y) },
      setFlat: { ($0.tx, $0.ty) = ($1.x, $1.y) }, setSolid: { ($0.translation.x, $0.translation.y) = ($1.x, $1.y) })
  }
}

extension AnimatableKey where Value == Size {
  public static var boundsSize: Self { Self("bounds.size", { $0.bounds.size }, { $0.bounds.size = $1 }) }
}
