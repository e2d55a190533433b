public import Geometry

extension Path {
  /// True if a point is in the interior, which is bounded by the subpaths as if each were closed.
  ///
  /// A point on an edge is inside if the interior lies to its right, or below it on a level edge, as a pixel's centre is when the path
  /// is filled. Curves count as they are, not as the lines that a fill makes of them. A curve with a point that is not finite is left out.
  ///
  /// - Complexity: O(n) in the number of elements.
  public func contains(_ point: Point, rule: FillRule = .nonZero) -> Bool {
    var crossings = RayCrossings(from: point)
    var (current, start) = (Point.zero, Point.zero)
    for element in elements {
      switch element {
      case .move(let end):
        crossings.addLine(current, start)
        (current, start) = (end, end)
      case .line(let end):
        crossings.addLine(current, end)
        current = end
      case .quadCurve(let end, let control):
        let (first, second) = (current + (control - current) * (2.0 / 3), end + (control - end) * (2.0 / 3))
        crossings.addCurve(current, first, second, end)
        current = end
      case .cubicCurve(let end, let control1, let control2):
        crossings.addCurve(current, control1, control2, end)
        current = end
      case .close:
        crossings.addLine(current, start)
        current = start
      }
    }
    crossings.addLine(current, start)
    return crossings.isInside(rule)
  }

  /// True if a pen that draws the path would paint a point, to within 1/256 of a point. A pen that is measured in pixels paints here
  /// as if each were a point.
  ///
  /// - Parameters:
  ///   - point: in the path's coordinates.
  ///   - style: the pen.
  ///   - start: where the drawn part of the path begins, in shares of its length.
  ///   - end: where it ends, in shares of its length.
  /// - Complexity: makes the outline of the whole stroke, which is not kept.
  public func strokeContains(_ point: Point, style: StrokeStyle, from start: Double = 0, to end: Double = 1) -> Bool {
    var outliner = StrokeOutliner()
    // Lines are within 1/32 pixel of a curve, and the edges of the pen once more.
    let scale = 16.0
    var style = style
    style.unit = .points
    outliner.trace(self, style, from: start, to: end, Affine(a: scale, b: 0, c: 0, d: scale, tx: 0, ty: 0))
    let outline = outliner.outline
    var crossings = RayCrossings(from: point * scale)
    for subpath in outline.subpaths {
      outline.forEachLine(of: subpath) { crossings.addLine(outline.points[$0], outline.points[$1]) }
      if !subpath.isClosed, let first = subpath.points.first, let last = subpath.points.last {
        crossings.addLine(outline.points[last], outline.points[first])
      }
    }
    return crossings.isInside(.nonZero)
  }
}

/// Counts how often outlines cross the ray that leads from a point to the right: downwards less upwards.
private struct RayCrossings {
  private let origin: Point
  private var count = 0

  init(from origin: Point) { self.origin = origin }

  func isInside(_ rule: FillRule) -> Bool {
    switch rule {
    case .nonZero: count != 0
    case .evenOdd: count % 2 != 0
    }
  }

  mutating func addLine(_ start: Point, _ end: Point) { add(start - origin, end - origin) }

  mutating func addCurve(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) {
    let sum = p0 + p1 + p2 + p3
    guard (sum.x + sum.y).isFinite else { return }
    add(p0 - origin, p1 - origin, p2 - origin, p3 - origin, depth: 0)
  }

  private mutating func add(_ start: Point, _ end: Point) {
    let change = Self.change(start, end)
    guard change != 0 else { return }
    // The crossing lies to the right of the ray's origin if that is on the left of the line as seen along it, or the right, upwards.
    let isLeft = (start.x * (end.y - start.y) - start.y * (end.x - start.x)) * Double(change) > 0
    if isLeft { count += change }
  }

  /// Adds a curve by halving it, until a piece lies on one side of the origin.
  private mutating func add(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point, depth: Int) {
    let isBelow = p0.y > 0
    if (p1.y > 0) == isBelow, (p2.y > 0) == isBelow, (p3.y > 0) == isBelow { return }
    if max(p0.x, p1.x, p2.x, p3.x) <= 0 { return }
    if min(p0.x, p1.x, p2.x, p3.x) > 0 {
      count += Self.change(p0, p3)
    } else if depth == Self.greatestDepth {
      add(p0, p3)
    } else {
      let (a, b, c) = ((p0 + p1) * 0.5, (p1 + p2) * 0.5, (p2 + p3) * 0.5)
      let (d, e) = ((a + b) * 0.5, (b + c) * 0.5)
      let middle = (d + e) * 0.5
      add(p0, a, d, middle, depth: depth + 1)
      add(middle, e, c, p3, depth: depth + 1)
    }
  }

  /// 1 for a way that leads from above the ray or on it to below, -1 for one back, 0 for one that ends where it began.
  private static func change(_ start: Point, _ end: Point) -> Int { (end.y > 0 ? 1 : 0) - (start.y > 0 ? 1 : 0) }

  /// A piece is then as short as the steps between numbers of its size.
  private static let greatestDepth = 52
}
