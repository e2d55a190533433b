import Compositing
import Geometry
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Raster
@testable import RenderTree

/// Gradients that the compositor computes: against their definition in real numbers, a pixel at a time.
@Suite struct GradientTests {
  private static let (width, height) = (96, 64)

  private static func picture(
    _ course: GradientContent.Course, _ bounds: Rect, _ transform: Affine = .identity, cornerRadius: Float = 0,
    backdrop: UInt32 = 0xFF00_0000, blending: Blending = .sRGB
  ) throws -> Bitmap {
    var tree = TreeSnapshot()
    tree.backdrop = backdrop
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, cornerRadius: cornerRadius),
      SideValues(content: GradientContent(course)))
    return try tree.picture(width: width, height: height, blending: blending)
  }

  /// Each channel is one of the two whole numbers around the value. At an edge the value of either side counts: the compositor finds
  /// places in single precision.
  @Test(arguments: Blending.allCases)
  func randomGradientsAreAsDefined(blending: Blending) throws {
    for seed in some(60, of: 1...2000) {
      var random = SplitMix64(seed: UInt64(seed))
      func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      var location = 0.0
      let stops = (0..<Int.random(in: 1...5, using: &random)).map { _ in
        location = min(location + (Bool.random(using: &random) ? number(0...0.6) : 0), 1)
        let color = Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random))
        return Gradient.Stop(color.withAlpha(Bool.random(using: &random) ? 1 : number(0...1)), at: location)
      }
      let type = GradientType.allCases[seed % 3]
      let course = GradientContent.Course(
        type, from: Point(number(-0.2...1.2), number(-0.2...1.2)), to: Point(number(-0.2...1.2), number(-0.2...1.2)),
        stops: stops)
      let bounds = Rect(x: number(-50...50), y: number(-50...50), width: number(40...300), height: number(40...300))
      let turn = Bool.random(using: &random) ? Affine.rotation(number(-3...3)) : .scale(number(0.3...2))
      let transform = Affine.translation(x: -bounds.center.x, y: -bounds.center.y).concatenating(turn)
        .concatenating(.translation(x: 48, y: 32))
      guard let inverse = transform.inverted else { continue }
      // Over nothing a pixel is what the gradient says.
      let bitmap = try Self.picture(course, bounds, transform, backdrop: 0, blending: blending)
      let inside = bounds.insetBy(dx: 4, dy: 4)
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          let point = inverse.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
          guard inside.contains(point), let place = PlainGradient(course, bounds, blending).place(of: point) else {
            continue
          }
          // In the middle of a cone a float's angle is any.
          if type == .conic, place < 1e-4 || place > 1 - 1e-4 { continue }
          let around = [-2e-5, 0, 2e-5].map { PlainGradient(course, bounds, blending).color(at: place + $0) * 255 }
          for channel in 0..<4 {
            let value = Double(bitmap[x, y] >> UInt32(8 * channel) & 255)
            let (least, most) = (around.map { $0[channel] }.min() ?? 0, around.map { $0[channel] }.max() ?? 0)
            guard value > least - 1.001 && value < most + 1.001 else {
              Issue.record("seed \(seed): \(course) at \(x), \(y), channel \(channel): \(value), not \(least)…\(most)")
              return
            }
          }
        }
      }
    }
  }

  /// A dark gradient of two levels has no bands: the means of blocks rise evenly.
  @Test func darkGradientsAreDithered() throws {
    for type in GradientType.allCases {
      let dark = [Gradient.Stop(Color(hex: 0x101010), at: 0), Gradient.Stop(Color(hex: 0x121212), at: 1)]
      let course = GradientContent.Course(type, from: Point(0, 0), to: Point(1, type == .radial ? 1 : 0), stops: dark)
      let bounds = Rect(x: 0, y: 0, width: 96, height: 64)
      let bitmap = try Self.picture(course, bounds)
      for blockY in stride(from: 0, to: 64, by: 8) {
        for blockX in stride(from: 0, to: 96, by: 8) {
          var (sum, wanted) = (0.0, 0.0)
          for y in blockY..<blockY + 8 {
            for x in blockX..<blockX + 8 {
              sum += Double(bitmap[x, y] & 255)
              let place = try #require(PlainGradient(course, bounds).place(of: Point(Double(x) + 0.5, Double(y) + 0.5)))
              wanted += PlainGradient(course, bounds).color(at: place)[0] * 255
            }
          }
          #expect(abs(sum - wanted) / 64 < 0.06, "\(type) at \(blockX), \(blockY): \(sum / 64), not \(wanted / 64)")
        }
      }
    }
  }

  /// One colour, opaque or not, has no dither where it is a whole level; round corners are those of a background.
  @Test func aGradientOfOneColorIsABackground() throws {
    for (radius, transform) in [(Float(0), Affine.identity), (12, .identity), (20, .rotation(0.2)), (0, .rotation(0.2))] {
      let bounds = Rect(x: 20, y: 5, width: 60, height: 50)
      for type in GradientType.allCases {
        let color = Color(hex: 0x1E90FF)
        let stops = [Gradient.Stop(color, at: 0.2), Gradient.Stop(color, at: 0.7)]
        let course = GradientContent.Course(type, from: Point(0.3, 0.2), to: Point(0.9, 0.8), stops: stops)
        let gradient = try Self.picture(course, bounds, transform, cornerRadius: radius)
        var tree = TreeSnapshot()
        tree.append(
          RenderRecord(
            id: 1, subtreeEnd: 1, transform: transform, bounds: bounds, cornerRadius: radius,
            backgroundColor: color.premultipliedBGRA), SideValues())
        let background = try tree.picture(width: Self.width, height: Self.height)
        let isEqual = (0..<Self.height).allSatisfy { memcmp(gradient.row($0), background.row($0), Self.width * 4) == 0 }
        #expect(isEqual, "\(type) with radius \(radius)")
      }
    }
  }

  @Test func aGradientWithoutALineIsNotSeen() throws {
    let stops = [Gradient.Stop(.white, at: 0), Gradient.Stop(.white, at: 1)]
    let (middle, right) = (Point(0.5, 0.5), Point(1, 0.5))
    for (type, start, end, stops) in [
      (GradientType.axial, middle, middle, stops), (.radial, middle, right, stops), (.conic, middle, middle, stops),
      (.axial, middle, Point(.nan, 0), stops), (.axial, middle, right, []),
    ] {
      let course = GradientContent.Course(type, from: start, to: end, stops: stops)
      let bitmap = try Self.picture(course, Rect(x: 0, y: 0, width: 96, height: 64))
      #expect(bitmap[40, 30] == 0xFF00_0000, "\(type)")
      #expect(GradientContent(course).drawnBounds(in: Rect(x: 0, y: 0, width: 9, height: 9), nil) == .zero)
    }
  }

  @Test func numbersWithoutAMeaningAreBroughtIntoRange() {
    let odd = Color(red: 2, green: -1, blue: .nan, alpha: 1.5)
    let course = GradientContent.Course(
      .axial, from: .zero, to: Point(1, 1),
      stops: [0.5, -.infinity, .nan, 7, 0.2].map { Gradient.Stop(odd, at: $0) })
    #expect(course.stops.map(\.location) == [0.5, 0.5, 0.5, 1, 1])
    #expect(course.stops.allSatisfy { $0.color == Color(red: 1, green: 0, blue: 0, alpha: 1) })
    #expect(course == GradientContent.Course(.axial, from: .zero, to: Point(1, 1), stops: course.stops))
    #expect(GradientContent(course).isOpaque)
  }

  /// One without a clear colour hides the layer behind it, and one with round corners what its corners leave.
  @Test(arguments: [(1.0, Float(0), 1), (0.5, 0, 3), (1, 8, 1)])
  func anOpaqueGradientHidesWhatIsBehind(alpha: Double, radius: Float, paints: Int) {
    let course = GradientContent.Course(
      .axial, from: .zero, to: Point(1, 1),
      stops: [Gradient.Stop(.white, at: 0), Gradient.Stop(Color.black.withAlpha(alpha), at: 1)])
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: 40, height: 40)
    tree.append(RenderRecord(id: 1, subtreeEnd: 3, bounds: bounds), SideValues())
    tree.append(RenderRecord(id: 2, subtreeEnd: 2, bounds: bounds, backgroundColor: 0x8040_4040), SideValues())
    tree.append(
      RenderRecord(id: 3, subtreeEnd: 3, bounds: bounds, cornerRadius: radius), SideValues(content: GradientContent(course)))
    let middle = IntRect(x: 20, y: 20, width: 1, height: 1)
    var count = 0
    Compositor().visitPaintedRuns(of: tree, damage: DamageRegion(middle), width: 40, height: 40) { _, _ in count += 1 }
    // The gradient alone, or the backdrop and the layer behind it as well.
    #expect(count == paints)
  }

  // MARK: In shapes

  /// Each channel of a pixel that a shape or its line covers is one of the two whole numbers around the gradient's value there; nothing is
  /// seen elsewhere. At half opacity the pixels have half of it.
  @Test func shapesAreFilledAlongTheirOwnCoordinates() throws {
    for seed in some(60, of: 1...2000) {
      var random = SplitMix64(seed: UInt64(seed))
      func number(_ range: ClosedRange<Double>) -> Double { .random(in: range, using: &random) }
      func point() -> Point { Point(number(-60...60), number(-40...40)) }
      let stops = [0, number(0...0.5), number(0.5...1)].map { location in
        Gradient.Stop(
          Color(hex: UInt32.random(in: 0...0xFF_FFFF, using: &random)).withAlpha(random.chance(0.5) ? 1 : number(0...1)),
          at: location)
      }
      let gradient = ShapeGradient(GradientType.allCases[seed % 3], from: point(), to: point(), stops: stops)
      var white = ShapeContent.Parts()
      white.path = random.chance(0.5) ? .rect(Rect(x: -40, y: -25, width: 70, height: 50)) : Path()
      for _ in 0..<Int.random(in: 3...6, using: &random) { white.path?.line(to: point()) }
      var shape = white
      if random.chance(0.5) {
        (white.fillColor, shape.fillGradient) = (.white, gradient)
      } else {
        (white.fillColor, shape.fillColor) = (nil, nil)
        (white.strokeColor, white.strokeStyle.width) = (.white, number(1...20))
        (shape.strokeGradient, shape.strokeStyle) = (gradient, white.strokeStyle)
      }
      let transform = Affine.rotation(random.chance(0.5) ? number(-3...3) : 0)
        .concatenating(.scale(number(0.4...2))).concatenating(.translation(x: 48, y: 32))
      let flags: RenderRecord.Flags = random.chance(0.5) ? .masksToBounds : []
      func picture(_ parts: ShapeContent.Parts, opacity: Float = 1) throws -> Bitmap {
        var tree = TreeSnapshot()
        tree.backdrop = 0
        tree.append(
          RenderRecord(
            id: 1, subtreeEnd: 1, transform: transform, bounds: Rect(x: -30, y: -30, width: 75, height: 50),
            opacity: opacity, flags: flags), SideValues(shape: ShapeContent(parts)))
        return try tree.picture(width: Self.width, height: Self.height)
      }
      let (mask, whole, half) = (try picture(white), try picture(shape), try picture(shape, opacity: 0.5))
      let plain = PlainGradient(
        GradientContent.Course(gradient.type, from: gradient.start, to: gradient.end, stops: stops),
        Rect(x: 0, y: 0, width: 1, height: 1))
      let inverse = try #require(transform.inverted)
      for (x, y) in (0..<Self.height).flatMap({ y in (0..<Self.width).map { ($0, y) } }) {
        let covered = mask[x, y] >> 24
        if covered == 0 {
          guard whole[x, y] == 0 else {
            Issue.record("seed \(seed) at \(x), \(y): \(whole[x, y])")
            return
          }
        }
        let point = inverse.apply(Point(Double(x) + 0.5, Double(y) + 0.5))
        guard covered == 255, let place = plain.place(of: point) else { continue }
        if gradient.type == .conic,
          place < 1e-4 || place > 1 - 1e-4 || hypot(point.x - gradient.start.x, point.y - gradient.start.y) < 1
        {
          continue
        }
        let around = [-2e-5, 0, 2e-5].map { plain.color(at: place + $0) * 255 }
        for channel in 0..<4 {
          let (least, most) = (around.map { $0[channel] }.min() ?? 0, around.map { $0[channel] }.max() ?? 0)
          let value = Double(whole[x, y] >> UInt32(8 * channel) & 255)
          let faded = Double(half[x, y] >> UInt32(8 * channel) & 255)
          guard value > least - 1.001 && value < most + 1.001 && abs(faded - value * 128 / 255) <= 1.5 else {
            Issue.record("seed \(seed) at \(x), \(y), channel \(channel): \(value), \(faded), not \(least)…\(most)")
            return
          }
        }
      }
    }
  }

  /// A gradient without stops counts as none; one that is not seen paints nothing.
  @Test func aShapeWithoutStopsHasItsColor() throws {
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor) = (.rect(Rect(x: 0, y: 0, width: 96, height: 64)), .white)
    for (gradient, pixel) in [
      (ShapeGradient(from: .zero, to: Point(9, 9), stops: []), UInt32(0xFFFF_FFFF)),
      (ShapeGradient(from: Point(1, 1), to: Point(1, 1), colors: [.white]), 0xFF00_0000),
      (ShapeGradient(from: .zero, to: Point(9, 9), colors: [.clear, .clear]), 0xFF00_0000),
      (ShapeGradient(.radial, from: .zero, to: Point(9, .nan), colors: [.white]), 0xFF00_0000),
      // A place that no number has: what lies behind is seen, and not taken for hidden.
      (ShapeGradient(.radial, from: .zero, to: Point(.leastNonzeroMagnitude, 50), colors: [.white]), 0xFF00_0000),
    ] {
      parts.fillGradient = gradient
      var tree = TreeSnapshot()
      tree.backdrop = 0xFF00_0000
      tree.append(RenderRecord(id: 1, subtreeEnd: 1, bounds: .zero), SideValues(shape: ShapeContent(parts)))
      #expect(try tree.picture(width: Self.width, height: Self.height)[40, 30] == pixel, "\(gradient)")
    }
  }
}
