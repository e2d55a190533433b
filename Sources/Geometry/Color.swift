/// A colour in sRGB, alpha not multiplied in; each component from 0 to 1.
///
/// ```swift
/// layer.backgroundColor = Color(hex: 0x1E90FF).withAlpha(0.5)
/// ```
public struct Color: Hashable, BitwiseCopyable, Sendable {
  public var red: Double
  public var green: Double
  public var blue: Double
  public var alpha: Double

  public init(red: Double, green: Double, blue: Double, alpha: Double = 1) {
    self.red = red
    self.green = green
    self.blue = blue
    self.alpha = alpha
  }

  public init(white: Double, alpha: Double = 1) {
    self.init(red: white, green: white, blue: white, alpha: alpha)
  }

  /// A colour as web pages write it: `Color(hex: 0x1E90FF)`.
  public init(hex: UInt32, alpha: Double = 1) {
    self.init(
      red: Double(hex >> 16 & 0xFF) / 255, green: Double(hex >> 8 & 0xFF) / 255, blue: Double(hex & 0xFF) / 255, alpha: alpha
    )
  }

  public static let clear = Color(white: 0, alpha: 0)
  public static let black = Color(white: 0)
  public static let white = Color(white: 1)

  public func withAlpha(_ alpha: Double) -> Color {
    Color(red: red, green: green, blue: blue, alpha: alpha)
  }

  /// The mixture of two colours, component by component; 0 is this one, 1 is `other`. A clear colour has no hue: it takes the
  /// other's, which would be darkened otherwise.
  public func mixed(with other: Color, fraction: Double) -> Color {
    let from = alpha == 0 ? other.withAlpha(0) : self
    let to = other.alpha == 0 ? from.withAlpha(0) : other
    return Color(
      red: from.red + (to.red - from.red) * fraction, green: from.green + (to.green - from.green) * fraction,
      blue: from.blue + (to.blue - from.blue) * fraction, alpha: from.alpha + (to.alpha - from.alpha) * fraction)
  }

  /// The colour with eight bits a component and alpha multiplied in, as one word 0xAARRGGBB: in memory B, G, R, A on a
  /// little-endian machine. A component out of range becomes the nearest one, so that none is above alpha; NaN becomes 0.
  public var premultipliedBGRA: UInt32 {
    func unit(_ value: Double) -> Double { value > 0 ? min(value, 1) : 0 }
    func byte(_ value: Double) -> UInt32 { UInt32((value * 255).rounded()) }
    let alpha = unit(alpha)
    return byte(alpha) << 24 | byte(unit(red) * alpha) << 16 | byte(unit(green) * alpha) << 8 | byte(unit(blue) * alpha)
  }
}
