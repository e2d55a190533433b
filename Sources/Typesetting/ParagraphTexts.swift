import Glibc

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
  /// The number of the attributes of the whole paragraph before; nil if it had several.
  private var lastRun: Int?

  /// - Parameter longest: the bytes of the text that count.
  init(_ text: AttributedText, longest: Int) {
    self.text = text
    utf8 = text.string.utf8.prefix(text.whole(0..<longest).upperBound)
    start = utf8.startIndex
  }

  mutating func next() -> Element? {
    guard let start else { return nil }
    let (count, length) = utf8[start...].withBytes(Self.findLineBreak)
    let end = utf8.index(start, offsetBy: count)
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
    let isWhole = run + 1 == text.runs.count || text.runs[run + 1].start >= offset + count
    if isWhole, lastRun == run { return lastRuns }
    lastRun = isWhole ? run : nil
    let runs = text.runs[run...].prefix { $0.start < offset + count || $0.start <= offset }.map {
      AttributedText.Run(start: max($0.start - offset, 0), attributes: $0.attributes)
    }
    if runs != lastRuns { lastRuns = runs }
    return lastRuns
  }

  /// Takes over an array that is equal to the last one: those of the same array are compared at once.
  mutating func share(_ runs: [AttributedText.Run]) { lastRuns = runs }

  /// The bytes before the first line break, and its own; 0 if there is none.
  private static func findLineBreak(_ bytes: UnsafeBufferPointer<UInt8>) -> (place: Int, length: Int) {
    func byte(_ index: Int) -> UInt8 { index < bytes.count ? bytes[index] : 0 }
    let words = UnsafeRawBufferPointer(bytes)
    var index = 0
    while index < bytes.count {
      // Eight bytes at a time of those from 0x0E to 0x8D, with which no break begins.
      if index + 8 <= bytes.count {
        let word = words.loadUnaligned(fromByteOffset: index, as: UInt64.self)
        if (word &- 0x0E0E_0E0E_0E0E_0E0E) & 0x8080_8080_8080_8080 == 0 {
          index += 8
          continue
        }
      }
      if bytes[index] &- 0x0E < 0xC2 - 0x0E {
        index += 1
        continue
      }
      switch bytes[index] {
      case 0x0A, 0x0B, 0x0C: return (index, 1)
      case 0x0D: return (index, byte(index + 1) == 0x0A ? 2 : 1)
      // U+0085, and U+2028 and U+2029.
      case 0xC2 where byte(index + 1) == 0x85: return (index, 2)
      case 0xE2 where byte(index + 1) == 0x80 && byte(index + 2) & 0xFE == 0xA8: return (index, 3)
      default: index += 1
      }
    }
    return (index, 0)
  }
}

extension Substring.UTF8View {
  /// Calls `body` with the bytes where they are.
  func withBytes<Result>(_ body: (UnsafeBufferPointer<UInt8>) -> Result) -> Result {
    withContiguousStorageIfAvailable(body) ?? Array(self).withUnsafeBufferPointer(body)
  }

  func hasSameBytes(as other: Self) -> Bool {
    withBytes { own in
      other.withBytes { other in
        guard own.count == other.count, let one = own.baseAddress, let two = other.baseAddress else {
          return own.count == other.count
        }
        return memcmp(one, two, own.count) == 0
      }
    }
  }
}
