package import Geometry

/// The blur and the offset of a shadow, or of a picture, in the output's pixels.
///
/// The blur follows the layer's scale along each axis of the output; under a shear that is an approximation. It is limited, so
/// that a layer that is scaled without measure does not cost without measure.
package struct PictureBlur {
  /// The standard deviations along x and y, 0…`maximumDeviation`.
  package let deviationX: Double
  package let deviationY: Double
  /// Whole pixels that the shadow is moved by, and the rest, 0..<1.
  package let moveX: Int32
  package let moveY: Int32
  package let restX: Double
  package let restY: Double

  package static let maximumDeviation = 64.0

  /// True if the shadow is moved by more than 1024 pixels along an axis: one picture of the layer and of what throws its shadow
  /// may be too large.
  package var isFar: Bool { max(abs(moveX), abs(moveY)) > 1024 }

  package init(_ shadow: Shadow, _ transform: Affine) {
    self.init(deviation: shadow.radius / 2, offset: shadow.offset, transform)
  }

  /// - Parameters:
  ///   - deviation: in the layer's units, as `offset`.
  package init(deviation ofLayer: Double, offset: Size, _ transform: Affine) {
    func deviation(_ p: Double, _ q: Double) -> Double {
      // No number where the scale's square is infinite and the radius 0.
      let deviation = ofLayer * (p * p + q * q).squareRoot()
      return deviation > 0 ? min(deviation, Self.maximumDeviation) : 0
    }
    func move(_ distance: Double) -> (Int32, Double) {
      guard abs(distance) < 0x1p28 else { return (distance > 0 ? 1 << 28 : -1 << 28, 0) }
      let whole = distance.rounded(.down)
      return (Int32(whole), distance - whole)
    }
    let (dx, dy) = (offset.width, offset.height)
    deviationX = deviation(transform.a, transform.c)
    deviationY = deviation(transform.b, transform.d)
    (moveX, restX) = move(transform.a * dx + transform.c * dy)
    (moveY, restY) = move(transform.b * dx + transform.d * dy)
  }

  /// The pixels around one whose values it mixes, to each side.
  package static func reach(_ deviation: Double) -> Int32 {
    deviation < 0.3 ? 0 : Int32((deviation * 3).rounded(.up))
  }

  /// The pixels to which the shadow or the blur of `pixels` may reach.
  package func reached(from pixels: IntRect) -> IntRect {
    guard !pixels.isEmpty else { return .zero }
    let (x, y) = (Self.reach(deviationX), Self.reach(deviationY))
    return IntRect(
      minX: pixels.minX + moveX - x, minY: pixels.minY + moveY - y, maxX: pixels.maxX + moveX + x + 1,
      maxY: pixels.maxY + moveY + y + 1)
  }

  /// The pixels that `pixels` of the shadow or the blur may need.
  package func source(of pixels: IntRect) -> IntRect {
    let (x, y) = (Self.reach(deviationX), Self.reach(deviationY))
    return IntRect(
      minX: pixels.minX - moveX - x - 1, minY: pixels.minY - moveY - y - 1, maxX: pixels.maxX - moveX + x,
      maxY: pixels.maxY - moveY + y)
  }
}

extension RenderEffects.Parts {
  /// The blur of the layer's picture; nil without one.
  package func blur(_ transform: Affine) -> PictureBlur? {
    blurRadius > 0 ? PictureBlur(deviation: blurRadius, offset: .zero, transform) : nil
  }

  /// The blur of what lies behind the layer; nil without one.
  package func backdropBlur(_ transform: Affine) -> PictureBlur? {
    filtersBackdrop && backdropBlurRadius > 0
      ? PictureBlur(deviation: backdropBlurRadius, offset: .zero, transform) : nil
  }
}
