import KMS
import LinuxSystem
import Testing

struct EDIDTests {
  /// A monitor of 2005, as an X server has logged it.
  static let monitor = bytes(
    """
    00ffffffffffff0010ac0e7000000000180f010368261e782ec665a2594c9d24125054a54b00714f8180010101010101
    010101010101302a009851002a4030701300520e1100001e000000ff0047363536363536464c4553410a000000fc0044
    656c6c204531393346500a20000000fd00384c1e530e000a20202020202000b4
    """)

  /// A notebook's panel: two free texts, no name, no serial number.
  static let panel = bytes(
    """
    00ffffffffffff0009e55f0900000000171d0104a51c137803de50a3544c99260f505400000001010101010101010101
    010101010101115cd01881e02d50302036001dbe1000001aa749d01881e02d50302036001dbe1000001a000000fe0042
    4f452043510a202020202020000000fe004e4531333546424d2d4e34310a00fb
    """)

  /// QEMU's, the first of two blocks.
  static let virtual = bytes(
    """
    00ffffffffffff0049143412000000002a180104a520147806ee91a3544c99260f5054210800e1c0d1c0d100a940b300
    950081808140ea2900c051201c304026444045cb10000018000000f7000a004082002820000000000000000000fd0032
    7d1ea0ff010a202020202020000000fc0051454d55204d6f6e69746f720a013a
    """)

  @Test func readsScreens() throws {
    typealias Row = (bytes: [UInt8], manufacturer: String?, product: Int, name: String?, serial: String?, year: Int?)
    let whole = Self.virtual + [UInt8](repeating: 0, count: 128)
    for row: Row in [
      (Self.monitor, "DEL", 0x700E, "Dell E193FP", "G656656FLESA", 2005),
      (Self.panel, "BOE", 0x095F, "NE135FBM-N41", nil, 2019), (whole, "RHT", 0x1234, "QEMU Monitor", nil, 2014),
    ] {
      let edid = try #require(EDID(row.bytes))
      #expect((edid.manufacturer, edid.productCode, edid.name) == (row.manufacturer, row.product, row.name))
      #expect((edid.serialNumber, edid.year) == (row.serial, row.year), "\(row.name ?? "")")
      #expect(edid.defects.isEmpty, "\(row.name ?? "")")
    }
  }

  @Test func aNameGoesBeforeOtherTexts() {
    var bytes = Self.panel
    bytes[93] = 0xFC
    #expect(EDID(bytes)?.name == "BOE CQ")
  }

  @Test func namesAnExtensionThatIsMissing() throws {
    let edid = try #require(EDID(Self.virtual))
    #expect(edid.name == "QEMU Monitor")
    #expect(edid.defects == [.extensionMissing])
  }

  @Test func theNumericSerialNumberStandsInForTheText() throws {
    var bytes = Self.panel
    bytes.replaceSubrange(12..<16, with: [0x78, 0x56, 0x34, 0x12])
    #expect(EDID(bytes)?.serialNumber == "\(0x1234_5678)")
  }

  @Test func damageIsNamedAndTheRestRead() throws {
    var bytes = Self.monitor
    bytes[3] = 0xFE
    #expect(EDID(bytes)?.defects == [.header, .checksum])
    bytes[127] &+= 1
    let edid = try #require(EDID(bytes))
    #expect(edid.defects == [.header])
    #expect(edid.name == "Dell E193FP")
    bytes[8...9] = [0xFF, 0xFF]
    #expect(EDID(bytes)?.manufacturer == nil)
    bytes[17] = 0
    #expect(EDID(bytes)?.year == nil)
  }

  @Test func whatIsNoEDIDIsRefused() {
    #expect(EDID([]) == nil)
    #expect(EDID(Array(Self.monitor.dropLast())) == nil)
    #expect(EDID([UInt8](repeating: 0, count: 128)) == nil)
    #expect(EDID([UInt8](repeating: 0xFF, count: 256)) != nil, "two bytes of the header are wrong, and no more")
    #expect(EDID([0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 1] + [UInt8](repeating: 0, count: 120)) == nil)
  }

  /// A name is no way to the user's terminal.
  @Test func textsHoldNoControlCharacters() throws {
    var bytes = Self.monitor
    let name: [UInt8] = [0x1B, 0x5B, 0x32, 0x4A, 0x07, 0x80, 0xFF, 0x41, 0x20, 0x20, 0x20, 0x20, 0x20]
    bytes.replaceSubrange(95..<108, with: name)
    #expect(EDID(bytes)?.name == "?[2J???A")
    bytes.replaceSubrange(95..<108, with: [UInt8](repeating: 0x20, count: 13))
    #expect(EDID(bytes)?.name == nil)
    bytes.replaceSubrange(95..<108, with: [UInt8](repeating: 0x41, count: 13))
    #expect(EDID(bytes)?.name == String(repeating: "A", count: 13))
  }

  /// Any bytes give an answer, printable and no longer than a descriptor.
  @Test(arguments: [1, 2, 3] as [UInt64])
  func anyBytesGiveAnAnswer(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<20_000 {
      var bytes = [Self.monitor, Self.panel, Self.virtual].randomElement(using: &random) ?? []
      for _ in 0..<Int.random(in: 0...30, using: &random) {
        bytes[Int.random(in: 0..<bytes.count, using: &random)] = .random(in: 0...255, using: &random)
      }
      if Bool.random(using: &random) { bytes.removeLast(Int.random(in: 0...bytes.count, using: &random)) }
      guard let edid = EDID(bytes) else { continue }
      for text in [edid.name, edid.serialNumber, edid.manufacturer].compactMap(\.self) {
        #expect(
          (1...13).contains(text.count) && text.utf8.allSatisfy { (0x20...0x7E).contains($0) }, "seed \(seed): \(text)")
      }
    }
  }

  private static func bytes(_ hexadecimal: String) -> [UInt8] {
    let digits = Array(hexadecimal.filter { !$0.isWhitespace })
    return stride(from: 0, to: digits.count - 1, by: 2).compactMap { UInt8(String(digits[$0...$0 + 1]), radix: 16) }
  }
}
