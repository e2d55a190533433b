#if canImport(Glibc)
  import Glibc
#endif

/// An affine map of the plane: (x, y) ↦ (a·x + c·y + tx, b·x + d·y + ty).
///
/// (Foundation has an `AffineTransform`; this one stays apart from it.)
public struct Affine: Hashable, BitwiseCopyable, Sendable {
  public var a: Double
  public var b: Double
  public var c: Double
  public var d: Double
  public var tx: Double
  public var ty: Double

  public init(a: Double, b: Double, c: Double, d: Double, tx: Double, ty: Double) {
    self.a = a
    self.b = b
    self.c = c
    self.d = d
    self.tx = tx
    self.ty = ty
  }

  public static let identity = Affine(a: 1, b: 0, c: 0, d: 1, tx: 0, ty: 0)

  public static func translation(x: Double, y: Double) -> Affine { Affine(a: 1, b: 0, c: 0, d: 1, tx: x, ty: y) }
  public static func scale(x: Double, y: Double) -> Affine { Affine(a: x, b: 0, c: 0, d: y, tx: 0, ty: 0) }
  public static func scale(_ factor: Double) -> Affine { scale(x: factor, y: factor) }

  /// A turn by `radians`; positive ones go clockwise, as y points down.
  public static func rotation(_ radians: Double) -> Affine {
    let cosine = cos(radians)
    let sine = sin(radians)
    return Affine(a: cosine, b: sine, c: -sine, d: cosine, tx: 0, ty: 0)
  }

  /// A turn by whole quarters, clockwise, without the rounding of `rotation(_:)`: whole coordinates stay whole.
  public static func quarterTurns(_ count: Int) -> Affine {
    switch count & 3 {
    case 0: .identity
    case 1: Affine(a: 0, b: 1, c: -1, d: 0, tx: 0, ty: 0)
    case 2: Affine(a: -1, b: 0, c: 0, d: -1, tx: 0, ty: 0)
    default: Affine(a: 0, b: -1, c: 1, d: 0, tx: 0, ty: 0)
    }
  }

  /// The map that applies this one first and `next` after it.
  public func concatenating(_ next: Affine) -> Affine {
    Affine(
      a: a * next.a + b * next.c, b: a * next.b + b * next.d,
      c: c * next.a + d * next.c, d: c * next.b + d * next.d,
      tx: tx * next.a + ty * next.c + next.tx, ty: tx * next.b + ty * next.d + next.ty)
  }

  /// By how much the map scales areas; negative when it mirrors.
  public var determinant: Double { a * d - b * c }

  /// True if there is a map back.
  package var isInvertible: Bool { determinant.isFinite && abs(determinant) > 1e-300 }

  /// The map back, or nil when this one flattens the plane.
  public var inverted: Affine? {
    guard isInvertible else { return nil }
    let determinant = determinant
    return Affine(
      a: d / determinant, b: -b / determinant, c: -c / determinant, d: a / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant)
  }

  @inline(__always)
  public func apply(_ point: Point) -> Point {
    Point(x: a * point.x + c * point.y + tx, y: b * point.x + d * point.y + ty)
  }

  /// The smallest upright rectangle around the image of `rect`.
  public func boundingBox(of rect: Rect) -> Rect {
    let horizontal = (a * rect.width, b * rect.width)
    let vertical = (c * rect.height, d * rect.height)
    let corner = apply(rect.origin)
    let left = corner.x + min(horizontal.0, 0) + min(vertical.0, 0)
    let right = corner.x + max(horizontal.0, 0) + max(vertical.0, 0)
    let top = corner.y + min(horizontal.1, 0) + min(vertical.1, 0)
    let bottom = corner.y + max(horizontal.1, 0) + max(vertical.1, 0)
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// True if upright rectangles stay upright without turning: only scale and translation.
  public var isScaleAndTranslation: Bool { b == 0 && c == 0 }
  /// True if the transform only moves.
  public var isTranslation: Bool { a == 1 && b == 0 && c == 0 && d == 1 }
}
