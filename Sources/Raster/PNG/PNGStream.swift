internal import CDeflate
internal import CPictures
import Glibc
import LinuxSystem

/// The compressed rows of a picture: a zlib stream, delivered in pieces of which each becomes a chunk.
///
/// With the fast compressor the rows are cut into bands. Each is filtered and compressed by itself, so that a large picture
/// needs little memory and several threads can work on it. The bytes depend on the picture alone.
struct PNGStream: ~Copyable {
  /// The bytes of a band before compression, but for the height of its last row.
  private static let bandSize = 512 << 10

  private enum Form: ~Copyable {
    /// Bands that are compressed as they are delivered.
    case bands([Slot], rows: Int)
    /// All of it, compressed already.
    case whole(MemoryBlock, count: Int)
  }

  private let rows: PNGRows
  private let form: Form

  /// - Parameter threads: how many bands may be compressed at the same time.
  /// - Throws: `outOfMemory`; nothing else needs memory afterwards.
  init(_ rows: PNGRows, effort: PNG.Effort, threads: Int) throws(PNGError) {
    self.rows = rows
    switch effort {
    case .fast where cpictures_has_fast_deflate():
      let height = min(max(Self.bandSize / rows.rowBytes, 1), rows.height)
      let bands = (rows.height + height - 1) / height
      var slots: [Slot] = []
      for _ in 0..<min(max(threads, 1), bands) { slots.append(try Slot(rows, height: height)) }
      form = .bands(slots, rows: height)
    case .fast:
      form = try Self.whole(rows, level: 1, filters: [true])
    case .small:
      // Flat pictures of user interface are smaller without filters, photographs with them.
      form = try Self.whole(rows, level: 6, filters: [false, true])
    }
  }

  /// Calls `body` with each piece of the stream, in order. A piece is valid during the call.
  borrowing func forEachPiece<Failure: Error>(
    pool: WorkerPool?, _ body: (UnsafeRawBufferPointer) throws(Failure) -> Void
  ) throws(Failure) {
    switch form {
    case .whole(let block, let count):
      // A chunk holds less than 2 GiB.
      var start = 0
      while start < count {
        let size = min(count - start, 1 << 30)
        try body(UnsafeRawBufferPointer(start: block.base + start, count: size))
        start += size
      }
    case .bands(let slots, let height):
      var sum: UInt32 = 1
      var first = 0
      while first < rows.height {
        let count = min(slots.count, (rows.height - first + height - 1) / height)
        let (rows, start) = (rows, first)
        let compress: (Int) -> Void = { index in
          let top = start + index * height
          slots[index].compress(rows, top..<min(top + height, rows.height))
        }
        if let pool {
          pool.concurrentPerform(iterations: count, priority: .drawing, compress)
        } else {
          (0..<count).forEach(compress)
        }
        for slot in slots[..<count] { try body(slot.piece(after: &sum)) }
        first += count * height
      }
    }
  }

  private static func whole(_ rows: PNGRows, level: Int32, filters: [Bool]) throws(PNGError) -> Form {
    let filtered = try MemoryBlock(rows.size)
    let scratch = try MemoryBlock(rows.scratchSize)
    guard let compressor = libdeflate_alloc_compressor(level) else { throw .outOfMemory(bytes: rows.size) }
    defer { libdeflate_free_compressor(compressor) }
    let bound = libdeflate_zlib_compress_bound(compressor, rows.size)
    var best: (MemoryBlock, Int)?
    for isFiltered in filters {
      let packed = try MemoryBlock(bound)
      rows.write(0..<rows.height, to: filtered.base, scratch: scratch.base, isFiltered: isFiltered)
      // libdeflate cannot fail with as much room as it asked for.
      let count = libdeflate_zlib_compress(compressor, filtered.base, rows.size, packed.base, bound)
      if count < best?.1 ?? .max { best = (packed, count) }
    }
    guard let best, best.1 > 0 else { throw .outOfMemory(bytes: bound) }
    return .whole(best.0, count: best.1)
  }

  /// The memory for one band at a time.
  ///
  /// Safe to share although unchecked: one thread at a time works on a slot, and `concurrentPerform` orders them.
  private final class Slot: @unchecked Sendable {
    /// Room for zlib's header in front and its checksum behind.
    private static let header = 2
    private static let trailer = 4

    private let memory: MemoryBlock
    private let filtered: UnsafeMutablePointer<UInt8>
    private let scratch: UnsafeMutablePointer<UInt8>
    private let compressed: UnsafeMutablePointer<UInt8>
    /// The band that was compressed last.
    private var isFirst = false
    private var isLast = false
    private var sum: UInt32 = 1
    private var size = 0
    private var count = 0

    init(_ rows: PNGRows, height: Int) throws(PNGError) {
      // The compressor's tables come first, since they are read as words.
      let sizes = [
        (cpictures_fast_deflate_state_size() + 63) & ~63, rows.rowBytes * height, rows.scratchSize,
        Self.header + cpictures_deflate_room(UInt32(rows.rowBytes * height)) + Self.trailer,
      ]
      memory = try MemoryBlock(sizes.reduce(0, +))
      filtered = memory.base + sizes[0]
      scratch = filtered + sizes[1]
      compressed = scratch + sizes[2]
    }

    func compress(_ rows: PNGRows, _ band: Range<Int>) {
      size = rows.rowBytes * band.count
      rows.write(band, to: filtered, scratch: scratch, isFiltered: true)
      sum = libdeflate_adler32(1, filtered, size)
      isFirst = band.lowerBound == 0
      isLast = band.upperBound == rows.height
      count = cpictures_fast_deflate(memory.base, compressed + Self.header, filtered, UInt32(size), isLast)
    }

    /// The compressed band, with the stream's header before the first one and its checksum behind the last one.
    ///
    /// - Parameter total: the checksum of all bands before this one; of this one too when the call returns.
    func piece(after total: inout UInt32) -> UnsafeRawBufferPointer {
      total = Self.joined(total, sum, count: size)
      // Deflate with a window of 32 KiB, the fastest of four levels, no dictionary.
      if isFirst { (compressed[0], compressed[1]) = (0x78, 0x01) }
      if isLast {
        for byte in 0..<Self.trailer {
          compressed[Self.header + count + byte] = UInt8(truncatingIfNeeded: total >> UInt32(24 - 8 * byte))
        }
      }
      let start = isFirst ? 0 : Self.header
      let end = Self.header + count + (isLast ? Self.trailer : 0)
      return UnsafeRawBufferPointer(start: compressed + start, count: end - start)
    }

    /// The Adler-32 of bytes with the sum `one` that are followed by `count` bytes with the sum `other`: the low half is 1 and
    /// all bytes, the high half the total of the low halves after each byte, modulo 65521 (RFC 1950).
    private static func joined(_ one: UInt32, _ other: UInt32, count: Int) -> UInt32 {
      let modulus: UInt64 = 65_521
      let (low, otherLow) = (UInt64(one & 0xFFFF), UInt64(other & 0xFFFF))
      // The second part began with 1 instead of `low`.
      let before = low + modulus - 1
      let high = UInt64(one >> 16) + UInt64(other >> 16) + UInt64(count) % modulus * (before % modulus)
      return UInt32(high % modulus) << 16 | UInt32((before + otherLow) % modulus)
    }
  }
}

/// Memory of which there may be too little.
private final class MemoryBlock {
  let base: UnsafeMutablePointer<UInt8>

  init(_ count: Int) throws(PNGError) {
    var pointer: UnsafeMutableRawPointer?
    guard count < 1 << 20 || Memory.hasRoom(for: count), posix_memalign(&pointer, 64, max(count, 1)) == 0, let pointer else {
      throw .outOfMemory(bytes: count)
    }
    base = pointer.assumingMemoryBound(to: UInt8.self)
  }

  deinit { free(base) }
}
