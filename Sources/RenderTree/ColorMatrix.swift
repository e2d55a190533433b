import Glibc

/// A linear map of colours with alpha not multiplied in, all channels 0…1: each channel adds its column to the result, and so does
/// `constant`. Results are cut to 0…1. Clear pixels stay clear.
public struct ColorMatrix: Hashable, BitwiseCopyable, Sendable {
  /// A unit of red adds these to red, green, blue and alpha; the next three are those of the other channels.
  public var red: SIMD4<Double>
  public var green: SIMD4<Double>
  public var blue: SIMD4<Double>
  public var alpha: SIMD4<Double>
  public var constant: SIMD4<Double>

  public init(
    red: SIMD4<Double> = [1, 0, 0, 0], green: SIMD4<Double> = [0, 1, 0, 0], blue: SIMD4<Double> = [0, 0, 1, 0],
    alpha: SIMD4<Double> = [0, 0, 0, 1], constant: SIMD4<Double> = .zero
  ) {
    (self.red, self.green, self.blue, self.alpha, self.constant) = (red, green, blue, alpha, constant)
  }

  /// The map that changes nothing.
  public static let identity = ColorMatrix()

  /// This map and then `next`, without cutting in between.
  public func concatenating(_ next: ColorMatrix) -> ColorMatrix {
    ColorMatrix(
      red: next.mapped(red), green: next.mapped(green), blue: next.mapped(blue), alpha: next.mapped(alpha),
      constant: next.mapped(constant) + next.constant)
  }

  /// The result for red, green, blue and alpha, without the constant.
  private func mapped(_ color: SIMD4<Double>) -> SIMD4<Double> {
    let (fromRed, fromGreen) = (red * color.x, green * color.y)
    let (fromBlue, fromAlpha) = (blue * color.z, alpha * color.w)
    return fromRed + fromGreen + fromBlue + fromAlpha
  }

  /// True if all its numbers are within ±10⁶, so that no sum of them in single precision overflows.
  package var isUsable: Bool { rows.allSatisfy { abs($0) <= 1e6 } }
}

// The matrices of the functions of the W3C's Filter Effects Module Level 1, section 14.
extension ColorMatrix {
  /// The colours times `factor`: 0 for black.
  public static func brightness(_ factor: Double) -> ColorMatrix {
    ColorMatrix(red: [factor, 0, 0, 0], green: [0, factor, 0, 0], blue: [0, 0, factor, 0])
  }

  /// The distance of the colours from the middle grey times `factor`: 0 for that grey.
  public static func contrast(_ factor: Double) -> ColorMatrix {
    var matrix = brightness(factor)
    matrix.constant = [0.5 - factor / 2, 0.5 - factor / 2, 0.5 - factor / 2, 0]
    return matrix
  }

  /// The distance of the colours from their own grey times `factor`: 0 for greys.
  public static func saturation(_ factor: Double) -> ColorMatrix { around(luma: 1 - factor, rest: .brightness(factor)) }

  /// The hues turned by this angle, in radians.
  public static func hueRotation(_ radians: Double) -> ColorMatrix {
    let (cosine, sine) = (cos(radians), sin(radians))
    let turn = ColorMatrix(
      red: [cosine - 0.213 * sine, 0.143 * sine, -0.787 * sine, 0],
      green: [-0.715 * sine, cosine + 0.140 * sine, 0.715 * sine, 0],
      blue: [0.928 * sine, -0.283 * sine, cosine + 0.072 * sine, 0])
    return around(luma: 1 - cosine, rest: turn)
  }

  /// The way from the colours, 0, to their negatives, 1.
  public static func inversion(_ amount: Double) -> ColorMatrix {
    var matrix = brightness(1 - 2 * amount)
    matrix.constant = [amount, amount, amount, 0]
    return matrix
  }

  /// A share of the grey that is as bright as a colour, with `rest` on top.
  private static func around(luma share: Double, rest: ColorMatrix) -> ColorMatrix {
    var matrix = rest
    for channel in 0..<3 {
      matrix.red[channel] += 0.213 * share
      matrix.green[channel] += 0.715 * share
      matrix.blue[channel] += 0.072 * share
    }
    return matrix
  }
}

extension ColorMatrix: CustomStringConvertible {
  /// Its 20 numbers as SVG's `feColorMatrix` has them: a row for each channel of the result.
  public var description: String { rows.map { "\($0)" }.joined(separator: " ") }

  /// The factors of red, green, blue and alpha and the constant, for each channel of the result.
  package var rows: [Double] {
    get { (0..<4).flatMap { [red[$0], green[$0], blue[$0], alpha[$0], constant[$0]] } }
    set {
      for channel in 0..<min(4, newValue.count / 5) {
        red[channel] = newValue[channel * 5]
        green[channel] = newValue[channel * 5 + 1]
        blue[channel] = newValue[channel * 5 + 2]
        alpha[channel] = newValue[channel * 5 + 3]
        constant[channel] = newValue[channel * 5 + 4]
      }
    }
  }
}
