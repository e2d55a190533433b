import RenderTree

/// The colour of a pixel in floating point.
private struct BlendColor {
  var red: Double
  var green: Double
  var blue: Double

  func map(_ other: BlendColor, _ body: (Double, Double) -> Double) -> BlendColor {
    BlendColor(red: body(red, other.red), green: body(green, other.green), blue: body(blue, other.blue))
  }

  var luminosity: Double { 0.3 * red + 0.59 * green + 0.11 * blue }
  var lowest: Double { min(red, green, blue) }
  var highest: Double { max(red, green, blue) }
  var saturation: Double { highest - lowest }

  /// The colour with another luminosity; hue and saturation stay as far as that lets them.
  func with(luminosity: Double) -> BlendColor {
    let change = luminosity - self.luminosity
    let moved = BlendColor(red: red + change, green: green + change, blue: blue + change)
    let (middle, low, high) = (moved.luminosity, moved.lowest, moved.highest)
    return moved.map(moved) { value, _ in
      var value = value
      if low < 0 { value = middle + (value - middle) * middle / (middle - low) }
      if high > 1 { value = middle + (value - middle) * (1 - middle) / (high - middle) }
      return value
    }
  }

  /// The colour with another saturation: its components keep their order, and range from 0 to `saturation`.
  func with(saturation: Double) -> BlendColor {
    let (low, range) = (lowest, self.saturation)
    return map(self) { value, _ in range > 0 ? (value - low) / range * saturation : 0 }
  }
}

extension BlendMode {
  /// A pixel over another, alpha multiplied into both: what is outside of the other is seen as it is, what is inside as it mixes.
  func blend(_ source: UInt32, over backdrop: UInt32) -> UInt32 {
    if source == 0 { return backdrop }
    let (sourceAlpha, backdropAlpha) = (Double(source >> 24) / 255, Double(backdrop >> 24) / 255)
    let mixed = mix(Self.color(backdrop), Self.color(source))
    func channel(_ shift: UInt32, _ mixed: Double) -> UInt32 {
      let (s, b) = (Double(source >> shift & 255) / 255, Double(backdrop >> shift & 255) / 255)
      let value = s * (1 - backdropAlpha) + b * (1 - sourceAlpha) + sourceAlpha * backdropAlpha * mixed
      return UInt32(min(max(value, 0), 1) * 255 + 0.5)
    }
    let alpha = UInt32((sourceAlpha + backdropAlpha * (1 - sourceAlpha)) * 255 + 0.5)
    func limited(_ value: UInt32) -> UInt32 { min(value, alpha) }
    return alpha << 24 | limited(channel(16, mixed.red)) << 16 | limited(channel(8, mixed.green)) << 8
      | limited(channel(0, mixed.blue))
  }

  /// The colour of a pixel without its alpha.
  private static func color(_ pixel: UInt32) -> BlendColor {
    let alpha = Double(pixel >> 24)
    guard alpha > 0 else { return BlendColor(red: 0, green: 0, blue: 0) }
    func channel(_ shift: UInt32) -> Double { min(Double(pixel >> shift & 255) / alpha, 1) }
    return BlendColor(red: channel(16), green: channel(8), blue: channel(0))
  }

  private func mix(_ backdrop: BlendColor, _ source: BlendColor) -> BlendColor {
    switch self {
    case .hue: source.with(saturation: backdrop.saturation).with(luminosity: backdrop.luminosity)
    case .saturation: backdrop.with(saturation: source.saturation).with(luminosity: backdrop.luminosity)
    case .color: source.with(luminosity: backdrop.luminosity)
    case .luminosity: backdrop.with(luminosity: source.luminosity)
    default: backdrop.map(source, mix)
    }
  }

  /// The mixture of one component, in a mode that mixes each by itself.
  private func mix(_ b: Double, _ s: Double) -> Double {
    switch self {
    case .multiply: b * s
    case .screen: b + s - b * s
    case .overlay: BlendMode.hardLight.mix(s, b)
    case .darken: min(b, s)
    case .lighten: max(b, s)
    case .colorDodge: b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s))
    case .colorBurn: b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s)
    case .hardLight: s <= 0.5 ? b * 2 * s : b + (2 * s - 1) - b * (2 * s - 1)
    case .softLight:
      if s <= 0.5 {
        b - (1 - 2 * s) * b * (1 - b)
      } else {
        b + (2 * s - 1) * ((b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()) - b)
      }
    case .difference: abs(b - s)
    case .exclusion: b + s - 2 * b * s
    case .normal, .hue, .saturation, .color, .luminosity: s
    }
  }
}
