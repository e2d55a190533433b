import CDeflate

/// A chunk of a PNG file.
struct Chunk {
  var name: String
  var contents: [UInt8]
  var sum: UInt32

  static func all(in file: [UInt8]) -> [Chunk]? {
    var chunks: [Chunk] = []
    var index = 8
    func word(_ index: Int) -> UInt32 { file[index..<index + 4].reduce(0) { $0 << 8 | UInt32($1) } }
    while index < file.count {
      guard index + 12 <= file.count else { return nil }
      let length = Int(word(index))
      guard index + 12 + length <= file.count else { return nil }
      chunks.append(
        Chunk(
          name: String(decoding: file[index + 4..<index + 8], as: UTF8.self),
          contents: Array(file[index + 8..<index + 8 + length]), sum: word(index + 8 + length)))
      index += 12 + length
    }
    return chunks
  }

  /// The CRC-32, computed bit by bit with the polynomial of the PNG specification.
  static func sum(of bytes: [UInt8]) -> UInt32 {
    var sum = UInt32.max
    for byte in bytes {
      sum ^= UInt32(byte)
      for _ in 0..<8 { sum = sum & 1 == 0 ? sum >> 1 : 0xEDB8_8320 ^ sum >> 1 }
    }
    return ~sum
  }

  /// The file with correct checksums, as far as its chunks can be followed.
  static func withCorrectedSums(_ file: [UInt8]) -> [UInt8] {
    var file = file
    var index = 8
    while index + 12 <= file.count {
      let length = file[index..<index + 4].reduce(0) { $0 << 8 | Int($1) }
      guard index + 12 + length <= file.count else { break }
      let sum = sum(of: Array(file[index + 4..<index + 8 + length]))
      for byte in 0..<4 {
        file[index + 8 + length + byte] = UInt8(truncatingIfNeeded: sum >> UInt32(24 - 8 * byte))
      }
      index += 12 + length
    }
    return file
  }

  static func file(
    width: UInt32, height: UInt32, depth: UInt8, color: UInt8, extra: [(String, [UInt8])] = [],
    isInterlaced: Bool = false, rows: [UInt8]
  ) -> [UInt8] {
    func bigEndian(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    func chunk(_ name: String, _ contents: [UInt8]) -> [UInt8] {
      let body = Array(name.utf8) + contents
      return bigEndian(UInt32(contents.count)) + body + bigEndian(sum(of: body))
    }
    // A single stored block of deflate, with zlib's header and checksum.
    let length = UInt16(rows.count)
    let adler = rows.withUnsafeBytes { libdeflate_adler32(1, $0.baseAddress, $0.count) }
    let packed: [UInt8] =
      [0x78, 0x01, 1, UInt8(length & 0xFF), UInt8(length >> 8), UInt8(~length & 0xFF), UInt8(~length >> 8)] + rows
      + bigEndian(adler)
    return [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
      + chunk("IHDR", bigEndian(width) + bigEndian(height) + [depth, color, 0, 0, isInterlaced ? 1 : 0])
      + extra.flatMap { chunk($0.0, $0.1) } + chunk("IDAT", packed) + chunk("IEND", [])
  }
}
