import Compositing
import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

/// Images that are shown in another size than their own.
@Suite struct SamplingTests {
  private static let (width, height) = (96, 64)

  private static func picture(_ image: Image, _ filter: ImageFilter, _ transform: Affine) throws -> Bitmap {
    var parts = RenderEffects.Parts()
    (parts.cut.minification, parts.cut.magnification) = (filter, filter)
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: Double(image.width), height: Double(image.height))
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds),
      SideValues(content: image, effects: .make(parts, last: nil)))
    return try tree.picture(width: width, height: height)
  }

  private static func noise(_ width: Int, _ height: Int, _ random: inout SplitMix64) throws -> Image {
    try Bitmap(width: width, height: height) { _, _ in 0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random) }.freeze()
  }

  /// A transform that scales, may turn, and puts the middle of an image near the middle of the output.
  private static func transform(of image: Image, x: Double, y: Double, turn: Double) -> Affine {
    Affine.translation(x: -Double(image.width) / 2, y: -Double(image.height) / 2)
      .concatenating(.scale(x: x, y: y)).concatenating(.rotation(turn)).concatenating(.translation(x: 48.3, y: 32.2))
  }

  /// Every pixel whose surroundings lie in the image, under any map.
  @Test(arguments: ImageFilter.allCases)
  func filtersAreAsDefined(filter: ImageFilter) throws {
    for seed in some(20, of: 1...2000) {
      var random = SplitMix64(seed: UInt64(seed))
      func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      let image = try Self.noise(.random(in: 1...120, using: &random), .random(in: 1...90, using: &random), &random)
      let (x, y) = (exp2(number(-5...1)), exp2(number(-5...1)))
      let turn = Bool.random(using: &random) ? number(-3...3) : 0
      let transform = Self.transform(of: image, x: x, y: Bool.random(using: &random) ? x : y, turn: turn)
      let bitmap = try Self.picture(image, filter, transform)
      guard let back = transform.inverted else { continue }
      let size = Size(Double(image.width), Double(image.height))
      // The steps of one pixel of the image.
      let (across, down) = (hypot(transform.a, transform.b), hypot(transform.c, transform.d))
      let plain = PlainSampling(image).colors(across: across, down: down, filter)
      for pixelY in 0..<Self.height {
        for pixelX in 0..<Self.width {
          let middle = Point(Double(pixelX) + 0.5, Double(pixelY) + 0.5)
          let around = back.boundingBox(of: Rect(x: middle.x - 1, y: middle.y - 1, width: 2, height: 2))
          guard around.minX > 0, around.minY > 0, around.maxX < size.width, around.maxY < size.height else { continue }
          let point = back.apply(middle)
          // A coordinate on the border of two pixels may be rounded to either.
          if filter == .nearest, abs(point.x - point.x.rounded()) < 1e-6 || abs(point.y - point.y.rounded()) < 1e-6 {
            continue
          }
          let expected = plain(Point(point.x / size.width, point.y / size.height))
          let difference = (PlainCompositor.color(bitmap[pixelX, pixelY]) - expected) * 255
          let most = max(difference.max(), -difference.min())
          // Weights have 7 bits in each direction, shares of copies 8, and each half is rounded.
          try #require(
            most <= (filter == .nearest ? 0.001 : 5),
            "seed \(seed), pixel \(pixelX), \(pixelY): \(String(bitmap[pixelX, pixelY], radix: 16)), not \(expected * 255)")
        }
      }
    }
  }

  /// An opaque square with nothing around it, which is shown half as large again: at its edges the ground shines through, and not what
  /// the buffer had before. A layer that masks to its bounds shows the square alone, which hides the ground.
  @Test(arguments: [false, true])
  func surroundingsMixWithTheEdgesOfAMiddle(isMasked: Bool) throws {
    let clear = try Bitmap(width: 40, height: 40) { x, y in
      (10..<30).contains(x) && (10..<30).contains(y) ? 0xFFFF_FFFF : 0
    }.freeze()
    let middle = try #require(clear.middle(x: 10, y: 10, width: 20, height: 20))
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: 30, height: 30), backgroundColor: 0xFF00_0000),
      SideValues())
    tree.append(
      RenderRecord(
        id: 2, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: 30, height: 30), flags: isMasked ? .masksToBounds : []),
      SideValues(content: middle))
    let output = try Bitmap(width: 30, height: 30) { _, _ in 0xFFFF_00FF }
    let all = IntRect(x: 0, y: 0, width: 30, height: 30)
    Compositor().render(tree, damage: DamageRegion(all), into: output)
    // The first column takes a sixth of the pixel before the square.
    let edge: UInt32 = isMasked ? 0xFFFF_FFFF : 0xFFD4_D4D4
    #expect(output[0, 15].isNear(edge, tolerance: 3) && output[15, 0].isNear(edge, tolerance: 3))
    #expect(output[15, 15] == 0xFFFF_FFFF)
    var count = 0
    Compositor().visitPaintedRuns(of: tree, damage: DamageRegion(all), width: 30, height: 30) { y, columns in
      if y == 15, columns.contains(15) { count += 1 }
    }
    #expect(count == (isMasked ? 1 : 2))
  }

  /// The ways in which an image becomes smaller while its scale falls.
  enum Shrinking: CaseIterable {
    case evenly, turning, moreInWidth, moreInHeight

    func transform(of image: Image, _ scale: Double) -> Affine {
      switch self {
      case .evenly: SamplingTests.transform(of: image, x: scale, y: scale, turn: 0)
      case .turning: SamplingTests.transform(of: image, x: scale, y: scale, turn: 0.4)
      case .moreInWidth: SamplingTests.transform(of: image, x: scale, y: scale.squareRoot(), turn: 0)
      case .moreInHeight: SamplingTests.transform(of: image, x: pow(scale, 0.8), y: scale, turn: 0)
      }
    }
  }

  /// An image that shrinks by a thousandth in each frame changes little from frame to frame, but for a filter that goes from one copy
  /// to the next at once.
  @Test(arguments: Shrinking.allCases)
  func trilinearShrinksWithoutAJump(shrinking: Shrinking) throws {
    // Chequered, with a slow wave of brightness below.
    let image = try Bitmap(width: 150, height: 130) { x, y in
      let value = UInt32(90 + 50 * sin(Double(x + 2 * y) / 20)) + ((x + y).isMultiple(of: 2) ? 100 : 0)
      return 0xFF00_0000 | value << 16 | value << 8 | value
    }.freeze()
    func greatestJump(_ filter: ImageFilter) throws -> Int {
      var (scale, greatest) = (1.02, 0)
      var last: Bitmap?
      while scale > 0.2 {
        let bitmap = try Self.picture(image, filter, shrinking.transform(of: image, scale))
        // The middle: at the edge of the image the ground is seen.
        for y in 28..<36 {
          for x in 42..<54 {
            guard let last else { continue }
            greatest = max(greatest, abs(Int(bitmap[x, y] & 255) - Int(last[x, y] & 255)))
          }
        }
        (last, scale) = (bitmap, scale * 0.999)
      }
      return greatest
    }
    let (linear, trilinear) = (try greatestJump(.linear), try greatestJump(.trilinear))
    #expect(trilinear <= 6, "\(trilinear) from frame to frame")
    #expect(linear > 24, "\(linear): the bound tells nothing")
  }
}
