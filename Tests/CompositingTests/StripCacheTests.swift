import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

@testable import Compositing

/// Shapes that are rasterised, and those that are painted from memory.
@Suite struct StripCacheTests {
  private func circle(_ radius: Double, _ change: (inout ShapeContent.Parts) -> Void = { _ in }) -> ShapeContent {
    var parts = ShapeContent.Parts()
    parts.path = .circle(center: Point(30, 30), radius: radius)
    change(&parts)
    return ShapeContent(parts)
  }

  /// A shape that moves by quarters of pixels, fades, or is cut is made once for each of the sixteen places between pixels.
  @Test func aMovedShapeIsNotRasterised() {
    let cache = StripCache(limit: 1 << 20)
    let shape = circle(20) { $0.strokeColor = .white }
    for step in 0..<400 {
      let place = Affine.translation(x: Double(step) / 4, y: Double(step * 7 % 400) / 4)
      #expect(cache.strips(of: shape, .fill, place, frame: nil) != nil)
      #expect(cache.strips(of: shape, .stroke, place, frame: nil) != nil)
    }
    #expect(cache.madeCount == 8, "four quarters along x, and one of y for each of them")
    _ = cache.strips(of: shape, .fill, .scale(2), frame: nil)
    #expect(cache.madeCount == 9)
    _ = cache.strips(of: ShapeContent(shape.parts), .fill, .identity, frame: nil)
    #expect(cache.madeCount == 10, "another shape")
  }

  /// A shape that takes another's place is made anew where it covers something else, and not for its colours.
  @Test func aColourIsNotRasterised() {
    let cache = StripCache(limit: 1 << 20)
    var shape = circle(20) { $0.strokeColor = .white }
    func made(_ change: (inout ShapeContent.Parts) -> Void) -> Int {
      let before = cache.madeCount
      var parts = shape.parts
      change(&parts)
      shape = ShapeContent(parts, after: shape)
      _ = cache.strips(of: shape, .fill, .identity, frame: nil)
      _ = cache.strips(of: shape, .stroke, .identity, frame: nil)
      return cache.madeCount - before
    }
    #expect(made { _ in } == 2)
    #expect(made { ($0.fillColor, $0.strokeColor) = (.white, .black) } == 0)
    #expect(made { $0.strokeEnd = 0.5 } == 1)
    #expect(made { $0.strokeStyle.width = 3 } == 1)
    #expect(made { $0.fillRule = .evenOdd } == 1)
    #expect(made { $0.path = .circle(center: Point(30, 30), radius: 20) } == 0, "the same path")
    #expect(made { $0.path?.line(to: .zero) } == 2)
  }

  /// Many shapes stay within the limit, and those that are used stay.
  @Test func theCacheIsBounded() {
    let cache = StripCache(limit: 64 << 10)
    let used = circle(31)
    for radius in 1...300 {
      _ = cache.strips(of: used, .fill, .identity, frame: nil)
      _ = cache.strips(of: circle(Double(radius % 60)), .fill, .identity, frame: nil)
      #expect(cache.cost <= 64 << 10)
    }
    #expect(cache.madeCount == 301)
  }

  /// The last shape that is too large for the cache is kept beside it.
  @Test func aLargeShapeIsNotMadeAgain() throws {
    let cache = StripCache(limit: 4 << 10)
    let (large, other) = (circle(300), circle(301))
    let cost = try #require(cache.strips(of: large, .fill, .identity, frame: nil)).strips.byteCount
    #expect(cost > 4 << 10)
    for _ in 0..<3 { _ = cache.strips(of: large, .fill, .translation(x: 5, y: 7), frame: nil) }
    #expect(cache.madeCount == 1)
    for shape in [other, large, large, other] { _ = cache.strips(of: shape, .fill, .identity, frame: nil) }
    #expect(cache.madeCount == 4)
    #expect(cache.cost == 0)
  }

  /// Threads that miss a shape at once wait for one that makes it.
  @Test func aShapeIsMadeByOneThread() {
    let cache = StripCache(limit: 1 << 20)
    var path = Path()
    var random = SplitMix64(seed: 1)
    for _ in 0..<30_000 { path.line(to: Point(.random(in: 0...90, using: &random), .random(in: 0...90, using: &random))) }
    let shape = circle(1) { $0.path = path }
    let workers = WorkerPool(threads: 3)
    let widths = Lock<[Int]>([])
    workers.concurrentPerform(iterations: 8, priority: .compositing) { _ in
      let strips = cache.strips(of: shape, .fill, .identity, frame: nil)?.strips
      widths.withLock { $0.append(strips?.byteCount ?? 0) }
    }
    workers.shutdown()
    #expect(cache.madeCount == 1)
    #expect(Set(widths.withLock { $0 }).count == 1)
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
}
