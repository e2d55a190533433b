/// A screen's description of itself, from the first block of its EDID (VESA E-EDID 1.3 and 1.4). `CardReport` has it for each
/// connector.
///
/// Screens lie, and cables damage the bytes: everything that can be read is read, the rest is nil, and `defects` says what is
/// wrong.
public struct EDID: Equatable, Sendable {
  /// A defect of the bytes.
  public enum Defect: String, Sendable, CaseIterable {
    case header = "wrong header"
    case checksum = "wrong checksum"
    case extensionMissing = "extension block missing"
  }

  /// The manufacturer's three registered letters: "DEL", "SAM".
  public let manufacturer: String?
  /// The manufacturer's number for the product.
  public let productCode: Int
  /// The product's name: "DELL U2412M". For a panel without a name, its maker's text: "NE135FBM-N41".
  public let name: String?
  /// The serial number as text, or the numeric one; nil where there is none.
  public let serialNumber: String?
  /// The year of manufacture, or of the model.
  public let year: Int?
  public let defects: [Defect]

  /// The size of a block in bytes.
  static let blockSize = 128

  /// Nil when the bytes are no EDID: less than a block, or without its header.
  public init?(_ bytes: [UInt8]) {
    guard bytes.count >= Self.blockSize else { return nil }
    let block = bytes[..<Self.blockSize]
    let header: [UInt8] = [0x00, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x00]
    let wrong = zip(block, header).filter { $0 != $1 }.count
    // One or two flipped bytes are allowed, as in the kernel's `drm_edid_header_is_valid`, which repairs them.
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
      // A descriptor without a pixel clock is no timing, and has a kind.
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

  /// A descriptor's text, up to a line feed; nil when it is blank. Anything but printable ASCII becomes "?": it might be a
  /// terminal's command.
  private static func text(_ bytes: some Sequence<UInt8>) -> String? {
    let printable = bytes.prefix { $0 != 0x0A && $0 != 0 }.map { (0x20...0x7E).contains($0) ? $0 : UInt8(ascii: "?") }
    let blank = UInt8(ascii: " ")
    let trimmed = printable.drop { $0 == blank }.reversed().drop { $0 == blank }.reversed()
    return trimmed.isEmpty ? nil : String(decoding: trimmed, as: UTF8.self)
  }
}
