#if canImport(Glibc)
  import Glibc
#endif

extension Transform3D {
  /// A map of space as a scale, a skew, a turn, a movement and a perspective, applied in this order. They are those of CSS
  /// Transforms, "Decomposing a 3D matrix".
  public struct Parts: Hashable, BitwiseCopyable, Sendable {
    /// The scale of x, y and z. If the map mirrors, that of the axis which is turned furthest back is negative.
    public var scale = SIMD3(1.0, 1, 1)
    /// How far y leans to x, z to x, and z to y.
    public var skew = SIMD3(0.0, 0, 0)
    /// The turn, as a quaternion of length 1: x, y, z and the real part.
    public var quaternion = SIMD4(0.0, 0, 0, 1)
    public var translation = SIMD3(0.0, 0, 0)
    /// The last column: 0, 0, 0, 1 without perspective.
    public var perspective = SIMD4(0.0, 0, 0, 1)

    public init() {}

    /// Returns nil for a map that flattens space, in which some parts have no value.
    public init?(_ transform: Transform3D) {
      var plain = transform
      (plain.m14, plain.m24, plain.m34, plain.m44) = (0, 0, 0, 1)
      guard let back = plain.inverted else { return nil }
      let last = SIMD4(transform.m14, transform.m24, transform.m34, transform.m44)
      func product(_ row: SIMD4<Double>) -> Double { (row * last).sum() }
      perspective = SIMD4(
        product(SIMD4(back.m11, back.m12, back.m13, back.m14)), product(SIMD4(back.m21, back.m22, back.m23, back.m24)),
        product(SIMD4(back.m31, back.m32, back.m33, back.m34)), product(SIMD4(back.m41, back.m42, back.m43, back.m44)))
      translation = SIMD3(plain.m41, plain.m42, plain.m43)

      // Gram–Schmidt: what is left of the rows is the turn.
      var x = SIMD3(plain.m11, plain.m12, plain.m13)
      var y = SIMD3(plain.m21, plain.m22, plain.m23)
      var z = SIMD3(plain.m31, plain.m32, plain.m33)
      scale.x = length(x)
      x /= scale.x
      skew.x = dot(x, y)
      y -= skew.x * x
      scale.y = length(y)
      y /= scale.y
      (skew.y, skew.z) = (dot(x, z), dot(y, z))
      z -= skew.y * x + skew.z * y
      scale.z = length(z)
      z /= scale.z
      skew /= SIMD3(scale.y, scale.z, scale.z)
      if dot(x, cross(y, z)) < 0 {
        if x.x <= y.y, x.x <= z.z {
          (x, scale.x, skew.x, skew.y) = (-x, -scale.x, -skew.x, -skew.y)
        } else if y.y <= z.z {
          (y, scale.y, skew.x, skew.z) = (-y, -scale.y, -skew.x, -skew.z)
        } else {
          (z, scale.z, skew.y, skew.z) = (-z, -scale.z, -skew.y, -skew.z)
        }
      }
      guard length(scale) > 0, length(scale).isFinite, length(skew).isFinite else { return nil }
      quaternion = turn(x, y, z)
    }

    /// The map with these parts.
    public var transform: Transform3D {
      let q = quaternion
      let x = SIMD3(1 - 2 * (q.y * q.y + q.z * q.z), 2 * (q.x * q.y + q.z * q.w), 2 * (q.x * q.z - q.y * q.w))
      let y = SIMD3(2 * (q.x * q.y - q.z * q.w), 1 - 2 * (q.x * q.x + q.z * q.z), 2 * (q.y * q.z + q.x * q.w))
      let z = SIMD3(2 * (q.x * q.z + q.y * q.w), 2 * (q.y * q.z - q.x * q.w), 1 - 2 * (q.x * q.x + q.y * q.y))
      let rowX = scale.x * x
      let rowY = scale.y * (y + skew.x * x)
      let rowZ = scale.z * (z + skew.y * x + skew.z * y)
      var plain = Transform3D()
      (plain.m11, plain.m12, plain.m13) = (rowX.x, rowX.y, rowX.z)
      (plain.m21, plain.m22, plain.m23) = (rowY.x, rowY.y, rowY.z)
      (plain.m31, plain.m32, plain.m33) = (rowZ.x, rowZ.y, rowZ.z)
      (plain.m41, plain.m42, plain.m43) = (translation.x, translation.y, translation.z)
      guard perspective != SIMD4(0, 0, 0, 1) else { return plain }
      var last = Transform3D()
      (last.m14, last.m24, last.m34, last.m44) = (perspective.x, perspective.y, perspective.z, perspective.w)
      return plain.concatenating(last)
    }

    /// The mixture, part by part; 0 is this one, 1 is `other`. The turn takes the shorter way.
    public func mixed(with other: Parts, fraction: Double) -> Parts {
      var result = self
      result.scale += (other.scale - scale) * fraction
      result.skew += (other.skew - skew) * fraction
      result.translation += (other.translation - translation) * fraction
      result.perspective += (other.perspective - perspective) * fraction
      result.quaternion = mixedTurn(quaternion, other.quaternion, fraction)
      return result
    }

    /// The turn as turns around x, y and z, in radians, applied in this order. Of the two ways to write it, the one with the
    /// smaller turns.
    public var angles: SIMD3<Double> {
      get {
        let q = quaternion
        let sine = min(max(-2 * (q.x * q.z - q.y * q.w), -1), 1)
        guard abs(sine) < 1 - 1e-12 else {
          return SIMD3(2 * atan2(q.x, q.w), sine < 0 ? -.pi / 2 : .pi / 2, 0).wrapped
        }
        let first = SIMD3(
          atan2(2 * (q.y * q.z + q.x * q.w), 1 - 2 * (q.x * q.x + q.y * q.y)), asin(sine),
          atan2(2 * (q.x * q.y + q.z * q.w), 1 - 2 * (q.y * q.y + q.z * q.z)))
        let second = SIMD3(first.x + .pi, .pi - first.y, first.z + .pi).wrapped
        func sum(_ angles: SIMD3<Double>) -> Double { abs(angles.x) + abs(angles.y) + abs(angles.z) }
        return sum(second) < sum(first) - 1e-9 ? second : first
      }
      set {
        let turns = Transform3D.rotation(newValue.x, x: 1, y: 0, z: 0)
          .concatenating(.rotation(newValue.y, x: 0, y: 1, z: 0)).concatenating(.rotation(newValue.z, x: 0, y: 0, z: 1))
        quaternion = turn(
          SIMD3(turns.m11, turns.m12, turns.m13), SIMD3(turns.m21, turns.m22, turns.m23),
          SIMD3(turns.m31, turns.m32, turns.m33))
      }
    }
  }

  /// The mixture of two maps; 0 is this one, 1 is `other`. They are taken apart, and turns go the shorter way. Maps that
  /// flatten space are mixed number by number.
  package func solidMixture(with other: Transform3D, fraction: Double) -> Transform3D {
    if let from = Parts(self), let to = Parts(other) { return from.mixed(with: to, fraction: fraction).transform }
    func mix(_ from: Double, _ to: Double) -> Double { from + (to - from) * fraction }
    var result = self
    (result.m11, result.m12) = (mix(m11, other.m11), mix(m12, other.m12))
    (result.m13, result.m14) = (mix(m13, other.m13), mix(m14, other.m14))
    (result.m21, result.m22) = (mix(m21, other.m21), mix(m22, other.m22))
    (result.m23, result.m24) = (mix(m23, other.m23), mix(m24, other.m24))
    (result.m31, result.m32) = (mix(m31, other.m31), mix(m32, other.m32))
    (result.m33, result.m34) = (mix(m33, other.m33), mix(m34, other.m34))
    (result.m41, result.m42) = (mix(m41, other.m41), mix(m42, other.m42))
    (result.m43, result.m44) = (mix(m43, other.m43), mix(m44, other.m44))
    return result
  }
}

private func dot(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> Double { (one * other).sum() }
private func length(_ vector: SIMD3<Double>) -> Double { dot(vector, vector).squareRoot() }
private func cross(_ one: SIMD3<Double>, _ other: SIMD3<Double>) -> SIMD3<Double> {
  SIMD3(one.y * other.z - one.z * other.y, one.z * other.x - one.x * other.z, one.x * other.y - one.y * other.x)
}

extension SIMD3<Double> {
  /// The same angles within −π…π.
  fileprivate var wrapped: SIMD3<Double> {
    func wrap(_ angle: Double) -> Double { angle - (angle / (2 * .pi)).rounded() * 2 * .pi }
    return SIMD3(wrap(x), wrap(y), wrap(z))
  }
}

/// The quaternion of the turn that makes these of the three axes.
private func turn(_ x: SIMD3<Double>, _ y: SIMD3<Double>, _ z: SIMD3<Double>) -> SIMD4<Double> {
  // Divided by the largest of the four, so that nothing is lost.
  let trace = x.x + y.y + z.z
  var q: SIMD4<Double>
  if trace > max(x.x, y.y, z.z) {
    q = SIMD4(y.z - z.y, z.x - x.z, x.y - y.x, 1 + trace)
  } else if x.x >= y.y, x.x >= z.z {
    q = SIMD4(1 + 2 * x.x - trace, x.y + y.x, x.z + z.x, y.z - z.y)
  } else if y.y >= z.z {
    q = SIMD4(x.y + y.x, 1 + 2 * y.y - trace, y.z + z.y, z.x - x.z)
  } else {
    q = SIMD4(x.z + z.x, y.z + z.y, 1 + 2 * z.z - trace, x.y - y.x)
  }
  q /= (q * q).sum().squareRoot()
  return q
}

/// The turn between two, at constant speed along the shorter way.
private func mixedTurn(_ from: SIMD4<Double>, _ to: SIMD4<Double>, _ fraction: Double) -> SIMD4<Double> {
  var cosine = (from * to).sum()
  let to = cosine < 0 ? -to : to
  cosine = min(abs(cosine), 1)
  let angle = acos(cosine)
  guard angle > 1e-9 else { return from }
  return (from * sin((1 - fraction) * angle) + to * sin(fraction * angle)) / sin(angle)
}
