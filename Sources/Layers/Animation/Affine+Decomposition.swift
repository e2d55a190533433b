import Geometry
import Glibc

/// An affine map as translation, rotation, skew and scale, which are mixed one by one. A layer turns between two maps mixed
/// in this way; mixing the matrices would shrink it.
struct AffineParts: BitwiseCopyable {
  var translation: Point
  /// The rotation in radians, −π…π.
  var rotation: Double
  /// The shift along the rotated x axis for one unit of y.
  var skew: Double
  var scaleX: Double
  /// The vertical scale; negative if the map mirrors.
  var scaleY: Double

  /// Returns nil if the x axis is flattened and has no direction.
  init?(_ affine: Affine) {
    let scaleX = hypot(affine.a, affine.b)
    guard scaleX > 1e-300, scaleX.isFinite else { return nil }
    translation = Point(affine.tx, affine.ty)
    rotation = atan2(affine.b, affine.a)
    self.scaleX = scaleX
    skew = (affine.a * affine.c + affine.b * affine.d) / scaleX
    scaleY = affine.determinant / scaleX
  }

  var affine: Affine {
    let cosine = cos(rotation)
    let sine = sin(rotation)
    return Affine(
      a: scaleX * cosine, b: scaleX * sine,
      c: skew * cosine - scaleY * sine, d: skew * sine + scaleY * cosine,
      tx: translation.x, ty: translation.y)
  }

  /// The mixture; the rotation takes the shorter way.
  func mixed(with other: AffineParts, fraction: Double) -> AffineParts {
    var turn = other.rotation - rotation
    if turn > .pi { turn -= 2 * .pi } else if turn < -.pi { turn += 2 * .pi }
    var result = self
    result.translation = mix(translation, other.translation, fraction)
    result.rotation += turn * fraction
    result.skew = mix(skew, other.skew, fraction)
    result.scaleX = mix(scaleX, other.scaleX, fraction)
    result.scaleY = mix(scaleY, other.scaleY, fraction)
    return result
  }
}

extension Affine {
  /// The rotation of the map in radians, −π…π; 0 if the map flattens the x axis.
  var rotation: Double { a == 0 && b == 0 ? 0 : atan2(b, a) }

  /// The map with another rotation and the same translation, skew and scale.
  func withRotation(_ radians: Double) -> Affine {
    let turn = Affine.rotation(radians - rotation)
    var result = Affine(a: a, b: b, c: c, d: d, tx: 0, ty: 0).concatenating(turn)
    result.tx = tx
    result.ty = ty
    return result
  }

  func mixed(with other: Affine, fraction: Double) -> Affine {
    if a == other.a && b == other.b && c == other.c && d == other.d {
      var result = self
      result.tx = mix(tx, other.tx, fraction)
      result.ty = mix(ty, other.ty, fraction)
      return result
    }
    if let from = AffineParts(self), let to = AffineParts(other) {
      return from.mixed(with: to, fraction: fraction).affine
    }
    return Affine(
      a: mix(a, other.a, fraction), b: mix(b, other.b, fraction), c: mix(c, other.c, fraction),
      d: mix(d, other.d, fraction), tx: mix(tx, other.tx, fraction), ty: mix(ty, other.ty, fraction))
  }
}

@inline(__always)
func mix(_ from: Double, _ to: Double, _ fraction: Double) -> Double { from + (to - from) * fraction }

@inline(__always)
func mix(_ from: Point, _ to: Point, _ fraction: Double) -> Point {
  Point(mix(from.x, to.x, fraction), mix(from.y, to.y, fraction))
}
