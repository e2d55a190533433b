import Geometry
import Glibc
import Raster

extension Keyframes<Point> {
  /// The points along a path. Each line and curve is a way of its own; a gap between two subpaths takes no time.
  init(_ path: Path, _ timing: KeyframeTiming) {
    var shapes = Self.shapes(of: path)
    if timing.calculationMode.isPaced { shapes = shapes.flatMap(Self.split) }
    let times = timing.times(ofWays: shapes.count, lengths: shapes.map { $0.first.distance(to: $0.last) })
    self.init(
      zip(shapes, zip(times, times.dropFirst())).enumerated().map { index, way in
        let shape = timing.calculationMode == .discrete ? .hold(way.0.first) : way.0
        return Segment(shape, from: way.1.0, to: way.1.1, timing.timingFunction(ofWay: index))
      })
  }

  private static func shapes(of path: Path) -> [Shape] {
    var shapes: [Shape] = []
    var start = Point.zero
    var current = Point.zero
    for element in path.elements {
      let from = current
      switch element {
      case .move(let point):
        start = point
        current = point
      case .line(let point):
        shapes.append(.line(from, point))
        current = point
      case .quadCurve(let point, let control):
        let (control1, control2) = (from + (control - from) * (2 / 3), point + (control - point) * (2 / 3))
        shapes.append(.curve(from, control1, control2, point))
        current = point
      case .cubicCurve(let point, let control1, let control2):
        shapes.append(.curve(from, control1, control2, point))
        current = point
      case .close:
        if from != start { shapes.append(.line(from, start)) }
        current = start
      }
    }
    return shapes
  }

  /// A curve as many short ones, each of which is about as long as its chord.
  private static func split(_ shape: Shape) -> [Shape] {
    guard case .curve(let p0, let p1, let p2, let p3) = shape else { return [shape] }
    func direction(_ t: Double) -> Point {
      (p1 - p0) * ((1 - t) * (1 - t)) + (p2 - p1) * (2 * t * (1 - t)) + (p3 - p2) * (t * t)
    }
    let count = 64
    return (0..<count).map { index in
      let (begin, end) = (Double(index) / Double(count), Double(index + 1) / Double(count))
      let (from, to) = (shape.value(at: begin), shape.value(at: end))
      let step = 1 / Double(count)
      return .curve(from, from + direction(begin) * step, to - direction(end) * step, to)
    }
  }

  /// The angle of the path at a part of the animation's time; nil where it leads nowhere.
  func angle(at time: Double) -> Double? {
    guard let index = index(at: time) else { return nil }
    let segment = segments[index]
    let part = time >= segment.end ? 1 : time < segment.begin ? 0 : segment.part(at: time)
    var direction = segment.shape.value(at: min(part + 1e-4, 1)) - segment.shape.value(at: max(part - 1e-4, 0))
    if case .line(let from, let to) = segment.shape { direction = to - from }
    return direction == .zero ? nil : atan2(direction.y, direction.x)
  }
}
