internal import CCairo
import Geometry

/// A cubic curve in pixels, or a line, whose control points lie on it.
struct Bezier {
  var a: Point
  var b: Point
  var c: Point
  var d: Point
  var isLine: Bool

  /// True if the curve stands still in its middle and goes back. Cairo, which halves curves, loses the tip there.
  var isFolded: Bool {
    let (begin, middle) = (b - a, c + d - a - b)
    return max(abs(middle.x), abs(middle.y)) < 0.05 && max(abs(begin.x), abs(begin.y)) > 1
  }

  /// The curve in two parts, which do not meet at a fold.
  var parts: (Bezier, Bezier) {
    let time = isFolded ? 0.4 : 0.5
    func between(_ start: Point, _ end: Point) -> Point { start + (end - start) * time }
    let (ab, bc, cd) = (between(a, b), between(b, c), between(c, d))
    let (abc, bcd) = (between(ab, bc), between(bc, cd))
    let cut = between(abc, bcd)
    return (Bezier(a: a, b: ab, c: abc, d: cut, isLine: isLine), Bezier(a: cut, b: bcd, c: cd, d: d, isLine: isLine))
  }

  func add(to cairo: OpaquePointer) {
    if isLine {
      cairo_line_to(cairo, d.x, d.y)
    } else {
      cairo_curve_to(cairo, b.x, b.y, c.x, c.y, d.x, d.y)
    }
  }
}

extension Bezier {
  /// A curve whose points `transform` maps to pixels.
  ///
  /// - Parameter farthest: the largest coordinate; those beyond are limited to it.
  init(
    _ a: Point, _ b: Point, _ c: Point, _ d: Point, isLine: Bool = false, _ transform: Affine, farthest: Double = 1e9
  ) {
    func pixel(_ point: Point) -> Point {
      let mapped = transform.apply(point)
      return Point(DrawingContext.clamp(mapped.x, farthest), DrawingContext.clamp(mapped.y, farthest))
    }
    self.init(a: pixel(a), b: pixel(b), c: pixel(c), d: pixel(d), isLine: isLine)
  }

  init(_ start: Point, _ end: Point, _ transform: Affine, farthest: Double = 1e9) {
    self.init(start, start, end, end, isLine: true, transform, farthest: farthest)
  }
}

/// The surroundings of a bitmap, by which the parts of a path are told apart.
struct Sight {
  private let seen: Rect
  /// Cairo gets whole what lies in this rectangle: nothing is cut that is near.
  private let near: Rect

  enum Place {
    case near
    /// On the other side of an edge of what is seen.
    case beyond
    /// To be cut.
    case across
  }

  /// - Parameter reach: the pixels around the bitmap from which something is painted on it.
  init(_ bitmap: Bitmap, reach: Double) {
    seen = Rect(x: 0, y: 0, width: Double(bitmap.width), height: Double(bitmap.height)).insetBy(dx: -reach, dy: -reach)
    near = seen.insetBy(dx: -4096, dy: -4096)
  }

  func place(of part: Bezier) -> Place {
    let (a, b, c, d) = (part.a, part.b, part.c, part.d)
    let low = Point(min(a.x, b.x, c.x, d.x), min(a.y, b.y, c.y, d.y))
    let high = Point(max(a.x, b.x, c.x, d.x), max(a.y, b.y, c.y, d.y))
    if low.x >= near.minX, low.y >= near.minY, high.x <= near.maxX, high.y <= near.maxY { return .near }
    return high.x < seen.minX || high.y < seen.minY || low.x > seen.maxX || low.y > seen.maxY ? .beyond : .across
  }

  /// The point that is nearest to this one in the surroundings.
  func limited(_ point: Point) -> Point {
    Point(min(max(point.x, near.minX), near.maxX), min(max(point.y, near.minY), near.maxY))
  }
}
