import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@testable import Compositing

/// Paths that nobody means: what they paint is told, and they end in bounded memory.
@Suite struct HostileShapeTests {
  private static let (width, height) = (120, 90)

  private static func pixels(_ parts: ShapeContent.Parts, _ transform: Affine = .identity) throws -> [UInt32] {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: .zero), SideValues(content: ShapeContent(parts)))
    let bitmap = try tree.picture(width: width, height: height)
    return (0..<height).flatMap { y in (0..<width).map { bitmap[$0, y] } }
  }

  private static func filled(_ path: Path) -> ShapeContent.Parts {
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor) = (path, .white)
    return parts
  }

  /// A point that is no finite number is left out.
  @Test(arguments: [Double.nan, .infinity, -.infinity])
  func pointsThatAreNoNumbersAreLeftOut(number: Double) throws {
    let corners = [Point(10, 10), Point(100, 20), Point(70, 80), Point(20, 60)]
    var (path, broken) = (Path(), Path())
    for (index, corner) in corners.enumerated() {
      if index == 0 { path.move(to: corner) } else { path.line(to: corner) }
      if index == 0 { broken.move(to: corner) } else { broken.line(to: corner) }
      broken.line(to: index % 2 == 0 ? Point(number, corner.y) : Point(corner.x, number))
    }
    let (whole, found) = (try Self.pixels(Self.filled(path)), try Self.pixels(Self.filled(broken)))
    #expect(whole == found)
    #expect(whole.count { $0 == 0xFFFF_FFFF } > 2000)
    // A pen does not go there either.
    var stroke = Self.filled(path)
    (stroke.fillColor, stroke.strokeColor, stroke.strokeStyle) = (nil, .white, StrokeStyle(width: 5))
    let line = try Self.pixels(stroke)
    stroke.path = broken
    #expect(try Self.pixels(stroke) == line)
  }

  /// However far away the corners are, the inside is inside and the outside outside.
  @Test(arguments: [1e4, 0x1p20, 0x1p28, 1e9, 1e12, 1e300])
  func farCornersCoverWhatLiesBetween(distance: Double) throws {
    let around = Rect(x: -distance, y: -distance, width: 2 * distance, height: 2 * distance)
    let all = try Self.pixels(Self.filled(.rect(around)))
    #expect(all.allSatisfy { $0 == 0xFFFF_FFFF })
    let half = try Self.pixels(Self.filled(.rect(Rect(x: 60, y: -distance, width: distance, height: 2 * distance))))
    for (index, pixel) in half.enumerated() {
      #expect(pixel == (index % Self.width < 60 ? 0xFF00_0000 : 0xFFFF_FFFF))
    }
    let beside = try Self.pixels(Self.filled(.rect(Rect(x: 200, y: -distance, width: distance, height: 2 * distance))))
    #expect(beside.allSatisfy { $0 == 0xFF00_0000 })
  }

  /// Random steps to such numbers, stroked with such pens: strips need no more than a byte for each pixel and the runs of their blocks.
  @Test(arguments: some(8, of: 1...100))
  func memoryIsThatOfTheBox(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let numbers = [0, 1, -1, 1e9, -1e9, 1e300, -1e300, .infinity, -.infinity, .nan, 1e-300, 50, 0x1p20, 0x1p28]
    func number() -> Double { numbers.randomElement(using: &random) ?? 0 }
    func point() -> Point { random.chance(0.3) ? Point(number(), number()) : Point(.random(in: 0...90, using: &random), 40) }
    for _ in 0..<10 {
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
      var parts = Self.filled(path)
      parts.strokeColor = .white
      parts.strokeStyle = StrokeStyle(width: number(), join: .round, miterLimit: 1e300)
      parts.strokeStyle.cap = .round
      if random.chance(0.5) { parts.strokeStyle.dash = [number(), 3] }
      if random.chance(0.3) { (parts.strokeStart, parts.strokeEnd) = (number(), 0.7) }
      let transform = Affine.scale([1e-6, 1, 1e6, .nan].randomElement(using: &random) ?? 1).concatenating(.rotation(1))
      let frame = IntRect(x: 0, y: 0, width: Self.width, height: Self.height)
      let (shape, cache) = (ShapeContent(parts), StripCache(limit: 1 << 20))
      for part in [StripCache.Part.fill, .stroke] {
        guard let placed = cache.strips(of: shape, part, transform, frame: frame) else { continue }
        let whole = IntRect(covering: transform.boundingBox(of: shape.drawnBounds(in: .zero, nil)))
        let box = whole.area < 1 << 24 ? whole : frame
        #expect(placed.strips.byteCount <= 1024 + 2 * (box.width + 32) * (box.height + 8), "seed \(seed)")
      }
      _ = try Self.pixels(parts, transform)
    }
  }

  /// A million edges.
  @Test func aMillionEdgesEnd() throws {
    var random = SplitMix64(seed: 5)
    var path = Path()
    for _ in 0..<1_000_000 { path.line(to: Point(.random(in: 0...90, using: &random), .random(in: 0...3, using: &random))) }
    let pixels = try Self.pixels(Self.filled(path))
    // They turn around nearly each pixel of three rows, and around no other.
    #expect(pixels[..<(3 * Self.width)].count { $0 == 0xFFFF_FFFF } > 240)
    for (index, pixel) in pixels.enumerated() where index >= 3 * Self.width || index % Self.width >= 90 {
      #expect(pixel == 0xFF00_0000)
    }
  }
}
