import Testing
@testable import Typesetting

@Suite struct TextBreaksTests {
  /// Unicode's own test of UAX 14, but for Thai, which it breaks between any two letters: a dictionary knows better.
  @Test func linesBreakWhereUnicodeSays() throws {
    var count = 0
    for line in try unicodeLines("auxiliary/LineBreakTest.txt") {
      let words = line.prefix { $0 != "#" }.split { $0 == " " || $0 == "\t" }
      var text = ""
      // The offset of each place, and whether a line may break there.
      var places: [(offset: Int, isBreak: Bool)] = []
      for word in words {
        if let scalar = UInt32(word, radix: 16).flatMap(Unicode.Scalar.init) {
          text.unicodeScalars.append(scalar)
        } else {
          places.append((text.utf8.count, word == "÷"))
        }
      }
      if text.unicodeScalars.contains(where: { (0xE00...0xE7F).contains($0.value) }) { continue }
      let breaks = TextBreaks(text)
      let isEqual = places.dropFirst().dropLast().allSatisfy { breaks[$0.offset].contains(.line) == $0.isBreak }
      #expect(isEqual, "\(line)")
      count += 1
    }
    #expect(count > 7000)
  }

  /// The offsets with something.
  private func offsets(_ text: String, _ place: TextBreaks.Place) -> [Int] {
    let breaks = TextBreaks(text)
    return (0...text.utf8.count).filter { breaks[$0].contains(place) }
  }

  @Test func hyphensAndBlanksAreMarked() {
    #expect(offsets("su\u{AD}per", [.line, .hyphen]) == [4])
    #expect(offsets("a b", .hyphen).isEmpty)
    #expect(offsets("a b\u{A0}c", .line).filter { $0 < 6 } == [2])
    #expect(offsets("a b", .expandable) == [1] && offsets("a b", .blank).filter { $0 < 3 } == [1])
    #expect(offsets("a\u{200B}b", .line).contains(4))
    #expect(!offsets("a\u{2060}b", .line).contains(4))
    #expect(offsets("a\nb\r\nc", .mandatory).filter { $0 < 6 } == [2, 5])
    #expect(offsets("ab cd", .wordStart) == [0, 3] && offsets("ab cd", .wordEnd) == [2, 5])
    // A caret does not stand inside of a letter with a mark, nor does a line break there.
    #expect(offsets("ae\u{301}b", .caret) == [0, 1, 4, 5])
    #expect(offsets("ae\u{301}b", .character).filter { $0 > 0 && $0 < 5 } == [1, 4])
  }

  @Test func thaiWordsAreFound() {
    // "Thai language": two words.
    #expect(offsets("ภาษาไทย", .line).filter { $0 < 21 } == [12])
  }

  @Test func oddTextsAreHarmless() {
    #expect(TextBreaks("")[0].isEmpty || TextBreaks("")[0].contains(.caret))
    #expect(TextBreaks("ab")[-1].isEmpty && TextBreaks("ab")[3].isEmpty)
    #expect(offsets("a\u{0} b", .line).contains(3))
    #expect(TextBreaks("é")[1].isEmpty)
    let text = PangoText(String(repeating: "é", count: 9 << 20) + "a")
    #expect(text.count == 16 << 20)
  }
}
