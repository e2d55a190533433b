import LinuxSystem
import TestLength
import Testing

@testable import Typesetting

/// The paragraphs of a text.
@Suite struct ParagraphTextsTests {
  private static let breaks = ["\n", "\u{B}", "\u{C}", "\r", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"]

  private func paragraphs(_ string: String) -> [Range<Int>] {
    var texts = ParagraphTexts(AttributedText(string), longest: TextLayout.longestText)
    var found: [Range<Int>] = []
    while let next = texts.next() { found.append(next.offset..<next.offset + next.bytes.count) }
    return found
  }

  /// A break is found wherever it stands: bytes are looked at in groups.
  @Test(arguments: breaks)
  func eachPlaceOfABreakIsSeen(text: String) {
    for before in 0..<40 {
      for behind in 0..<20 {
        let string = String(repeating: "x", count: before) + text + String(repeating: "y", count: behind)
        let end = before + text.utf8.count
        #expect(paragraphs(string) == [0..<before, end..<end + behind], "\(before), \(behind)")
      }
    }
  }

  /// Random texts of breaks, of letters and of signs whose bytes are near to those of breaks.
  @Test func paragraphsEndAtBreaksAlone() {
    var generator = SplitMix64(seed: UInt64(runSeed))
    let others = [
      "\t", "\u{E}", "\u{1F}", " ", "a", "word", "~", "\u{7F}", "\u{80}", "\u{86}", "é", "\u{2027}", "\u{202A}", "文", "😀",
      "\u{0}",
    ]
    for round in 0..<(isLongRun ? 100_000 : 2_000) {
      var (string, expected, start) = ("", [Range<Int>](), 0)
      for _ in 0..<Int.random(in: 0...30, using: &generator) {
        let isBreak = Int.random(in: 0..<6, using: &generator) == 0
        guard let piece = (isBreak ? Self.breaks : others).randomElement(using: &generator) else { continue }
        // These two would be one break.
        if isBreak, piece.hasPrefix("\n"), string.utf8.last == 0x0D { continue }
        if isBreak { expected.append(start..<string.utf8.count) }
        string += piece
        if isBreak { start = string.utf8.count }
      }
      expected.append(start..<string.utf8.count)
      #expect(paragraphs(string) == expected, "round \(round), seed \(runSeed)")
    }
  }
}
