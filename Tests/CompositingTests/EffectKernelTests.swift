import CKernels
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// The parts that effects are made of, each by itself against its definition in real numbers.
@Suite struct EffectKernelTests {
  // MARK: Blur

  /// A bell along both axes, moved by any distance, for each pixel the same whatever part is asked for.
  @Test(arguments: some(8, of: 1...60))
  func aBlurIsABell(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let shadow = Shadow(
      color: 0xFF00_0000, offset: Size(number(-9...9), random.chance(0.3) ? 3 : number(-9...9)),
      radius: random.chance(0.2) ? number(0...0.5) : number(0...5))
    let scale = (x: number(0.5...2), y: number(0.5...2))
    let blur = PictureBlur(shadow, .scale(x: scale.x, y: scale.y))
    let result = IntRect(x: 2, y: -3, width: 14, height: 11)
    let source = ChannelPicture(blur.source(of: result))
    for y in source.pixels.minY..<source.pixels.maxY {
      for x in 0..<source.pixels.width {
        source.row(y)[x] = random.chance(0.5) ? [0, 255][Int(x) / 3 % 2] : .random(in: 0...255, using: &random)
      }
    }
    let blurred = source.blurred(by: blur, to: result, ckernels_best())
    for y in result.minY..<result.maxY {
      for x in result.minX..<result.maxX {
        let expected = PlainBlur.sum(at: Double(y) - shadow.offset.height * scale.y, deviation: shadow.radius / 2 * scale.y)
        { row in
          PlainBlur.sum(at: Double(x) - shadow.offset.width * scale.x, deviation: shadow.radius / 2 * scale.x) { column in
            let pixel = IntRect(x: column, y: row, width: 1, height: 1)
            return source.pixels.contains(pixel) ? Double(source.row(Int32(row))[column - Int(source.pixels.minX)]) : 0
          }
        }
        let found = Double(blurred.row(y)[Int(x - result.minX)])
        #expect(abs(found - expected) < 1.1, "seed \(seed), pixel \(x) \(y): \(found), not \(expected)")
      }
    }
    expectSame(blurred, of: source, by: blur, in: [IntRect(x: 5, y: 0, width: 6, height: 4)])
  }

  /// Columns that look alike are blurred once: each has the bytes that it has by itself.
  @Test(arguments: some(8, of: 1...60))
  func alikeColumnsHaveTheirOwnBlur(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    let deviation = Double.random(in: 0...4, using: &random)
    let blur = PictureBlur(deviation: deviation, offset: Size(.random(in: -2...2, using: &random), 0.25), .identity)
    let result = IntRect(x: -7, y: 2, width: 150, height: 12)
    let source = ChannelPicture(blur.source(of: result))
    let (start, end) = (Int.random(in: -1..<60, using: &random), Int.random(in: 60...source.pixels.width, using: &random))
    for y in source.pixels.minY..<source.pixels.maxY {
      let alike = UInt8.random(in: 0...255, using: &random)
      for x in 0..<source.pixels.width {
        source.row(y)[x] = x > start && x < end ? alike : .random(in: 0...255, using: &random)
      }
    }
    let columns = (0..<result.width).map { IntRect(x: Int(result.minX) + $0, y: 2, width: 1, height: 12) }
    expectSame(source.blurred(by: blur, to: result, ckernels_best()), of: source, by: blur, in: columns)
  }

  /// Compares a blur of `source` with those of parts of it.
  private func expectSame(_ blurred: ChannelPicture, of source: ChannelPicture, by blur: PictureBlur, in parts: [IntRect]) {
    for part in parts {
      let fewer = ChannelPicture(blur.source(of: part))
      for y in fewer.pixels.minY..<fewer.pixels.maxY {
        for x in 0..<fewer.pixels.width {
          fewer.row(y)[x] = source.row(y)[x + Int(fewer.pixels.minX - source.pixels.minX)]
        }
      }
      let again = fewer.blurred(by: blur, to: part, ckernels_best())
      for y in part.minY..<part.maxY {
        for x in 0..<part.width { #expect(again.row(y)[x] == blurred.row(y)[x + Int(part.minX - blurred.pixels.minX)]) }
      }
    }
  }

  // MARK: Paths

  @Test(arguments: some(4, of: 1...40))
  func aPathCoversItsInside(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    func point() -> Point { Point(.random(in: -2...22, using: &random), .random(in: -2...18, using: &random)) }
    let (a, b, c, center) = (point(), point(), point(), point())
    let radius = Double.random(in: 1...8, using: &random)
    var triangle = Path()
    triangle.move(to: a)
    triangle.line(to: b)
    triangle.line(to: c)
    triangle.close()
    func side(_ p: Point, _ from: Point, _ to: Point) -> Double {
      (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x)
    }
    check(triangle, "triangle, seed \(seed)") { p in
      let sides = [side(p, a, b), side(p, b, c), side(p, c, a)]
      return sides.allSatisfy { $0 >= 0 } || sides.allSatisfy { $0 <= 0 }
    }
    check(.circle(center: center, radius: radius), "circle, seed \(seed)") { p in
      (p - center).x * (p - center).x + (p - center).y * (p - center).y <= radius * radius
    }
  }

  /// The turns around a point are counted: two in the same direction are inside, two against each other are not.
  @Test(arguments: [false, true])
  func turnsAreCounted(isHole: Bool) {
    var path = Path()
    for (rect, isReversed) in [
      (Rect(x: 2, y: 2, width: 12, height: 10), false), (Rect(x: 5, y: 4, width: 4, height: 3), isHole),
    ] {
      let corners = [
        Point(rect.minX, rect.minY), Point(rect.maxX, rect.minY), Point(rect.maxX, rect.maxY), Point(rect.minX, rect.maxY),
      ]
      path.move(to: corners[0])
      for corner in isReversed ? corners.dropFirst().reversed() : Array(corners.dropFirst()) { path.line(to: corner) }
      path.close()
    }
    check(path, "turns") { p in
      let isInner = p.x >= 5 && p.x <= 9 && p.y >= 4 && p.y <= 7
      return p.x >= 2 && p.x <= 14 && p.y >= 2 && p.y <= 12 && !(isHole && isInner)
    }
  }

  /// Compares the coverage with the share of 32 × 32 points of each pixel that are inside.
  private func check(_ path: Path, _ name: String, _ isInside: (Point) -> Bool) {
    let picture = ChannelPicture(IntRect(x: -1, y: 1, width: 20, height: 14))
    picture.fill(path, .identity)
    for y in picture.pixels.minY..<picture.pixels.maxY {
      for x in picture.pixels.minX..<picture.pixels.maxX {
        var inside = 0
        for sample in 0..<1024 {
          let place = Point(Double(x) + (Double(sample % 32) + 0.5) / 32, Double(y) + (Double(sample / 32) + 0.5) / 32)
          if isInside(place) { inside += 1 }
        }
        let found = Double(picture.row(y)[Int(x - picture.pixels.minX)]) / 255
        #expect(abs(found - Double(inside) / 1024) < 0.04, "\(name), pixel \(x) \(y)")
      }
    }
  }

  // MARK: Pictures of layers

  /// The picture of a rasterized layer, seen through any map: the mixture of the four pixels around each place.
  @Test(arguments: some(10, of: 1...100))
  func aRasterIsSampledWhereItIsSeen(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    let bounds = Rect(x: number(-5...5), y: number(-5...5), width: 16, height: 12)
    let transform = Affine.rotation(number(-3...3)).concatenating(.scale(x: number(0.8...2), y: number(0.8...2)))
      .concatenating(.translation(x: number(0...20), y: number(0...20)))
    let map = try #require(RasterMap(bounds, scale: 1, transform: transform))
    let back = try #require(transform.inverted)
    let extent = IntRect(x: 0, y: 0, width: 16, height: 12)
    let output = IntRect(x: -10, y: -10, width: 60, height: 60)
    let source = Picture(map.source(of: output, extent: extent))
    for y in source.pixels.minY..<source.pixels.maxY {
      for x in source.pixels.minX..<source.pixels.maxX
      where extent.contains(IntRect(x: Int(x), y: Int(y), width: 1, height: 1)) {
        source.target.pointer(x: x, y: y).pointee = Self.pixel(&random)
      }
    }
    let shown = ShownPicture.raster(map.sampler(of: source.target))
    let found = shown.picture(of: output, ckernels_best())
    let corner = shown.picture(of: IntRect(x: 7, y: 3, width: 9, height: 5), ckernels_best())
    for y in output.minY..<output.maxY {
      for x in output.minX..<output.maxX {
        let pixel = found.target.pointer(x: x, y: y).pointee
        let place = map.toRaster.apply(back.apply(Point(Double(x) + 0.5, Double(y) + 0.5)))
        let difference = PlainCompositor.color(pixel) - Self.mixture(of: source, around: place)
        // Weights have seven bits along each axis.
        #expect(max(difference.max(), -difference.min()) < 0.02, "seed \(seed), pixel \(x) \(y)")
        let one = IntRect(x: Int(x), y: Int(y), width: 1, height: 1)
        if corner.pixels.contains(one) { #expect(corner.target.pointer(x: x, y: y).pointee == pixel) }
      }
    }
  }

  /// A plane in perspective: each pixel shows the place of the plane that lies behind it.
  @Test(arguments: some(10, of: 1...100))
  func aPlaneIsSampledWhereItIsSeen(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
    // The middle of the plane is seen in the middle of the output.
    let (a, b, c, d) = (number(1...2), number(-0.2...0.2), number(-0.2...0.2), number(1...2))
    let (px, py) = (number(-0.008...0.008), number(-0.008...0.008))
    let w = px * 17 + py * 9 + 1
    let homography = Homography(
      a: a, b: b, px: px, c: c, d: d, py: py, tx: 25 * w - a * 17 - c * 9, ty: 25 * w - b * 17 - d * 9, pw: 1)
    var parts = RenderEffects.Parts()
    parts.homography = homography
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, bounds: Rect(x: 2, y: -3, width: 30, height: 24), backgroundColor: 0xFFFF_FFFF),
      SideValues(effects: RenderEffects(parts)))
    let frame = IntRect(x: 0, y: 0, width: 50, height: 50)
    let plane = try #require(
      tree.withTreeLayers { $0.plane(of: 0, end: 1, homography, .identity, depth: 0, frame: frame) })
    let back = try #require(homography.inverted)
    let output = IntRect(x: 0, y: 0, width: 50, height: 50)
    let source = Picture(plane.source(of: output))
    // A slope: the mean of any places around one is the value there.
    let (slopeX, slopeY) = (100 / Double(plane.extent.width), 100 / Double(plane.extent.height))
    func value(_ place: Point) -> Double {
      20 + slopeX * (place.x - Double(plane.extent.minX)) + slopeY * (place.y - Double(plane.extent.minY))
    }
    for y in source.pixels.minY..<source.pixels.maxY {
      for x in source.pixels.minX..<source.pixels.maxX
      where plane.extent.contains(IntRect(x: Int(x), y: Int(y), width: 1, height: 1)) {
        let grey = UInt32(value(Point(Double(x) + 0.5, Double(y) + 0.5)).rounded())
        source.target.pointer(x: x, y: y).pointee = 0xFF00_0000 | grey * 0x1_0101
      }
    }
    let found = ShownPicture.plane(plane.sampler(of: source.target)).picture(of: output, ckernels_best())
    var seen = 0
    for y in output.minY..<output.maxY {
      for x in output.minX..<output.maxX {
        let pixel = found.target.pointer(x: x, y: y).pointee
        guard let inner = back.apply(Point(Double(x) + 0.5, Double(y) + 0.5)) else { continue }
        let place = plane.toPlane.apply(inner)
        let extent = Rect(plane.extent)
        let room = min(place.x - extent.minX, place.y - extent.minY, extent.maxX - place.x, extent.maxY - place.y)
        if room < -8 { #expect(pixel == 0, "seed \(seed), pixel \(x) \(y)") }
        guard room > 6 else { continue }
        seen += 1
        #expect(pixel >> 24 == 255, "seed \(seed), pixel \(x) \(y)")
        #expect(abs(Double(pixel & 255) - value(place)) < 2, "seed \(seed), pixel \(x) \(y)")
      }
    }
    #expect(seen > 0, "seed \(seed)")
  }

  private static func pixel(_ random: inout SplitMix64) -> UInt32 {
    let alpha = UInt32.random(in: 0...255, using: &random)
    func channel() -> UInt32 { .random(in: 0...alpha, using: &random) }
    return alpha << 24 | channel() << 16 | channel() << 8 | channel()
  }

  private static func mixture(of picture: Picture, around place: Point) -> SIMD4<Double> {
    func color(_ x: Int32, _ y: Int32) -> SIMD4<Double> {
      guard picture.pixels.contains(IntRect(minX: x, minY: y, maxX: x + 1, maxY: y + 1)) else { return .zero }
      return PlainCompositor.color(picture.target.pointer(x: x, y: y).pointee)
    }
    let (left, top) = ((place.x - 0.5).rounded(.down), (place.y - 0.5).rounded(.down))
    let (x, y) = (place.x - 0.5 - left, place.y - 0.5 - top)
    let (column, row) = (Int32(left), Int32(top))
    return color(column, row) * (1 - x) * (1 - y) + color(column + 1, row) * x * (1 - y)
      + color(column, row + 1) * (1 - x) * y + color(column + 1, row + 1) * x * y
  }
}
