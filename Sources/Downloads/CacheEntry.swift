internal import CDeflate

/// An answer as the cache keeps it.
struct CacheEntry: Hashable, Sendable {
  /// The address, which is the entry's key.
  var key: String
  var freshness: Freshness
  var bytes: [UInt8]

  /// Why bytes are no entry.
  enum Damage: Error, Hashable {
    case notWhole
    case wrongSum
    case wrongFields
    /// It is another key's, whose name is the same.
    case otherKey
  }

  // The form of a file: eight letters, the length of the fields (4 bytes) and of the bytes (8 bytes), the checksum of all that
  // follows (CRC-32, 4 bytes), the fields as lines, the bytes. Numbers have their lowest byte first.
  private static let mark = Array("fpcache1".utf8)
  static let headSize = 24
  private static let mostFields = 64 << 10

  /// The file's contents; nil if the fields are longer than a reader takes.
  var encoded: [UInt8]? {
    let lines = [key, String(freshness.freshUntil), freshness.entityTag ?? "", freshness.lastModified ?? ""]
    let fields = Array(lines.joined(separator: "\n").utf8)
    guard fields.count <= Self.mostFields, lines.allSatisfy({ !$0.utf8.contains(0x0A) }) else { return nil }
    var sum = fields.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
    if !bytes.isEmpty { sum = bytes.withUnsafeBytes { libdeflate_crc32(sum, $0.baseAddress, $0.count) } }
    var file = Self.mark
    file.reserveCapacity(Self.headSize + fields.count + bytes.count)
    withUnsafeBytes(of: UInt32(fields.count).littleEndian) { file.append(contentsOf: $0) }
    withUnsafeBytes(of: UInt64(bytes.count).littleEndian) { file.append(contentsOf: $0) }
    withUnsafeBytes(of: UInt32(sum).littleEndian) { file.append(contentsOf: $0) }
    file += fields
    file += bytes
    return file
  }

  init(key: String, freshness: Freshness, bytes: [UInt8]) {
    (self.key, self.freshness, self.bytes) = (key, freshness, bytes)
  }

  /// Reads a file's contents. Nothing of them is believed before the sum is right.
  init(file: [UInt8], key: String) throws(Damage) {
    let size = file.count
    guard size >= Self.headSize, file.starts(with: Self.mark) else { throw .notWhole }
    func number(_ range: Range<Int>) -> UInt64 { file[range].reversed().reduce(0) { $0 << 8 | UInt64($1) } }
    let (fieldCount, byteCount, sum) = (number(8..<12), number(12..<20), number(20..<24))
    let (whole, overflow) = byteCount.addingReportingOverflow(fieldCount + UInt64(Self.headSize))
    guard fieldCount <= Self.mostFields, !overflow, whole == size else { throw .notWhole }
    let found = file.withUnsafeBytes { bytes in
      libdeflate_crc32(0, bytes.baseAddress.map { $0 + Self.headSize }, size - Self.headSize)
    }
    guard UInt64(found) == sum else { throw .wrongSum }
    let start = Self.headSize + Int(fieldCount)
    let lines = file[Self.headSize..<start].split(separator: 0x0A, omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard lines.count == 4, let freshUntil = Int64(lines[1]) else { throw .wrongFields }
    guard lines[0] == key else { throw .otherKey }
    self.key = key
    freshness = Freshness(
      freshUntil: freshUntil, entityTag: lines[2].isEmpty ? nil : lines[2], lastModified: lines[3].isEmpty ? nil : lines[3])
    bytes = Array(file[start...])
  }

  /// The name of a key's file: 128 bits of two FNV-1a sums, whose bits SplitMix64's finisher spreads. Another key with the same name
  /// is seen by the key in the file.
  static func fileName(of key: String) -> String {
    func sum(_ start: UInt64) -> UInt64 {
      var sum = start
      for byte in key.utf8 { sum = (sum ^ UInt64(byte)) &* 0x0000_0100_0000_01B3 }
      sum = (sum ^ (sum >> 30)) &* 0xBF58_476D_1CE4_E5B9
      sum = (sum ^ (sum >> 27)) &* 0x94D0_49BB_1331_11EB
      return sum ^ (sum >> 31)
    }
    func digits(_ number: UInt64) -> String {
      let text = String(number, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(sum(0xCBF2_9CE4_8422_2325)) + digits(sum(0x6C62_272E_07BB_0142)) + suffix
  }

  static let suffix = ".entry"

  /// True for names that `fileName(of:)` gives.
  static func isFileName(_ name: String) -> Bool { name.hasSuffix(suffix) && name.utf8.count == 32 + suffix.utf8.count }
}
