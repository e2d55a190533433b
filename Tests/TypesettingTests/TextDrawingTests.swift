import Geometry
import Raster
import Testing
@testable import Typesetting

/// Pictures of layouts.
@Suite struct TextDrawingTests {
  let library: FontLibrary
  private let request = FontRequest(["DejaVu Sans"], size: 16)
  private let red = Color(hex: 0xFF0000)
  private let blue = Color(hex: 0x0000FF)

  init() throws { library = try FontLibrary(files: fontFiles("DejaVuSans.ttf")) }

  /// Pixels of 200 × 80 row by row, with alpha above red, green and blue.
  private func pixels(_ body: (DrawingContext) -> Void) throws -> [UInt32] {
    let bitmap = try Bitmap(width: 200, height: 80)
    bitmap.clear()
    let context = DrawingContext(bitmap: bitmap)
    body(context)
    context.flush()
    return (0..<80).flatMap { y in (0..<200).map { bitmap.row(y).load(fromByteOffset: $0 * 4, as: UInt32.self) } }
  }

  @Test func linesAreDrawnAtTheirPlaces() throws {
    let layout = try TextLayout(
      "first line\nnext", font: request, color: blue, style: TextLayout.Style { $0.alignment = .right }, width: 120,
      fonts: library)
    let font = try library.font(request)
    let expected = try pixels { context in
      for (number, text) in ["first line", "next"].enumerated() {
        let line = TextLine(text, font: font)
        let baseline = Point(10 + 120 - line.width, 5 + font.ascent + Double(number) * font.lineHeight)
        context.draw(line, at: baseline, color: blue)
      }
    }
    #expect(try pixels { layout.draw(in: $0, at: Point(10, 5)) } == expected)
    #expect(expected.contains { $0 == 0xFF00_00FF })
  }

  @Test func backgroundsAreBehindLettersAndDecorationsInFront() throws {
    let look = AttributedText.Attributes {
      ($0.background, $0.strikethrough) = (red, LineDecoration(color: blue))
      ($0.letterSpacing, $0.font) = (-6, FontRequest(["DejaVu Sans"], size: 40))
    }
    // Letters reach over those that follow, with backgrounds of their own.
    var text = AttributedText("HHHH", look)
    text.set(AttributedText.Attributes { $0.background = Color(hex: 0x00FF00) }, in: 1..<2)
    let layout = try TextLayout(text, font: request, fonts: library)
    let picture = try pixels { layout.draw(in: $0, at: Point(10, 5)) }
    let line = layout.lines[0]
    let (strike, background) = (line.decorations[0].rect, line.backgrounds[0].rect)

    // The inner rows of the strike are blue from end to end, and nothing else is.
    let row = Int(5 + strike.midY) * 200
    let inner = Int(11 + strike.minX)..<Int(9 + strike.maxX)
    #expect(inner.count > 60 && inner.allSatisfy { picture[row + $0] == 0xFF00_00FF })
    #expect(picture[row + Int(10 + strike.maxX) + 2] & 0xFFFFFF == 0)
    // Above it letters are as they are without a background, where they cover a pixel.
    let plain = AttributedText.Attributes { ($0.letterSpacing, $0.font) = (look.letterSpacing, look.font) }
    let letters = try pixels {
      try? TextLayout(AttributedText("HHHH", plain), font: request, fonts: library).draw(in: $0, at: Point(10, 5))
    }
    let rows = Int(6 + background.minY)..<Int(4 + strike.minY)
    let covered = rows.flatMap { y in (0..<200).map { y * 200 + $0 } }.filter { letters[$0] == 0xFF00_0000 }
    #expect(covered.count > 50 && covered.allSatisfy { picture[$0] == 0xFF00_0000 })
    // Backgrounds have their colours; only where these change is a pixel that both cover in part.
    let top = Int(7 + background.minY) * 200
    let colors = (12..<Int(8 + line.width)).map { picture[top + $0] }
    #expect(colors.contains(0xFFFF_0000) && colors.contains(0xFF00_FF00))
    #expect(colors.count { $0 >> 24 != 0xFF } <= 2)
    #expect(picture.prefix(200 * 5).allSatisfy { $0 == 0 })
  }

  /// Raised letters take their fills with them.
  @Test func raisedLettersAreDrawnAbove() throws {
    func rows(_ rise: Double?) throws -> [Int] {
      let attributes = AttributedText.Attributes { ($0.baselineOffset, $0.underline) = (rise, LineDecoration()) }
      let layout = try TextLayout("X\(AttributedText("xx", attributes))", font: request, fonts: library)
      let top = 30 - layout.lines[0].baseline.y
      let picture = try pixels { layout.draw(in: $0, at: Point(0, top)) }
      return (0..<80).map { y in (Int(layout.lines[0].runs[1].x) + 1..<200).count { picture[y * 200 + $0] != 0 } }
    }
    let (flat, raised) = (try rows(nil), try rows(7))
    #expect(flat.contains { $0 > 5 } && Array(raised.dropLast(7)) == Array(flat.dropFirst(7)))
  }

  @Test func threadsMayMakeAndDrawLayoutsAtOnce() async throws {
    let (library, request) = (library, request)
    let text: AttributedText = "one two, שלום three"
    let first = try TextLayout(text, font: request, width: 70, fonts: library)
    let expected = try pixels { first.draw(in: $0) }
    await withTaskGroup(of: Bool.self) { group in
      for task in 0..<6 {
        group.addTask {
          (0..<10).allSatisfy { index in
            var text = text
            text.append(AttributedText("\n\(index) \(task)"))
            let next = try? TextLayout(text, font: request, width: 70, fonts: library, after: first)
            let same = try? TextLayout(text, font: request, width: 70, fonts: library)
            return next != nil && next?.lines.map(\.baseline) == same?.lines.map(\.baseline)
              && (try? pixels { first.draw(in: $0) }) == expected
          }
        }
      }
      for await isSame in group { #expect(isSame) }
    }
  }
}
