import CDeflate
import CPictures
import Geometry
import Glibc
import LinuxSystem
@testable import Raster
import TestLength
import Testing

@Suite struct PNGTests {
  /// Every alpha with every component that it allows survives the conversion to PNG and back.
  @Test func alphaSurvivesExactly() {
    func stored(_ pixel: UInt32) -> UInt32 {
      var bytes = [UInt8](repeating: 0, count: 4)
      cpictures_png_row(&bytes, [pixel], 1, 4)
      return bytes.withUnsafeBytes { $0.loadUnaligned(as: UInt32.self) }
    }
    for alpha in 0...255 as ClosedRange<UInt32> {
      for value in 0...alpha {
        let pixel = alpha << 24 | value << 16 | (alpha - value) << 8 | value / 2
        let stored = stored(pixel)
        #expect(PixelFormat.premultipliedBGRA(fromRGBA: stored) == pixel)
        guard alpha > 0 else { continue }
        let exact = (Double(value) * 255 / Double(alpha))
        #expect(abs(Double(stored & 0xFF) - exact) <= 0.5)
      }
    }
    // This is not a valid colour, but it must not trap.
    #expect(stored(0x10FF_FFFF) == 0x10FF_FFFF)
  }

  @Test func premultiplyingRoundsToTheNearest() {
    for alpha in 0...255 as ClosedRange<UInt32> {
      for value in 0...255 as ClosedRange<UInt32> {
        let pixel = PixelFormat.premultipliedBGRA(fromRGBA: alpha << 24 | value)
        #expect(Double(pixel >> 16 & 0xFF) == (Double(value * alpha) / 255).rounded())
      }
    }
  }

  @Test(arguments: [1, 2, 3, 4, 5, 6] as [UInt64])
  func randomPixelsSurvive(seed: UInt64) throws {
    var generator = SplitMix64(seed: seed)
    for _ in 0..<25 {
      let isOpaque = Bool.random(using: &generator)
      let bitmap = try Bitmap.random(
        width: .random(in: 1...70, using: &generator), height: .random(in: 1...40, using: &generator), isOpaque: isOpaque,
        using: &generator)
      let effort = PNG.Effort.allCases.randomElement(using: &generator) ?? .fast
      let bytes = try PNG.encode(bitmap.freeze(), effort: effort)
      #expect(bytes[25] == (isOpaque || bitmap.pixels.allSatisfy { alpha($0) == 255 } ? 2 : 6))
      let decoded = try PNG.decode(bytes)
      #expect(decoded.width == bitmap.width && decoded.height == bitmap.height)
      #expect(decoded.pixels == bitmap.pixels, "seed \(seed), \(bitmap.width)x\(bitmap.height)")
    }
  }

  /// Each filter is chosen for the picture that suits it.
  @Test func filterFollowsThePicture() throws {
    func filters(_ gradient: Gradient) throws -> [UInt8] {
      let bitmap = try Bitmap.drawing(width: 64, height: 16) { $0.fill(gradient: gradient) }
      let rows = PNGRows(bitmap.freeze())
      #expect(rows.size == 16 * (1 + 64 * 3))
      var output = [UInt8](repeating: 0, count: rows.size)
      var scratch = [UInt8](repeating: 0, count: rows.scratchSize)
      rows.write(0..<16, to: &output, scratch: &scratch, isFiltered: true)
      return (0..<16).map { output[$0 * (1 + 64 * 3)] }
    }
    let across = Gradient.linear(from: .zero, to: Point(0, 16), colors: [.black, .white])
    let along = Gradient.linear(from: .zero, to: Point(64, 0), colors: [.black, .white])
    // Rows of a single colour repeat to the right; identical rows repeat downwards.
    #expect(try filters(across).dropFirst().allSatisfy { $0 == 1 })
    #expect(try filters(along).dropFirst().allSatisfy { $0 == 2 })
  }

  /// The signature and the chunks' order, lengths and checksums are checked by hand.
  @Test func structureIsValid() throws {
    let image = try Bitmap.drawing(width: 33, height: 7) { $0.fill(color: Color(hex: 0x336699)) }.freeze()
    let bytes = try PNG.encode(image)
    #expect(bytes.prefix(8) == [0x89, 0x50, 0x4E, 0x47, 0x0D, 0x0A, 0x1A, 0x0A])
    let chunks = try #require(Chunk.all(in: bytes))
    #expect(chunks.map(\.name) == ["IHDR", "sRGB", "IDAT", "IEND"])
    for chunk in chunks {
      #expect(chunk.sum == Chunk.sum(of: Array(chunk.name.utf8) + chunk.contents), "\(chunk.name)")
    }
    #expect(chunks[0].contents == [0, 0, 0, 33, 0, 0, 0, 7, 8, 2, 0, 0, 0])
  }

  /// Kinds of PNG that the encoder does not write, put together by hand.
  @Test func otherKindsAreRead() throws {
    // 1-bit grey, 2x1: white, black.
    let grey = Chunk.file(width: 2, height: 1, depth: 1, color: 0, rows: [0, 0b1000_0000])
    #expect(try PNG.decode(grey).pixels == [0xFFFF_FFFF, 0xFF00_0000])
    // A palette with alpha, 2x1.
    let palette = Chunk.file(
      width: 2, height: 1, depth: 8, color: 3, extra: [("PLTE", [255, 0, 0, 0, 0, 255]), ("tRNS", [128])], rows: [0, 0, 1])
    #expect(try PNG.decode(palette).pixels == [0x8080_0000, 0xFF00_00FF])
    // 16 bits a component with alpha, 1x1.
    let deep = Chunk.file(width: 1, height: 1, depth: 16, color: 6, rows: [0, 255, 255, 0, 0, 128, 128, 255, 255])
    #expect(try PNG.decode(deep).pixels == [0xFFFF_0080])
    // Interlaced, 2x2: pass 1 has one pixel, passes 6 and 7 have the others.
    let interlaced = Chunk.file(
      width: 2, height: 2, depth: 8, color: 0, isInterlaced: true, rows: [0, 10, 0, 20, 0, 30, 40])
    #expect(try PNG.decode(interlaced).pixels == [10, 20, 30, 40].map { 0xFF00_0000 | $0 << 16 | $0 << 8 | $0 })
  }

  @Test func otherFilesAreRefused() throws {
    for bytes in [[], [0], Array("GIF89a........................".utf8), [UInt8](repeating: 0xFF, count: 5_000)] {
      #expect(throws: PNGError.self) { try PNG.decode(bytes) }
    }
  }

  /// A profile may have 4 MB and packed text 2 MB; a file with more is refused with the reason before pixels are asked for.
  @Test func whatStandsBeforePixelsIsBounded() throws {
    func file(_ name: String, count: Int) throws -> [UInt8] {
      let compressor = try #require(libdeflate_alloc_compressor(1))
      defer { libdeflate_free_compressor(compressor) }
      let contents = [UInt8](repeating: 65, count: count)
      var packed = [UInt8](repeating: 0, count: count)
      let size = libdeflate_zlib_compress(compressor, contents, count, &packed, count)
      let extra = [65, 0, 0] + packed.prefix(size)
      return Chunk.file(width: 1, height: 1, depth: 8, color: 0, extra: [(name, extra)], rows: [0, 10])
    }
    func profileBytes(_ file: [UInt8]) throws -> Int? {
      try file.withUnsafeBytes { bytes in
        let reader = try PNGReader(bytes, maximumPixels: 1, name: "")
        return reader.profile?.count
      }
    }
    for name in ["iCCP", "zTXt"] {
      let small = try PNG.decode(file(name, count: 2_000_000))
      #expect(small.pixels == [0xFF0A_0A0A])
      let large = try file(name, count: 4_300_000)
      #expect(throws: PNGError.damaged(name: "", reason: "reached chunk/cache limits")) { try profileBytes(large) }
    }
    let count = try profileBytes(file("iCCP", count: 4_100_000))
    #expect(count == 4_100_000)
  }

  @Test func sizeIsCheckedBeforeMemoryIsTaken() {
    let wide = Chunk.file(width: 40_000, height: 1, depth: 8, color: 0, rows: [0])
    #expect(throws: PNGError.tooLarge(name: "", width: 40_000, height: 1, maximumPixels: PNG.defaultMaximumPixels)) {
      try PNG.decode(wide)
    }
    let large = Chunk.file(width: 30_000, height: 30_000, depth: 8, color: 0, rows: [0])
    #expect(throws: PNGError.tooLarge(name: "", width: 30_000, height: 30_000, maximumPixels: 1 << 26)) {
      try PNG.decode(large)
    }
    let small = Chunk.file(width: 3, height: 3, depth: 8, color: 0, rows: [UInt8](repeating: 0, count: 12))
    #expect(throws: PNGError.tooLarge(name: "", width: 3, height: 3, maximumPixels: 8)) {
      try PNG.decode(small, maximumPixels: 8)
    }
    #expect(throws: Never.self) { try PNG.decode(small, maximumPixels: 9) }
  }

  /// No damage may trap. Some, for example to a colour, leaves the file valid.
  @Test(arguments: [1, 2, 3, 4, 5, 6, 7, 8] as [UInt64])
  func damagedFilesAreHarmless(seed: UInt64) throws {
    let refused = try damageFiles(500, seed: seed)
    #expect(refused > 200 && refused < 500, "seed \(seed): \(refused)")
  }

  /// The same for as many seconds as asked for, with seeds that no run had before.
  @Test(.enabled(if: stressSeconds > 0, "FRAMEPACE_STRESS_SECONDS is not set"))
  func damagedFilesAreHarmlessForLong() throws {
    let end = SystemClock.monotonic.now + .seconds(stressSeconds)
    var seed = UInt64(runSeed) * 1_000_000
    while SystemClock.monotonic.now < end {
      _ = try damageFiles(500, seed: seed)
      seed += 1
    }
    print("\(seed - UInt64(runSeed) * 1_000_000) times 500 damaged files")
  }

  /// Reads so many damaged files and returns how many were refused. Bytes are changed, removed and added; in half of the cases
  /// the checksums are corrected, so that the damage gets past them.
  private func damageFiles(_ count: Int, seed: UInt64) throws -> Int {
    var generator = SplitMix64(seed: seed)
    var refused = 0
    let interlaced = Chunk.file(
      width: 9, height: 9, depth: 4, color: 3, extra: [("PLTE", [1, 2, 3, 4, 5, 6]), ("tRNS", [7, 8])], isInterlaced: true,
      rows: [UInt8](repeating: 0, count: 70))
    for _ in 0..<count {
      let isOpaque = Bool.random(using: &generator)
      let effort = PNG.Effort.allCases.randomElement(using: &generator) ?? .fast
      var bytes =
        try Bool.random(using: &generator)
        ? interlaced
        : PNG.encode(
          Bitmap.random(width: 17, height: 5, isOpaque: isOpaque, using: &generator).freeze(), effort: effort)
      for _ in 0..<Int.random(in: 1...4, using: &generator) {
        let index = Int.random(in: 0..<bytes.count, using: &generator)
        switch Int.random(in: 0..<8, using: &generator) {
        case 0: bytes.removeLast(bytes.count - index)
        case 1: bytes.insert(.random(in: 0...255, using: &generator), at: index)
        case 2: bytes.remove(at: index)
        default: bytes[index] = .random(in: 0...255, using: &generator)
        }
        if bytes.isEmpty { break }
      }
      if Bool.random(using: &generator) { bytes = Chunk.withCorrectedSums(bytes) }
      do {
        let bitmap = try PNG.decode(bytes, maximumPixels: 1 << 16)
        #expect(
          bitmap.pixels.allSatisfy { pixel in (0..<3).allSatisfy { pixel >> ($0 * 8) & 0xFF <= pixel >> 24 } },
          "seed \(seed)")
      } catch {
        refused += 1
      }
    }
    return refused
  }

  @Test func filesAreWrittenAndRead() throws {
    let folder = try TemporaryFolder()
    var generator = SplitMix64(seed: 5)
    let image = try Bitmap.random(width: 20, height: 10, isOpaque: false, using: &generator).freeze()
    let path = folder.path + "/picture.png"
    try PNG.write(image, to: path)
    #expect(try PNG.read(path: path).pixels == image.pixels)

    let missing = folder.path + "/none/picture.png"
    let error = #expect(throws: PNGError.self) { try PNG.write(image, to: missing) }
    #expect(error?.description.contains(missing) == true)
    #expect(throws: PNGError.file(SystemError(call: "open", subject: missing, errno: ENOENT))) {
      try PNG.read(path: missing)
    }
    try AtomicFile.write(Array("no picture".utf8), to: path)
    let damaged = #expect(throws: PNGError.self) { try PNG.read(path: path) }
    #expect(damaged?.description.contains(path) == true)
  }
}

private let stressSeconds = getenv("FRAMEPACE_STRESS_SECONDS").flatMap { Double(String(cString: $0)) } ?? 0
