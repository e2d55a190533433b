public import Geometry
import Glibc

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
  public func distance(to other: Affine) -> Double {
    hypot(hypot(hypot(other.a - a, other.b - b), hypot(other.c - c, other.d - d)), hypot(other.tx - tx, other.ty - ty))
  }
}

extension Transform3D: Animatable {
  /// The mixture of the parts: as `Affine` mixes them where both are maps of the plane, else those of `Transform3D.Parts`.
  public func mixed(with other: Transform3D, fraction: Double) -> Transform3D {
    if let from = affine, let to = other.affine { return Transform3D(from.mixed(with: to, fraction: fraction)) }
    return solidMixture(with: other, fraction: fraction)
  }
  public func adding(_ change: Transform3D) -> Transform3D { concatenating(change) }
  public var negated: Transform3D { inverted ?? .identity }
  public func distance(to other: Transform3D) -> Double {
    if let from = affine, let to = other.affine { return from.distance(to: to) }
    let (one, two) = (self.rows, other.rows)
    let squares = zip([one.0, one.1, one.2, one.3], [two.0, two.1, two.2, two.3]).map { (($1 - $0) * ($1 - $0)).sum() }
    return squares.reduce(0, +).squareRoot()
  }
}

/// An affine map as a scale, a turn, a rest and a movement, which are mixed one by one: a layer turns between two maps mixed in
/// this way, where a mixture of the matrices would shrink it. The parts and their mixture are those of CSS Transforms,
/// §"Decomposing a 2D matrix", which Core Animation follows.
struct AffineParts: BitwiseCopyable {
  /// The scale of each axis; one of them is negative if the map mirrors.
  var scale: Size
  /// The turn in radians, −π…π.
  var angle: Double
  /// The linear map that is left once scale and turn are undone: the shear.
  var rest: Affine
  var translation: Point

  /// Returns nil if an axis is flattened and has no direction.
  init?(_ affine: Affine) {
    scale = affine.scale
    guard abs(scale.width) > 1e-300, abs(scale.height) > 1e-300, scale.width.isFinite, scale.height.isFinite else {
      return nil
    }
    let turned = Affine(
      a: affine.a / scale.width, b: affine.b / scale.width, c: affine.c / scale.height, d: affine.d / scale.height, tx: 0,
      ty: 0)
    angle = atan2(turned.b, turned.a)
    let back = Affine(a: turned.a, b: -turned.b, c: turned.b, d: turned.a, tx: 0, ty: 0)
    rest = back.concatenating(turned)
    translation = Point(affine.tx, affine.ty)
  }

  var affine: Affine {
    var result = Affine.scale(x: scale.width, y: scale.height).concatenating(.rotation(angle)).concatenating(rest)
    result.tx = translation.x
    result.ty = translation.y
    return result
  }

  /// The mixture. The turn takes the shorter way, and exactly half a turn the one against the clock.
  func mixed(with other: AffineParts, fraction: Double) -> AffineParts {
    var (from, to) = (self, other)
    // One mirrors one axis and one the other: that is half a turn.
    if (from.scale.width < 0 && to.scale.height < 0) || (from.scale.height < 0 && to.scale.width < 0) {
      from.scale = -from.scale
      from.angle += from.angle < 0 ? .pi : -.pi
    }
    if from.angle != to.angle {
      if from.angle == 0 { from.angle = 2 * .pi }
      if to.angle == 0 { to.angle = 2 * .pi }
      if abs(from.angle - to.angle) > .pi {
        if from.angle > to.angle { from.angle -= 2 * .pi } else { to.angle -= 2 * .pi }
      }
    }
    from.scale = from.scale.mixed(with: to.scale, fraction: fraction)
    from.angle = from.angle.mixed(with: to.angle, fraction: fraction)
    from.rest.a = from.rest.a.mixed(with: to.rest.a, fraction: fraction)
    from.rest.b = from.rest.b.mixed(with: to.rest.b, fraction: fraction)
    from.rest.c = from.rest.c.mixed(with: to.rest.c, fraction: fraction)
    from.rest.d = from.rest.d.mixed(with: to.rest.d, fraction: fraction)
    from.translation = from.translation.mixed(with: to.translation, fraction: fraction)
    return from
  }
}

extension Affine {
  /// The scale of each axis. If the map mirrors, that of the axis which is turned further back is negative.
  var scale: Size {
    var scale = Size(hypot(a, b), hypot(c, d))
    if determinant < 0 {
      // By directions, which do not change with the scale.
      if a * scale.height < d * scale.width { scale.width = -scale.width } else { scale.height = -scale.height }
    }
    return scale
  }

  var scaleX: Double {
    get { scale.width }
    set { (a, b) = Self.axis((a, b), from: scale.width, to: newValue, upright: (d, -c), alone: (newValue, 0)) }
  }

  var scaleY: Double {
    get { scale.height }
    set { (c, d) = Self.axis((c, d), from: scale.height, to: newValue, upright: (-b, a), alone: (0, newValue)) }
  }

  /// An axis with another scale. A flattened one then stands upright on the other one, and where both are flat, as `alone` says.
  private static func axis(
    _ axis: (Double, Double), from old: Double, to new: Double, upright: (Double, Double), alone: (Double, Double)
  ) -> (Double, Double) {
    if old != 0 { return (axis.0 * (new / old), axis.1 * (new / old)) }
    let length = hypot(upright.0, upright.1)
    return length == 0 ? alone : (upright.0 / length * new, upright.1 / length * new)
  }

  /// The mean of both scales; setting it sets both.
  var meanScale: Double {
    get { (scaleX + scaleY) / 2 }
    set {
      scaleX = newValue
      scaleY = newValue
    }
  }

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
