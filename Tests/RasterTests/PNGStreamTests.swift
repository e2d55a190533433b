import CDeflate
import CPNG
import CPictures
import Geometry
import Glibc
import LinuxSystem
@testable import Raster
import TestLength
import Testing

/// The encoder's files as libpng reads them.
@Suite struct PNGStreamTests {
  /// R, G, B, A of a file, without multiplied alpha; nil if libpng refuses it.
  private func pixels(byLibPNG file: [UInt8]) -> [UInt8]? {
    var image = png_image()
    image.version = UInt32(PNG_IMAGE_VERSION)
    guard png_image_begin_read_from_memory(&image, file, file.count) != 0 else { return nil }
    defer { png_image_free(&image) }
    image.format = PNG_FORMAT_FLAG_COLOR | PNG_FORMAT_FLAG_ALPHA
    var pixels = [UInt8](repeating: 0, count: Int(image.width * image.height) * 4)
    guard png_image_finish_read(&image, nil, &pixels, 0, nil) != 0, image.warning_or_error == 0 else { return nil }
    return pixels
  }

  private func expected(_ image: Image) -> [UInt8] {
    image.pixels.flatMap { pixel in
      let alpha = pixel >> 24
      func component(_ shift: UInt32) -> UInt8 {
        alpha == 0 ? 0 : UInt8(min((Double(pixel >> shift & 0xFF) * 255 / Double(alpha)).rounded(), 255))
      }
      return [component(16), component(8), component(0), UInt8(alpha)]
    }
  }

  /// All small sizes, with both efforts, opaque and not.
  @Test(arguments: some(2, of: 1...12))
  func libpngReadsAllSizes(seed: Int) throws {
    var generator = SplitMix64(seed: UInt64(seed))
    for width in 1...(isLongRun ? 40 : 20) {
      for height in 1...(isLongRun ? 40 : 20) {
        let isOpaque = Bool.random(using: &generator)
        let image = try Bitmap.random(width: width, height: height, isOpaque: isOpaque, using: &generator).freeze()
        let effort = PNG.Effort.allCases.randomElement(using: &generator) ?? .fast
        let file = try PNG.encode(image, effort: effort)
        #expect(pixels(byLibPNG: file) == expected(image), "seed \(seed): \(width)x\(height), \(effort)")
      }
    }
  }

  /// A picture of several bands: noise, which is stored as it is, a drawing, and both beside clear pixels. Threads change no
  /// byte.
  @Test(arguments: [(1031, 700, true), (701, 1000, false), (20_000, 30, true), (3, 30_000, false)])
  func bandsFitTogether(width: Int, height: Int, isOpaque: Bool) throws {
    var generator = SplitMix64(seed: UInt64(width))
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height {
      for x in 0..<width where isOpaque || y % 97 > 20 {
        bitmap[x, y] = 0xFF00_0000 | (y < height / 2 ? UInt32.random(in: 0...0xFF_FFFF, using: &generator) : UInt32(x / 7))
      }
    }
    let image = bitmap.freeze()
    let file = try PNG.encode(image)
    let chunks = try #require(Chunk.all(in: file))
    if width > 3 { #expect(chunks.count { $0.name == "IDAT" } > 1) }
    #expect(chunks.allSatisfy { $0.sum == Chunk.sum(of: Array($0.name.utf8) + $0.contents) })
    #expect(try PNG.decode(file).pixels == image.pixels)
    #expect(pixels(byLibPNG: file) == expected(image))
    #expect(try PNG.encode(image, pool: WorkerPool(threads: 3)) == file)
    // With room for a header and a checksum a band, noise takes no more than it has.
    #expect(file.count < (width * (isOpaque ? 3 : 4) + 1) * height + 4096)

    let folder = try TemporaryFolder()
    try PNG.write(image, to: folder.path + "/bands.png")
    #expect(try OwnedDescriptor.contents(of: folder.path + "/bands.png", limit: 1 << 30) == file)
  }

  /// Flat pictures and photographs are both smaller with more effort.
  @Test func effortMakesFilesSmaller() throws {
    let flat = try Bitmap.drawing(width: 300, height: 200) { context in
      context.fill(color: .white)
      for line in 0..<20 {
        context.fill(Rect(x: 10, y: Double(line * 10), width: Double(line * 13), height: 6), color: Color(hex: 0x336699))
      }
    }
    let smooth = try Bitmap.drawing(width: 300, height: 200) {
      $0.fill(gradient: .linear(from: .zero, to: Point(300, 200), colors: [Color(hex: 0x102030), Color(hex: 0xC0A080)]))
    }
    for image in [flat.freeze(), smooth.freeze()] {
      #expect(try PNG.encode(image, effort: .small).count < PNG.encode(image).count)
    }
  }

  /// The density of a picture for a dense display, in pixels a metre.
  @Test func densityIsStated() throws {
    let image = try Bitmap(width: 4, height: 4).freeze()
    func density(_ scale: Double) throws -> [UInt8]? {
      try #require(Chunk.all(in: PNG.encode(image, scale: scale))).first { $0.name == "pHYs" }?.contents
    }
    #expect(try density(1) == nil)
    // 144 pixels an inch are 5,669.29 a metre.
    #expect(try density(2) == [0, 0, 0x16, 0x25, 0, 0, 0x16, 0x25, 1])
    for scale in [0, -1, .nan, .infinity, 1e300] { #expect(try density(scale) == nil) }
  }

  /// A short file that states a size which its bytes cannot hold is refused before memory is taken for it.
  @Test func sizesBeyondTheFileAreRefused() {
    let file = Chunk.file(width: 8000, height: 8000, depth: 8, color: 6, rows: [0])
    let error = #expect(throws: PNGError.self) { try PNG.decode(file) }
    #expect(error?.description.contains("cannot hold 8000x8000") == true)
    // As many zeros as deflate can pack.
    #expect(throws: Never.self) {
      let clear = try PNG.encode(Bitmap(width: 4000, height: 2000).freeze(), effort: .small)
      #expect(clear.count < 36_000)
      _ = try PNG.decode(clear)
    }
  }

  /// Bytes that nothing makes smaller are stored: one block for each 65,535 of them.
  @Test(arguments: [0, 1, 65_534, 65_535, 65_536, 200_000])
  func bytesAreStored(count: Int) {
    let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 31) }
    var stored = [UInt8](repeating: 0, count: 2 * cpictures_deflate_room(UInt32(count)))
    // Two pieces, of which the second one ends the stream.
    let first = cpictures_stored_deflate(&stored, bytes, UInt32(count), false)
    #expect(first <= cpictures_deflate_room(UInt32(count)))
    let second = stored.withUnsafeMutableBufferPointer { stored in
      stored.baseAddress.map { cpictures_stored_deflate($0 + first, bytes, UInt32(count), true) } ?? 0
    }
    var unpacked = [UInt8](repeating: 0, count: 2 * count + 1)
    var size = 0
    let decompressor = libdeflate_alloc_decompressor()
    defer { libdeflate_free_decompressor(decompressor) }
    #expect(
      libdeflate_deflate_decompress(decompressor, stored, first + second, &unpacked, unpacked.count, &size)
        == LIBDEFLATE_SUCCESS)
    #expect(unpacked[..<size] == (bytes + bytes)[...])
  }

  /// Compressed bytes do not depend on where the compressor's state lies: a film is the same in each run.
  ///
  /// ISA-L reads the bits from 16 on of the state's address into a hash of 13 bits, unless it is kept from it; 16,384
  /// addresses that follow one another have each of the hashes.
  @Test(.enabled(if: cpictures_has_fast_deflate()))
  func compressedBytesAreTheSameForEveryAddressOfTheState() throws {
    // The first bytes come again once: they are found by the hashes that they were entered at.
    let bytes = [UInt8](1...40) + [UInt8](repeating: 0, count: 500) + (1...40) + [UInt8](repeating: 0, count: 40)
    let (step, count) = (1 << 16, 16_384)
    let size = step * count + cpictures_fast_deflate_state_size()
    let memory = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0)
    try #require(memory != MAP_FAILED)
    let states = try #require(memory)
    defer { munmap(states, size) }
    func compressed(_ index: Int) -> [UInt8] {
      var result = [UInt8](repeating: 0, count: cpictures_deflate_room(UInt32(bytes.count)))
      let written = cpictures_fast_deflate(states + index * step, &result, bytes, UInt32(bytes.count), true)
      return Array(result[..<written])
    }
    let first = compressed(0)
    #expect(first.count < bytes.count / 4)
    var others = 0
    for index in 1..<count {
      if compressed(index) != first { others += 1 }
      // A state that is left behind needs no memory.
      madvise(states + (index - 1) * step, step, MADV_DONTNEED)
    }
    #expect(others == 0)
  }
}
