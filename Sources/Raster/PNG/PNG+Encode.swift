internal import CDeflate
import LinuxSystem

extension PNG {
  /// Makes the bytes of a PNG file. The same pixels always give the same bytes.
  ///
  /// An opaque image becomes RGB. Any other becomes RGBA, with each component divided by alpha and rounded to the nearest.
  ///
  /// - Parameter level: the effort of compression, from 0 (stored) over 1 (fast) to 12 (small, very slow). A level outside of
  ///   this range is taken as the nearest.
  public static func encode(_ image: Image, level: Int = defaultLevel) throws(PNGError) -> [UInt8] {
    let bytesPerPixel = image.isOpaque ? 3 : 4
    let count = (1 + image.width * bytesPerPixel) * image.height
    // A chunk holds less than 2 GiB, and compression may make the rows a little longer.
    guard count < 2_000_000_000 else {
      throw .tooLarge(name: "", width: image.width, height: image.height, maximumPixels: 2_000_000_000 / bytesPerPixel)
    }
    guard let compressor = libdeflate_alloc_compressor(Int32(min(max(level, 0), 12))) else {
      throw .outOfMemory(bytes: count)
    }
    defer { libdeflate_free_compressor(compressor) }
    guard Memory.hasRoom(for: count) else { throw .outOfMemory(bytes: count) }
    let rows = PNGFilter.rows(of: image, bytesPerPixel: bytesPerPixel)
    let bound = libdeflate_zlib_compress_bound(compressor, rows.count)
    guard Memory.hasRoom(for: bound) else { throw .outOfMemory(bytes: bound) }

    var file: [UInt8] = [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A]
    file.appendChunk("IHDR") { file in
      file.append(bigEndian: UInt32(image.width))
      file.append(bigEndian: UInt32(image.height))
      // 8 bits, colour with or without alpha, deflate, one filter for each row, not interlaced.
      file.append(contentsOf: [8, image.isOpaque ? 2 : 6, 0, 0, 0])
    }
    // Perceptual intent: the default for pictures.
    file.appendChunk("sRGB") { $0.append(0) }
    var isComplete = false
    file.appendChunk("IDAT") { file in
      let packed = [UInt8](unsafeUninitializedCapacity: bound) { packed, size in
        rows.withUnsafeBytes { rows in
          size = libdeflate_zlib_compress(compressor, rows.baseAddress, rows.count, packed.baseAddress, bound)
        }
      }
      isComplete = !packed.isEmpty
      file += packed
    }
    // libdeflate cannot fail with as much room as it asked for.
    guard isComplete else { throw .outOfMemory(bytes: count) }
    file.appendChunk("IEND") { _ in }
    return file
  }

  /// Writes a PNG file. If writing fails, a file that was there before stays as it was; see `AtomicFile`.
  public static func write(_ image: Image, to path: String, level: Int = defaultLevel) throws(PNGError) {
    let bytes = try encode(image, level: level)
    do throws(SystemError) {
      try AtomicFile.write(bytes, to: path)
    } catch {
      throw .file(error)
    }
  }
}

extension [UInt8] {
  /// Appends a chunk: length, name, contents and checksum.
  fileprivate mutating func appendChunk(_ name: StaticString, _ contents: (inout [UInt8]) -> Void) {
    let start = count
    append(bigEndian: 0)
    name.withUTF8Buffer { append(contentsOf: $0) }
    contents(&self)
    let sum = withUnsafeBytes { bytes in
      libdeflate_crc32(0, bytes.baseAddress.map { $0 + start + 4 }, bytes.count - start - 4)
    }
    let length = UInt32(count - start - 8)
    for index in 0..<4 { self[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index))) }
    append(bigEndian: sum)
  }

  fileprivate mutating func append(bigEndian value: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] { append(UInt8(truncatingIfNeeded: value >> shift)) }
  }
}
