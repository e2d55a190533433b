import Geometry
import Raster
import Testing

@testable import Typesetting

/// Letters in colours of their own, in a font of pictures.
@Suite struct EmojiTests {
  let library: FontLibrary
  private let request = FontRequest(["DejaVu Sans"], size: 32)

  init() throws { library = try FontLibrary(files: fontFiles("DejaVuSans.ttf", "NotoColorEmoji.ttf")) }

  /// Pixels of 300 × 60 row by row, with alpha above red, green and blue.
  private func pixels(_ layout: TextLayout) throws -> [UInt32] {
    let bitmap = try Bitmap(width: 300, height: 60)
    bitmap.clear()
    let context = DrawingContext(bitmap: bitmap)
    layout.draw(in: context, at: Point(5, 5))
    context.flush()
    return (0..<60).flatMap { y in (0..<300).map { bitmap.row(y).load(fromByteOffset: $0 * 4, as: UInt32.self) } }
  }

  /// The hues, in twelfths of the circle, of the clearly coloured pixels in a rectangle.
  private func hues(_ pixels: [UInt32], _ rect: Rect) -> Set<Int> {
    var hues: Set<Int> = []
    for y in max(Int(rect.minY), 0)..<min(Int(rect.maxY), 60) {
      for x in max(Int(rect.minX), 0)..<min(Int(rect.maxX), 300) {
        let pixel = pixels[y * 300 + x]
        let (red, green, blue) = (Double(pixel >> 16 & 0xFF), Double(pixel >> 8 & 0xFF), Double(pixel & 0xFF))
        let (most, least) = (max(red, green, blue), min(red, green, blue))
        guard pixel >> 24 > 200, most - least > 60 else { continue }
        let part =
          (most == red ? (green - blue) : most == green ? 2 * (most - least) + blue - red : 4 * (most - least) + red - green)
          / (most - least)
        hues.insert(Int((part + 6).truncatingRemainder(dividingBy: 6) * 2))
      }
    }
    return hues
  }

  /// One glyph for one face, for a hand with its skin, for several people, a flag and a digit in a box.
  @Test(arguments: ["😀", "👍🏽", "👩‍🚀", "🧑🏿‍🤝‍🧑🏻", "🇩🇪", "🏳️‍🌈", "❤️"])
  func emojiAreOnePictureInColours(emoji: String) throws {
    let layout = try TextLayout(AttributedText("A\(emoji)B"), font: request, color: .white, fonts: library)
    #expect(layout.missing.isEmpty)
    let runs = layout.lines[0].runs
    #expect(runs.map { file($0.glyphs.font) } == ["DejaVuSans.ttf", "NotoColorEmoji.ttf", "DejaVuSans.ttf"])
    #expect(runs[1].glyphs.glyphs.count == 1)
    let pixels = try pixels(layout)
    let place = Rect(x: 5 + runs[1].x, y: 0, width: runs[1].glyphs.width, height: 60)
    #expect(!hues(pixels, place).isEmpty, "\(emoji)")
    #expect(hues(pixels, Rect(x: 0, y: 0, width: place.minX, height: 60)).isEmpty, "the letter before is white")
    #expect(hues(pixels, Rect(x: place.maxX, y: 0, width: 300 - place.maxX, height: 60)).isEmpty, "and the one behind")
  }

  /// The grinning face is yellow, and the rainbow has many colours.
  @Test func coloursAreThoseOfTheFont() throws {
    func huesOf(_ emoji: String) throws -> Set<Int> {
      try hues(
        pixels(TextLayout(AttributedText(emoji), font: request, fonts: library)), Rect(x: 0, y: 0, width: 300, height: 60))
    }
    #expect(try huesOf("😀").contains { (1...2).contains($0) })
    #expect(try !huesOf("😀").contains { (4...9).contains($0) })
    #expect(try huesOf("🏳️‍🌈").count >= 5)
  }

  /// The font of emoji has no ellipsis and no dot: it is that of the letters around, or the one that the request has for it.
  @Test(arguments: ["🍏🍎🍐🍊🍋🍌🍉", "a🍏🍎🍐🍊🍋🍌🍉", "🍏🍎🍐🍊🍋🍌🍉a"], [TextLayout.Truncation.start, .middle, .end])
  func emojiAreCutOff(text: String, truncation: TextLayout.Truncation) throws {
    let style = TextLayout.Style { ($0.maximumLines, $0.truncation) = (1, truncation) }
    func runs(_ library: FontLibrary) throws -> [TextLayout.Run] {
      try TextLayout(AttributedText(text), font: request, style: style, width: 150, fonts: library).lines[0].runs
    }
    let found = try runs(library)
    #expect(found.contains { $0.glyphs.font.face.hasPictures })
    let ellipsis = TextLine("…", font: try library.font(request)).glyphs[0].id
    #expect(found.contains { file($0.glyphs.font) == "DejaVuSans.ttf" && $0.glyphs.glyphs.contains { $0.id == ellipsis } })
    #expect(found.allSatisfy { $0.x + $0.glyphs.width <= 150.01 })
    #expect(found.allSatisfy { run in run.glyphs.glyphs.allSatisfy { $0.id != 0 } })
    // Without a font that has one there is none.
    let emoji = try runs(FontLibrary(files: fontFiles("NotoColorEmoji.ttf")))
    #expect(emoji.allSatisfy { $0.glyphs.font.face.hasPictures })
  }

  /// A font of pictures has measures that fit no letters: the line below an emoji is that of the letters beside it.
  @Test func linesBelowEmojiAreThoseOfLetters() throws {
    let attributes = AttributedText.Attributes {
      ($0.underline, $0.strikethrough, $0.background) = (LineDecoration(), LineDecoration(), .black)
    }
    func fills(_ string: String) throws -> [TextFill] {
      let line = try TextLayout(AttributedText(string, attributes), font: request, fonts: library).lines[0]
      return (line.backgrounds + line.decorations).map { $0.offsetBy(dx: 0, dy: -line.baseline.y) }
    }
    let (letters, mixed) = (try fills("ab"), try fills("a😀😀😀😀"))
    #expect(letters.count == 3 && mixed.count == 3)
    for (one, other) in zip(letters, mixed) {
      #expect(one.rect.minY == other.rect.minY && one.rect.height == other.rect.height && one.rect.width < other.rect.width)
    }
    // An emoji by itself has the one of its font.
    #expect(try fills("😀")[1].rect.minY != letters[1].rect.minY)
  }

  /// The ink lies within a line of the font's size, wherever the picture is cut.
  @Test func boxesAreThoseOfPictures() throws {
    let font = try library.font(FontRequest(["Noto Color Emoji"], size: 100))
    #expect(font.face.hasPictures)
    let line = TextLine("😀", font: font)
    let ink = line.inkBounds
    #expect((90...140).contains(ink.width) && (90...140).contains(ink.height), "\(ink)")
    #expect(ink.minY < -60 && ink.maxY > 0 && ink.maxY < 50, "\(ink)")
    let bitmap = try Bitmap(width: 200, height: 200)
    bitmap.clear()
    let context = DrawingContext(bitmap: bitmap)
    context.draw(line, at: Point(30, 130), color: Color(red: 1, green: 0, blue: 0, alpha: 0.5))
    context.flush()
    var painted = IntRect.zero
    var most: UInt32 = 0
    for y in 0..<200 {
      for x in 0..<200 {
        let alpha = bitmap.row(y).load(fromByteOffset: x * 4, as: UInt32.self) >> 24
        most = max(most, alpha)
        if alpha > 0 { painted = painted.union(IntRect(x: x, y: y, width: 1, height: 1)) }
      }
    }
    #expect((126...129).contains(most), "as translucent as the text")
    let wanted = IntRect(covering: ink.offsetBy(dx: 30, dy: 130).insetBy(dx: -1, dy: -1))
    #expect(painted.intersection(wanted) == painted && painted.width > 80 && painted.height > 80, "\(painted) in \(wanted)")
    #expect(line.outline().elements.isEmpty)
  }
}
