import LinuxSystem
import Raster
import TestLength
import Testing
@testable import Typesetting

@Suite struct AttributedTextTests {
  private func spacing(_ value: Double) -> AttributedText.Attributes {
    AttributedText.Attributes { $0.letterSpacing = value }
  }

  @Test func whatIsNilStays() {
    var text = AttributedText("abcdef", AttributedText.Attributes { $0.language = "de" })
    text.set(spacing(1), in: 2..<4)
    #expect((0...6).map { text.attributes(at: $0).letterSpacing } == [nil, nil, 1, 1, nil, nil, nil])
    #expect((0..<6).allSatisfy { text.attributes(at: $0).language == "de" })
    text.set(spacing(1), in: 0..<2)
    #expect(text.runs.count == 2, "equal neighbours are one")
  }

  @Test func placesAreBetweenScalarsOfTheText() {
    var text: AttributedText = "aéb"
    text.set(spacing(1), in: 2..<99)
    #expect(text.runs.map(\.start) == [0, 1])
    text.replace(-5..<2, with: "x")
    #expect(text.string == "xéb" && text.runs.map(\.start) == [0, 1])
    text.replace(0..<4, with: "")
    #expect(text.string == "" && text.runs.count == 1)
    text.replace(0..<0, with: AttributedText("q", spacing(3)))
    #expect(text == AttributedText("q", spacing(3)))
  }

  @Test func textsAreInterpolated() {
    let text: AttributedText = "in \(4, spacing(2)) \(AttributedText("min", spacing(3)))"
    #expect(text.string == "in 4 min")
    #expect((0..<8).map { text.attributes(at: $0).letterSpacing } == [nil, nil, nil, 2, nil, 3, 3, 3])
  }

  /// A letter and its attributes, one by one, are the reference.
  @Test func randomEditsAreAsThoseOfLetters() {
    for seed in UInt64(runSeed)..<UInt64(runSeed + (isLongRun ? 2000 : 200)) {
      var random = SplitMix64(seed: seed)
      var text = AttributedText("")
      var letters: [(character: Character, spacing: Double?)] = []
      for _ in 0..<20 {
        let (a, b) = (Int.random(in: 0...letters.count, using: &random), Int.random(in: 0...letters.count, using: &random))
        let range = min(a, b)..<max(a, b)
        let value = Double(Int.random(in: 0..<3, using: &random))
        if random.chance(0.5) {
          text.set(spacing(value), in: range)
          for index in range { letters[index].spacing = value }
        } else {
          let string = String("abcdefgh".prefix(Int.random(in: 0...4, using: &random)))
          text.replace(range, with: AttributedText(string, spacing(value)))
          letters.replaceSubrange(range, with: string.map { ($0, value) })
        }
        #expect(text.string == String(letters.map(\.character)), "seed \(seed)")
        #expect(
          letters.indices.allSatisfy { text.attributes(at: $0).letterSpacing == letters[$0].spacing }, "seed \(seed)")
        #expect(zip(text.runs, text.runs.dropFirst()).allSatisfy { $0.start < $1.start && $0.attributes != $1.attributes })
      }
    }
  }

  /// The string is not built again for each change.
  @Test func textsAreEditedInPlace() {
    var text = AttributedText("")
    var addresses: Set<UInt> = []
    for index in 0..<5000 {
      text.append(AttributedText("some letters", spacing(Double(index % 2))))
      if index % 5 == 0 { text.replace(3..<5, with: AttributedText("e ", spacing(Double(index % 2)))) }
      _ = text.string.utf8.withContiguousStorageIfAvailable { addresses.insert(UInt(bitPattern: $0.baseAddress)) }
    }
    #expect(text.count == 60_000 && addresses.count < 40, "\(addresses.count)")
    #expect(text.attributes(at: 59_999).letterSpacing == 1 && text.attributes(at: 59_980).letterSpacing == 0)
  }
}
