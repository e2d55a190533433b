internal import CDeflate
import LinuxSystem

/// Writes PNG files one after another, with memory that it keeps between them.
///
/// An opaque image becomes RGB, another one RGBA with alpha divided out, rounded to the nearest. The same pixels always
/// give the same bytes. An encoder belongs to one thread at a time.
public final class PNGEncoder {
  private let compressor: OpaquePointer?
  private var filtered: [UInt8] = []
  private var file: [UInt8] = []
  private var filter = PNGFilter()

  /// - Parameter level: from 0 (stored) over 1 (fast) to 12 (small, very slow); what lies outside is taken as the nearest.
  public init(level: Int = PNG.defaultLevel) {
    compressor = libdeflate_alloc_compressor(Int32(min(max(level, 0), 12)))
  }

  deinit {
    if let compressor { libdeflate_free_compressor(compressor) }
  }

  /// Calls `body` with the bytes of the file, which are valid until it returns.
  public func encode<Result>(_ image: Image, _ body: (UnsafeRawBufferPointer) -> Result) throws(PNGError) -> Result {
    try build(image)
    return file.withUnsafeBytes(body)
  }

  /// Writes a file, whole or not at all; see `AtomicFile`.
  public func write(_ image: Image, to path: String) throws(PNGError) {
    try build(image)
    do throws(SystemError) {
      try AtomicFile.write(file, to: path)
    } catch {
      throw .file(error)
    }
  }

  private func build(_ image: Image) throws(PNGError) {
    let bytesPerPixel = image.isOpaque ? 3 : 4
    let count = (1 + image.width * bytesPerPixel) * image.height
    // A chunk holds less than 2 GiB, and compressing may make it a little longer.
    guard count < 2_000_000_000 else {
      throw .tooLarge(name: "", width: image.width, height: image.height, maximumPixels: 2_000_000_000 / bytesPerPixel)
    }
    guard let compressor else { throw .outOfMemory(bytes: count) }
    filter.apply(to: image, bytesPerPixel: bytesPerPixel, into: &filtered)

    file.removeAll(keepingCapacity: true)
    file.append(contentsOf: [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    appendChunk("IHDR") { file in
      file.append(bigEndian: UInt32(image.width))
      file.append(bigEndian: UInt32(image.height))
      // 8 bits, colour with or without alpha, deflate, filters by row, not interlaced.
      file.append(contentsOf: [8, image.isOpaque ? 2 : 6, 0, 0, 0])
    }
    // Perceptual intent: the default for pictures.
    appendChunk("sRGB") { $0.append(0) }
    var isComplete = false
    appendChunk("IDAT") { file in
      let start = file.count
      let bound = libdeflate_zlib_compress_bound(compressor, filtered.count)
      file.append(contentsOf: repeatElement(0, count: bound))
      let size = file.withUnsafeMutableBytes { file in
        filtered.withUnsafeBytes { filtered in
          libdeflate_zlib_compress(
            compressor, filtered.baseAddress, filtered.count, file.baseAddress.map { $0 + start }, bound)
        }
      }
      isComplete = size > 0
      file.removeLast(bound - size)
    }
    // It cannot fail with the room that it asked for.
    guard isComplete else { throw .outOfMemory(bytes: count) }
    appendChunk("IEND") { _ in }
  }

  /// Length, name, contents and check sum.
  private func appendChunk(_ name: StaticString, _ contents: (inout [UInt8]) -> Void) {
    let start = file.count
    file.append(bigEndian: 0)
    name.withUTF8Buffer { file.append(contentsOf: $0) }
    contents(&file)
    let sum = file.withUnsafeBytes { bytes in
      libdeflate_crc32(0, bytes.baseAddress.map { $0 + start + 4 }, bytes.count - start - 4)
    }
    let length = UInt32(file.count - start - 8)
    for index in 0..<4 {
      file[start + index] = UInt8(truncatingIfNeeded: length >> (24 - 8 * UInt32(index)))
    }
    file.append(bigEndian: sum)
  }
}

extension [UInt8] {
  fileprivate mutating func append(bigEndian value: UInt32) {
    for shift in [24, 16, 8, 0] as [UInt32] {
      append(UInt8(truncatingIfNeeded: value >> shift))
    }
  }
}
