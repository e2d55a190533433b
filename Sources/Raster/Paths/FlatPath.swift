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
  /// For each point how lines meet there; empty where no pen follows them.
  var joints: ContiguousArray<Joint> = []
  private let hasJoints: Bool

  /// The facts about a point that a pen needs beside the lines to it and from it.
  struct Joint {
    /// True inside of a curve: the line goes on there almost straight.
    var isSmooth = false
    /// The directions in which a curve ends and begins here, of any length; zero where the line has the direction.
    var arriving = Point.zero
    var leaving = Point.zero
  }

  /// 32 MB of points. All that follow in a path with more of them are left out.
  package static let maximumCount = 1 << 21
  private static let longestCurve = 1024.0

  package init() { hasJoints = false }

  /// - Parameter hasJoints: true for lines that a pen follows.
  init(hasJoints: Bool) { self.hasJoints = hasJoints }

  /// The lines of a path in pixels.
  package init(_ path: Path, _ toPixels: Affine) {
    self.init()
    add(path, toPixels, CurveSteps(pixelsPerPoint: 1))
  }

  /// The lines of a path in pixels, in the memory of these.
  package mutating func replace(with path: Path, _ toPixels: Affine) {
    removeAll()
    add(path, toPixels, CurveSteps(pixelsPerPoint: 1))
  }

  /// The lines of a path in its own coordinates, for a pen, in the memory of these, which have joints.
  ///
  /// - Parameter penWidth: in points. The outer edge of the pen is as near to a curve as the lines are.
  mutating func replace(with path: Path, pixelsPerPoint: Double, penWidth: Double) {
    removeAll()
    let radius = max(penWidth / 2 * pixelsPerPoint, 0.25)
    add(path, .identity, CurveSteps(pixelsPerPoint: pixelsPerPoint, angle: FlatPath.arcStep(radius: radius)))
  }

  /// Removes all lines and keeps their memory.
  mutating func removeAll() {
    points.removeAll(keepingCapacity: true)
    ends.removeAll(keepingCapacity: true)
    isClosed.removeAll(keepingCapacity: true)
    joints.removeAll(keepingCapacity: true)
  }

  private mutating func add(_ path: Path, _ map: Affine, _ curves: CurveSteps) {
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

  /// Moves all points, and turns the directions at them.
  mutating func map(_ map: Affine) {
    for index in points.indices { points[index] = map.apply(points[index]) }
    for index in joints.indices {
      joints[index].arriving = map.apply(joints[index].arriving) - Point(map.tx, map.ty)
      joints[index].leaving = map.apply(joints[index].leaving) - Point(map.tx, map.ty)
    }
  }

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

  /// True if there is no room for a further point.
  var isFull: Bool { points.count >= Self.maximumCount }

  mutating func append(_ point: Point, _ joint: Joint = Joint()) {
    if isFull { return }
    points.append(point)
    if hasJoints { joints.append(joint) }
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
    var last = Joint()
    if hasJoints, !joints.isEmpty {
      joints[joints.count - 1].leaving = p1 != p0 ? p1 - p0 : p2 != p0 ? p2 - p0 : p3 - p0
      last.arriving = p3 != p2 ? p3 - p2 : p3 != p1 ? p3 - p1 : p3 - p0
    }
    let count = curves.count(p0, p1, p2, p3)
    for step in stride(from: 1, to: count, by: 1) {
      let t = Double(step) / Double(count)
      let s = 1 - t
      append(p0 * (s * s * s) + p1 * (3 * s * s * t) + p2 * (3 * s * t * t) + p3 * (t * t * t), Joint(isSmooth: true))
    }
    append(p3, last)
  }

  /// The number of lines that a curve becomes.
  private struct CurveSteps {
    let pixelsPerPoint: Double
    /// The largest turn from one line to the next; infinite without a pen.
    var angle = Double.infinity

    func count(_ p0: Point, _ p1: Point, _ p2: Point, _ p3: Point) -> Int {
      func length(_ p: Point) -> Double { (p.x * p.x + p.y * p.y).squareRoot() }
      let bend = max(length(p0 - p1 * 2 + p2), length(p1 - p2 * 2 + p3)) * pixelsPerPoint
      // The distance of n lines is at most 6/8 of the bend, divided by n².
      var count = (bend * 24).squareRoot()
      if angle < .infinity { count = max(count, Self.turn(p1 - p0, p2 - p1, p3 - p2) / angle) }
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
