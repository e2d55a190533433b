internal import CCairo
import Geometry

extension DrawingContext {
  /// The distance in pixels from a line at which its pen paints at most. With it, and with solid lines that are cut where they
  /// leave what is seen, no edge that Cairo fills is longer than 2¹⁷ pixels: its products of both sides would overflow.
  private static let farthestReach = 20_000.0

  /// The pixels of a point at most, in any direction.
  private var pixelsPerPoint: Double { max(abs(transform.a) + abs(transform.c), abs(transform.b) + abs(transform.d)) }

  /// The pen that draws with this style.
  func pen(_ style: StrokeStyle) -> StrokeStyle { style.limited(toReach: Self.farthestReach / pixelsPerPoint) }

  func strokePath(_ path: Path, with pen: StrokeStyle) {
    let pixelsPerPoint = pixelsPerPoint
    guard pen.width > 0 else { return }
    cairo_set_line_width(cairo, pen.width)
    cairo_set_line_cap(cairo, pen.cap.cairo)
    cairo_set_line_join(cairo, pen.join.cairo)
    cairo_set_miter_limit(cairo, pen.miterLimit)
    if pen.isDashed(along: path.polygonLength, pixelsPerPoint: pixelsPerPoint) {
      cairo_set_dash(cairo, pen.dash, Int32(pen.dash.count), pen.dashPhase)
      addPath(path)
    } else {
      cairo_set_dash(cairo, nil, 0, 0)
      // Antialiasing reaches one pixel further.
      addSeen(path, reach: pen.reach * pixelsPerPoint + 1)
    }
    withTransformInCairo { cairo_stroke(cairo) }
  }

  /// Adds the parts of a path from which a pen that reaches so many pixels may paint in the bitmap.
  private func addSeen(_ path: Path, reach: Double) {
    let seen = Rect(x: 0, y: 0, width: Double(bitmap.width), height: Double(bitmap.height)).insetBy(dx: -reach, dy: -reach)
    var parts = SeenParts(cairo: cairo, seen: seen)
    func pixel(_ point: Point) -> Point {
      let mapped = transform.apply(point)
      return Point(Self.clamp(mapped.x, 1e9), Self.clamp(mapped.y, 1e9))
    }
    func line(_ a: Point, _ b: Point) -> Bezier { Bezier(a: pixel(a), b: pixel(a), c: pixel(b), d: pixel(b), isLine: true) }
    for step in path.steps {
      switch step {
      case .move: parts.end()
      case .line(let a, let b): parts.append(line(a, b))
      case .curve(let a, let b, let c, let d):
        parts.append(Bezier(a: pixel(a), b: pixel(b), c: pixel(c), d: pixel(d), isLine: false))
      case .close(let a, let b): parts.close(line(a, b))
      }
    }
    parts.end()
  }
}

/// A cubic curve, or a line whose control points are its ends.
private struct Bezier {
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

  /// The rectangle around its points, which holds the curve.
  var box: (low: Point, high: Point) {
    (
      Point(min(a.x, b.x, c.x, d.x), min(a.y, b.y, c.y, d.y)), Point(max(a.x, b.x, c.x, d.x), max(a.y, b.y, c.y, d.y))
    )
  }
}

/// Gives Cairo the parts of subpaths that are seen. Where something between is left out, the pen is lifted: the ends there are too
/// far away to be seen.
private struct SeenParts {
  private let cairo: OpaquePointer
  private let seen: Rect
  /// Cairo gets whole what lies in this rectangle: nothing is cut that is near.
  private let near: Rect
  /// The parts before the first that is left out. They come last: so a closing line is joined to them.
  private var head: [Bezier] = []
  /// True while nothing of the subpath was left out.
  private var isWhole = true
  /// True while Cairo's pen stands where the last part ended.
  private var isDown = false

  init(cairo: OpaquePointer, seen: Rect) {
    (self.cairo, self.seen) = (cairo, seen)
    near = seen.insetBy(dx: -4096, dy: -4096)
  }

  mutating func append(_ part: Bezier) {
    let (low, high) = part.box
    if low.x >= near.minX, low.y >= near.minY, high.x <= near.maxX, high.y <= near.maxY, !part.isFolded {
      if isWhole { head.append(part) } else { draw(part) }
    } else if high.x < seen.minX || high.y < seen.minY || low.x > seen.maxX || low.y > seen.maxY {
      (isWhole, isDown) = (false, false)
    } else {
      let (start, end) = part.parts
      append(start)
      append(end)
    }
  }

  mutating func close(_ line: Bezier) {
    if isWhole, !head.isEmpty {
      end()
      cairo_close_path(cairo)
    } else {
      append(line)
      end(isClosed: true)
    }
  }

  /// Ends the subpath.
  mutating func end(isClosed: Bool = false) {
    if !isClosed { isDown = false }
    for part in head { draw(part) }
    head.removeAll(keepingCapacity: true)
    (isWhole, isDown) = (true, false)
  }

  private mutating func draw(_ part: Bezier) {
    if !isDown { cairo_move_to(cairo, part.a.x, part.a.y) }
    isDown = true
    if part.isLine {
      cairo_line_to(cairo, part.d.x, part.d.y)
    } else {
      cairo_curve_to(cairo, part.b.x, part.b.y, part.c.x, part.c.y, part.d.x, part.d.y)
    }
  }
}

extension StrokeStyle.Cap {
  fileprivate var cairo: cairo_line_cap_t {
    switch self {
    case .butt: CAIRO_LINE_CAP_BUTT
    case .round: CAIRO_LINE_CAP_ROUND
    case .square: CAIRO_LINE_CAP_SQUARE
    }
  }
}

extension StrokeStyle.Join {
  fileprivate var cairo: cairo_line_join_t {
    switch self {
    case .miter: CAIRO_LINE_JOIN_MITER
    case .round: CAIRO_LINE_JOIN_ROUND
    case .bevel: CAIRO_LINE_JOIN_BEVEL
    }
  }
}
