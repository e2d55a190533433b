import Glibc
import RenderTree

/// The modes of blending as the W3C's Compositing and Blending Level 1 defines them, in real numbers: sections 5.8 (general
/// formula), 9.1 (separable modes), 9.2 (the others), and 8.1 (operators of Porter and Duff).
enum PlainBlending {
  /// Blue, green, red, alpha: 0…1, alpha multiplied in.
  typealias Color = SIMD4<Double>

  static func over(_ source: Color, _ backdrop: Color, _ blending: Blending = .sRGB) -> Color {
    switch blending {
    case .sRGB: return source + backdrop * (1 - source.w)
    case .linear: return encoded(decoded(source) + decoded(backdrop) * (1 - source.w))
    }
  }

  /// The light of a pixel's colours, with alpha multiplied in.
  private static func decoded(_ color: Color) -> Color {
    guard color.w > 0 else { return .zero }
    var result = color
    for channel in 0..<3 { result[channel] = light(of: min(color[channel] / color.w, 1)) * color.w }
    return result
  }

  private static func encoded(_ light: Color) -> Color {
    guard light.w > 0 else { return .zero }
    var result = light
    for channel in 0..<3 { result[channel] = value(of: light[channel] / light.w) * light.w }
    return result
  }

  /// The transfer curve of sRGB, IEC 61966-2-1.
  static func light(of value: Double) -> Double { value <= 0.04045 ? value / 12.92 : pow((value + 0.055) / 1.055, 2.4) }

  static func value(of light: Double) -> Double {
    light <= 0.0031308 ? light * 12.92 : 1.055 * pow(light, 1 / 2.4) - 0.055
  }

  /// co = cs·αs·(1 − αb) + cb·αb·(1 − αs) + αs·αb·B(cb, cs).
  static func blend(_ mode: BlendMode, _ source: Color, over backdrop: Color) -> Color {
    if let (fa, fb) = operatorShares(mode, source.w, backdrop.w) {
      return (source * fa + backdrop * fb).clamped(lowerBound: .zero, upperBound: .one)
    }
    let (cs, cb) = (source.w > 0 ? source / source.w : .zero, backdrop.w > 0 ? backdrop / backdrop.w : .zero)
    var mixed = Color.zero
    switch mode {
    case .hue: mixed = setLum(setSat(cs, sat(cb)), lum(cb))
    case .saturation: mixed = setLum(setSat(cb, sat(cs)), lum(cb))
    case .color: mixed = setLum(cs, lum(cb))
    case .luminosity: mixed = setLum(cb, lum(cs))
    default: for channel in 0..<3 { mixed[channel] = separable(mode, cb[channel], cs[channel]) }
    }
    var result = source * (1 - backdrop.w) + backdrop * (1 - source.w) + mixed * (source.w * backdrop.w)
    result.w = source.w + backdrop.w * (1 - source.w)
    return result
  }

  /// Fa and Fb of co = Fa·αs·cs + Fb·αb·cb; nil for a mode that mixes the colours.
  private static func operatorShares(_ mode: BlendMode, _ source: Double, _ backdrop: Double) -> (Double, Double)? {
    switch mode {
    case .destinationOver: (1 - backdrop, 1)
    case .sourceAtop: (backdrop, 1 - source)
    case .destinationOut: (0, 1 - source)
    case .xor: (1 - backdrop, 1 - source)
    case .plusLighter: (1, 1)
    case .clear: (0, 0)
    case .copy: (1, 0)
    case .sourceIn: (backdrop, 0)
    case .destinationIn: (0, source)
    case .sourceOut: (1 - backdrop, 0)
    case .destinationAtop: (1 - backdrop, source)
    default: nil
    }
  }

  private static func separable(_ mode: BlendMode, _ cb: Double, _ cs: Double) -> Double {
    switch mode {
    case .multiply: return cb * cs
    case .screen: return 1 - (1 - cb) * (1 - cs)
    case .overlay: return separable(.hardLight, cs, cb)
    case .darken: return min(cb, cs)
    case .lighten: return max(cb, cs)
    case .colorDodge:
      if cb == 0 { return 0 }
      return cs == 1 ? 1 : min(1, cb / (1 - cs))
    case .colorBurn:
      if cb == 1 { return 1 }
      return cs == 0 ? 0 : 1 - min(1, (1 - cb) / cs)
    case .hardLight: return cs <= 0.5 ? separable(.multiply, cb, 2 * cs) : separable(.screen, cb, 2 * cs - 1)
    case .softLight:
      if cs <= 0.5 { return cb - (1 - 2 * cs) * cb * (1 - cb) }
      let d = cb <= 0.25 ? ((16 * cb - 12) * cb + 4) * cb : cb.squareRoot()
      return cb + (2 * cs - 1) * (d - cb)
    case .difference: return abs(cb - cs)
    case .exclusion: return cb + cs - 2 * cb * cs
    default: return cs
    }
  }

  // Channel 0 is blue, 1 green, 2 red.
  private static func lum(_ c: Color) -> Double { 0.3 * c[2] + 0.59 * c[1] + 0.11 * c[0] }
  private static func sat(_ c: Color) -> Double { max(c[0], c[1], c[2]) - min(c[0], c[1], c[2]) }

  private static func setLum(_ c: Color, _ l: Double) -> Color {
    let moved = c + (l - lum(c))
    let (middle, least, most) = (lum(moved), min(moved[0], moved[1], moved[2]), max(moved[0], moved[1], moved[2]))
    var result = moved
    if least < 0 { result = middle + (result - middle) * (middle / (middle - least)) }
    if most > 1 { result = middle + (result - middle) * ((1 - middle) / (most - middle)) }
    return result
  }

  /// The least channel becomes 0, the most `s`, and the one between keeps its share of the way.
  private static func setSat(_ c: Color, _ s: Double) -> Color {
    let order = [0, 1, 2].sorted { c[$0] < c[$1] }
    var result = Color.zero
    guard c[order[2]] > c[order[0]] else { return result }
    result[order[1]] = (c[order[1]] - c[order[0]]) * s / (c[order[2]] - c[order[0]])
    result[order[2]] = s
    return result
  }
}
