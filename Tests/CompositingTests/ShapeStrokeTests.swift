import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Raster

/// The outlines of strokes.
@Suite struct ShapeStrokeTests {
  private static func outline(_ path: Path, _ style: StrokeStyle) -> [Point] {
    var outliner = StrokeOutliner()
    outliner.trace(path, style, .identity)
    return Array(outliner.outline.points)
  }

  /// A curve that ends at a corner has the mitre of its tangent there, and so has one that begins: the lines that it becomes turn
  /// towards it by several degrees.
  @Test(arguments: [1.9, 2.3, 2.6, 2.9], [false, true])
  func mitresFollowTangents(turn: Double, beginsWithCurve: Bool) {
    let (corner, ahead) = (Point(60, 50), Point(1, 0))
    let back = Point(cos(turn), sin(turn))
    var path = Path()
    // The curve comes round from above.
    if beginsWithCurve {
      path.move(to: corner + back * 40)
      path.line(to: corner)
      path.cubicCurve(to: corner + Point(-40, -30), control1: corner - ahead * 12, control2: corner + Point(-38, -12))
    } else {
      path.move(to: corner + Point(-40, -30))
      path.cubicCurve(to: corner, control1: corner + Point(-38, -12), control2: corner - ahead * 12)
      path.line(to: corner + back * 40)
    }
    let ratio = (2 / (1 + cos(turn))).squareRoot()
    let tip = (ahead - back) / (2 - 2 * cos(turn)).squareRoot()
    func reach(limit: Double) -> Double {
      Self.outline(path, StrokeStyle(width: 8, miterLimit: limit))
        .map { ($0.x - corner.x) * tip.x + ($0.y - corner.y) * tip.y }.max() ?? 0
    }
    #expect(abs(reach(limit: ratio * 1.01) - 4 * ratio) < 1e-6)
    #expect(reach(limit: ratio * 0.99) < 4 * ratio - 1)
    // The bounds have room for it, and for no longer one.
    #expect(path.reach(ofStroke: StrokeStyle(width: 8, miterLimit: ratio * 1.01)) >= 4 * ratio - 1e-9)
  }

  /// A butt end stands across the tangent.
  @Test func endsOfCurvesAreCutAcrossTheTangent() {
    var path = Path()
    path.move(to: Point(10, 10))
    path.cubicCurve(to: Point(50, 50), control1: Point(30, 10), control2: Point(50, 30))
    let points = Self.outline(path, StrokeStyle(width: 8))
    for end in [Point(10, 6), Point(10, 14), Point(46, 50), Point(54, 50)] {
      #expect(points.contains { hypot($0.x - end.x, $0.y - end.y) < 1e-6 }, "\(end)")
    }
  }

  /// The square of a dash without length lies along the line.
  @Test(arguments: [0, 0.5, 2.5, -1.2])
  func squareDotsTurnWithTheirLine(angle: Double) {
    let ahead = Point(cos(angle), sin(angle))
    let beside = Point(-ahead.y, ahead.x)
    var path = Path()
    path.move(to: Point(50, 40))
    path.line(to: Point(50, 40) + ahead * 30)
    let points = Self.outline(path, StrokeStyle(width: 6, cap: .square, dash: [0, 12]))
    #expect(points.count == 12, "three dots")
    for dot in 0..<3 {
      let center = Point(50, 40) + ahead * (12 * Double(dot))
      for corner in [ahead + beside, ahead - beside, -ahead - beside, beside - ahead] {
        let place = center + corner * 3
        #expect(points.contains { hypot($0.x - place.x, $0.y - place.y) < 1e-9 }, "dot \(dot)")
      }
    }
  }

  /// A line to its own beginning has no direction: its square is upright.
  @Test func aDotWithoutALineIsUpright() {
    var path = Path()
    path.move(to: Point(5, 5))
    path.line(to: Point(5, 5))
    let points = Self.outline(path, StrokeStyle(width: 4, cap: .square))
    #expect(Set(points) == [Point(3, 3), Point(7, 3), Point(7, 7), Point(3, 7)])
  }

  /// An outliner gives the same outline whatever it made before.
  @Test func anOutlineDoesNotDependOnTheOneBefore() {
    let paths = [
      Path.circle(center: Point(50, 50), radius: 30), .rect(Rect(x: 3, y: 4, width: 50, height: 20)), Path(),
      .roundedRect(Rect(x: 0, y: 0, width: 70, height: 40), cornerRadius: 9),
    ]
    let styles = [StrokeStyle(width: 4), StrokeStyle(width: 3, cap: .round, join: .round, dash: [7, 3, 1], dashPhase: 2)]
    var outliner = StrokeOutliner()
    for (path, style) in paths.flatMap({ path in styles.map { (path, $0) } }) {
      for (start, end) in [(0.0, 1.0), (0.2, 0.7), (0.9, 0.1)] {
        var alone = StrokeOutliner()
        alone.trace(path, style, from: start, to: end, .scale(1.5))
        outliner.trace(path, style, from: start, to: end, .scale(1.5))
        #expect(outliner.outline.points == alone.outline.points)
        #expect(outliner.outline.ends == alone.outline.ends)
      }
    }
  }

  /// When the outline has as many points as it may have, the rest of the line costs nothing: 2²¹ points of round joins take no longer than
  /// some times those of an outline without any.
  @Test func roundJoinsOfVeryManyPointsEnd() {
    var path = Path()
    for index in 0..<400_000 { path.line(to: Point(Double(index % 90), index % 2 == 0 ? 0 : 60)) }
    func seconds(_ join: StrokeStyle.Join) -> Double {
      let start = Self.processorTime
      #expect(Self.outline(path, StrokeStyle(width: 20_000, join: join)).count <= FlatPath.maximumCount)
      return Self.processorTime - start
    }
    _ = seconds(.bevel)
    #expect(seconds(.round) < 10 * seconds(.bevel))
  }

  private static var processorTime: Double {
    var time = timespec()
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
    return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
  }
}
