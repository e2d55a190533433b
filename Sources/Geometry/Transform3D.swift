#if canImport(Glibc)
  import Glibc
#endif

/// A map of space, as `CATransform3D` is in Core Animation: a point is a row (x, y, z, 1), and the map multiplies it from the right.
/// So `m41`, `m42`, `m43` move, and `m14`, `m24`, `m34` give perspective.
///
/// x goes to the right, y down and z towards the viewer.
///
/// ```swift
/// var transform = Transform3D.perspective(distance: 500)
/// transform = Transform3D.rotation(0.8, x: 0, y: 1, z: 0).concatenating(transform)
/// ```
public struct Transform3D: Hashable, BitwiseCopyable, Sendable {
  public var m11 = 1.0
  public var m12 = 0.0
  public var m13 = 0.0
  public var m14 = 0.0
  public var m21 = 0.0
  public var m22 = 1.0
  public var m23 = 0.0
  public var m24 = 0.0
  public var m31 = 0.0
  public var m32 = 0.0
  public var m33 = 1.0
  public var m34 = 0.0
  public var m41 = 0.0
  public var m42 = 0.0
  public var m43 = 0.0
  public var m44 = 1.0

  /// The identity.
  public init() {}

  /// A map of the plane; z stays.
  @inlinable
  public init(_ affine: Affine) {
    m11 = affine.a
    m12 = affine.b
    m21 = affine.c
    m22 = affine.d
    m41 = affine.tx
    m42 = affine.ty
  }

  public static let identity = Transform3D()

  public static func translation(x: Double, y: Double, z: Double = 0) -> Transform3D {
    var result = Transform3D()
    (result.m41, result.m42, result.m43) = (x, y, z)
    return result
  }

  public static func scale(x: Double, y: Double, z: Double = 1) -> Transform3D {
    var result = Transform3D()
    (result.m11, result.m22, result.m33) = (x, y, z)
    return result
  }

  /// A scale of the plane; z stays.
  public static func scale(_ factor: Double) -> Transform3D { scale(x: factor, y: factor) }

  /// A turn of the plane by `radians`; positive ones go clockwise, as y points down.
  public static func rotation(_ radians: Double) -> Transform3D { Transform3D(.rotation(radians)) }

  /// A turn by `radians` around the axis (x, y, z), which may have any length; the identity if it has none. Seen against the
  /// axis, positive turns go clockwise around z, which points at the viewer.
  public static func rotation(_ radians: Double, x: Double, y: Double, z: Double) -> Transform3D {
    let length = (x * x + y * y + z * z).squareRoot()
    guard length > 0, length.isFinite else { return .identity }
    let (x, y, z) = (x / length, y / length, z / length)
    let (c, s) = (cos(radians), sin(radians))
    let rest = 1 - c
    var result = Transform3D()
    (result.m11, result.m12, result.m13) = (x * x * rest + c, x * y * rest + z * s, x * z * rest - y * s)
    (result.m21, result.m22, result.m23) = (x * y * rest - z * s, y * y * rest + c, y * z * rest + x * s)
    (result.m31, result.m32, result.m33) = (x * z * rest + y * s, y * z * rest - x * s, z * z * rest + c)
    return result
  }

  /// The view from this distance, above 0, on the plane z = 0: things nearer to the viewer are larger.
  public static func perspective(distance: Double) -> Transform3D {
    var result = Transform3D()
    result.m34 = -1 / distance
    return result
  }

  /// The map that applies this one first and `next` after it.
  public func concatenating(_ next: Transform3D) -> Transform3D {
    let rows = next.rows
    func row(_ row: SIMD4<Double>) -> SIMD4<Double> {
      row.x * rows.0 + row.y * rows.1 + row.z * rows.2 + row.w * rows.3
    }
    let own = self.rows
    return Transform3D(rows: (row(own.0), row(own.1), row(own.2), row(own.3)))
  }

  /// True for a map of the plane that leaves z alone.
  public var isAffine: Bool {
    m13 == 0 && m14 == 0 && m23 == 0 && m24 == 0 && m31 == 0 && m32 == 0 && m33 == 1 && m34 == 0 && m43 == 0 && m44 == 1
  }

  /// The same map of the plane; nil if it is none.
  public var affine: Affine? { isAffine ? flattened : nil }

  /// The numbers that move the plane in itself, whatever the others are.
  public var flattened: Affine { Affine(a: m11, b: m12, c: m21, d: m22, tx: m41, ty: m42) }

  /// By how much the map scales volumes; negative when it mirrors.
  public var determinant: Double {
    let minors = self.minors
    return minors.low.0 * minors.high.5 - minors.low.1 * minors.high.4 + minors.low.2 * minors.high.3
      + minors.low.3 * minors.high.2 - minors.low.4 * minors.high.1 + minors.low.5 * minors.high.0
  }

  /// The map back, or nil when this one flattens space.
  public var inverted: Transform3D? {
    let determinant = determinant
    guard determinant.isFinite, abs(determinant) > 1e-300 else { return nil }
    let (s, c) = minors
    let rows = (
      SIMD4(
        m22 * c.5 - m23 * c.4 + m24 * c.3, -m12 * c.5 + m13 * c.4 - m14 * c.3, m42 * s.5 - m43 * s.4 + m44 * s.3,
        -m32 * s.5 + m33 * s.4 - m34 * s.3),
      SIMD4(
        -m21 * c.5 + m23 * c.2 - m24 * c.1, m11 * c.5 - m13 * c.2 + m14 * c.1, -m41 * s.5 + m43 * s.2 - m44 * s.1,
        m31 * s.5 - m33 * s.2 + m34 * s.1),
      SIMD4(
        m21 * c.4 - m22 * c.2 + m24 * c.0, -m11 * c.4 + m12 * c.2 - m14 * c.0, m41 * s.4 - m42 * s.2 + m44 * s.0,
        -m31 * s.4 + m32 * s.2 - m34 * s.0),
      SIMD4(
        -m21 * c.3 + m22 * c.1 - m23 * c.0, m11 * c.3 - m12 * c.1 + m13 * c.0, -m41 * s.3 + m42 * s.1 - m43 * s.0,
        m31 * s.3 - m32 * s.1 + m33 * s.0)
    )
    return Transform3D(
      rows: (rows.0 / determinant, rows.1 / determinant, rows.2 / determinant, rows.3 / determinant))
  }

  private typealias Minors = (Double, Double, Double, Double, Double, Double)

  /// The determinants of two columns in the upper two rows, and in the lower two: of columns 12, 13, 14, 23, 24 and 34.
  private var minors: (low: Minors, high: Minors) {
    (
      (
        m11 * m22 - m12 * m21, m11 * m23 - m13 * m21, m11 * m24 - m14 * m21, m12 * m23 - m13 * m22, m12 * m24 - m14 * m22,
        m13 * m24 - m14 * m23
      ),
      (
        m31 * m42 - m32 * m41, m31 * m43 - m33 * m41, m31 * m44 - m34 * m41, m32 * m43 - m33 * m42, m32 * m44 - m34 * m42,
        m33 * m44 - m34 * m43
      )
    )
  }

  private init(rows: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>)) {
    (m11, m12, m13, m14) = (rows.0.x, rows.0.y, rows.0.z, rows.0.w)
    (m21, m22, m23, m24) = (rows.1.x, rows.1.y, rows.1.z, rows.1.w)
    (m31, m32, m33, m34) = (rows.2.x, rows.2.y, rows.2.z, rows.2.w)
    (m41, m42, m43, m44) = (rows.3.x, rows.3.y, rows.3.z, rows.3.w)
  }

  package var rows: (SIMD4<Double>, SIMD4<Double>, SIMD4<Double>, SIMD4<Double>) {
    (SIMD4(m11, m12, m13, m14), SIMD4(m21, m22, m23, m24), SIMD4(m31, m32, m33, m34), SIMD4(m41, m42, m43, m44))
  }

  /// The map of the plane z = 0 to what a viewer sees of it.
  public var homography: Homography {
    Homography(a: m11, b: m12, px: m14, c: m21, d: m22, py: m24, tx: m41, ty: m42, pw: m44)
  }
}
