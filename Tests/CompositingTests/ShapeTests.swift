import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Compositing
@testable import Raster
@testable import RenderTree

/// Shapes that the compositor paints as strips: against Cairo's drawing of them, and what they cost.
@Suite struct ShapeTests {
  private static let (width, height) = (120, 90)

  private static func tree(
    _ parts: ShapeContent.Parts, _ transform: Affine = .identity, opacity: Float = 1, bounds: Rect = .zero,
    flags: RenderRecord.Flags = []
  ) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, opacity: opacity, flags: flags),
      SideValues(content: ShapeContent(parts)))
    return tree
  }

  /// The dashes of a closed line of eight patterns: none goes through the gap before the line's beginning.
  @Test func aClosedLineOfWholePatternsEndsWithAGap() {
    let square = FlatPath(.rect(Rect(x: 0, y: 0, width: 40, height: 40)), pixelsPerPoint: 1, penWidth: 1)
    #expect(square.dashed([10, 10], phase: 0).subpaths.map { $0.points.count } == Array(repeating: 2, count: 8))
    // Here the last dash goes on as the first.
    #expect(square.dashed([10, 10], phase: 5).subpaths.map { $0.points.count }.sorted() == [2, 2, 2, 2, 3, 3, 3, 3])
  }

  private static func pixels(_ tree: TreeSnapshot) throws -> Bitmap { try tree.picture(width: width, height: height) }

  private static func drawn(_ parts: ShapeContent.Parts, _ transform: Affine) throws -> Bitmap {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: .black)
    context.concatenate(transform)
    if let path = parts.path {
      if let color = parts.fillColor { context.fill(path, rule: parts.fillRule, color: color) }
      if let color = parts.strokeColor { context.stroke(path, parts.strokeStyle, color: color) }
    }
    context.flush()
    return bitmap
  }

  /// A star, or an arc or a wave that does not meet itself: where lines meet within a pixel the areas of both are added up.
  private static func randomPath(_ random: inout SplitMix64) -> Path {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let center = Point(number(45...75), number(40...50))
    var path = Path()
    switch Int.random(in: 0...3, using: &random) {
    case 0:
      path.addArc(center: center, radius: number(10...35), startAngle: number(-7...7), endAngle: number(-7...7))
    case 1: path.addEllipse(in: Rect(x: center.x - 30, y: center.y - 20, width: number(20...60), height: number(20...40)))
    case 2:
      path.move(to: Point(number(5...20), number(20...60)))
      path.cubicCurve(
        to: Point(number(60...70), number(20...60)), control1: Point(number(20...35), number(0...85)),
        control2: Point(number(40...55), number(0...85)))
      path.quadCurve(to: Point(number(100...110), number(20...60)), control: Point(number(75...95), number(0...85)))
    default:
      let count = Int.random(in: 3...9, using: &random)
      for index in 0..<count {
        let (angle, radius) = (Double(index) / Double(count) * 2 * .pi, number(20...40))
        let point = center + Point(cos(angle), sin(angle)) * radius
        if index == 0 { path.move(to: point) } else { path.line(to: point) }
      }
      if random.chance(0.7) { path.close() }
    }
    return path
  }

  private static func randomStyle(_ random: inout SplitMix64) -> StrokeStyle {
    var style = StrokeStyle(width: .random(in: 0.5...8, using: &random), miterLimit: .random(in: 1...12, using: &random))
    style.cap = [.butt, .round, .square].randomElement(using: &random) ?? .butt
    style.join = [.miter, .round, .bevel].randomElement(using: &random) ?? .miter
    if style.cap == .butt, random.chance(0.7) {
      style.dash = (0..<Int.random(in: 1...4, using: &random)).map { _ in .random(in: 2...20, using: &random) }
      style.dashPhase = .random(in: -30...30, using: &random)
    }
    return style
  }

  /// A quarter of a pixel is a shape's grid: there Cairo draws the same area, on a grid of its own.
  @Test(arguments: some(60, of: 1...3000))
  func isWhatCairoDraws(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var parts = ShapeContent.Parts()
    parts.path = Self.randomPath(&random)
    (parts.fillColor, parts.strokeColor) = random.chance(0.5) ? (.white, nil) : (nil, .white)
    parts.fillRule = random.chance(0.5) ? .nonZero : .evenOdd
    parts.strokeStyle = Self.randomStyle(&random)
    var transform = Affine.rotation(.random(in: -0.3...0.3, using: &random))
      .concatenating(.scale(x: .random(in: 0.5...1.2, using: &random), y: .random(in: 0.5...1.2, using: &random)))
    transform.tx = Double(Int.random(in: -20...20, using: &random)) / 4
    transform.ty = Double(Int.random(in: -20...20, using: &random)) / 4
    let (found, expected) = (try Self.pixels(Self.tree(parts, transform)), try Self.drawn(parts, transform))
    var (far, sum, edges) = (0, 0, 0)
    for y in 0..<Self.height {
      for x in 0..<Self.width {
        let difference = abs(Int(found[x, y] & 255) - Int(expected[x, y] & 255))
        sum += difference
        if difference > 40 { far += 1 }
        if expected[x, y] & 255 != 0, expected[x, y] & 255 != 255 { edges += 1 }
      }
    }
    let name =
      "seed \(seed): \(parts.strokeColor == nil ? "fill" : "\(parts.strokeStyle)") \(parts.path.map { "\($0)" } ?? "")"
    // The areas of a line that comes back within a pixel are added up.
    #expect(far <= 8 + edges / 40, "\(far) of \(edges) pixels, \(name)")
    #expect(Double(sum) / Double(max(edges, 100)) < 11, "\(sum) over \(edges) pixels, \(name)")
  }

  // MARK: Rasterising

  /// A shape that moves by quarters of pixels, fades, or is cut is made once for each of the sixteen places between pixels.
  @Test func aMovedShapeIsNotRasterised() throws {
    let cache = StripCache(limit: 1 << 20)
    var parts = ShapeContent.Parts()
    (parts.path, parts.strokeColor) = (.circle(center: Point(30, 30), radius: 20), .white)
    let shape = ShapeContent(parts)
    for step in 0..<400 {
      let place = Affine.translation(x: Double(step) / 4, y: Double(step * 7 % 400) / 4)
      #expect(cache.strips(of: shape, .fill, place, frame: nil) != nil)
      #expect(cache.strips(of: shape, .stroke, place, frame: nil) != nil)
    }
    #expect(cache.madeCount == 8, "four quarters along x, and one of y for each of them")
    _ = cache.strips(of: shape, .fill, .scale(2), frame: nil)
    #expect(cache.madeCount == 9)
    _ = cache.strips(of: ShapeContent(parts), .fill, .identity, frame: nil)
    #expect(cache.madeCount == 10, "another shape")
  }

  /// Many shapes stay within the limit, and those that are used stay.
  @Test func theCacheIsBounded() {
    let cache = StripCache(limit: 64 << 10)
    func shape(_ radius: Double) -> ShapeContent {
      var parts = ShapeContent.Parts()
      parts.path = .circle(center: .zero, radius: radius)
      return ShapeContent(parts)
    }
    let used = shape(30)
    for radius in 1...300 {
      _ = cache.strips(of: used, .fill, .identity, frame: nil)
      _ = cache.strips(of: shape(Double(radius % 60)), .fill, .identity, frame: nil)
      #expect(cache.cost <= 64 << 10)
    }
    #expect(cache.madeCount == 301)
  }

  /// A shape that is too large to be made as a whole has the same pixels.
  @Test func aPartOfALargeShapeIsItsPart() throws {
    var parts = ShapeContent.Parts()
    parts.path = .circle(center: Point(2000, 2000), radius: 1900)
    let frame = IntRect(x: 600, y: 500, width: 300, height: 200)
    let whole = try #require(StripCache.shared.strips(of: ShapeContent(parts), .fill, .identity, frame: frame))
    // The same circle with something far away is too large.
    parts.path?.addRect(Rect(x: 9000, y: 9000, width: 10, height: 10))
    let part = try #require(StripCache.shared.strips(of: ShapeContent(parts), .fill, .identity, frame: frame))
    #expect(StripCache.shared.strips(of: ShapeContent(parts), .fill, .identity, frame: nil) == nil)
    var rows = ([UInt8](repeating: 0, count: 300), [UInt8](repeating: 0, count: 300))
    for y in frame.minY..<frame.maxY {
      whole.strips.coverage(y, frame.minX..<frame.maxX, &rows.0)
      part.strips.coverage(y, frame.minX..<frame.maxX, &rows.1)
      #expect(rows.0 == rows.1)
    }
  }

  /// The rectangle that hides what lies behind is covered.
  @Test(arguments: some(20, of: 1...500))
  func coveredPixelsAreCovered(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let path = Self.randomPath(&random)
    let strips = try #require(
      Strips(
        FlatPath(path, .rotation(.random(in: -1...1, using: &random))),
        box: IntRect(x: -99, y: -99, width: 300, height: 300), .evenOdd))
    let covered = strips.coveredRect
    var row = [UInt8](repeating: 0, count: covered.width)
    for y in covered.minY..<max(covered.maxY, covered.minY) {
      strips.coverage(y, covered.minX..<covered.maxX, &row)
      #expect(row.allSatisfy { $0 == 255 })
    }
    let square = try #require(
      Strips(
        FlatPath(.rect(Rect(x: 2, y: 3, width: 70, height: 50)), .identity), box: IntRect(x: 0, y: 0, width: 99, height: 99),
        .nonZero))
    #expect(square.coveredRect.area > 2000)
  }

  // MARK: Layers

  /// A layer that fades is one picture, whose line lies on its interior.
  @Test func aFadingShapeIsOnePicture() throws {
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor, parts.strokeColor) = (.rect(Rect(x: 10, y: 10, width: 40, height: 40)), .white, .white)
    parts.strokeStyle = StrokeStyle(width: 10)
    let bitmap = try Self.pixels(Self.tree(parts, opacity: 0.5))
    for x in [7, 12, 30, 53] { #expect(bitmap[x, 30] == 0xFF80_8080, "at \(x)") }
  }

  /// A shape is seen beyond its layer's bounds unless these cut it, with their round corners.
  @Test func boundsCutAShapeThatIsMasked() throws {
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor) = (.rect(Rect(x: 0, y: 0, width: 100, height: 80)), .white)
    let bounds = Rect(x: 20, y: 20, width: 30, height: 30)
    let free = try Self.pixels(Self.tree(parts, bounds: bounds))
    let cut = try Self.pixels(Self.tree(parts, bounds: bounds, flags: .masksToBounds))
    var round = Self.tree(parts, bounds: bounds, flags: .masksToBounds)
    round.records[0].cornerRadius = 15
    let ring = try Self.pixels(round)
    #expect([free[5, 5], free[30, 30], free[99, 79]] == [0xFFFF_FFFF, 0xFFFF_FFFF, 0xFFFF_FFFF])
    #expect([cut[19, 30], cut[20, 20], cut[49, 49], cut[50, 30]] == [0xFF00_0000, 0xFFFF_FFFF, 0xFFFF_FFFF, 0xFF00_0000])
    #expect([ring[20, 20], ring[35, 20], ring[35, 35]] == [0xFF00_0000, ring[20, 35], 0xFFFF_FFFF])
    #expect(ring[24, 24] & 255 != 0 && ring[24, 24] & 255 != 255)
  }

  /// The part of a line between two shares of its length, of several subpaths and of a closed one.
  @Test func aPartOfALineIsStroked() throws {
    var parts = ShapeContent.Parts()
    (parts.fillColor, parts.strokeColor, parts.strokeStyle) = (nil, .white, StrokeStyle(width: 4))
    var path = Path.rect(Rect(x: 10, y: 10, width: 20, height: 20))
    path.move(to: Point(50, 20))
    path.line(to: Point(70, 20))
    parts.path = path
    // 80 points around the square, and 20 along the line.
    func isPainted(_ start: Double, _ end: Double, _ places: [(Int, Int)]) throws -> [Bool] {
      (parts.strokeStart, parts.strokeEnd) = (start, end)
      let bitmap = try Self.pixels(Self.tree(parts))
      return places.map { bitmap[$0, $1] == 0xFFFF_FFFF }
    }
    let corner = (8, 8)
    #expect(try isPainted(0, 1, [corner, (20, 10), (10, 20), (60, 20)]) == [true, true, true, true])
    #expect(try isPainted(0, 0.8, [corner, (20, 10), (10, 20), (60, 20)]) == [true, true, true, false])
    #expect(try isPainted(0.1, 1, [corner, (14, 10), (26, 10), (10, 20), (60, 20)]) == [false, false, true, true, true])
    #expect(try isPainted(0.85, 0.95, [(20, 10), (52, 20), (60, 20), (68, 20)]) == [false, false, true, false])
    #expect(try isPainted(0.6, 0.4, [(20, 10), (60, 20)]) == [false, false])
    #expect(try isPainted(-3, 7, [corner, (60, 20)]) == [true, true])
    // A dash that goes over the beginning of a closed line has a corner there.
    (parts.path, parts.strokeStyle.dash) = (.rect(Rect(x: 10, y: 10, width: 20, height: 20)), [60, 15])
    parts.strokeStyle.dashPhase = 15
    #expect(try isPainted(0, 1, [corner, (20, 10), (10, 20)]) == [true, true, true])
  }

  // MARK: Hostile shapes

  /// Paths that nobody means end in bounded time and memory.
  @Test func hostileShapesEnd() throws {
    var random = SplitMix64(seed: 5)
    let numbers = [0, 1, -1, 1e9, -1e9, 1e300, -1e300, .infinity, -.infinity, .nan, 1e-300, 50, 0x1p20, 0x1p28]
    func point() -> Point { Point(numbers.randomElement(using: &random) ?? 0, numbers.randomElement(using: &random) ?? 0) }
    for _ in 0..<60 {
      var parts = ShapeContent.Parts()
      var path = Path()
      for _ in 0..<20 {
        switch Int.random(in: 0...4, using: &random) {
        case 0: path.move(to: point())
        case 1: path.line(to: point())
        case 2: path.quadCurve(to: point(), control: point())
        case 3: path.cubicCurve(to: point(), control1: point(), control2: point())
        default: path.close()
        }
      }
      (parts.path, parts.strokeColor) = (path, .white)
      parts.strokeStyle = StrokeStyle(width: numbers.randomElement(using: &random) ?? 1, join: .round, miterLimit: 1e300)
      parts.strokeStyle.cap = .round
      if random.chance(0.5) { parts.strokeStyle.dash = [numbers.randomElement(using: &random) ?? 1, 3] }
      let scale = [1e-6, 1, 1e6, .nan].randomElement(using: &random) ?? 1
      _ = try Self.pixels(Self.tree(parts, .scale(scale)))
      (parts.strokeStart, parts.strokeEnd) = (numbers.randomElement(using: &random) ?? 0, 0.7)
      _ = try Self.pixels(Self.tree(parts, .rotation(1)))
    }
    var long = Path()
    for _ in 0..<1_000_000 { long.line(to: Point(.random(in: 0...90, using: &random), .random(in: 0...3, using: &random))) }
    var parts = ShapeContent.Parts()
    parts.path = long
    let bitmap = try Self.pixels(Self.tree(parts))
    #expect(bitmap[45, 40] == 0xFF00_0000)
  }
}
