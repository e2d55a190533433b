import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

@Suite struct ItemizationTests {
  let library: FontLibrary

  init() throws {
    library = try FontLibrary(
      files: fontFiles("Roboto-Regular.ttf", "Roboto-Bold.ttf", "DejaVuSans.ttf", "Lohit-Devanagari.ttf"))
  }

  @Test func partsAreInTheFontThatHasThem() throws {
    #expect(
      try library.parts(of: "abc שלום नमस्ते x") == [
        "abc  Latn 0 Roboto-Regular.ttf", "שלום Hebr 1 DejaVuSans.ttf", "  Hebr 0 Roboto-Regular.ttf",
        "नमस्ते  Deva 0 Lohit-Devanagari.ttf", "x Latn 0 Roboto-Regular.ttf",
      ])
  }

  @Test func directionsAreThoseOfTheParagraph() throws {
    func level(_ text: String, _ direction: BaseDirection = .natural) throws -> UInt8 {
      try library.itemize(text, [RequestSpan(FontRequest([], size: 9))], direction: direction).level
    }
    #expect(try level("abc שלום") == 0 && level("שלום abc") == 1 && level("12 שלום") == 1 && level("12") == 0)
    // An isolate does not count (P2).
    #expect(try level("\u{2068}שלום\u{2069} abc") == 0)
    #expect(try level("שלום", .leftToRight) == 0 && level("abc", .rightToLeft) == 1)
    #expect(try library.parts(of: "abc", direction: .rightToLeft) == ["abc Latn 2 Roboto-Regular.ttf"])
  }

  @Test func spansHaveTheirOwnFonts() throws {
    let spans = [
      RequestSpan(FontRequest(["Roboto"], size: 10)), RequestSpan(start: 3, FontRequest(["Roboto"], size: 20, weight: 700)),
      // Inside of a scalar: before it.
      RequestSpan(start: 7, FontRequest(["Roboto"], size: 30)),
    ]
    let items = try library.itemize("abcdefé g", spans).items
    #expect(items.map(\.range) == [0..<3, 3..<6, 6..<10])
    #expect(items.map(\.font.size) == [10, 20, 30] && items.map(\.span) == [0, 1, 2])
    #expect(items.map { file($0.font) } == ["Roboto-Regular.ttf", "Roboto-Bold.ttf", "Roboto-Regular.ttf"])
  }

  /// Lohit has some Greek letters and is not made for Greek. Pango takes a language for Greek from the environment, or its own.
  @Test func scriptsThatALanguageIsNotWrittenInAreInNoLanguage() throws {
    let library = try FontLibrary(files: fontFiles("Lohit-Devanagari.ttf", "Roboto-Bold.ttf"))
    func fonts(_ language: String) throws -> [String] {
      try library.itemize("aπ", [RequestSpan(FontRequest(["None"], size: 9))], language: language).items.map {
        file($0.font)
      }
    }
    for language in ["und", "de", "hi", "ja"] { #expect(try fonts(language).last == "Lohit-Devanagari.ttf", "\(language)") }
    #expect(try fonts("el").last == "Roboto-Bold.ttf")
  }

  @Test func oddTextsAndSpansAreHarmless() throws {
    let request = FontRequest(["Roboto"], size: 10)
    #expect(try library.itemize("", [RequestSpan(request)]).items.isEmpty)
    #expect(try library.itemize("abc", []).items.isEmpty)
    let odd = [RequestSpan(start: 2, request), RequestSpan(start: -4, request), RequestSpan(start: 900, request)]
    for text in [
      "a\u{0}b", "\u{0}", "\u{FFFF}\u{10FFFF}", "\r\n\u{2028}", "\u{202E}abc", String(repeating: "é\u{301}", count: 99),
    ] {
      let items = try library.itemize(text, odd).items
      #expect(
        items.first?.range.lowerBound == 0 && items.last?.range.upperBound == text.utf8.count, "\(text.debugDescription)")
    }
  }

  /// Parts follow each other without gaps, and no box is shown where any font has the character.
  @Test func randomTextsAreCovered() throws {
    let faces = try ["Roboto", "DejaVu Sans", "Lohit Devanagari"].map { try library.font(FontRequest([$0], size: 9)).face }
    let scalars = "abXéß ЖдΩλ אבגد ںसकनम 123.,- →∑€ 漢字กい".unicodeScalars.map { $0 }
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 2000 : 100)) {
      var random = SplitMix64(seed: seed)
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 1...30, using: &random) {
        let scalar = scalars[Int.random(in: 0..<scalars.count, using: &random)]
        for _ in 0..<Int.random(in: 1...3, using: &random) { text.append(scalar) }
      }
      let string = String(text)
      let bytes = Array(string.utf8)
      let family = ["Roboto", "DejaVu Sans", "Lohit Devanagari", "None"].randomElement(using: &random) ?? ""
      let items = try library.itemize(string, [RequestSpan(FontRequest([family], size: 9))]).items
      var end = 0
      for item in items {
        #expect(item.range.lowerBound == end && !item.range.isEmpty, "seed \(seed)")
        end = item.range.upperBound
        for character in String(decoding: bytes[item.range], as: UTF8.self) {
          let isShown = item.font.face.contains(character)
          #expect(isShown || !faces.contains { $0.contains(character) }, "seed \(seed): \(character) in \(file(item.font))")
        }
      }
      #expect(end == bytes.count, "seed \(seed)")
    }
  }

  /// Pango ends the process where a text is not as it expects.
  @Test func anyTextAndAnySpansAreHarmless() throws {
    let odd =
      (Array(0...0x20) + Array(0x200B...0x200F) + Array(0x202A...0x202E) + Array(0x2060...0x206F)).map { UInt32($0) }
      + [
        0x7F, 0x85, 0xAD, 0x34F, 0x61C, 0x180E, 0x2028, 0x2029, 0x20E3, 0xFE0E, 0xFE0F, 0xFEFF, 0xFFF9, 0xFFFF, 0xE0001,
        0x1F1E6,
      ]
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 20_000 : 300)) {
      var random = SplitMix64(seed: seed)
      var text = String.UnicodeScalarView()
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        let range: Range<UInt32> = [0..<0x3000, 0..<0x11_0000, 0x1F000..<0x1FB00].randomElement(using: &random) ?? 0..<1
        let value =
          random.chance(0.5) ? odd[Int.random(in: 0..<odd.count, using: &random)] : .random(in: range, using: &random)
        if let scalar = Unicode.Scalar(value) { text.append(scalar) }
      }
      let string = String(text)
      let spans = (0..<Int.random(in: 1...4, using: &random)).map { _ in
        RequestSpan(
          start: .random(in: -2...string.utf8.count + 2, using: &random),
          FontRequest(["Roboto"], size: 9, weight: .random(in: 0...1001, using: &random)))
      }
      let direction = [BaseDirection.natural, .leftToRight, .rightToLeft].randomElement(using: &random) ?? .natural
      let items = try library.itemize(string, spans, direction: direction, language: ["und", "ja", "", "🙂"][Int(seed % 4)])
        .items
      var end = 0
      for item in items {
        #expect(item.range.lowerBound == end && !item.range.isEmpty, "seed \(seed)")
        end = item.range.upperBound
      }
      #expect(end == string.utf8.count, "seed \(seed)")
      // No place is inside of a scalar.
      let (bytes, breaks) = (Array(string.utf8), TextBreaks(string))
      #expect(bytes.indices.allSatisfy { bytes[$0] & 0xC0 != 0x80 || breaks[$0].isEmpty }, "seed \(seed)")
    }
  }

  /// The levels of Unicode's own test of UAX 9.
  @Test func levelsAreThoseOfUnicode() throws {
    let request = [RequestSpan(FontRequest(["DejaVu Sans"], size: 9))]
    var count = 0
    for (number, line) in try unicodeLines("BidiCharacterTest.txt").enumerated()
    where isLongRun || number % 40 == runSeed % 40 {
      let fields = line.split(separator: ";", omittingEmptySubsequences: false)
      guard fields.count == 5 else { continue }
      let direction = [BaseDirection.leftToRight, .rightToLeft, .natural][Int(fields[1]) ?? 0]
      let expected = fields[3].split(separator: " ").map { UInt8($0) }
      var text = String.UnicodeScalarView()
      text.append(
        contentsOf: fields[0].split(separator: " ").compactMap { UInt32($0, radix: 16).flatMap(Unicode.Scalar.init) })
      guard text.count == expected.count else {
        Issue.record("\(line)")
        continue
      }
      let result = try library.itemize(String(text), request, direction: direction)
      var (offset, levels) = (0, [UInt8?]())
      for scalar in text {
        levels.append(result.items.first { $0.range.contains(offset) }?.level)
        offset += String(scalar).utf8.count
      }
      // Pango finds one level for a text in which nothing runs from right to left. The order is the same.
      let runsForwards = (expected + levels).allSatisfy { ($0 ?? 0) % 2 == 0 }
      let isEqual = runsForwards || zip(expected, levels).allSatisfy { $0 == nil || $0 == $1 }
      #expect(isEqual && result.level == UInt8(fields[2]), "\(line): \(levels) \(result.level)")
      count += 1
    }
    #expect(count > 2000)
  }
}

/// The lines of one of Unicode's files, without comments.
func unicodeLines(_ name: String) throws -> [Substring] {
  let bytes = try OwnedDescriptor.contents(of: "/usr/share/unicode/\(name)", limit: 1 << 26)
  return String(decoding: bytes, as: UTF8.self).split(separator: "\n").filter { !$0.hasPrefix("#") }
}
