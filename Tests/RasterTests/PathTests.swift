import Geometry
import Glibc
import LinuxSystem
import Testing

@testable import Raster

@Suite struct PathTests {
  @Test func boundingBoxOfShapes() {
    #expect(Path().boundingBox == .zero)
    #expect(Path.rect(Rect(x: 3, y: 4, width: 5, height: 6)).boundingBox == Rect(x: 3, y: 4, width: 5, height: 6))
    let circle = Path.circle(center: Point(10, 20), radius: 5).boundingBox
    #expect(circle == Rect(x: 5, y: 15, width: 10, height: 10))
    let rounded = Path.roundedRect(Rect(x: 0, y: 0, width: 40, height: 20), cornerRadius: 100)
    #expect(rounded.boundingBox == Rect(x: 0, y: 0, width: 40, height: 20))
  }

  /// All points sampled along random curves are inside the box, and each side of it is touched.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func boundingBoxIsTight(seed: UInt64) {
    var generator = SplitMix64(seed: seed)
    func point() -> Point {
      Point(.random(in: -100...100, using: &generator), .random(in: -100...100, using: &generator))
    }
    for _ in 0..<300 {
      let (p0, p1, p2, p3) = (point(), point(), point(), point())
      let isQuad = Bool.random(using: &generator)
      var path = Path()
      path.move(to: p0)
      if isQuad {
        path.quadCurve(to: p3, control: p1)
      } else {
        path.cubicCurve(to: p3, control1: p1, control2: p2)
      }
      let box = path.boundingBox
      var low = p0
      var high = p0
      for step in 0...2000 {
        let t = Double(step) / 2000
        let u = 1 - t
        func value(_ c0: Double, _ c1: Double, _ c2: Double, _ c3: Double) -> Double {
          isQuad
            ? u * u * c0 + 2 * u * t * c1 + t * t * c3
            : u * u * u * c0 + 3 * u * u * t * c1 + 3 * u * t * t * c2 + t * t * t * c3
        }
        let x = value(p0.x, p1.x, p2.x, p3.x)
        let y = value(p0.y, p1.y, p2.y, p3.y)
        low = Point(min(low.x, x), min(low.y, y))
        high = Point(max(high.x, x), max(high.y, y))
      }
      // The samples miss the extremes by less than this.
      let tolerance = 1e-3
      #expect(abs(box.minX - low.x) < tolerance && box.minX <= low.x + 1e-9, "seed \(seed)")
      #expect(abs(box.minY - low.y) < tolerance && box.minY <= low.y + 1e-9, "seed \(seed)")
      #expect(abs(box.maxX - high.x) < tolerance && box.maxX >= high.x - 1e-9, "seed \(seed)")
      #expect(abs(box.maxY - high.y) < tolerance && box.maxY >= high.y - 1e-9, "seed \(seed)")
    }
  }

  @Test(arguments: [
    // start, end, clockwise, sweep
    (0.0, Double.pi / 2, true, Double.pi / 2),
    (0.0, Double.pi / 2, false, -1.5 * Double.pi),
    (0.0, 2 * Double.pi, true, 2 * Double.pi),
    (1.0, 1.0 - 2 * Double.pi, false, -2 * Double.pi),
    (-0.5, 20.0, true, 2 * Double.pi),
    (2.0, 1.0, true, 2 * Double.pi - 1),
    (2.0, 1.0, false, -1.0),
  ])
  func arcStaysOnItsCircle(start: Double, end: Double, clockwise: Bool, sweep: Double) throws {
    let center = Point(7, -3)
    let path = Path.arc(center: center, radius: 50, startAngle: start, endAngle: end, clockwise: clockwise)
    var current = Point.zero
    var angle = 0.0
    for element in path.elements {
      switch element {
      case .move(let point):
        current = point
      case .cubicCurve(let point, let control1, let control2):
        for step in 1...16 {
          let t = Double(step) / 16
          let u = 1 - t
          func value(_ a: Double, _ b: Double, _ c: Double, _ d: Double) -> Double {
            u * u * u * a + 3 * u * u * t * b + 3 * u * t * t * c + t * t * t * d
          }
          let x = value(current.x, control1.x, control2.x, point.x) - center.x
          let y = value(current.y, control1.y, control2.y, point.y) - center.y
          #expect(abs((x * x + y * y).squareRoot() - 50) < 50 * 0.0003)
        }
        let from = (current.x - center.x, current.y - center.y)
        let to = (point.x - center.x, point.y - center.y)
        angle += atan2(from.0 * to.1 - from.1 * to.0, from.0 * to.0 + from.1 * to.1)
        current = point
      default:
        Issue.record("unexpected \(element)")
      }
    }
    #expect(abs(angle - sweep) < 1e-9)
  }

  @Test func currentPointFollowsCloseAndAppend() {
    var path = Path()
    path.move(to: Point(1, 2))
    path.line(to: Point(5, 2))
    path.close()
    #expect(path.currentPoint == Point(1, 2))
    path.line(to: Point(9, 9))
    // The line begins a subpath at the beginning of the closed one.
    #expect(path.elements.suffix(2) == [.move(to: Point(1, 2)), .line(to: Point(9, 9))])
    var other = Path.rect(Rect(x: 0, y: 0, width: 1, height: 1))
    other.append(path)
    #expect(other.currentPoint == Point(9, 9))
    #expect(other.elements.count == 5 + path.elements.count)
  }

  @Test func transformedPathHasTransformedPoints() {
    let transform = Affine.rotation(0.3).concatenating(.translation(x: 4, y: 5))
    let path = Path.roundedRect(Rect(x: 1, y: 2, width: 30, height: 20), cornerRadius: 4)
    let back = transform.inverted.map { path.applying(transform).applying($0) }
    #expect(path.applying(transform).currentPoint == transform.apply(path.currentPoint))
    let pairs = zip(path.elements, back?.elements ?? [])
    for case (.line(let before), .line(let after)) in pairs {
      #expect(abs(before.x - after.x) < 1e-12 && abs(before.y - after.y) < 1e-12)
    }
    #expect(back?.elements.count == path.elements.count)
  }

  /// No stroked pixel is further from the path than its pen reaches.
  @Test func aStrokeIsWithinItsReach() throws {
    for join in [StrokeStyle.Join.miter, .round, .bevel] {
      for cap in [StrokeStyle.Cap.butt, .round, .square] {
        var path = Path()
        path.move(to: Point(60, 90))
        path.line(to: Point(75, 40))
        path.line(to: Point(90, 90))
        let style = StrokeStyle(width: 8, cap: cap, join: join)
        let box = IntRect(covering: path.boundingBox.insetBy(dx: -style.reach, dy: -style.reach))
        let bitmap = try Bitmap.drawing(width: 150, height: 150) { $0.stroke(path, style, color: .black) }
        for y in 0..<150 {
          for x in 0..<150 where bitmap[x, y] != 0 {
            #expect(box.contains(IntRect(x: x, y: y, width: 1, height: 1)), "\(join) \(cap) at \(x), \(y)")
          }
        }
      }
    }
  }
}
