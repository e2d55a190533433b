import CCairo
import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Raster

@Suite struct PathContainmentTests {
  /// The interior is that of Cairo, but for points at its edge; a round pen paints what is at most half its width away.
  @Test(arguments: some(6, of: 1...200))
  func agreesWithOthers(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    var (compared, inside) = (0, 0)
    for round in 0..<8 {
      let path = randomPath(&random)
      let rule = [FillRule.nonZero, .evenOdd].randomElement(using: &random) ?? .nonZero
      let pen = StrokeStyle(width: .random(in: 0.2...9, using: &random), cap: .round, join: .round)
      let cairo = CairoPath(path, rule, pen)
      let samples = samples(of: path)
      for _ in 0..<40 {
        let point = Point(.random(in: -5...45, using: &random), .random(in: -5...45, using: &random))
        let distance = samples.map { hypot($0.x - point.x, $0.y - point.y) }.min() ?? .infinity
        var answers: [(String, Bool, Bool)] = []
        if distance > 0.02 { answers.append(("fill", path.contains(point, rule: rule), cairo.fillContains(point))) }
        if abs(distance - pen.width / 2) > 0.02 {
          answers.append(("stroke", path.strokeContains(point, style: pen), distance < pen.width / 2))
        }
        compared += answers.count
        inside += answers.count { $0.1 }
        for (name, ours, other) in answers {
          #expect(ours == other, "seed \(seed), round \(round): \(name) \(rule) \(pen.width) \(point) in \(path.svg ?? "")")
        }
      }
    }
    #expect(compared > 600 && inside > 10, "\(compared) \(inside)")
  }

  /// Points along all lines and curves, some tenth apart.
  private func samples(of path: Path) -> [Point] {
    var samples: [Point] = []
    var (current, start) = (Point.zero, Point.zero)
    func add(_ b: Point, _ c: Point, _ d: Point) {
      let a = current
      for step in 0...1000 {
        let t = Double(step) / 1000
        let s = 1 - t
        samples.append(a * (s * s * s) + b * (3 * s * s * t) + c * (3 * s * t * t) + d * (t * t * t))
      }
      current = d
    }
    for element in path.elements {
      switch element {
      case .move(let end): (current, start) = (end, end)
      case .line(let end): add(current + (end - current) * (1.0 / 3), current + (end - current) * (2.0 / 3), end)
      case .quadCurve(let end, let control):
        add(current + (control - current) * (2.0 / 3), end + (control - end) * (2.0 / 3), end)
      case .cubicCurve(let end, let control1, let control2): add(control1, control2, end)
      case .close: add(current + (start - current) * (1.0 / 3), current + (start - current) * (2.0 / 3), start)
      }
    }
    return samples
  }

  /// A curve that winds twice, closed by no one.
  @Test func rulesDiffer() throws {
    let path = try Path(svg: "M0 0H30V30H0V0H20V20H0")
    #expect(path.contains(Point(10, 10)) && !path.contains(Point(10, 10), rule: .evenOdd))
    #expect(path.contains(Point(25, 25)) && path.contains(Point(25, 25), rule: .evenOdd))
    #expect(!path.contains(Point(31, 1)) && !Path().contains(.zero))
  }

  /// A line that goes straight back is joined at its ends as at any corner.
  @Test(arguments: ["M5 10L30 10Z", "M5 10L30 10L5 10", "M10 30V5Z", "M3 4L24 32Z"])
  func aPenTurnsRound(data: String) throws {
    let path = try Path(svg: data)
    let pen = StrokeStyle(width: 8, join: .round)
    let cairo = CairoPath(path, .nonZero, pen)
    var beyond = 0
    for x in stride(from: -3.3, to: 40, by: 1) {
      for y in stride(from: -3.3, to: 40, by: 1) {
        let point = Point(x, y)
        #expect(path.strokeContains(point, style: pen) == cairo.strokeContains(point), "\(point)")
        if !path.strokeContains(point, style: StrokeStyle(width: 8, join: .bevel)), cairo.strokeContains(point) {
          beyond += 1
        }
      }
    }
    #expect(beyond >= 8)
  }

  /// Each point of a plane that is tiled by shapes belongs to one of them, the points of their edges and corners too.
  @Test func edgesBelongToOneShape() {
    for step in [1.0, 0.5, 0.25] {
      var tiles: [Path] = []
      for x in 0..<3 {
        for y in 0..<3 {
          let (x, y) = (Double(x) * 2, Double(y) * 2)
          tiles.append(.rect(Rect(x: x, y: y, width: 1, height: 2)))
          var (upper, lower) = (Path(), Path())
          for point in [Point(x + 1, y), Point(x + 2, y), Point(x + 2, y + 2)] {
            if upper.isEmpty { upper.move(to: point) } else { upper.line(to: point) }
          }
          for point in [Point(x + 1, y), Point(x + 1, y + 2), Point(x + 2, y + 2)] {
            if lower.isEmpty { lower.move(to: point) } else { lower.line(to: point) }
          }
          tiles += [upper, lower]
        }
      }
      for x in stride(from: 0.0, to: 6, by: step) {
        for y in stride(from: 0.0, to: 6, by: step) {
          #expect(tiles.count { $0.contains(Point(x, y)) } == 1, "(\(x), \(y))")
        }
      }
      for end in stride(from: 0.0, through: 6, by: step) {
        #expect(!tiles.contains { $0.contains(Point(6, end)) || $0.contains(Point(end, 6)) })
      }
    }
  }

  /// A curve is followed as it is: points beside a circle's edge by a ten-billionth are told apart, however far away the circle is.
  @Test func curvesAreExact() {
    for center in [Point.zero, Point(100, -70)] {
      let path = Path.circle(center: center, radius: 10)
      for angle in stride(from: 0.1, to: 6.2, by: 0.1) {
        // The curve leaves the circle by less than 0.03 % of its radius; where it is, is found by halving.
        let direction = Affine.rotation(angle).apply(Point(1, 0))
        var (low, high) = (9.9, 10.1)
        for _ in 0..<40 {
          let middle = (low + high) / 2
          if path.contains(center + direction * middle) { low = middle } else { high = middle }
        }
        #expect(abs(low - 10) < 0.003 && high - low < 1e-10)
        #expect(path.contains(center + direction * (low - 1e-9)) && !path.contains(center + direction * (high + 1e-9)))
      }
    }
  }

  /// Points that are not finite, and curves that fold onto the point, end soon and say something.
  @Test func hostileCurvesEnd() {
    for value in [Double.nan, .infinity, -.infinity, 1e308, -1e308, .leastNonzeroMagnitude, 0] {
      var path = Path()
      path.move(to: .zero)
      path.cubicCurve(to: Point(value, 1), control1: Point(1, value), control2: Point(-1, -value))
      path.quadCurve(to: .zero, control: Point(value, value))
      path.line(to: Point(value, -value))
      for point in [Point.zero, Point(1, 0.5), Point(value, 0), Point(0, value)] {
        _ = path.contains(point)
        _ = path.strokeContains(point, style: StrokeStyle(width: 2))
      }
    }
  }

  private func randomPath(_ random: inout SplitMix64) -> Path {
    func point() -> Point { Point(.random(in: 0...40, using: &random), .random(in: 0...40, using: &random)) }
    var path = Path()
    path.move(to: point())
    for _ in 0..<Int.random(in: 1...7, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: path.move(to: point())
      // A pen paints a dot where a subpath is a point.
      case 1: if case .move = path.elements.last { path.line(to: point()) } else { path.close() }
      case 2...4: path.line(to: point())
      case 5: path.quadCurve(to: point(), control: point())
      default: path.cubicCurve(to: point(), control1: point(), control2: point())
      }
    }
    return path
  }
}

/// Cairo's answers, at 64 times the size, since its grid has 256 steps.
private final class CairoPath {
  private let cairo: OpaquePointer?

  init(_ path: Path, _ rule: FillRule, _ style: StrokeStyle) {
    let surface = cairo_image_surface_create(CAIRO_FORMAT_A8, 1, 1)
    cairo = cairo_create(surface)
    cairo_surface_destroy(surface)
    cairo_scale(cairo, 64, 64)
    cairo_set_tolerance(cairo, 0.05)
    for step in path.steps {
      switch step {
      case .move(let point): cairo_move_to(cairo, point.x, point.y)
      case .line(_, let point): cairo_line_to(cairo, point.x, point.y)
      case .curve(_, let b, let c, let d): cairo_curve_to(cairo, b.x, b.y, c.x, c.y, d.x, d.y)
      case .close: cairo_close_path(cairo)
      }
    }
    cairo_set_line_width(cairo, style.width)
    cairo_set_line_cap(
      cairo, [.butt: CAIRO_LINE_CAP_BUTT, .round: CAIRO_LINE_CAP_ROUND][style.cap] ?? CAIRO_LINE_CAP_SQUARE)
    cairo_set_line_join(
      cairo, [.miter: CAIRO_LINE_JOIN_MITER, .round: CAIRO_LINE_JOIN_ROUND][style.join] ?? CAIRO_LINE_JOIN_BEVEL)
    cairo_set_miter_limit(cairo, style.miterLimit)
    cairo_set_fill_rule(cairo, rule == .nonZero ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD)
  }

  deinit { cairo_destroy(cairo) }

  func fillContains(_ point: Point) -> Bool { cairo_in_fill(cairo, point.x, point.y) != 0 }
  func strokeContains(_ point: Point) -> Bool { cairo_in_stroke(cairo, point.x, point.y) != 0 }
}
