import Geometry
@testable import Raster
import Testing

@Suite struct TextDrawingTests {
  let sans: FontFace

  init() throws {
    sans = try SystemFonts.face(.sans)
  }

  /// FreeType computes the covered area exactly; Cairo samples an outline on 15 rows a pixel. They may differ by up to 36 of
  /// 255 in a pixel, and by 3 on average over the ink.
  @Test(arguments: [9.0, 13.0, 20.0, 48.0, 100.0])
  func keptGlyphsLookLikeTheirOutlines(size: Double) throws {
    var worst = 0
    var sum = 0
    var count = 0
    for (index, character) in "AgWß8&@ÄgfiS%".enumerated() {
      let line = TextLine(String(character), font: Font(sans, size: size))
      let baseline = Point(10 + Double(index % 4) / 4, 110)
      let kept = try Bitmap.drawing(width: 140, height: 150) { $0.draw(line, at: baseline, color: .black) }
      let outlined = try Bitmap.drawing(width: 140, height: 150) { context in
        context.setSource(.black)
        context.drawOutlines(line.run, at: baseline)
      }
      #expect(kept.pixels.contains { $0 != 0 })
      for (left, right) in zip(kept.pixels, outlined.pixels) where left != 0 || right != 0 {
        worst = max(worst, difference(left, right))
        sum += difference(left, right)
        count += 1
      }
    }
    #expect(worst <= 36, "size \(size): \(worst)")
    #expect(Double(sum) / Double(count) <= 3, "size \(size): \(Double(sum) / Double(count))")
  }

  @Test func wholePixelsMoveWithoutChange() throws {
    let line = TextLine("Moving 123", font: Font(sans, size: 14))
    let first = try Bitmap.drawing(width: 120, height: 40) { $0.draw(line, at: Point(5.3, 20.4), color: .white) }
    let second = try Bitmap.drawing(width: 120, height: 40) { context in
      context.translate(x: 7, y: 3)
      context.draw(line, at: Point(5.3, 20.4), color: .white)
    }
    for y in 3..<40 {
      for x in 7..<120 {
        #expect(second[x, y] == first[x - 7, y - 3])
      }
    }
  }

  /// Cutting text off at the bitmap's edge or at a clip leaves the other pixels as they were.
  @Test func clippedTextIsACutOut() throws {
    let line = TextLine("Clipped text ÄÖ gj", font: Font(sans, size: 30))
    let whole = try Bitmap.drawing(width: 320, height: 80) { $0.draw(line, at: Point(10, 50), color: .white) }
    let clip = Rect(x: 33, y: 30, width: 90, height: 17)
    let clipped = try Bitmap.drawing(width: 320, height: 80) { context in
      context.clip(clip)
      context.draw(line, at: Point(10, 50), color: .white)
    }
    for y in 0..<80 {
      for x in 0..<320 {
        #expect(clipped[x, y] == (clip.contains(Point(Double(x), Double(y))) ? whole[x, y] : 0))
      }
    }
    for (dx, dy) in [(-40, 0), (60, 0), (0, -60), (0, 35), (-400, 0), (0, 500)] {
      let moved = try Bitmap.drawing(width: 320, height: 80) {
        $0.draw(line, at: Point(10 + Double(dx), 50 + Double(dy)), color: .white)
      }
      for y in 0..<80 {
        for x in 0..<320 where (0..<320).contains(x - dx) && (0..<80).contains(y - dy) {
          #expect(moved[x, y] == whole[x - dx, y - dy])
        }
      }
    }
  }

  /// A round clip cuts text like everything else.
  @Test func textInsideARoundClip() throws {
    let line = TextLine("MMMMMM", font: Font(sans, size: 30))
    let bitmap = try Bitmap.drawing(width: 100, height: 60) { context in
      context.clip(.circle(center: Point(50, 30), radius: 15))
      context.draw(line, at: Point(0, 40), color: .white)
    }
    #expect(bitmap.pixels.contains { $0 != 0 })
    for y in 0..<60 {
      for x in 0..<100 where bitmap[x, y] != 0 {
        let (dx, dy) = (Double(x) + 0.5 - 50, Double(y) + 0.5 - 30)
        #expect((dx * dx + dy * dy).squareRoot() < 16)
      }
    }
  }

  @Test func rotatedAndLargeTextIsDrawnFromOutlines() throws {
    let line = TextLine("Hl", font: Font(sans, size: 40))
    let upright = try Bitmap.drawing(width: 100, height: 100) { $0.draw(line, at: Point(20, 60), color: .white) }
    let turned = try Bitmap.drawing(width: 100, height: 100) { context in
      context.translate(x: 100, y: 0)
      context.rotate(.pi / 2)
      context.draw(line, at: Point(20, 60), color: .white)
    }
    // A quarter turn maps (x, y) to (99 − y, x). The edges fall on other fractions of a pixel.
    let before = upright.pixels.reduce(0) { $0 + alpha($1) }
    let after = turned.pixels.reduce(0) { $0 + alpha($1) }
    #expect(abs(before - after) < before / 50)
    #expect(upright[26, 50] == 0xFFFF_FFFF && turned[99 - 50, 26] == 0xFFFF_FFFF)

    let large = try Bitmap.drawing(width: 300, height: 300) {
      $0.draw(TextLine("I", font: Font(sans, size: 300)), at: Point(100, 280), color: .white)
    }
    #expect(large.pixels.count { $0 == 0xFFFF_FFFF } > 5_000)
  }

  @Test func outlineIsWhatLargeTextIsDrawnFrom() throws {
    let line = TextLine("Ägj ffi", font: Font(sans, size: 200))
    let drawn = try Bitmap.drawing(width: 700, height: 300) { $0.draw(line, at: Point(10, 220), color: .white) }
    let path = line.outline(at: Point(10, 220))
    let filled = try Bitmap.drawing(width: 700, height: 300) { $0.fill(path, color: .white) }
    #expect(drawn.pixels == filled.pixels)
    let ink = line.inkBounds.offsetBy(dx: 10, dy: 220)
    let box = path.boundingBox
    // HarfBuzz rounds the ink outwards to whole units of the design.
    #expect(abs(ink.minX - box.minX) < 0.2 && abs(ink.maxX - box.maxX) < 0.2)
    #expect(abs(ink.minY - box.minY) < 0.2 && abs(ink.maxY - box.maxY) < 0.2)
  }

  /// The mask that a context keeps contains nothing of an earlier line.
  @Test func linesDoNotTouchEachOther() throws {
    let large = TextLine("WWWWWWW", font: Font(sans, size: 30))
    let small = TextLine("i.i", font: Font(sans, size: 12))
    let together = try Bitmap.drawing(width: 300, height: 90) { context in
      context.draw(large, at: Point(5, 40), color: .white)
      context.draw(small, at: Point(5, 80), color: .white)
    }
    let apart = try Bitmap(width: 300, height: 90)
    DrawingContext(bitmap: apart).draw(large, at: Point(5, 40), color: .white)
    DrawingContext(bitmap: apart).draw(small, at: Point(5, 80), color: .white)
    #expect(together.pixels == apart.pixels)
  }

  @Test func colorAlphaAndGradient() throws {
    let line = TextLine("█", font: Font(sans, size: 40))
    let half = try Bitmap.drawing(width: 40, height: 40) {
      $0.draw(line, at: Point(0, 32), color: Color(hex: 0xFF0000, alpha: 0.5))
    }
    #expect(difference(half[10, 16], 0x8080_0000) <= 1)
    let gradient = Gradient.linear(from: Point(0, 0), to: Point(0, 40), colors: [.black, .white])
    let faded = try Bitmap.drawing(width: 40, height: 40) { $0.draw(line, at: Point(0, 32), gradient: gradient) }
    #expect(alpha(faded[10, 5]) == 255 && faded[10, 5] < faded[10, 30])
  }

  @Test func nothingToDraw() throws {
    let bitmap = try Bitmap.drawing(width: 20, height: 20) { context in
      context.draw(TextLine("", font: Font(sans, size: 12)), at: Point(1, 15), color: .white)
      context.draw(TextLine("   ", font: Font(sans, size: 12)), at: Point(1, 15), color: .white)
      context.draw(TextLine("x", font: Font(sans, size: 0)), at: Point(1, 15), color: .white)
      context.draw(TextLine("x", font: Font(sans, size: 0.0001)), at: Point(1, 15), color: .white)
      for position in [Double.nan, .infinity, -.infinity, 1e300] {
        context.draw(TextLine("x", font: Font(sans, size: 12)), at: Point(position, 15), color: .white)
        context.draw(TextLine("x", font: Font(sans, size: 12)), at: Point(1, position), color: .white)
      }
    }
    #expect(bitmap.pixels.allSatisfy { $0 == 0 })
  }

  /// Two contexts draw the same bytes, and so do threads at the same time.
  @Test func drawingIsDeterministic() async throws {
    let face = sans
    @Sendable func picture() throws -> [UInt32] {
      let bitmap = try Bitmap(width: 300, height: 200)
      let context = DrawingContext(bitmap: bitmap, scale: 1.25)
      context.fill(gradient: .radial(center: Point(50, 50), radius: 200, colors: [.white, Color(hex: 0x3060C0)]))
      for (index, size) in [8.0, 11, 13.5, 22, 40].enumerated() {
        let line = TextLine("Threads \(size) ÄÖÜ ffi", font: Font(face, size: size))
        context.draw(line, at: Point(3.7 * Double(index), 20 + 28 * Double(index)), color: .black)
        context.withSavedState {
          context.translate(x: 120, y: 90)
          context.rotate(Double(index))
          context.draw(line, at: .zero, color: Color(hex: 0xC02020, alpha: 0.7))
        }
      }
      context.stroke(
        .ellipse(in: Rect(x: 20, y: 20, width: 150, height: 90)), StrokeStyle(width: 3, dash: [7, 3]), color: .black)
      context.flush()
      return bitmap.pixels
    }
    let reference = try picture()
    #expect(try picture() == reference)
    try await withThrowingTaskGroup(of: [UInt32].self) { group in
      for _ in 0..<8 {
        group.addTask { try picture() }
      }
      for try await pixels in group {
        #expect(pixels == reference)
      }
    }
  }
}
