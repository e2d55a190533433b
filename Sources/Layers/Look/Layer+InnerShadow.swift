public import Geometry

// The shadow that the edges of a layer throw into it: above its background and contents, below its sublayers and its border.

extension AnimatableProperty {
  public static let innerShadowColor = AnimatableProperty(rawValue: "innerShadowColor")
  public static let innerShadowOpacity = AnimatableProperty(rawValue: "innerShadowOpacity")
  public static let innerShadowOffset = AnimatableProperty(rawValue: "innerShadowOffset")
  public static let innerShadowRadius = AnimatableProperty(rawValue: "innerShadowRadius")
}

extension AnimatableKey where Value == Double {
  public static var innerShadowOpacity: Self {
    Self(.innerShadowOpacity, { $0.rare.innerShadowOpacity }, { $0.rare.innerShadowOpacity = $1 })
  }
  public static var innerShadowRadius: Self {
    Self(.innerShadowRadius, { $0.rare.innerShadowRadius }, { $0.rare.innerShadowRadius = $1 })
  }
}
extension AnimatableKey where Value == Color {
  public static var innerShadowColor: Self {
    Self(.innerShadowColor, { $0.rare.innerShadowColor ?? .clear }, { $0.rare.innerShadowColor = $1 })
  }
}
extension AnimatableKey where Value == Size {
  public static var innerShadowOffset: Self {
    Self(.innerShadowOffset, { $0.rare.innerShadowOffset }, { $0.rare.innerShadowOffset = $1 })
  }
}

extension Layer {
  /// The colour of the inner shadow: black at first; nil for no such shadow. Animatable.
  public var innerShadowColor: Color? {
    get { values.rare.innerShadowColor }
    set { change(.innerShadowColor, innerShadowColor, newValue) { $0.rare.innerShadowColor = $1 } }
  }

  /// The opacity of the shadow that the edges throw into the layer, as if it lay lower than what is around it: 0, at first, for none,
  /// up to 1. It lies above background and contents, below the sublayers and the border. Animatable.
  ///
  /// ```swift
  /// (field.innerShadowOpacity, field.innerShadowOffset, field.innerShadowRadius) = (0.3, Size(0, 2), 4)
  /// ```
  public var innerShadowOpacity: Double {
    get { values.rare.innerShadowOpacity }
    set { change(.innerShadowOpacity, innerShadowOpacity, newValue) { $0.rare.innerShadowOpacity = $1 } }
  }

  /// The distance of the inner shadow from the edges, in points: (0, 0) at first, for all edges alike. Animatable.
  public var innerShadowOffset: Size {
    get { values.rare.innerShadowOffset }
    set { change(.innerShadowOffset, innerShadowOffset, newValue) { $0.rare.innerShadowOffset = $1 } }
  }

  /// Twice the standard deviation of the inner shadow's blur: 3 at first; 0 for sharp edges. On the output the deviation is at most
  /// 64 pixels. Animatable.
  public var innerShadowRadius: Double {
    get { values.rare.innerShadowRadius }
    set { change(.innerShadowRadius, innerShadowRadius, newValue) { $0.rare.innerShadowRadius = $1 } }
  }
}
