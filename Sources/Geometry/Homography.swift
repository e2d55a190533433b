/// A map of a plane to the picture that a viewer has of it: (x, y) ↦ ((a·x + c·y + tx) / w, (b·x + d·y + ty) / w), with
/// w = px·x + py·y + pw.
///
/// A point with w ≤ 0 lies behind the viewer and has no image.
public struct Homography: Hashable, BitwiseCopyable, Sendable {
  public var a: Double
  public var b: Double
  public var px: Double
  public var c: Double
  public var d: Double
  public var py: Double
  public var tx: Double
  public var ty: Double
  public var pw: Double

  /// The smallest w of a point that is drawn: the images of nearer ones are too far away.
  public static let nearest = 1e-4

  public init(
    a: Double, b: Double, px: Double, c: Double, d: Double, py: Double, tx: Double, ty: Double, pw: Double
  ) {
    (self.a, self.b, self.px) = (a, b, px)
    (self.c, self.d, self.py) = (c, d, py)
    (self.tx, self.ty, self.pw) = (tx, ty, pw)
  }

  public init(_ affine: Affine) {
    self.init(
      a: affine.a, b: affine.b, px: 0, c: affine.c, d: affine.d, py: 0, tx: affine.tx, ty: affine.ty, pw: 1)
  }

  public static let identity = Homography(.identity)

  /// The same map if parallels stay parallel, else nil.
  public var affine: Affine? {
    guard px == 0, py == 0, pw > 0 else { return nil }
    return Affine(a: a / pw, b: b / pw, c: c / pw, d: d / pw, tx: tx / pw, ty: ty / pw)
  }

  /// The map that applies this one first and `next` after it.
  public func concatenating(_ next: Homography) -> Homography {
    func row(_ x: Double, _ y: Double, _ w: Double) -> (Double, Double, Double) {
      (
        x * next.a + y * next.c + w * next.tx, x * next.b + y * next.d + w * next.ty,
        x * next.px + y * next.py + w * next.pw
      )
    }
    let (first, second, third) = (row(a, b, px), row(c, d, py), row(tx, ty, pw))
    return Homography(
      a: first.0, b: first.1, px: first.2, c: second.0, d: second.1, py: second.2, tx: third.0, ty: third.1,
      pw: third.2)
  }

  /// Negative when the back of the plane is seen, or its mirror image; 0 when it is seen from the edge.
  public var determinant: Double { a * (d * pw - py * ty) - b * (c * pw - py * tx) + px * (c * ty - d * tx) }

  /// The map back, or nil when the plane is seen from the edge. Its w is one divided by this one's.
  public var inverted: Homography? {
    let determinant = determinant
    guard determinant.isFinite, abs(determinant) > 1e-300 else { return nil }
    return Homography(
      a: (d * pw - py * ty) / determinant, b: (px * ty - b * pw) / determinant, px: (b * py - px * d) / determinant,
      c: (py * tx - c * pw) / determinant, d: (a * pw - px * tx) / determinant, py: (px * c - a * py) / determinant,
      tx: (c * ty - d * tx) / determinant, ty: (b * tx - a * ty) / determinant, pw: (a * d - b * c) / determinant)
  }

  /// The distance of a point from the viewer, in units of that of the plane that is seen in its true size.
  public func w(_ point: Point) -> Double { px * point.x + py * point.y + pw }

  /// The image of a point; nil if it has none.
  public func apply(_ point: Point) -> Point? {
    let w = w(point)
    guard w > 0 else { return nil }
    return Point((a * point.x + c * point.y + tx) / w, (b * point.x + d * point.y + ty) / w)
  }

  /// The smallest upright rectangle around what is drawn of `rect`; nil if nothing is.
  public func boundingBox(of rect: Rect) -> Rect? {
    var (left, top, right, bottom) = (Double.infinity, Double.infinity, -Double.infinity, -Double.infinity)
    visitImage(of: rect.corners) { point in
      (left, right) = (min(left, point.x), max(right, point.x))
      (top, bottom) = (min(top, point.y), max(bottom, point.y))
    }
    guard left <= right, top <= bottom else { return nil }
    return Rect(x: left, y: top, width: right - left, height: bottom - top)
  }

  /// The image of what is drawn of a polygon; nil if nothing is.
  package func image(of polygon: [Point]) -> [Point]? {
    var image: [Point] = []
    visitImage(of: polygon) { image.append($0) }
    return image.isEmpty ? nil : image
  }

  /// Gives the corners of the image of what is drawn of a polygon.
  @inline(__always)
  private func visitImage(of corners: [Point], _ visit: (Point) -> Void) {
    func add(_ point: Point, _ w: Double) {
      visit(Point((a * point.x + c * point.y + tx) / w, (b * point.x + d * point.y + ty) / w))
    }
    for index in corners.indices {
      let (from, to) = (corners[index], corners[(index + 1) % corners.count])
      let (near, far) = (w(from), w(to))
      if near >= Self.nearest { add(from, near) }
      // An edge that goes behind the viewer ends where it does.
      if (near >= Self.nearest) != (far >= Self.nearest) {
        add(from + (to - from) * ((Self.nearest - near) / (far - near)), Self.nearest)
      }
    }
  }
}
