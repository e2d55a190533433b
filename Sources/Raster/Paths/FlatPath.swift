package import Geometry
import Glibc

/// A path made of straight lines alone: curves became lines that are nowhere farther than 1/32 pixel from them.
package struct FlatPath {
  /// The points of all subpaths, one after the other.
  package private(set) var points: ContiguousArray<Point> = []
  /// For each subpath the index one past its last point.
  package private(set) var ends: ContiguousArray<Int> = []
  /// For each subpath, true if its last point is joined to its first one.
  private(set) var isClosed: ContiguousArray<Bool> = []
  /// For each point, true inside of a curve: the line goes on there almost straight.
  private(set) var isSmooth: ContiguousArray<Bool> = []

  /// 32 MB of points. All that follow in a path with more of them are left out.
  package static let maximumCount = 1 << 21
  private static let longestCurve = 1024.0

  init() {}

  /// The lines of a path in pixels.
  package init(_ path: Path, _ toPixels: Affine) { self.init(path, toPixels, pixelsPerPoint: 1, penWidth: 0) }

  /// - Parameters:
  ///   - map: is applied to all points.
  ///   - pixelsPerPoint: the pixels for each unit behind `map`.
  ///   - penWidth: of the pen that goes along the lines, in those units: its outer edge is as near to a curve as they are.
  init(_ path: Path, _ map: Affine, pixelsPerPoint: Double, penWidth: Double) {
    let radius = max(penWidth / 2 * pixelsPerPoint, 0.25)
    let curves = CurveSteps(pixelsPerPoint: pixelsPerPoint, angle: FlatPath.arcStep(radius: radius))
    points.reserveCapacity(min(path.elements.count, Self.maximumCount))
    var (current, start) = (map.apply(.zero), map.apply(.zero))
    for element in path.elements {
      switch element {
      case .move(let point):
        end(isClosed: false)
        (current, start) = (map.apply(point), map.apply(point))
        append(current)
      case .line(let point):
        begin(current)
        current = map.apply(point)
        append(current)
      case .quadCurve(let point, let control):
        begin(current)
        let (middle, end) = (map.apply(control), map.apply(point))
        append(curves, current, current + (middle - current) * (2.0 / 3), end + (middle - end) * (2.0 / 3), end)
        current = end
      case .cubicCurve(let point, let control1, let control2):
        begin(current)
        let end = map.apply(point)
        append(curves, current, map.apply(control1), map.apply(control2), end)
        current = end
      case .close:
        begin(current)
        end(isClosed: true)
        current = start
      }
    }
    end(isClosed: false)
  }

  /// The angle between points on an arc whose lines stay as near to it as those of a curve. The radius is in pixels.
  static func arcStep(radius: Double) -> Double { min((0.25 / radius).squareRoot(), 0.5) }

  var subpaths: some Sequence<Subpath> {
    ends.indices.lazy.map { Subpath(points: ($0 == 0 ? 0 : ends[$0 - 1])..<ends[$0], isClosed: isClosed[$0]) }
  }

  /// Some points and whether the last is joined to the first.
  struct Subpath {
    var points: Range<Int>
    var isClosed: Bool
  }

  /// The length of all lines.
  var length: Double {
    subpaths.reduce(0) { length, subpath in
      var length = length
      forEachLine(of: subpath) { length += hypot(points[$1].x - points[$0].x, points[$1].y - points[$0].y) }
      return length
    }
  }

  /// Gives `body` the indices of the two ends of each line.
  func forEachLine(of subpath: Subpath, _ body: (Int, Int) -> Void) {
    for index in subpath.points.dropFirst() { body(index - 1, index) }
    if subpath.isClosed, subpath.points.count > 1 { body(subpath.points.upperBound - 1, subpath.points.lowerBound) }
  }

  // MARK: Points

  mutating func append(_ point: Point, isSmooth: Bool = false) {
    guard points.count < Self.maximumCount else { return }
    points.append(point)
    self.isSmooth.append(isSmooth)
  }

  /// Ends the subpath, if it has points.
  mutating func end(isClosed: Bool) {
    guard points.count > ends.last ?? 0 else { return }
    ends.append(points.count)
    self.isClosed.append(isClosed)
  }

  private mutating func begin(_ point: Point) {
    if points.count == ends.last ?? 0 { append(point) }
  }

  private mutating func append(_ curves: CurveSteps, _ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) {
    let count = curves.count(p0, p1, p2, p3)
    for step in stride(from: 1, to: count, by: 1) {
      let t = Double(step) / Double(count)
      let s = 1 - t
      append(p0 * (s * s * s) + p1 * (3 * s * s * t) + p2 * (3 * s * t * t) + p3 * (t * t * t), isSmooth: true)
    }
    append(p3)
  }

  /// The number of lines that a curve becomes.
  private struct CurveSteps {
    let pixelsPerPoint: Double
    /// The largest turn from one line to the next.
    let angle: Double

    func count(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) -> Int {
      func length(_ p: Point) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
      let bend = max(length(p0 - p1 * 2 + p2), length(p1 - p2 * 2 + p3)) * pixelsPerPoint
      // The distance of n lines is at most 6/8 of the bend, divided by n².
      let count = max((bend * 24).squareRoot(), Self.turn(p1 - p0, p2 - p1, p3 - p2) / angle)
      return count > 1 ? Int(min(count, longestCurve).rounded(.up)) : 1
    }

    /// The angle by which the lines between the control points turn.
    private static func turn(_ a: Point, _ b: Point, _ c: Point) -> Double {
      func angle(_ one: Point, _ two: Point) -> Double {
        abs(atan2(one.x * two.y - one.y * two.x, one.x * two.x + one.y * two.y))
      }
      return angle(a, b) + angle(b, c)
    }
  }
}
