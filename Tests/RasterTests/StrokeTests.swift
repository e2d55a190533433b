import CCairo
import Geometry
import LinuxSystem
import TestLength
import Testing

@testable import Raster

/// Lines and areas that go far beyond their bitmap, pens that are wider than it, and more dashes than anybody sees.
@Suite struct StrokeTests {
  /// Lines and areas that are cut where they leave the bitmap look as those that Cairo draws whole, as far as its numbers reach.
  @Test(arguments: some(12, of: 1...400))
  func cutPathsLookAsWholeOnes(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    for round in 0..<25 {
      let path = randomPath(&random)
      let isWide = round % 5 == 0
      var style = StrokeStyle(
        width: .random(in: 0.5...(isWide ? 4000 : 12), using: &random),
        miterLimit: .random(in: 1...(isWide ? 4 : 20), using: &random))
      style.cap = [.butt, .round, .square].randomElement(using: &random) ?? .butt
      style.join = [.miter, .round, .bevel].randomElement(using: &random) ?? .miter
      let turn = Affine.rotation(.random(in: -3...3, using: &random))
        .concatenating(.scale(x: .random(in: 0.5...1.5, using: &random), y: .random(in: -1.5 ... -0.5, using: &random)))
      let rule = [FillRule.nonZero, .evenOdd].randomElement(using: &random) ?? .nonZero
      for pen in [style, nil] {
        let drawn = try Bitmap.drawing(width: 48, height: 40) { context in
          context.concatenate(turn)
          if let pen { context.stroke(path, pen, color: .white) } else { context.fill(path, rule: rule, color: .white) }
        }
        let whole = try Bitmap(width: 48, height: 40)
        draw(path, pen, rule, turn, on: whole)
        // The points at which a curve or a fan becomes lines are others: by a twentieth of a pixel, and a row of it is 17 levels.
        let largest = zip(drawn.pixels, whole.pixels).map(difference).max() ?? 0
        #expect(largest <= 34, "seed \(seed), round \(round): \(pen.map { "\($0)" } ?? "\(rule)") \(path.applying(turn))")
      }
    }
  }

  /// Lines, curves and closed shapes, of which some points are on the bitmap and others far away.
  private func randomPath(_ random: inout SplitMix64) -> Path {
    func point() -> Point {
      let reach: Double = [30, 30, 3000, 30_000].randomElement(using: &random) ?? 0
      return Point(
        Double.random(in: (20 - reach)...(20 + reach), using: &random),
        Double.random(in: (16 - reach)...(16 + reach), using: &random))
    }
    var path = Path()
    path.move(to: point())
    for _ in 0..<Int.random(in: 1...7, using: &random) {
      switch Int.random(in: 0..<8, using: &random) {
      case 0: path.move(to: point())
      case 1: path.close()
      case 2...4: path.line(to: point())
      case 5: path.quadCurve(to: point(), control: point())
      default: path.cubicCurve(to: point(), control1: point(), control2: point())
      }
    }
    return path
  }

  /// Cairo's own stroke of the whole path, or without a style its area.
  private func draw(_ path: Path, _ style: StrokeStyle?, _ rule: FillRule, _ transform: Affine, on bitmap: Bitmap) {
    let surface = cairo_image_surface_create_for_data(
      bitmap.base.assumingMemoryBound(to: UInt8.self), CAIRO_FORMAT_ARGB32, Int32(bitmap.width), Int32(bitmap.height),
      Int32(bitmap.bytesPerRow))
    let cairo = cairo_create(surface)
    cairo_set_tolerance(cairo, 0.05)
    cairo_set_source_rgba(cairo, 1, 1, 1, 1)
    var matrix = cairo_matrix_t(
      xx: transform.a, yx: transform.b, xy: transform.c, yy: transform.d, x0: transform.tx, y0: transform.ty)
    cairo_set_matrix(cairo, &matrix)
    for step in path.steps {
      switch step {
      case .move(let point): cairo_move_to(cairo, point.x, point.y)
      case .line(_, let point): cairo_line_to(cairo, point.x, point.y)
      case .curve(_, let b, let c, let d): cairo_curve_to(cairo, b.x, b.y, c.x, c.y, d.x, d.y)
      case .close: cairo_close_path(cairo)
      }
    }
    if let style {
      cairo_set_line_width(cairo, style.width)
      cairo_set_line_cap(
        cairo, [.butt: CAIRO_LINE_CAP_BUTT, .round: CAIRO_LINE_CAP_ROUND][style.cap] ?? CAIRO_LINE_CAP_SQUARE)
      cairo_set_line_join(
        cairo, [.miter: CAIRO_LINE_JOIN_MITER, .round: CAIRO_LINE_JOIN_ROUND][style.join] ?? CAIRO_LINE_JOIN_BEVEL)
      cairo_set_miter_limit(cairo, style.miterLimit)
      cairo_stroke(cairo)
    } else {
      cairo_set_fill_rule(cairo, rule == .nonZero ? CAIRO_FILL_RULE_WINDING : CAIRO_FILL_RULE_EVEN_ODD)
      cairo_fill(cairo)
    }
    cairo_destroy(cairo)
    cairo_surface_finish(surface)
    cairo_surface_destroy(surface)
  }

  /// A line through the bitmap, and the edge of an area, look the same however far away their ends are.
  @Test(arguments: [1e4, 2e5, 2e6, 1e9], [true, false])
  func theEndsOfALineMayBeFarAway(distance: Double, isArea: Bool) throws {
    func pixels(_ distance: Double) throws -> [UInt32] {
      let end = Point(distance, 0.6 * distance)
      var path = line(-end, end)
      if isArea { path.line(to: Point(-distance, 0.6 * distance)) }
      return try Bitmap.drawing(width: 40, height: 30) {
        if isArea { $0.fill(path, color: .white) } else { $0.stroke(path, StrokeStyle(width: 5), color: .white) }
      }.pixels
    }
    let (near, far) = (try pixels(100), try pixels(distance))
    #expect(zip(near, far).allSatisfy { difference($0, $1) <= 17 })
    #expect(near.count { $0 == 0xFFFF_FFFF } > 100)
    #expect(near.count { $0 == 0 } > 100)
  }

  /// A curve that goes back the way that it came has a round tip there, as a line to it with a round end has, wherever it begins. It
  /// folds in its middle, or after a quarter, where it is cut.
  @Test(arguments: [(15, 1, 1), (1e4, 1, 1), (2e5, 1, 1), (1e4, 3, 9), (1e7, 3, 9)] as [(Double, Double, Double)])
  func aFoldHasARoundTip(distance: Double, control: Double, end: Double) throws {
    let (tip, way) = (Point(22.5, 16.25), Point(-0.9, 0.3) * distance)
    var fold = Path()
    fold.move(to: tip + way)
    fold.quadCurve(to: tip + way * end, control: tip - way * control)
    for join in [StrokeStyle.Join.miter, .round, .bevel] {
      func pixels(_ path: Path) throws -> [UInt32] {
        let style = StrokeStyle(width: 9, cap: .round, join: join)
        return try Bitmap.drawing(width: 40, height: 30) { $0.stroke(path, style, color: .white) }.pixels
      }
      let (folded, straight) = (try pixels(fold), try pixels(line(tip + way, tip)))
      #expect((zip(folded, straight).map(difference).max() ?? 0) <= 34, "\(join)")
    }
  }

  /// The corner at which a shape begins is joined, also where the rest of the shape is cut away, and has no ends.
  @Test func aCutShapeIsJoinedWhereItBegins() throws {
    for (far, cap) in [(100, .butt), (1e6, .butt), (1e6, .square)] as [(Double, StrokeStyle.Cap)] {
      let path = Path.rect(Rect(x: 10, y: 10, width: far, height: far))
      let style = StrokeStyle(width: 4, cap: cap)
      let bitmap = try Bitmap.drawing(width: 30, height: 30) { $0.stroke(path, style, color: .white) }
      for y in 0..<30 {
        for x in 0..<30 {
          #expect((bitmap[x, y] == 0xFFFF_FFFF) == (min(x, y) >= 8 && min(x, y) < 12), "\(far), \(cap): \(x), \(y)")
        }
      }
    }
  }

  /// A pen that is wider than the bitmap covers it, at any scale, whatever its joins and its longest miter.
  @Test(arguments: [1e3, 1e5, 1e6, 1e300, .infinity])
  func aWidePenCoversTheBitmap(width: Double) throws {
    var corner = line(Point(3, 3), Point(20, 8))
    corner.line(to: Point(5, 25))
    for scale in [Affine.identity, .scale(4), Affine(a: 0, b: 0.5, c: 0.5, d: 0, tx: 0, ty: 0)] {
      for (cap, join) in [(.butt, .miter), (.round, .round), (.square, .bevel)] as [(StrokeStyle.Cap, StrokeStyle.Join)] {
        for miterLimit in [1, 10, 1e6, 1e308, .infinity] {
          let style = StrokeStyle(width: width, cap: cap, join: join, miterLimit: miterLimit)
          for hasGradient in [false, true] {
            let bitmap = try Bitmap.drawing(width: 40, height: 30) { context in
              context.concatenate(scale)
              let path = corner.applying(scale.inverted ?? .identity)
              if hasGradient {
                let white = Gradient.linear(from: .zero, to: Point(1, 0), colors: [.white, .white])
                context.stroke(path, style, gradient: white)
              } else {
                context.stroke(path, style, color: .white)
              }
            }
            #expect(bitmap.pixels.allSatisfy { $0 == 0xFFFF_FFFF }, "\(style), \(scale), gradient: \(hasGradient)")
          }
        }
      }
    }
  }

  /// A gradient reaches as far as the pen, also from a curve that passes beside the bitmap and ends far from it.
  @Test func aGradientReachesAsFarAsThePen() throws {
    var curve = Path()
    curve.move(to: Point(-30, -300))
    curve.cubicCurve(to: Point(-30, -400), control1: Point(-30, 5000), control2: Point(-30, 5000))
    let style = StrokeStyle(width: 100, join: .round)
    let white = Gradient.linear(from: .zero, to: Point(1, 0), colors: [.white, .white])
    let bitmap = try Bitmap.drawing(width: 40, height: 30) { $0.stroke(curve, style, gradient: white) }
    for y in 0..<30 {
      for x in 0..<40 { #expect((bitmap[x, y] == 0xFFFF_FFFF) == (x < 20), "\(x), \(y)") }
    }
  }

  /// A thin line has its corner also where miters may be as long as they like.
  @Test(arguments: [100, 1e4, 1e6, 1e308, .infinity])
  func aMiterMayBeLong(limit: Double) throws {
    func pixels(_ limit: Double) throws -> [UInt32] {
      var corner = line(Point(3, 3), Point(20, 8))
      corner.line(to: Point(5, 25))
      return try Bitmap.drawing(width: 40, height: 30) {
        $0.stroke(corner, StrokeStyle(width: 6, miterLimit: limit), color: .white)
      }.pixels
    }
    #expect(try pixels(limit) == pixels(10))
  }

  /// Round dots of a pen that is wider than the bitmap would take Cairo minutes, as would dashes on all of many rows.
  @Test func manyDashesOfAWidePenAreSolid() throws {
    for cap in [StrokeStyle.Cap.round, .butt] {
      let bitmap = try Bitmap.drawing(width: 40, height: 2000) { context in
        let style = StrokeStyle(width: 1e5, cap: cap, dash: [0.5, 1])
        context.stroke(line(Point(-30_000, 1000), Point(30_000, 1010)), style, color: .white)
      }
      #expect(bitmap.pixels.allSatisfy { $0 == 0xFFFF_FFFF })
    }
    // Few are drawn: two of three pixels are gaps.
    let bitmap = try Bitmap.drawing(width: 60, height: 1000) { context in
      context.stroke(line(Point(-2970, 500), Point(3030, 500)), StrokeStyle(width: 1000, dash: [1, 2]), color: .white)
    }
    #expect(bitmap.pixels.count { $0 == 0xFFFF_FFFF } == 20 * 1000)
  }

  private func line(_ start: Point, _ end: Point) -> Path {
    var path = Path()
    path.move(to: start)
    path.line(to: end)
    return path
  }
}
