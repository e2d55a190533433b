import Geometry
import LinuxSystem
@testable import Raster
import Testing

@Suite struct FontVariationTests {
  let inter: FontFace

  init() throws { inter = try FontFace(path: SystemFonts.path(of: "Inter.var.ttf")) }

  private func ink(_ face: FontFace, _ text: String = "l") -> Rect { TextLine(text, font: Font(face, size: 1000)).inkBounds }

  @Test func axesAreThoseOfTheFile() throws {
    #expect(inter.axes.map(\.tag) == ["wght", "slnt"])
    #expect(inter.axes.map(\.range) == [100...900, -10...0])
    #expect(inter.axes.map(\.defaultValue) == [400, 0])
    #expect(inter.variations.isEmpty && inter.index == 0 && inter.faceCount == 1)
    #expect(try SystemFonts.face(.sans).axes.isEmpty)
    #expect(try SystemFonts.face(.sans).namedInstances.isEmpty)
  }

  /// Outlines, ink, advances and coverage are those of the design.
  @Test func weightChangesAllThatIsSeen() throws {
    let bold = try FontFace(inter, variations: [.weight(900)])
    #expect(bold.variations == [.weight(900)])
    #expect(bold != inter && bold.id != inter.id)
    #expect(ink(bold).width > 2 * ink(inter).width)
    let line = TextLine("l", font: Font(bold, size: 1000))
    #expect(abs(line.outline().boundingBox.width - line.inkBounds.width) < 2)
    #expect(line.width > TextLine("l", font: Font(inter, size: 1000)).width + 20)
    func covered(_ face: FontFace) throws -> Int {
      let bitmap = try Bitmap(width: 20, height: 30)
      let context = DrawingContext(bitmap: bitmap)
      context.draw(TextLine("l", font: Font(face, size: 24)), at: Point(4, 24), color: .white)
      context.flush()
      return (0..<30).reduce(0) { sum, y in
        sum + (0..<20).reduce(0) { $0 + Int(bitmap.row(y).load(fromByteOffset: $1 * 4, as: UInt8.self)) }
      }
    }
    #expect(try covered(bold) > 2 * covered(inter))
  }

  @Test func slantLeansToTheRight() throws {
    let slanted = try FontFace(inter, variations: [.slant(-10), .weight(400)])
    #expect(slanted.variations == [.slant(-10)])
    #expect(ink(slanted).width > ink(inter).width + 100)
  }

  @Test func valuesAreMovedIntoTheRange() throws {
    #expect(try FontFace(inter, variations: [.weight(2000), FontVariation("XXXX", 3)]).variations == [.weight(900)])
    #expect(try FontFace(inter, variations: [.weight(-.infinity)]).variations == [.weight(100)])
    #expect(try FontFace(inter, variations: [.weight(.nan)]).variations == [])
    #expect(try FontFace(inter, variations: [.weight(500), .weight(600)]).variations == [.weight(600)])
    // From the default design, not from that of the other face.
    let bold = try FontFace(inter, variations: [.weight(700)])
    #expect(try FontFace(bold, variations: [.slant(-5)]).variations == [.slant(-5)])
    // Fonts without axes have one design.
    #expect(try FontFace(SystemFonts.face(.sans), variations: [.weight(700)]).variations.isEmpty)
  }

  @Test func namedInstancesAreThoseOfTheFile() throws {
    let instances = inter.namedInstances
    let bold = try #require(instances.first { $0.name == "Bold" })
    #expect(bold.variations == [.weight(700), .slant(0)])
    #expect(instances.contains { $0.name == "Thin Italic" && $0.variations == [.weight(100), .slant(-10)] })
    #expect(ink(try FontFace(inter, variations: bold.variations)) == ink(try FontFace(inter, variations: [.weight(700)])))
  }

  /// Two fonts in one file, as collections are.
  @Test func facesOfACollectionShareItsBytes() throws {
    let fonts = try ["DejaVuSans.ttf", "DejaVuSansMono.ttf"].map {
      try OwnedDescriptor.contents(of: SystemFonts.path(of: $0), limit: 1 << 24)
    }
    let first = try FontFace(bytes: collection(fonts), path: "both")
    let second = try FontFace(first, index: 1)
    #expect(first.faceCount == 2 && first.index == 0 && second.index == 1 && second.path == "both")
    for (face, name) in [(first, SystemFonts.Name.sans), (second, .mono)] {
      let (line, own) = (
        TextLine("Wi", font: Font(face, size: 10)), TextLine("Wi", font: try SystemFonts.font(name, size: 10))
      )
      #expect(line.glyphs == own.glyphs && line.width == own.width)
    }
    #expect(throws: FontError.self) { try FontFace(first, index: 2) }
    #expect(throws: FontError.self) { try FontFace(first, index: -1) }
  }

  private func collection(_ fonts: [[UInt8]]) -> [UInt8] {
    func bytes(_ value: Int) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    var result = Array("ttcf".utf8) + bytes(0x10000) + bytes(fonts.count)
    var start = result.count + 4 * fonts.count
    for font in fonts {
      result += bytes(start)
      start += font.count
    }
    for var font in fonts {
      let tables = Int(font[4]) << 8 | Int(font[5])
      for table in 0..<tables {
        // Offsets are from the beginning of the file.
        let place = 12 + 16 * table + 8
        let offset = font[place..<place + 4].reduce(0) { $0 << 8 | Int($1) }
        font.replaceSubrange(place..<place + 4, with: bytes(offset + result.count))
      }
      result += font
    }
    return result
  }

  @Test func featuresChangeGlyphs() throws {
    let sans = try SystemFonts.face(.sans)
    #expect(TextLine("fi", font: Font(sans, size: 9)).glyphs.count == 1)
    #expect(TextLine("fi", font: Font(sans, size: 9, features: [FontFeature("liga", 0)])).glyphs.count == 2)
    let plain = TextLine("0", font: Font(inter, size: 9)).glyphs[0].id
    let slashed = TextLine("0", font: Font(inter, size: 9, features: [FontFeature("zero")])).glyphs[0].id
    #expect(plain != slashed)
  }

  @Test func featuresAreOneOfEachTag() {
    var font = Font(inter, size: 9, features: [FontFeature("zero"), FontFeature("liga"), FontFeature("zero", 0)])
    #expect(font.features == [FontFeature("liga"), FontFeature("zero", 0)])
    #expect(!font.tabularFigures)
    font.tabularFigures = true
    #expect(font.features == [FontFeature("liga"), .tabularFigures, FontFeature("zero", 0)])
    #expect(font == Font(inter, size: 9, features: [FontFeature("zero", 0), .tabularFigures, FontFeature("liga")]))
    font.tabularFigures = false
    #expect(!font.tabularFigures && font.features.count == 2)
    #expect(Font(inter, size: 9, tabularFigures: true).features == [.tabularFigures])
  }

  @Test func tagsHaveFourCharacters() {
    for (name, description) in [("a", "a"), ("wght", "wght"), ("a   ", "a"), ("    ", " "), ("a b", "a b")] {
      #expect(FontTag(name)?.description == description)
    }
    for name in ["", "abcde", "é", "a\n"] { #expect(FontTag(name) == nil) }
    #expect(FontTag("a") == "a   ")
  }

  @Test func facesKnowTheirCharacters() throws {
    let (sans, roboto) = (try SystemFonts.face(.sans), try SystemFonts.face(.regular))
    for character in "aé\u{65}\u{301}\u{2003}\n\t ЖΩ" {
      #expect(roboto.contains(character), "\(character)")
    }
    for character in "שس" { #expect(sans.contains(character) && !roboto.contains(character)) }
    // A letter that the font has, with a mark that it has not.
    #expect(!roboto.contains("a\u{5B8}"))
    #expect(!sans.contains("日") && !roboto.contains("👩‍👩‍👧"))
  }

  /// Random damage to a variable font gives an error or odd glyphs, but never a trap.
  @Test(arguments: [1, 2, 3, 4] as [UInt64])
  func damagedAxesAreHarmless(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    let good = try OwnedDescriptor.contents(of: inter.path, limit: 1 << 24)
    let tables = ["fvar", "gvar", "HVAR", "STAT", "name", "GSUB"].compactMap { table($0, in: good) }
    #expect(tables.count == 6)
    let bitmap = try Bitmap(width: 64, height: 32)
    var opened = 0
    for _ in 0..<40 {
      var bytes = good
      for _ in 0..<Int.random(in: 1...40, using: &generator) {
        // Most of the damage goes to the beginning of a table.
        let table = tables[Int.random(in: 0..<tables.count, using: &generator)]
        let range = table.prefix(Bool.random(using: &generator) ? 64 : table.count)
        bytes[Int.random(in: range.startIndex..<range.endIndex, using: &generator)] = .random(in: 0...255, using: &generator)
      }
      guard let face = try? FontFace(bytes: bytes, path: "damaged") else { continue }
      _ = face.namedInstances
      let variations = face.axes.map { FontVariation($0.tag, .random(in: $0.range, using: &generator)) }
      guard let other = try? FontFace(face, variations: variations) else { continue }
      opened += 1
      let context = DrawingContext(bitmap: bitmap)
      for face in [face, other] {
        let line = TextLine("Ag %ffi", font: Font(face, size: 14, features: [FontFeature("zero"), FontFeature("aalt", 9)]))
        context.draw(line, at: Point(2, 20), color: .white)
        context.rotate(0.1)
        _ = line.inkBounds
        _ = face.contains("é")
      }
    }
    #expect(opened > 10)
  }

  /// The bytes of a table.
  private func table(_ name: String, in font: [UInt8]) -> Range<Int>? {
    func number(_ place: Int) -> Int { font[place..<place + 4].reduce(0) { $0 << 8 | Int($1) } }
    let count = Int(font[4]) << 8 | Int(font[5])
    return (0..<count).lazy.map { 12 + 16 * $0 }.first { font[$0..<$0 + 4].elementsEqual(name.utf8) }.map {
      number($0 + 8)..<number($0 + 8) + number($0 + 12)
    }
  }
}
