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
    var cutter = LineCutter()
    func dashes(phase: Double) -> [Int] {
      var square = FlatPath(hasJoints: true)
      square.replace(with: .rect(Rect(x: 0, y: 0, width: 40, height: 40)), pixelsPerPoint: 1, penWidth: 1)
      cutter.dash(&square, [10, 10], phase: phase)
      return square.subpaths.map { $0.points.count }
    }
    #expect(dashes(phase: 0) == Array(repeating: 2, count: 8))
    // Here the last dash goes on as the first.
    #expect(dashes(phase: 5).sorted() == [2, 2, 2, 2, 3, 3, 3, 3])
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
    if random.chance(0.3) { style.unit = .pixels }
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

  /// The rectangle that hides what lies behind is covered wholly. It is no larger than the largest that there is, and of a rounded
  /// rectangle it has a good part of that.
  @Test(arguments: some(20, of: 1...500))
  func coveredPixelsAreCovered(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let side = 100
    let isConvex = random.chance(0.5)
    var path = Self.randomPath(&random)
    if isConvex {
      let size = Size(.random(in: 60...90, using: &random), .random(in: 60...90, using: &random))
      let rect = Rect(
        x: .random(in: 1...9, using: &random), y: .random(in: 1...9, using: &random), width: size.width, height: size.height)
      path = .roundedRect(rect, cornerRadius: .random(in: 0...45, using: &random))
    }
    let box = IntRect(x: 0, y: 0, width: side, height: side)
    let strips = try #require(Strips(FlatPath(path, .identity), box: box, .evenOdd))
    var rows = [[UInt8]](repeating: [UInt8](repeating: 0, count: side), count: side)
    for y in 0..<side { strips.coverage(Int32(y), 0..<Int32(side), &rows[y]) }
    let covered = strips.coveredRect.intersection(box)
    for y in covered.minY..<max(covered.maxY, covered.minY) {
      #expect(rows[Int(y)][Int(covered.minX)..<Int(covered.maxX)].allSatisfy { $0 == 255 }, "seed \(seed), row \(y)")
    }
    let largest = Self.largestCoveredArea(rows)
    #expect(covered.area <= largest, "seed \(seed)")
    if isConvex { #expect(4 * covered.area >= largest, "seed \(seed): \(covered) of \(largest) pixels") }
  }

  /// The area of the largest rectangle of pixels that are covered wholly.
  private static func largestCoveredArea(_ rows: [[UInt8]]) -> Int {
    var largest = 0
    var heights = [Int](repeating: 0, count: rows.first?.count ?? 0)
    for row in rows {
      for (x, coverage) in row.enumerated() { heights[x] = coverage == 255 ? heights[x] + 1 : 0 }
      for start in heights.indices where heights[start] > 0 {
        var height = heights[start]
        for end in start..<heights.count where height > 0 {
          height = min(height, heights[end])
          largest = max(largest, height * (end - start + 1))
        }
      }
    }
    return largest
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
}
