public import RenderTree

// The filters of a layer's picture: with its sublayers and its border, below its opacity, its mask and its mode of blending. Its shadow is
// that of the filtered picture. The filters of what lies behind a layer have properties of their own.

extension AnimatableProperty {
  public static let blurRadius = AnimatableProperty(rawValue: "blurRadius")
  public static let colorMatrix = AnimatableProperty(rawValue: "colorMatrix")
  public static let backdropBlurRadius = AnimatableProperty(rawValue: "backdropBlurRadius")
  public static let backdropColorMatrix = AnimatableProperty(rawValue: "backdropColorMatrix")
}

extension AnimatableKey where Value == Double {
  public static var blurRadius: Self { Self(.blurRadius, { $0.rare.blurRadius }, { $0.rare.blurRadius = $1 }) }
  public static var backdropBlurRadius: Self {
    Self(.backdropBlurRadius, { $0.rare.backdropBlurRadius }, { $0.rare.backdropBlurRadius = $1 })
  }
}
extension AnimatableKey where Value == ColorMatrix {
  public static var colorMatrix: Self { Self(.colorMatrix, { $0.rare.colorMatrix }, { $0.rare.colorMatrix = $1 }) }
  public static var backdropColorMatrix: Self {
    Self(.backdropColorMatrix, { $0.rare.backdropColorMatrix }, { $0.rare.backdropColorMatrix = $1 })
  }
}

extension Layer {
  /// The standard deviation of the blur of the layer with its sublayers, in points; 0, for none, at first. It is what `CIGaussianBlur`
  /// calls its radius. On the output it is at most 64 pixels. Animatable.
  public var blurRadius: Double {
    get { values.rare.blurRadius }
    set { change(.blurRadius, blurRadius, newValue) { $0.rare.blurRadius = $1 } }
  }

  /// The map of the colours of the layer with its sublayers, after the blur; the identity at first. Animatable, number by number.
  ///
  /// ```swift
  /// layer.colorMatrix = .saturation(0.3).concatenating(.brightness(0.8))
  /// ```
  public var colorMatrix: ColorMatrix {
    get { values.rare.colorMatrix }
    set { change(.colorMatrix, colorMatrix, newValue) { $0.rare.colorMatrix = $1 } }
  }

  /// The standard deviation of the blur of what lies behind the layer, in points; 0, for none, at first. What is blurred is painted
  /// within `bounds` with their round corners, below the background, and the layer's opacity, mask and compositing filter apply to it as
  /// well. On the output it is at most 64 pixels, and beyond the output its edge pixels go on. Animatable.
  ///
  /// All that has been painted before in the layer's group lies behind it. The group is the screen, or the nearest layer around it
  /// that is not opaque or that becomes a picture of its own. A layer that turns in perspective filters nothing behind it.
  ///
  /// ```swift
  /// panel.backdropBlurRadius = 20
  /// panel.backgroundColor = Color(white: 1).withAlpha(0.4)
  /// ```
  public var backdropBlurRadius: Double {
    get { values.rare.backdropBlurRadius }
    set { change(.backdropBlurRadius, backdropBlurRadius, newValue) { $0.rare.backdropBlurRadius = $1 } }
  }

  /// The map of the colours of what lies behind the layer, after `backdropBlurRadius`; the identity at first. Animatable, number by
  /// number.
  public var backdropColorMatrix: ColorMatrix {
    get { values.rare.backdropColorMatrix }
    set { change(.backdropColorMatrix, backdropColorMatrix, newValue) { $0.rare.backdropColorMatrix = $1 } }
  }
}

extension ColorMatrix: Animatable {
  public func mixed(with other: ColorMatrix, fraction: Double) -> ColorMatrix {
    combined(with: other) { $0 + ($1 - $0) * fraction }
  }
  public func adding(_ change: ColorMatrix) -> ColorMatrix { combined(with: change, +) }
  public var negated: ColorMatrix { combined(with: self) { -$1 } }
  public func distance(to other: ColorMatrix) -> Double {
    let way = combined(with: other, -)
    return [way.red, way.green, way.blue, way.alpha, way.constant].reduce(0) { $0 + ($1 * $1).sum() }.squareRoot()
  }

  private func combined(
    with other: ColorMatrix, _ combine: (SIMD4<Double>, SIMD4<Double>) -> SIMD4<Double>
  ) -> ColorMatrix {
    ColorMatrix(
      red: combine(red, other.red), green: combine(green, other.green), blue: combine(blue, other.blue),
      alpha: combine(alpha, other.alpha), constant: combine(constant, other.constant))
  }
}
