/// What a display says of itself in the first block of its EDID (VESA E-EDID 1.3 and 1.4).
///
/// Displays lie, and cables damage what they say: whatever the bytes are, what can be read is read, the rest is nil, and
/// `defects` tells what is wrong with them.
public struct EDID: Equatable, Sendable {
  /// What is wrong with the bytes.
  public enum Defect: String, Sendable, CaseIterable {
    case header = "wrong header"
    case checksum = "wrong checksum"
    case extensionMissing = "extension block missing"
  }

  /// The three letters that the manufacturer has registered: "DEL", "SAM".
  public let manufacturer: String?
  /// The manufacturer's number for the product.
  public let productCode: Int
  /// The product's name: "DELL U2412M"; of a panel without a name, what its maker calls it: "NE135FBM-N41".
  public let name: String?
  /// The serial number as text, or the numeric one; nil where there is none.
  public let serialNumber: String?
  /// The year in which it was made, or for which it was designed.
  public let year: Int?
  public let defects: [Defect]

  /// Bytes of a block.
  static let blockSize = 128

  /// Nil when this is no EDID: less than a block, or nothing like its header.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.blockSize else { return nil }
    let block = bytes[..<Self.blockSize]
    let header: [UInt8] = [0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]
    let wrong = zip(block, header).filter { $0 != $1 }.count
    // One or two flipped bytes, as the kernel's `drm_edid_header_is_valid` has it; it mends them too.
    guard wrong <= 2 else { return nil }

    var defects: [Defect] = []
    if wrong > 0 { defects.append(.header) }
    if block.reduce(0, &+) != 0 { defects.append(.checksum) }
    if bytes.count < Self.blockSize * (1 + Int(block[126])) { defects.append(.extensionMissing) }
    self.defects = defects

    manufacturer = Self.letters(Int(block[8]) << 8 | Int(block[9]))
    productCode = Int(block[10]) | Int(block[11]) << 8
    year = block[17] == 0 ? nil : 1990 + Int(block[17])

    var texts: [UInt8: String] = [:]
    for start in stride(from: 54, to: 126, by: 18) {
      let descriptor = block[start..<start + 18]
      // Without a pixel clock it is no timing, but says of what kind it is.
      guard descriptor.prefix(3) == [0, 0, 0], let text = Self.text(descriptor.dropFirst(5)) else { continue }
      texts[descriptor[start + 3]] = text
    }
    name = texts[0xFC] ?? texts[0xFE]
    let number = block[12..<16].reversed().reduce(0) { $0 << 8 | UInt32($1) }
    serialNumber = texts[0xFF] ?? (number == 0 ? nil : "\(number)")
  }

  /// Three letters of five bits each, "A" being 1.
  private static func letters(_ packed: Int) -> String? {
    let numbers = [packed >> 10 & 31, packed >> 5 & 31, packed & 31]
    guard packed >> 15 == 0, numbers.allSatisfy({ (1...26).contains($0) }) else { return nil }
    return String(decoding: numbers.map { UInt8(64 + $0) }, as: UTF8.self)
  }

  /// A descriptor's text, which ends at a line feed. Nothing in it can be a terminal's command: what is not printable ASCII
  /// becomes "?". Nil for one that is blank.
  private static func text(_ bytes: some Sequence<UInt8>) -> String? {
    let printable = bytes.prefix { $0 != 0x0A && $0 != 0 }.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    let blank = UInt8(ascii: " ")
    let trimmed = printable.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()
    return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
  }
}
