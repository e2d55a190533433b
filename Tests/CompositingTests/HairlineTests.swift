import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Compositing
@testable import Raster
@testable import RenderTree

/// Lines whose pen is measured in pixels, under every transform: what they cover, against distances in double precision, and where.
@Suite struct HairlineTests {
  private static let side = 160

  /// A map that puts a path of some 100 units on the picture, from one that is far too large or too small for it.
  private static func randomMap(_ random: inout SplitMix64, unit: Double) -> Affine {
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let map = Affine.rotation(number(-3...3)).concatenating(.scale(x: number(0.3...1) / unit, y: number(-1...1) / unit))
      .concatenating(.rotation(number(-3...3)))
    let middle = map.apply(Point(50 * unit, 50 * unit))
    return map.concatenating(
      .translation(x: Double(side) / 2 - middle.x + number(-30...30), y: Double(side) / 2 - middle.y + number(-30...30)))
  }

  private static func strips(_ path: Path, _ style: StrokeStyle, _ map: Affine) -> Strips? {
    var outliner = StrokeOutliner()
    outliner.trace(path, style, map)
    return Strips(outliner.outline, box: IntRect(x: -400, y: -400, width: 1000, height: 1000), .nonZero)
  }

  /// The distance of a point from the nearest of some lines.
  private static func distance(_ point: Point, _ lines: [(Point, Point)]) -> Double {
    lines.map { a, b in
      let (way, length) = (b - a, (b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y))
      let share = length > 0 ? min(max(((point.x - a.x) * way.x + (point.y - a.y) * way.y) / length, 0), 1) : 0
      let near = a + way * share
      return hypot(point.x - near.x, point.y - near.y)
    }.min() ?? .infinity
  }

  /// Round pens cover what lies within half their width of the line on the output: of each pixel as much as its points say.
  @Test(arguments: some(20, of: 1...2000))
  func coversWhatIsWithinHalfItsWidth(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let unit = exp2(Double.random(in: -12...12, using: &random))
    let map = Self.randomMap(&random, unit: unit)
    // A hairline, or a wider pen.
    let width = random.chance(0.5) ? 1 : Double.random(in: 0.4...6, using: &random)
    var points: [Point] = []
    for _ in 0..<Int.random(in: 2...4, using: &random) {
      points.append(Point(.random(in: 0...100 * unit, using: &random), .random(in: 0...100 * unit, using: &random)))
    }
    var path = Path()
    path.move(to: points[0])
    for point in points.dropFirst() { path.line(to: point) }
    let style = StrokeStyle(width: width, cap: .round, join: .round, unit: .pixels)
    let strips = try #require(Self.strips(path, style, map))
    let mapped = points.map(map.apply)
    let lines = Array(zip(mapped, mapped.dropFirst()))
    var row = [UInt8](repeating: 0, count: Self.side)
    for y in stride(from: Int32(0), to: Int32(Self.side), by: 3) {
      strips.coverage(y, 0..<Int32(Self.side), &row)
      for x in 0..<Self.side where Self.distance(Point(Double(x) + 0.5, Double(y) + 0.5), lines) < width / 2 + 2 {
        var inside = 0
        for sample in 0..<256 {
          let point = Point(Double(x) + (Double(sample % 16) + 0.5) / 16, Double(y) + (Double(sample / 16) + 0.5) / 16)
          if Self.distance(point, lines) <= width / 2 { inside += 1 }
        }
        // The areas of lines that meet within a pixel are added up.
        let middle = Point(Double(x) + 0.5, Double(y) + 0.5)
        let meets = lines.count { Self.distance(middle, [$0]) < width / 2 + 1.5 } > 1
        if meets, inside < 256 { continue }
        #expect(
          abs(Int(row[x]) - inside * 255 / 256) <= 14, "seed \(seed), pixel \(x) \(y): \(row[x]), \(inside) of 256, \(style)"
        )
      }
    }
  }

  /// An upright line between pixels is one row of them, in every scale, and fills all of it.
  @Test(arguments: [1e-6, 0.01, 0.3, 1, 7, 1e4])
  func anUprightHairlineIsOneRowOfPixels(scale: Double) throws {
    for (dx, dy) in [(1.0, 1.0), (1, 0.01), (0.5, 30)] {
      let map = Affine(a: scale * dx, b: 0, c: 0, d: scale * dy, tx: 10, ty: 20.5)
      var path = Path()
      path.move(to: .zero)
      path.line(to: Point(40 / (scale * dx), 0))
      let strips = try #require(Self.strips(path, .hairline, map))
      var row = [UInt8](repeating: 0, count: 60)
      for y in Int32(18)..<24 {
        strips.coverage(y, 0..<60, &row)
        #expect(row == (0..<60).map { y == 20 && (10..<50).contains($0) ? 255 : 0 }, "scale \(scale), row \(y)")
      }
    }
  }

  /// Nothing is painted beyond what the record says, whatever the corners and the ends, so that a frame's damage has all of it.
  @Test(arguments: some(40, of: 1...4000))
  func isPaintedWhereItsRecordIs(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let unit = exp2(Double.random(in: -12...12, using: &random))
    var style = StrokeStyle(
      width: .random(in: 0.2...9, using: &random), miterLimit: .random(in: 1...12, using: &random), unit: .pixels)
    style.cap = [.butt, .round, .square].randomElement(using: &random) ?? .butt
    style.join = [.miter, .round, .bevel].randomElement(using: &random) ?? .miter
    var path = Path()
    for index in 0..<Int.random(in: 2...6, using: &random) {
      let point = Point(.random(in: 0...100 * unit, using: &random), .random(in: 0...100 * unit, using: &random))
      if index == 0 { path.move(to: point) } else { path.line(to: point) }
    }
    if random.chance(0.5) { path.close() }
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor, parts.strokeColor, parts.strokeStyle) = (path, nil, .white, style)
    let content = ShapeContent(parts)
    var record = RenderRecord(id: 1, bounds: .zero)
    record.settle(SideValues(shape: content))
    // It stands at quarters of a pixel.
    let map = Self.randomMap(&random, unit: unit)
    let pixels = map.touchedPixels(of: record, record.drawnBounds)
    let box = IntRect(x: -400, y: -400, width: 1000, height: 1000)
    let placed = try #require(StripCache.shared.strips(of: content, .stroke, map, frame: box))
    let whole = try #require(
      Self.strips(
        path, style,
        Affine(
          a: map.a, b: map.b, c: map.c, d: map.d, tx: (map.tx * 4).rounded() / 4, ty: (map.ty * 4).rounded() / 4)))
    var (found, expected) = ([UInt8](repeating: 0, count: 1000), [UInt8](repeating: 0, count: 1000))
    for y in Int32(-400)..<600 {
      whole.coverage(y, -400..<600, &expected)
      placed.strips.coverage(y - placed.y, -400 - placed.x..<600 - placed.x, &found)
      #expect(found == expected, "seed \(seed), row \(y): a strip is cut off")
      for x in Int32(-400)..<600 where expected[Int(x + 400)] > 0 {
        let isInside = pixels.minX <= x && x < pixels.maxX && pixels.minY <= y && y < pixels.maxY
        #expect(isInside, "seed \(seed), pixel \(x) \(y) of \(pixels): \(style)")
        if !isInside { return }
      }
    }
  }

  /// Numbers that nobody can mean do no harm, and draw what the nearest number that has a meaning draws.
  @Test(arguments: [(Double.nan, 1.0), (-.infinity, 1), (0, 1), (.infinity, 1e9)])
  func takesAnyMiterLimit(limit: Double, same: Double) throws {
    func drawn(_ limit: Double) throws -> (reach: Int, rows: [[UInt8]]) {
      var path = Path()
      path.move(to: Point(10, 10))
      path.line(to: Point(50, 12))
      path.line(to: Point(10, 14))
      var parts = ShapeContent.Parts()
      (parts.path, parts.fillColor, parts.strokeColor) = (path, nil, .white)
      parts.strokeStyle = StrokeStyle(width: 3, miterLimit: limit, unit: .pixels)
      let content = ShapeContent(parts)
      var record = RenderRecord(id: 1, bounds: .zero)
      record.settle(SideValues(shape: content))
      let strips = try #require(Self.strips(path, parts.strokeStyle, .identity))
      let rows = (Int32(0)..<30).map { y in
        var row = [UInt8](repeating: 0, count: 200)
        strips.coverage(y, 0..<200, &row)
        return row
      }
      return (Int(record.reachInPixels), rows)
    }
    let (one, other) = (try drawn(limit), try drawn(same))
    #expect(one.reach == other.reach)
    #expect(one.rows == other.rows)
  }

  /// Dashes are measured in pixels too, and a part of a line in shares of its own length.
  @Test func dashesAreInPixelsAndPartsInShares() throws {
    let map = Affine(a: 0.01, b: 0, c: 0, d: 30, tx: 0, ty: 4.5)
    var path = Path()
    path.move(to: .zero)
    path.line(to: Point(4000, 0))
    func columns(_ style: StrokeStyle, _ start: Double, _ end: Double) -> [Int] {
      var outliner = StrokeOutliner()
      outliner.trace(path, style, from: start, to: end, map)
      let strips = Strips(outliner.outline, box: IntRect(x: 0, y: 0, width: 60, height: 9), .nonZero)
      var row = [UInt8](repeating: 0, count: 60)
      strips?.coverage(4, 0..<60, &row)
      return row.indices.filter { row[$0] == 255 }
    }
    var style = StrokeStyle.hairline
    #expect(columns(style, 0.25, 0.75) == Array(10..<30))
    style.dash = [5, 5]
    #expect(columns(style, 0, 1) == (0..<40).filter { $0 / 5 % 2 == 0 })
  }
}
