/// The paragraphs of an attributed text, found one after the other.
struct ParagraphTexts: IteratorProtocol {
  struct Element {
    /// The byte of the text at which it begins.
    var offset: Int
    /// Without the line break at its end.
    var bytes: Substring.UTF8View
    /// Counted from the paragraph's beginning.
    var runs: [AttributedText.Run]
    /// True if a line break ends it, and so another paragraph follows.
    var isFollowed: Bool
  }

  private let text: AttributedText
  private let utf8: Substring.UTF8View
  private var start: String.Index?
  private var offset = 0
  /// The number of the attributes of the paragraph's first byte.
  private var run = 0
  private var lastRuns: [AttributedText.Run] = []

  /// - Parameter longest: the bytes of the text that count.
  init(_ text: AttributedText, longest: Int) {
    self.text = text
    utf8 = text.string.utf8.prefix(text.whole(0..<longest).upperBound)
    start = utf8.startIndex
  }

  mutating func next() -> Element? {
    guard let start else { return nil }
    var (end, length) = (start, 0)
    while end < utf8.endIndex {
      length = lineBreak(end)
      if length > 0 { break }
      utf8.formIndex(after: &end)
    }
    let bytes = utf8[start..<end]
    defer {
      self.start = length > 0 ? utf8.index(end, offsetBy: length) : nil
      offset += bytes.count + length
    }
    return Element(offset: offset, bytes: bytes, runs: runs(bytes.count), isFollowed: length > 0)
  }

  /// The attributes of so many bytes; the same array as before where they are equal.
  private mutating func runs(_ count: Int) -> [AttributedText.Run] {
    while run + 1 < text.runs.count, text.runs[run + 1].start <= offset { run += 1 }
    let runs = text.runs[run...].prefix { $0.start < offset + count || $0.start <= offset }.map {
      AttributedText.Run(start: max($0.start - offset, 0), attributes: $0.attributes)
    }
    if runs != lastRuns { lastRuns = runs }
    return lastRuns
  }

  /// The bytes of a line break that begins at an index; 0 if none does.
  private func lineBreak(_ index: String.Index) -> Int {
    func byte(_ distance: Int) -> UInt8? {
      utf8.index(index, offsetBy: distance, limitedBy: utf8.endIndex).flatMap { $0 < utf8.endIndex ? utf8[$0] : nil }
    }
    return switch utf8[index] {
    case 0x0A, 0x0B, 0x0C: 1
    case 0x0D: byte(1) == 0x0A ? 2 : 1
    // U+0085, and U+2028 and U+2029.
    case 0xC2: byte(1) == 0x85 ? 2 : 0
    case 0xE2: byte(1) == 0x80 && (byte(2) == 0xA8 || byte(2) == 0xA9) ? 3 : 0
    default: 0
    }
  }
}
