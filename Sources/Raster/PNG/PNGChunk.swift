internal import CDeflate

/// The chunks of a PNG file: length, name, contents and checksum, with numbers of which the high byte comes first.
enum PNGChunk {
  static let signature: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
  static let end = chunk("IEND", [])

  /// Size and kind of the picture.
  static func header(width: Int, height: Int, channels: Int) -> [UInt8] {
    // 8 bits, colour with or without alpha, deflate, one filter for each row, not interlaced.
    chunk("IHDR", bytes(UInt32(clamping: width)) + bytes(UInt32(clamping: height)) + [8, channels == 3 ? 2 : 6, 0, 0, 0])
  }

  /// The meaning of the pixels: sRGB with the perceptual intent, the default for pictures, and their density at a scale other
  /// than 1.
  static func description(scale: Double) -> [UInt8] {
    let color = chunk("sRGB", [0])
    // A point is 1/72 inch, an inch 0.0254 m.
    let density = (scale * 72 / 0.0254).rounded()
    guard scale != 1, density >= 1, density < 0x1p31 else { return color }
    return color + chunk("pHYs", bytes(UInt32(density)) + bytes(UInt32(density)) + [1])
  }

  static func chunk(_ name: StaticString, _ contents: [UInt8]) -> [UInt8] {
    var chunk: [UInt8] = []
    contents.withUnsafeBytes { write(name, $0) { chunk += $0 } }
    return chunk
  }

  /// Writes a chunk with long contents, in parts.
  ///
  /// - Parameter prefix: stands before the contents.
  static func write<Failure: Error>(
    _ name: StaticString, prefix: [UInt8] = [], _ contents: UnsafeRawBufferPointer,
    to output: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    func write(_ bytes: [UInt8]) throws(Failure) {
      try bytes.withUnsafeBufferPointer { (bytes) throws(Failure) in try output(UnsafeRawBufferPointer(bytes)) }
    }
    let start = name.withUTF8Buffer { Array($0) } + prefix
    try write(bytes(UInt32(prefix.count + contents.count)) + start)
    try output(contents)
    let sum = start.withUnsafeBytes { libdeflate_crc32(0, $0.baseAddress, $0.count) }
    try write(bytes(contents.isEmpty ? sum : libdeflate_crc32(sum, contents.baseAddress, contents.count)))
  }

  static func bytes(_ value: UInt32) -> [UInt8] {
    [24, 16, 8, 0].map { (shift: UInt32) in UInt8(truncatingIfNeeded: value >> shift) }
  }

  static func bytes(_ value: UInt16) -> [UInt8] {
    [UInt8(truncatingIfNeeded: value >> 8), UInt8(truncatingIfNeeded: value)]
  }
}
