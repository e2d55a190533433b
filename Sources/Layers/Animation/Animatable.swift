public import Geometry
import Glibc

/// A type whose values can be animated: `Double`, `Point`, `Rect`, `Color`, `Affine`, and the types of an application.
public protocol Animatable: Hashable, Sendable {
  /// The mixture of two values: 0 is this one, 1 is `other`; outside of 0…1 it goes on beyond them.
  func mixed(with other: Self, fraction: Double) -> Self
  /// This value with `change` on top: the sum, for a transform `change` after it.
  func adding(_ change: Self) -> Self
  /// The change that takes this one back. A transform that cannot be undone has the identity.
  var negated: Self { get }
}

extension Double: Animatable {
  public func mixed(with other: Double, fraction: Double) -> Double { self + (other - self) * fraction }
  public func adding(_ change: Double) -> Double { self + change }
  public var negated: Double { -self }
}

extension Point: Animatable {
  public func mixed(with other: Point, fraction: Double) -> Point { self + (other - self) * fraction }
  public func adding(_ change: Point) -> Point { self + change }
  public var negated: Point { -self }
}

extension Rect: Animatable {
  public func mixed(with other: Rect, fraction: Double) -> Rect {
    Rect(origin: origin + (other.origin - origin) * fraction, size: size + (other.size - size) * fraction)
  }
  public func adding(_ change: Rect) -> Rect { Rect(origin: origin + change.origin, size: size + change.size) }
  public var negated: Rect { Rect(origin: -origin, size: -size) }
}

extension Color: Animatable {
  public func adding(_ change: Color) -> Color {
    Color(
      red: red + change.red, green: green + change.green, blue: blue + change.blue, alpha: alpha + change.alpha)
  }
  public var negated: Color { Color(red: -red, green: -green, blue: -blue, alpha: -alpha) }
}

extension Affine: Animatable {
  public func mixed(with other: Affine, fraction: Double) -> Affine {
    if a == other.a && b == other.b && c == other.c && d == other.d {
      var result = self
      result.tx = tx.mixed(with: other.tx, fraction: fraction)
      result.ty = ty.mixed(with: other.ty, fraction: fraction)
      return result
    }
    if let from = AffineParts(self), let to = AffineParts(other) {
      return from.mixed(with: to, fraction: fraction).affine
    }
    return Affine(
      a: a.mixed(with: other.a, fraction: fraction), b: b.mixed(with: other.b, fraction: fraction),
      c: c.mixed(with: other.c, fraction: fraction), d: d.mixed(with: other.d, fraction: fraction),
      tx: tx.mixed(with: other.tx, fraction: fraction), ty: ty.mixed(with: other.ty, fraction: fraction))
  }
  public func adding(_ change: Affine) -> Affine { concatenating(change) }
  public var negated: Affine { inverted ?? .identity }
}

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
    result.translation = translation.mixed(with: other.translation, fraction: fraction)
    result.rotation += turn * fraction
    result.skew = skew.mixed(with: other.skew, fraction: fraction)
    result.scaleX = scaleX.mixed(with: other.scaleX, fraction: fraction)
    result.scaleY = scaleY.mixed(with: other.scaleY, fraction: fraction)
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
}
