public import Geometry
import Glibc

extension Path {
  /// The smallest upright rectangle around the outline itself, not around its control points; zero if the path is empty. A
  /// final `move` counts as a point.
  public var boundingBox: Rect {
    var horizontal = Extent()
    var vertical = Extent()
    var current = Point.zero
    var start = Point.zero
    for element in elements {
      switch element {
      case .move(let point):
        start = point
        current = point
      case .line(let point):
        current = point
      case .quadCurve(let point, let control):
        horizontal.addQuad(current.x, control.x, point.x)
        vertical.addQuad(current.y, control.y, point.y)
        current = point
      case .cubicCurve(let point, let control1, let control2):
        horizontal.addCubic(current.x, control1.x, control2.x, point.x)
        vertical.addCubic(current.y, control1.y, control2.y, point.y)
        current = point
      case .close:
        current = start
      }
      horizontal.add(current.x)
      vertical.add(current.y)
    }
    guard horizontal.low <= horizontal.high, vertical.low <= vertical.high else { return .zero }
    return Rect(
      x: horizontal.low, y: vertical.low, width: horizontal.high - horizontal.low, height: vertical.high - vertical.low)
  }

  /// The length of the lines from point to point, through control points too: at least that of the outline.
  var polygonLength: Double {
    func distance(_ a: Point, _ b: Point) -> Double { hypot(b.x - a.x, b.y - a.y) }
    return steps.reduce(0) { length, step in
      switch step {
      case .move: length
      case .line(let a, let b), .close(let a, let b): length + distance(a, b)
      case .curve(let a, let b, let c, let d): length + distance(a, b) + distance(b, c) + distance(c, d)
      }
    }
  }
}

extension Path {
  /// The greatest distance from the path that a stroke reaches, in points; 0 for a pen that is measured in pixels.
  package func reach(ofStroke style: StrokeStyle) -> Double {
    guard style.width > 0, style.unit == .points else { return 0 }
    var corners = CornerReach(limit: style.join == .miter ? style.drawnMiterLimit : 1)
    for step in steps {
      switch step {
      case .move: corners.end()
      case .line(let a, let b): corners.add(b - a, b - a)
      case .curve(let a, let b, let c, let d):
        // Lines that follow a curve are joined around it.
        corners.longest = max(corners.longest, 1.16)
        corners.add(b != a ? b - a : c != a ? c - a : d - a, d != c ? d - c : d != b ? d - b : d - a)
      case .close(let a, let b):
        corners.add(b - a, b - a)
        corners.close()
      }
    }
    return style.width / 2 * max(corners.longest, style.cap == .square ? 2.0.squareRoot() : 1)
  }
}

/// The longest miter of a path, divided by the width of the pen.
private struct CornerReach {
  let limit: Double
  var longest = 1.0
  private var first: Point?
  private var last: Point?

  init(limit: Double) { self.limit = limit }

  /// Adds a part of a subpath by the directions in which it begins and ends. One without length has none.
  mutating func add(_ begin: Point, _ end: Point) {
    guard begin != .zero, end != .zero else { return }
    guard (begin.x + begin.y + end.x + end.y).isFinite else {
      // A pen goes past a point that is no number: from where, to where, is not looked at here.
      longest = limit
      return
    }
    if let last { join(last, begin) }
    if first == nil { first = begin }
    last = end
  }

  mutating func end() { (first, last) = (nil, nil) }

  mutating func close() {
    if let first, let last { join(last, first) }
    end()
  }

  private mutating func join(_ one: Point, _ other: Point) {
    guard longest < limit else { return }
    let cosine = (one.x * other.x + one.y * other.y) / (hypot(one.x, one.y) * hypot(other.x, other.y))
    let length = (2 / (1 + cosine)).squareRoot()
    // A corner that a rounding might bring to the limit counts as one that is there.
    if length < limit * 1.001 { longest = max(longest, min(length, limit)) }
  }
}

/// The range of one coordinate.
private struct Extent {
  var low = Double.infinity
  var high = -Double.infinity

  mutating func add(_ value: Double) {
    low = min(low, value)
    high = max(high, value)
  }

  /// Adds the extremes between the ends, where the derivative is 0.
  mutating func addQuad(_ p0: Double, _ p1: Double, _ p2: Double) {
    let t = (p0 - p1) / (p0 - 2 * p1 + p2)
    guard t > 0, t < 1 else { return }
    let u = 1 - t
    add(u * u * p0 + 2 * u * t * p1 + t * t * p2)
  }

  mutating func addCubic(_ p0: Double, _ p1: Double, _ p2: Double, _ p3: Double) {
    // The derivative is 3·(a·t² + 2·b·t + c).
    let a = p3 - 3 * p2 + 3 * p1 - p0
    let b = p2 - 2 * p1 + p0
    let c = p1 - p0
    func add(at t: Double) {
      guard t > 0, t < 1 else { return }
      let u = 1 - t
      self.add(u * u * u * p0 + 3 * u * u * t * p1 + 3 * u * t * t * p2 + t * t * t * p3)
    }
    let discriminant = b * b - a * c
    guard discriminant >= 0 else { return }
    // Both forms of the quadratic formula are used where they do not subtract nearly equal numbers.
    let sum = -(b + (b < 0 ? -1 : 1) * discriminant.squareRoot())
    add(at: sum / a)
    add(at: c / sum)
  }
}
