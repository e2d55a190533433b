public import RenderTree

// The filters of a layer's picture: with its sublayers and its border, below its opacity, its mask and its mode of blending. Its shadow is
// that of the filtered picture.

extension AnimatableProperty {
  public static let blurRadius = AnimatableProperty(rawValue: "blurRadius")
  public static let colorMatrix = AnimatableProperty(rawValue: "colorMatrix")
}

extension AnimatableKey where Value == Double {
  public static var blurRadius: Self { Self(.blurRadius, { $0.rare.blurRadius }, { $0.rare.blurRadius = $1 }) }
}
extension AnimatableKey where Value == ColorMatrix {
  public static var colorMatrix: Self { Self(.colorMatrix, { $0.rare.colorMatrix }, { $0.rare.colorMatrix = $1 }) }
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
