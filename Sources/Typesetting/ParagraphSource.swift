import Raster

/// All that the glyphs of a paragraph depend on, but for the fonts that there are.
struct ParagraphSource: Hashable, Sendable {
  /// A part from `start` to the next one that is shaped in its own way.
  struct Span: Hashable, Sendable {
    var start: Int
    var request: FontRequest
    var letterSpacing: Double
    var language: String
  }

  /// UTF-8 without control characters.
  var text: [UInt8]
  /// The first starts at 0; neighbours differ.
  var spans: [Span]
  /// Parts in which no line begins.
  var unbreakable: [Range<Int>]
  var direction: BaseDirection

  /// - Parameters:
  ///   - text: UTF-8 in which every control character becomes a blank that is as long, since fonts have no glyphs for them.
  ///   - runs: the attributes of it.
  ///   - font: that of parts that name none.
  ///   - last: the paragraph before, whose spans are shared where they are equal.
  init(
    _ text: some Sequence<UInt8>, _ runs: [AttributedText.Run], font: FontRequest, direction: BaseDirection,
    after last: ParagraphSource? = nil
  ) {
    var bytes = Array(text)
    for index in bytes.indices {
      if bytes[index] < 0x20 || bytes[index] == 0x7F { bytes[index] = 0x20 }
      // U+0080 to U+009F become U+00A0.
      if bytes[index] == 0xC2, index + 1 < bytes.count, bytes[index + 1] < 0xA0 { bytes[index + 1] = 0xA0 }
    }
    self.text = bytes
    self.direction = direction
    spans = []
    unbreakable = []
    for (index, run) in runs.enumerated() {
      let attributes = run.attributes
      let span = Span(
        start: run.start, request: attributes.font ?? font, letterSpacing: (attributes.letterSpacing ?? 0).usable,
        language: attributes.language ?? "und")
      if spans.last.map({ Span(start: span.start, $0) }) != span { spans.append(span) }
      guard attributes.isUnbreakable == true else { continue }
      let end = index + 1 < runs.count ? runs[index + 1].start : bytes.count
      if let last = unbreakable.last, last.upperBound == run.start {
        unbreakable[unbreakable.count - 1] = last.lowerBound..<end
      } else {
        unbreakable.append(run.start..<end)
      }
    }
    if let last, last.spans == spans { spans = last.spans }
  }
}

extension ParagraphSource.Span {
  fileprivate init(start: Int, _ other: Self) {
    self = other
    self.start = start
  }
}
