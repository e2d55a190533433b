import CKernels
import Geometry
import LinuxSystem
import RenderTree
import TestLength
import Testing

@testable import Compositing

#if canImport(Glibc)
  import Glibc
#endif

@Suite struct CoverageTests {
  private static let side: Int32 = 64

  private func shape(_ random: inout SplitMix64) -> (LayerShape, Rect, Affine) {
    let rect = Rect(
      x: .random(in: -30...0, using: &random), y: .random(in: -30...0, using: &random),
      width: .random(in: 0.1...60, using: &random), height: .random(in: 0.1...60, using: &random))
    let place = Affine.translation(x: .random(in: 10...50, using: &random), y: .random(in: 10...50, using: &random))
    let map: Affine =
      switch Int.random(in: 0..<5, using: &random) {
      case 0: place
      case 1: Affine.rotation(.random(in: -4...4, using: &random)).concatenating(place)
      case 2: Affine.scale(.random(in: -2...2, using: &random)).concatenating(place)
      case 3:
        Affine.scale(x: .random(in: 0.1...2, using: &random), y: .random(in: 0.1...2, using: &random)).concatenating(place)
      default:
        Affine(
          a: .random(in: -2...2, using: &random), b: .random(in: -2...2, using: &random),
          c: .random(in: -2...2, using: &random), d: .random(in: -2...2, using: &random), tx: 30, ty: 30)
      }
    let radius = random.chance(0.4) ? 0 : Double.random(in: 0...30, using: &random)
    let corners = random.chance(0.5) ? Corners.all : Corners(rawValue: .random(in: 0...15, using: &random))
    return (LayerShape(rect, radius: radius, corners: corners, transform: map), rect, map)
  }

  private func row(_ table: UnsafePointer<ckernels_table>, _ shape: LayerShape, _ y: Int32, from: Int32 = 0) -> [UInt8] {
    var kernel = shape.kernel
    var result = [UInt8](repeating: 7, count: Int(Self.side - from))
    table.pointee.coverage(&result, Int64(result.count), from, y, &kernel)
    return result
  }

  /// Vector and portable code give the same bytes, wherever a row starts.
  @Test(arguments: some(30, of: 1...60))
  func kernelsAgree(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let (shape, _, _) = shape(&random)
    if shape.isWhole { return }
    for y in 0..<Self.side {
      let expected = row(KernelTests.tables[0], shape, y)
      for table in KernelTests.tables {
        for from in 0..<5 as Range<Int32> { #expect(row(table, shape, y, from: from) == Array(expected[Int(from)...])) }
      }
    }
  }

  /// The spans of a row only leave out what need not be looked at, and no pixel outside of `pixels` is covered.
  @Test(arguments: some(60, of: 1...400))
  func spansAreSafe(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let (shape, rect, map) = shape(&random)
    if shape.isWhole { return }
    for y in 0..<Self.side {
      let coverage = row(KernelTests.tables[0], shape, y)
      let from = Int32.random(in: 0...10, using: &random)
      let to = Int32.random(in: 40...Self.side, using: &random)
      let spans = shape.spans(row: y, from: from, to: to)
      #expect(from <= spans.touched_start && spans.touched_start <= spans.covered_start)
      #expect(spans.covered_start <= spans.covered_end && spans.covered_end <= spans.touched_end)
      #expect(spans.touched_end <= to)
      for x in from..<to {
        let value = coverage[Int(x)]
        if x < spans.touched_start || x >= spans.touched_end { #expect(value == 0, "seed \(seed), \(x), \(y)") }
        if x >= spans.covered_start, x < spans.covered_end { #expect(value == 255, "seed \(seed), \(x), \(y)") }
      }
      let inner = shape.coveredRect(rect, map)
      for x in 0..<Self.side {
        let pixel = IntRect(x: Int(x), y: Int(y), width: 1, height: 1)
        if !shape.pixels.intersects(pixel) { #expect(coverage[Int(x)] == 0, "seed \(seed), \(x), \(y)") }
        if inner.contains(pixel) { #expect(coverage[Int(x)] == 255, "seed \(seed), \(x), \(y)") }
      }
    }
  }

  /// Upright rectangles cover a pixel by exactly the area that they share with it.
  @Test(arguments: some(20, of: 1...100))
  func uprightRectanglesAreExact(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let rect = Rect(
      x: .random(in: 1...20, using: &random), y: .random(in: 1...20, using: &random),
      width: .random(in: 0.01...30, using: &random), height: .random(in: 0.01...30, using: &random))
    let shape = LayerShape(rect, radius: 0, transform: .identity)
    for y in 0..<Self.side {
      let coverage = row(KernelTests.tables[0], shape, y)
      for x in 0..<Self.side {
        let shared = rect.intersection(Rect(x: Double(x), y: Double(y), width: 1, height: 1))
        #expect(abs(Double(coverage[Int(x)]) - shared.width * shared.height * 255) <= 0.500_001)
      }
    }
  }

  /// Turned and rounded ones come close to the area, taken from 32 × 32 points a pixel.
  @Test(arguments: some(6, of: 1...40))
  func turnedAndRoundedOnesAreClose(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let rect = Rect(x: -20, y: -12, width: 40, height: 24)
    let radius = Double.random(in: 2...12, using: &random)
    let map = Affine.rotation(.random(in: 0...7, using: &random)).concatenating(
      .translation(x: .random(in: 31...33, using: &random), y: .random(in: 31...33, using: &random)))
    let shape = LayerShape(rect, radius: radius, transform: map)
    let inverse = try #require(map.inverted)
    for y in 0..<Self.side {
      let coverage = row(KernelTests.tables[0], shape, y)
      for x in 0..<Self.side where x % 3 == 0 || coverage[Int(x)] % 255 != 0 {
        var inside = 0
        for sample in 0..<1024 {
          let local = inverse.apply(
            Point(x: Double(x) + (Double(sample % 32) + 0.5) / 32, y: Double(y) + (Double(sample / 32) + 0.5) / 32))
          let dx = max(abs(local.x) - 20 + radius, 0)
          let dy = max(abs(local.y) - 12 + radius, 0)
          if dx * dx + dy * dy <= radius * radius { inside += 1 }
        }
        // An edge at 45° is a box one pixel wide here and √2 in truth: up to 0.11 apart where it only grazes.
        #expect(abs(Double(coverage[Int(x)]) / 255 - Double(inside) / 1024) < 0.13, "seed \(seed), \(x), \(y)")
      }
    }
  }

  /// Thinner than a pixel fades in proportion, and flat is nothing.
  @Test func thinShapes() {
    let thin = LayerShape(Rect(x: 10.25, y: 0, width: 0.5, height: 64), radius: 0, transform: .identity)
    #expect(row(KernelTests.tables[0], thin, 5)[8...12] == [0, 0, 128, 0, 0])
    for flat in [Affine.scale(x: 0, y: 1), .scale(0), Affine(a: 1, b: 1, c: 1, d: 1, tx: 0, ty: 0)] {
      #expect(LayerShape(Rect(x: 0, y: 0, width: 10, height: 10), radius: 2, transform: flat).pixels.isEmpty)
      #expect(flat.touchedPixels(of: Rect(x: 0, y: 0, width: 10, height: 10)).isEmpty)
    }
  }

  /// Wild numbers give wild shapes, no trap.
  @Test(arguments: 1...200)
  func wildNumbersDoNotTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func wild(_ random: inout SplitMix64) -> Double {
      let choices: [Double] = [
        0, -0.0, 1, 1e-300, 1e300, -1e300, .infinity, -.infinity, .nan, 1e9, -1e9, .leastNonzeroMagnitude,
        .random(in: -100...100, using: &random), Double(bitPattern: random.next()),
      ]
      return choices.randomElement(using: &random) ?? 0
    }
    for _ in 0..<50 {
      let rect = Rect(x: wild(&random), y: wild(&random), width: wild(&random), height: wild(&random))
      let map = Affine(
        a: wild(&random), b: wild(&random), c: wild(&random), d: wild(&random), tx: wild(&random), ty: wild(&random))
      let shape = LayerShape(rect, radius: wild(&random), transform: map)
      let pixels = shape.pixels.intersection(IntRect(x: 0, y: 0, width: 64, height: 64))
      _ = map.touchedPixels(of: rect)
      _ = shape.coveredRect(rect, map)
      for y in pixels.minY..<pixels.maxY {
        let spans = shape.spans(row: y, from: pixels.minX, to: pixels.maxX)
        #expect(pixels.minX <= spans.touched_start && spans.touched_end <= pixels.maxX)
        if !shape.isWhole { _ = row(ckernels_best(), shape, y) }
      }
    }
  }
}
