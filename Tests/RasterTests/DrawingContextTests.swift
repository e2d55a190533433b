import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@Suite struct DrawingContextTests {
  /// The coverage of a pixel by an upright rectangle is an area. The drawn alpha differs from it by at most 1 of 255 for
  /// coordinates on Cairo's grid of 1/256 pixel.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func rectanglesHaveAnalyticCoverage(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<50 {
      func coordinate() -> Double { Double(Int.random(in: -512...(26 * 256), using: &generator)) / 256 }
      let (x0, x1, y0, y1) = (coordinate(), coordinate(), coordinate(), coordinate())
      let rect = Rect(x: min(x0, x1), y: min(y0, y1), width: abs(x1 - x0), height: abs(y1 - y0))
      let bitmap = try Bitmap.drawing(width: 24, height: 24) { $0.fill(rect, color: .black) }
      for y in 0..<24 {
        for x in 0..<24 {
          let pixel = rect.intersection(Rect(x: Double(x), y: Double(y), width: 1, height: 1))
          let expected = pixel.width * pixel.height * 255
          #expect(abs(Double(alpha(bitmap[x, y])) - expected) <= 1, "seed \(seed), \(rect), pixel \(x), \(y)")
        }
      }
    }
  }

  /// A rectangle looks as its outline does, however far it goes beyond the bitmap.
  @Test(arguments: some(2, of: 1...200))
  func aRectangleIsFilledAsItsPath(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for round in 0..<100 {
      func coordinate() -> Double {
        let distance: Double = [20, 5000, 1e5, 1e7, 1e12].randomElement(using: &generator) ?? 0
        return .random(in: -distance...distance, using: &generator)
      }
      let (x0, x1, y0, y1) = (coordinate(), coordinate(), coordinate(), coordinate())
      let rect = Rect(x: min(x0, x1), y: min(y0, y1), width: abs(x1 - x0), height: abs(y1 - y0))
      let transform = Affine(a: round % 2 == 0 ? 1 : -0.75, b: 0, c: 0, d: 1.25, tx: 9.5, ty: 12)
      func pixels(_ fill: (DrawingContext) -> Void) throws -> [UInt32] {
        try Bitmap.drawing(width: 24, height: 20) { context in
          context.concatenate(transform)
          fill(context)
        }.pixels
      }
      let (direct, outlined) = (
        try pixels { $0.fill(rect, color: .white) }, try pixels { $0.fill(.rect(rect), color: .white) }
      )
      let clipped = try pixels { context in
        context.clip(rect)
        context.fill(color: .white)
      }
      #expect(zip(direct, outlined).allSatisfy { difference($0, $1) <= 1 }, "seed \(seed), round \(round): \(rect)")
      #expect(zip(clipped, outlined).allSatisfy { difference($0, $1) <= 1 }, "seed \(seed), round \(round): \(rect)")
    }
  }

  @Test func areaOfACircle() throws {
    let bitmap = try Bitmap.drawing(width: 220, height: 220) {
      $0.fill(.circle(center: Point(110.3, 109.6), radius: 100), color: .black)
    }
    let area = Double(bitmap.pixels.reduce(0) { $0 + alpha($1) }) / 255
    #expect(abs(area - .pi * 10_000) < 0.001 * .pi * 10_000)
  }

  /// The compositor fills with `premultipliedBGRA`: drawing must give the same bytes.
  @Test func solidColorsAreExact() throws {
    var generator = SplitMix64(seed: 7)
    let bitmap = try Bitmap(width: 1, height: 1)
    let context = DrawingContext(bitmap: bitmap)
    for _ in 0..<5_000 {
      let color = Color(
        red: .random(in: -0.1...1.1, using: &generator), green: .random(in: 0...1, using: &generator),
        blue: .random(in: 0...1, using: &generator), alpha: .random(in: 0...1.1, using: &generator))
      context.clear()
      context.fill(Rect(x: 0, y: 0, width: 1, height: 1), color: color)
      context.flush()
      #expect(bitmap[0, 0] == color.premultipliedBGRA, "\(color)")
    }
  }

  @Test func scaleMapsPointsToPixels() throws {
    let bitmap = try Bitmap.drawing(width: 40, height: 20, scale: 2) { context in
      #expect(context.bounds == Rect(x: 0, y: 0, width: 20, height: 10))
      context.fill(Rect(x: 5, y: 2, width: 3, height: 4), color: .white)
    }
    for y in 0..<20 {
      for x in 0..<40 {
        #expect(bitmap[x, y] == ((10..<16).contains(x) && (4..<12).contains(y) ? 0xFFFF_FFFF : 0))
      }
    }
  }

  @Test func transformsApplyInnermostFirst() throws {
    let bitmap = try Bitmap.drawing(width: 30, height: 30) { context in
      context.translate(x: 10, y: 5)
      context.scale(x: 2, y: 3)
      context.fill(Rect(x: 1, y: 1, width: 2, height: 2), color: .white)
    }
    #expect(bitmap[12, 8] == 0xFFFF_FFFF && bitmap[15, 13] == 0xFFFF_FFFF)
    #expect(bitmap.pixels.count { $0 != 0 } == 4 * 6)
  }

  @Test func restoreBringsBackTransformAndClip() throws {
    let bitmap = try Bitmap.drawing(width: 10, height: 10) { context in
      context.withSavedState {
        context.translate(x: 5, y: 0)
        context.clip(Rect(x: 0, y: 0, width: 1, height: 1))
        context.fill(color: .white)
      }
      #expect(context.transform == .identity)
      context.fill(Rect(x: 0, y: 9, width: 10, height: 1), color: .white)
    }
    #expect(bitmap.pixels.count { $0 != 0 } == 1 + 10)
    #expect(bitmap[5, 0] == 0xFFFF_FFFF)
  }

  @Test func fillRulesDiffer() throws {
    var path = Path.rect(Rect(x: 0, y: 0, width: 9, height: 9))
    path.addRect(Rect(x: 3, y: 3, width: 3, height: 3))
    let nonZero = try Bitmap.drawing(width: 9, height: 9) { $0.fill(path, color: .white) }
    let evenOdd = try Bitmap.drawing(width: 9, height: 9) { $0.fill(path, rule: .evenOdd, color: .white) }
    #expect(nonZero.pixels.allSatisfy { $0 == 0xFFFF_FFFF })
    #expect(evenOdd[4, 4] == 0 && evenOdd[0, 0] == 0xFFFF_FFFF)
    #expect(evenOdd.pixels.count { $0 == 0 } == 9)
    let clipped = try Bitmap.drawing(width: 9, height: 9) { context in
      context.clip(path, rule: .evenOdd)
      context.fill(color: .white)
    }
    #expect(clipped.pixels == evenOdd.pixels)
  }

  @Test func strokeStyleShows() throws {
    var line = Path()
    line.move(to: Point(10, 10))
    line.line(to: Point(30, 10))
    func covered(_ style: StrokeStyle) throws -> Int {
      try Bitmap.drawing(width: 40, height: 20) { $0.stroke(line, style, color: .white) }
        .pixels.count { $0 == 0xFFFF_FFFF }
    }
    #expect(try covered(StrokeStyle(width: 4)) == 20 * 4)
    #expect(try covered(StrokeStyle(width: 4, cap: .square)) == 24 * 4)
    #expect(try covered(StrokeStyle(width: 4, dash: [5, 5])) == 10 * 4)
    #expect(try covered(StrokeStyle(width: 4, dash: [5])) == 10 * 4)
    #expect(try covered(StrokeStyle(width: 4, dash: [2, 8], dashPhase: 8)) == 4 * 4)
    // Dashes that cannot be drawn make a solid line.
    #expect(try covered(StrokeStyle(width: 4, dash: [0, 0])) == 20 * 4)
    #expect(try covered(StrokeStyle(width: 4, dash: [-1, 4])) == 20 * 4)
    #expect(try covered(StrokeStyle(width: 4, dash: [.nan])) == 20 * 4)
    // Cairo would look for the phase for ever.
    #expect(try covered(StrokeStyle(width: 4, dash: [1e308], dashPhase: -3)) == 20 * 4)
    // More dashes than anybody sees would take for ever.
    #expect(try covered(StrokeStyle(width: 4, dash: [1e-12])) == 20 * 4)
    #expect(try covered(StrokeStyle(width: 0)) == 0)
    #expect(try covered(StrokeStyle(width: .nan)) == 0)
  }

  /// The mean of four pixels follows the gradient between two levels, and the same point has the same level in every clip.
  @Test func darkGradientsAreDithered() throws {
    let gradient = Gradient.linear(
      from: Point(0, 0), to: Point(512, 0),
      colors: [Color(red: 8 / 255, green: 0, blue: 0), Color(red: 12 / 255, green: 0, blue: 0)])
    let bitmap = try Bitmap.drawing(width: 512, height: 4) { $0.fill(gradient: gradient) }
    for x in stride(from: 0, to: 512, by: 2) {
      let red = [(x, 0), (x + 1, 0), (x, 1), (x + 1, 1)].map { Int(bitmap[$0.0, $0.1] >> 16 & 0xFF) }.reduce(0, +)
      #expect(abs(Double(red) / 4 - 8 - Double(x + 1) / 128) <= 0.26, "at \(x)")
    }
    let clipped = try Bitmap.drawing(width: 512, height: 4) { context in
      context.clip(Rect(x: 101, y: 1, width: 300, height: 3))
      context.fill(gradient: gradient)
    }
    #expect(
      (101..<401).allSatisfy { clipped[$0, 1] == bitmap[$0, 1] && clipped[$0, 2] == bitmap[$0, 2] })
  }

  /// A gradient is made for the pixels that a shape paints and for no others, and reaches all of them.
  @Test func gradientsReachTheEdgesOfWhatTheyPaint() throws {
    let blue = Gradient.linear(from: Point(0, 0), to: Point(1, 0), colors: [Color(hex: 0x2040C0), Color(hex: 0x2040C0)])
    var corner = Path()
    corner.move(to: Point(10, 50))
    corner.line(to: Point(30, 12))
    corner.line(to: Point(50, 50))
    let line = TextLine("ÄfjgÅ", font: try SystemFonts.font(.sans, size: 20))
    for turn in [0, 0.4] {
      func bitmap(_ draw: (DrawingContext) -> Void) throws -> Bitmap {
        try Bitmap.drawing(width: 64, height: 64) { context in
          context.rotate(turn)
          draw(context)
        }
      }
      for join in [StrokeStyle.Join.miter, .round, .bevel] {
        let style = StrokeStyle(width: 8, cap: .square, join: join)
        let plain = try bitmap { $0.stroke(corner, style, color: Color(hex: 0x2040C0)) }
        let painted = try bitmap { $0.stroke(corner, style, gradient: blue) }
        #expect(isSame(plain, painted), "stroke, \(join), turned by \(turn)")
      }
      #expect(
        isSame(try bitmap { $0.fill(corner, color: Color(hex: 0x2040C0)) }, try bitmap { $0.fill(corner, gradient: blue) }))
      #expect(
        isSame(
          try bitmap { $0.draw(line, at: Point(3, 40), color: Color(hex: 0x2040C0)) },
          try bitmap { $0.draw(line, at: Point(3, 40), gradient: blue) }), "text, turned by \(turn)")
    }
  }

  private func isSame(_ a: Bitmap, _ b: Bitmap) -> Bool {
    (0..<a.height).allSatisfy { y in (0..<a.width).allSatisfy { difference(a[$0, y], b[$0, y]) <= 1 } }
  }

  @Test func gradientRunsBetweenItsStops() throws {
    let gradient = Gradient.linear(from: Point(0, 0), to: Point(256, 0), colors: [.black, .white])
    let bitmap = try Bitmap.drawing(width: 256, height: 1) { $0.fill(gradient: gradient) }
    for x in 0..<256 {
      let grey = UInt32((Double(x) + 0.5) / 256 * 255)
      #expect(difference(bitmap[x, 0], 0xFF00_0000 | grey << 16 | grey << 8 | grey) <= 1)
    }
    let nothing = try Bitmap.drawing(width: 4, height: 4) { context in
      context.fill(gradient: Gradient(gradient.shape, stops: []))
      context.fill(gradient: .radial(center: Point(.nan, 0), radius: 3, colors: [.white]))
      context.fill(gradient: .radial(center: .zero, radius: -3, colors: [.white]))
    }
    #expect(nothing.pixels.allSatisfy { $0 == 0 })
  }

  /// Stops at one place make a sharp edge, and the last colour goes on beyond the radius.
  @Test func radialGradientGoesByTheDistance() throws {
    let stops: [Gradient.Stop] = [
      .init(.black, at: 0), .init(.white, at: 0.5), .init(Color(hex: 0xFF0000), at: 0.5), .init(Color(hex: 0xFF0000), at: 1),
    ]
    let bitmap = try Bitmap.drawing(width: 48, height: 32) { context in
      context.fill(gradient: .radial(center: Point(20.5, 14.5), radius: 20, stops: stops))
    }
    for y in 0..<32 {
      for x in 0..<48 {
        let distance = Double((x - 20) * (x - 20) + (y - 14) * (y - 14)).squareRoot()
        let grey = UInt32(distance / 10 * 255)
        // The edge itself lies within a pixel.
        if abs(distance - 10) < 0.6 { continue }
        let expected = distance < 10 ? 0xFF00_0000 | grey << 16 | grey << 8 | grey : 0xFFFF_0000
        #expect(difference(bitmap[x, y], expected) <= 3, "\(x), \(y)")
      }
    }
  }

  @Test func imageIsDrawnPixelForPixel() throws {
    var generator = SplitMix64(seed: 11)
    for isOpaque in [true, false] {
      let source = try Bitmap.random(width: 13, height: 9, isOpaque: isOpaque, using: &generator).freeze()
      let bitmap = try Bitmap.drawing(width: 30, height: 20, scale: 0.5) { context in
        context.draw(source, in: Rect(x: 10, y: 8, width: 26, height: 18))
      }
      for y in 0..<20 {
        for x in 0..<30 {
          let isInside = (5..<18).contains(x) && (4..<13).contains(y)
          #expect(bitmap[x, y] == (isInside ? source.pixels[(y - 4) * 13 + x - 5] : 0))
        }
      }
    }
  }

  @Test func stretchedImageKeepsItsEdges() throws {
    let source = try Bitmap.drawing(width: 2, height: 2) { $0.fill(color: .white) }.freeze()
    let bitmap = try Bitmap.drawing(width: 20, height: 20) { $0.draw(source, in: Rect(x: 2, y: 2, width: 16, height: 16)) }
    #expect(bitmap.pixels.count { $0 == 0xFFFF_FFFF } == 16 * 16)
    #expect(bitmap.pixels.count { $0 != 0 } == 16 * 16)
    let half = try Bitmap.drawing(width: 20, height: 20) {
      $0.draw(source, in: Rect(x: 2, y: 2, width: 16, height: 16), opacity: 0.5)
    }
    #expect(difference(half[10, 10], 0x8080_8080) <= 1)
    #expect(half[1, 10] == 0)
  }

  /// Extreme coordinates never trap, and a rectangle that covers everything still does.
  @Test func wildCoordinatesAreHarmless() throws {
    let wild: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e300, 1e9, -1e9, 0, 1, -0.0, 1e-300]
    var generator = SplitMix64(seed: 13)
    func value() -> Double { wild.randomElement(using: &generator) ?? 0 }
    func point() -> Point { Point(value(), value()) }
    let image = try Bitmap(width: 2, height: 2).freeze()
    let bitmap = try Bitmap(width: 16, height: 16)
    let context = DrawingContext(bitmap: bitmap)
    for _ in 0..<500 {
      context.save()
      if Bool.random(using: &generator) {
        context.concatenate(Affine(a: value(), b: value(), c: value(), d: value(), tx: value(), ty: value()))
      }
      var path = Path()
      path.move(to: point())
      path.line(to: point())
      path.quadCurve(to: point(), control: point())
      path.cubicCurve(to: point(), control1: point(), control2: point())
      path.addRoundedRect(Rect(x: value(), y: value(), width: value(), height: value()), cornerRadius: value())
      path.addArc(center: point(), radius: value(), startAngle: value(), endAngle: value())
      _ = path.boundingBox
      context.fill(path, color: Color(red: value(), green: value(), blue: value(), alpha: value()))
      context.stroke(
        path, StrokeStyle(width: value(), miterLimit: value(), dashPhase: value()),
        gradient:
          .linear(from: point(), to: point(), colors: [.white, .black]))
      context.fill(path, gradient: .radial(center: point(), radius: value(), colors: [.white, .black]))
      context.draw(image, in: Rect(x: value(), y: value(), width: value(), height: value()), opacity: value())
      context.clip(Rect(x: value(), y: value(), width: value(), height: value()))
      context.restore()
    }
    // Cairo has not entered an error state: it still draws.
    context.fill(Rect(x: -1e12, y: -1e12, width: 2e12, height: 2e12), color: .white)
    context.flush()
    #expect(bitmap.pixels.allSatisfy { $0 == 0xFFFF_FFFF })
  }

  @Test func flatteningTransformDrawsNothing() throws {
    let bitmap = try Bitmap.drawing(width: 8, height: 8) { context in
      context.withSavedState {
        context.scale(x: 0, y: 1)
        context.fill(Rect(x: -5, y: 0, width: 20, height: 20), color: .white)
        context.stroke(.rect(Rect(x: 0, y: 0, width: 5, height: 5)), color: .white)
        context.fill(
          Rect(x: 0, y: 0, width: 5, height: 5), gradient: .linear(from: .zero, to: Point(5, 5), colors: [.white]))
      }
      context.fill(Rect(x: 0, y: 0, width: 1, height: 1), color: .white)
    }
    #expect(bitmap.pixels.count { $0 != 0 } == 1)
  }

  @Test func cancellationIsSeen() throws {
    var asked = 0
    let context = DrawingContext(bitmap: try Bitmap(width: 1, height: 1)) {
      asked += 1
      return asked > 2
    }
    #expect(!context.isCancelled && !context.isCancelled && context.isCancelled)
    #expect(!DrawingContext(bitmap: try Bitmap(width: 1, height: 1)).isCancelled)
  }
}
