import CKernels
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

/// The way in which rows are blended in a mode.
private enum RowBlending {
  case over
  case kernel(ckernels_blend)
  /// The sum of shares of both, limited: the shares of source and backdrop inside of the layer by their alphas, all from 0 to 255.
  case shares((_ source: UInt32, _ backdrop: UInt32) -> (source: UInt32, backdrop: UInt32))
  /// The mixture of a backdrop and a source without their alpha, pixel by pixel in floating point.
  case colors((_ backdrop: BlendColor, _ source: BlendColor) -> BlendColor)
  /// The same of one component, in a mode that mixes each by itself.
  case components((_ backdrop: Double, _ source: Double) -> Double)
}

extension BlendMode {
  /// Blends a row of pixels, alpha multiplied into all, over others.
  ///
  /// - Parameter bounds: the share of each pixel that lies inside of the layer's bounds, as alpha; nil for all of each. Only an
  ///   operator that acts where the layer is clear looks at it.
  func blend(
    _ source: UnsafePointer<UInt32>, over backdrop: UnsafeMutablePointer<UInt32>,
    inside bounds: UnsafePointer<UInt32>? = nil, count: Int, opacity: UInt32, with kernels: UnsafePointer<ckernels_table>
  ) {
    switch rowBlending {
    case .over where opacity == 255: kernels.pointee.over(backdrop, source, Int64(count))
    case .over: kernels.pointee.over_opacity(backdrop, source, Int64(count), opacity)
    case .kernel(let mode): kernels.pointee.blend(backdrop, source, Int64(count), opacity, mode)
    case .shares(let shares):
      for x in 0..<count {
        let inside = bounds.map { $0[x] >> 24 } ?? 255
        backdrop[x] = Self.add(Self.limit(multiplyPixel(source[x], opacity), to: inside), to: backdrop[x], inside, shares)
      }
    case .colors(let mix):
      for x in 0..<count { backdrop[x] = Self.blend(multiplyPixel(source[x], opacity), over: backdrop[x], mix) }
    case .components(let mix):
      for x in 0..<count {
        backdrop[x] = Self.blend(multiplyPixel(source[x], opacity), over: backdrop[x]) { $0.map($1, mix) }
      }
    }
  }

  /// A pixel of a layer without what sticks out of its bounds.
  private static func limit(_ pixel: UInt32, to inside: UInt32) -> UInt32 {
    let alpha = pixel >> 24
    return alpha > inside ? multiplyPixel(pixel, (inside * 255 + alpha / 2) / alpha) : pixel
  }

  private static func add(
    _ source: UInt32, to backdrop: UInt32, _ inside: UInt32,
    _ shares: (_ source: UInt32, _ backdrop: UInt32) -> (source: UInt32, backdrop: UInt32)
  ) -> UInt32 {
    var share = shares(source >> 24, backdrop >> 24)
    // Outside of the bounds the backdrop stays.
    share.backdrop += 255 - inside
    func channel(_ shift: UInt32) -> UInt32 {
      min(((source >> shift & 255) * share.source + (backdrop >> shift & 255) * share.backdrop + 127) / 255, 255)
    }
    let alpha = channel(24)
    return alpha << 24 | min(channel(16), alpha) << 16 | min(channel(8), alpha) << 8 | min(channel(0), alpha)
  }

  /// A pixel over another: what is outside of the other is seen as it is, what is inside as it mixes.
  private static func blend(
    _ source: UInt32, over backdrop: UInt32, _ mix: (_ backdrop: BlendColor, _ source: BlendColor) -> BlendColor
  ) -> UInt32 {
    if source == 0 { return backdrop }
    let (sourceAlpha, backdropAlpha) = (Double(source >> 24) / 255, Double(backdrop >> 24) / 255)
    let mixed = mix(color(backdrop), color(source))
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

  private var rowBlending: RowBlending {
    switch self {
    case .normal: .over
    case .multiply: .kernel(CKERNELS_MULTIPLY)
    case .screen: .kernel(CKERNELS_SCREEN)
    case .overlay: .kernel(CKERNELS_OVERLAY)
    case .darken: .kernel(CKERNELS_DARKEN)
    case .lighten: .kernel(CKERNELS_LIGHTEN)
    case .hardLight: .kernel(CKERNELS_HARD_LIGHT)
    case .difference: .kernel(CKERNELS_DIFFERENCE)
    case .exclusion: .kernel(CKERNELS_EXCLUSION)
    case .colorDodge: .components { b, s in b == 0 ? 0 : s == 1 ? 1 : min(1, b / (1 - s)) }
    case .colorBurn: .components { b, s in b == 1 ? 1 : s == 0 ? 0 : 1 - min(1, (1 - b) / s) }
    case .softLight:
      .components { b, s in
        if s <= 0.5 { return b - (1 - 2 * s) * b * (1 - b) }
        return b + (2 * s - 1) * ((b <= 0.25 ? ((16 * b - 12) * b + 4) * b : b.squareRoot()) - b)
      }
    case .hue: .colors { $1.with(saturation: $0.saturation).with(luminosity: $0.luminosity) }
    case .saturation: .colors { $0.with(saturation: $1.saturation).with(luminosity: $0.luminosity) }
    case .color: .colors { $1.with(luminosity: $0.luminosity) }
    case .luminosity: .colors { $0.with(luminosity: $1.luminosity) }
    case .destinationOver: .shares { (255 - $1, 255) }
    case .sourceAtop: .shares { ($1, 255 - $0) }
    case .destinationOut: .shares { source, _ in (0, 255 - source) }
    case .xor: .shares { (255 - $1, 255 - $0) }
    case .plusLighter: .shares { _, _ in (255, 255) }
    case .clear: .shares { _, _ in (0, 0) }
    case .copy: .shares { _, _ in (255, 0) }
    case .sourceIn: .shares { ($1, 0) }
    case .destinationIn: .shares { source, _ in (0, source) }
    case .sourceOut: .shares { (255 - $1, 0) }
    case .destinationAtop: .shares { (255 - $1, $0) }
    }
  }
}
