/// The element at the root of an SVG file, of which the size is read: all else is left to librsvg.
struct SVGRoot {
  private var attributes: [String: String] = [:]

  /// The bytes in which the element has to end.
  private static let longest = 65_536

  /// Nil for a file that does not begin as SVG in UTF-8 or another encoding with the letters of ASCII.
  init?(of bytes: UnsafeRawBufferPointer) {
    var scanner = Scanner(rest: UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.longest)))
    guard scanner.skipProlog(), scanner.word(until: [0x2F, 0x3E])?.split(separator: ":").last == "svg" else { return nil }
    while let attribute = scanner.attribute() { attributes[attribute.name] = attributes[attribute.name] ?? attribute.value }
  }

  /// The size as librsvg sees it: of a drawing without a width or a height, that of its view box, or in the ratio of that. Nil where
  /// that says none, or less than a pixel's millionth.
  var size: PixelSize? {
    let numbers = (attributes["viewBox"] ?? "").split { $0 == "," || $0.isWhitespace }.compactMap { Double($0) }
    let box = numbers.count == 4 && numbers[2] > 0 && numbers[3] > 0 ? (width: numbers[2], height: numbers[3]) : nil
    let (width, height): (Double, Double)
    switch (length("width"), length("height"), box) {
    case (let stated?, let other?, _): (width, height) = (stated, other)
    case (let stated?, nil, let box?): (width, height) = (stated, stated / box.width * box.height)
    case (nil, let stated?, let box?): (width, height) = (stated / box.height * box.width, stated)
    case (nil, nil, let box?): (width, height) = box
    default: return nil
    }
    let range = 1e-6...Double(ImageFile.longestSide)
    guard range.contains(width), range.contains(height) else { return nil }
    return PixelSize(width: Int(width.rounded(.up)), height: Int(height.rounded(.up)))
  }

  /// In pixels. Nil for a part of what is outside, and for what is no length.
  private func length(_ name: String) -> Double? {
    let styles = (attributes["style"] ?? "").split(separator: ";").map { $0.split(separator: ":", maxSplits: 1) }
    let style = styles.last { $0.count == 2 && Self.trimmed($0[0]) == name }?[1]
    guard let text = style.map({ Self.trimmed($0) }) ?? attributes[name] else { return nil }
    let units: [String: Double] = [
      "px": 1, "in": 96, "cm": 96 / 2.54, "mm": 96 / 25.4, "pt": 96 / 72, "pc": 16, "em": 12, "ex": 6,
    ]
    if let unit = units.first(where: { text.hasSuffix($0.key) }) {
      return Double(text.dropLast(2)).map { $0 * unit.value }
    }
    return Double(text)
  }

  private static func trimmed(_ text: Substring) -> String {
    String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
  }
}

private struct Scanner {
  var rest: UnsafeRawBufferPointer

  /// Goes behind the first `<` that begins an element; false if there is none, or anything else before it.
  mutating func skipProlog() -> Bool {
    if rest.starts(with: [0xEF, 0xBB, 0xBF]) { drop(3) }
    while true {
      skipSpace()
      if rest.starts(with: "<?".utf8) {
        guard skip(behind: "?>") else { return false }
      } else if rest.starts(with: "<!--".utf8) {
        guard skip(behind: "-->") else { return false }
      } else if rest.starts(with: "<!".utf8) {
        guard skipDeclaration() else { return false }
      } else {
        guard rest.first == 0x3C else { return false }
        drop(1)
        return true
      }
    }
  }

  /// The next attribute; nil at the end of the element or where there is none.
  mutating func attribute() -> (name: String, value: String)? {
    skipSpace()
    guard let name = word(until: [0x3D, 0x2F, 0x3E]), !name.isEmpty else { return nil }
    skipSpace()
    guard rest.first == 0x3D else { return nil }
    drop(1)
    skipSpace()
    guard let quote = rest.first, quote == 0x22 || quote == 0x27 else { return nil }
    drop(1)
    guard let end = rest.firstIndex(of: quote) else { return nil }
    let value = String(decoding: rest[..<end], as: UTF8.self)
    drop(end + 1)
    return (name, value)
  }

  /// The bytes before a space or one of those given.
  mutating func word(until ends: [UInt8]) -> String? {
    guard let end = rest.firstIndex(where: { isSpace($0) || ends.contains($0) }) else { return nil }
    defer { drop(end) }
    return String(decoding: rest[..<end], as: UTF8.self)
  }

  /// A declaration of the document's type may have others in brackets, and comments between them.
  private mutating func skipDeclaration() -> Bool {
    var depth = 0
    while let byte = rest.first {
      if rest.starts(with: "<!--".utf8) {
        guard skip(behind: "-->") else { return false }
      } else if rest.starts(with: "<?".utf8) {
        guard skip(behind: "?>") else { return false }
      } else if byte == 0x22 || byte == 0x27 {
        drop(1)
        guard let end = rest.firstIndex(of: byte) else { return false }
        drop(end + 1)
      } else {
        drop(1)
        if byte == 0x5B { depth += 1 }
        if byte == 0x5D { depth -= 1 }
        if byte == 0x3E, depth <= 0 { return true }
      }
    }
    return false
  }

  private mutating func skip(behind mark: String) -> Bool {
    let mark = Array(mark.utf8)
    var index = 0
    while index + mark.count <= rest.count {
      if rest[index..<index + mark.count].elementsEqual(mark) {
        drop(index + mark.count)
        return true
      }
      index += 1
    }
    return false
  }

  private mutating func skipSpace() {
    while let byte = rest.first, isSpace(byte) { drop(1) }
  }

  private mutating func drop(_ count: Int) { rest = UnsafeRawBufferPointer(rebasing: rest.dropFirst(count)) }

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }
}
