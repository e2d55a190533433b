import CKernels
import Glibc
import LinuxSystem
import TestLength
import Testing

@Suite struct KernelTests {
  static var tables: [UnsafePointer<ckernels_table>] { [ckernels_portable(), ckernels_avx2()].compactMap { $0 } }

  /// Computes x·a/255, rounded to the nearest integer, with real numbers.
  private func product(_ x: UInt32, _ a: UInt32) -> UInt32 { UInt32((Double(x) * Double(a) / 255).rounded()) }

  private func word(_ alpha: UInt32, _ red: UInt32, _ green: UInt32, _ blue: UInt32) -> UInt32 {
    alpha << 24 | red << 16 | green << 8 | blue
  }

  /// Pixels of every kind: clear, opaque and translucent, in runs that trigger the short cuts. A few have a colour above
  /// alpha.
  private func pixels(_ count: Int, _ random: inout SplitMix64) -> [UInt32] {
    var result: [UInt32] = []
    while result.count < count {
      let kind = Int.random(in: 0..<5, using: &random)
      for _ in 0..<Int.random(in: 1...40, using: &random) {
        let alpha: UInt32 = kind == 0 ? 0 : kind == 1 ? 255 : .random(in: 0...255, using: &random)
        let most = kind == 4 ? 255 : alpha
        result.append(
          word(
            alpha, .random(in: 0...most, using: &random), .random(in: 0...most, using: &random),
            .random(in: 0...most, using: &random)))
      }
    }
    return Array(result.prefix(count))
  }

  @Test(arguments: tables.indices)
  func everyProductIsRoundedToTheNearest(table: Int) {
    let kernels = Self.tables[table].pointee
    var colors: [UInt32] = (0...255).map { word($0, $0, $0, $0) }
    for factor in 0...255 as ClosedRange<UInt32> {
      // Over clear pixels the result is the product with the opacity, or with the coverage.
      var destination = [UInt32](repeating: 0, count: 256)
      kernels.over_opacity(&destination, &colors, 256, factor)
      let expected = (0...255 as ClosedRange<UInt32>).map { x in
        let p = product(x, factor)
        return word(p, p, p, p)
      }
      #expect(destination == expected)
      destination = [UInt32](repeating: 0, count: 256)
      let coverage = [UInt8](repeating: UInt8(factor), count: 256)
      kernels.over_coverage(&destination, &colors, 256, coverage, 255)
      #expect(destination == expected)
      // Below a colour without red, green and blue, each of these is its product with the remaining alpha.
      destination = (0...255).map { word(0, $0, $0, $0) }
      kernels.over_color(&destination, 256, word(255 - factor, 0, 0, 0))
      #expect(destination.map { $0 & 0xFF_FFFF } == expected.map { $0 & 0xFF_FFFF })
    }
    #expect(colors.count == 256)
    colors.removeAll()
  }

  /// The complete definition of a composition, computed with real numbers.
  @Test(arguments: tables.indices)
  func compositionIsSourceOver(table: Int) {
    let kernels = Self.tables[table].pointee
    var random = SplitMix64(seed: 5)
    for _ in 0..<200 {
      let source = pixels(64, &random)
      let before = pixels(64, &random)
      let opacity = UInt32.random(in: 0...255, using: &random)
      var destination = before
      kernels.over_opacity(&destination, source, 64, opacity)
      for index in 0..<64 {
        func byte(_ pixel: UInt32, _ shift: UInt32) -> UInt32 { pixel >> shift & 255 }
        let alpha = product(byte(source[index], 24), opacity)
        for shift in [0, 8, 16, 24] as [UInt32] {
          let sum = product(byte(source[index], shift), opacity) + product(byte(before[index], shift), 255 - alpha)
          #expect(byte(destination[index], shift) == min(sum, 255))
        }
      }
    }
  }

  /// Every kernel at any length and alignment: the vector body, the tail and the portable code give the same bytes and write
  /// nothing beyond the end.
  @Test(.enabled(if: ckernels_avx2() != nil), arguments: some(10, of: 1...40))
  func vectorsEqualPortable(seed: UInt64) throws {
    let portable = ckernels_portable().pointee
    let vector = try #require(ckernels_avx2()).pointee
    var random = SplitMix64(seed: seed)
    for _ in 0..<40 {
      let room = 200
      let start = Int.random(in: 0..<16, using: &random)
      let count = Int64.random(in: 0...Int64(room - start - 8), using: &random)
      let source = pixels(room, &random)
      let coverage = (0..<room).map { _ in
        random.chance(0.3) ? UInt8.random(in: 0...255, using: &random) : random.chance(0.5) ? 0 : 255
      }
      let color = pixels(1, &random)[0]
      let opacity = UInt32.random(in: 0...255, using: &random)
      let before = pixels(room, &random)
      var image = pixels(13 * 9, &random)
      func run(_ kernels: ckernels_table, _ which: Int) -> [UInt32] {
        var destination = before
        destination.withUnsafeMutableBufferPointer { buffer in
          guard let base = buffer.baseAddress else { return }
          let row = base + start
          source.withUnsafeBufferPointer { source in
            guard let source = source.baseAddress else { return }
            switch which {
            case 0: kernels.fill(row, count, color)
            case 1: kernels.over_color(row, count, color)
            case 2: kernels.over_color_coverage(row, count, color, coverage)
            case 3: kernels.over(row, source + 3, count)
            case 4: kernels.over_opacity(row, source + 3, count, opacity)
            case 5: kernels.over_coverage(row, source + 3, count, coverage, opacity)
            default:
              image.withUnsafeMutableBytes { bytes in
                guard let base = bytes.baseAddress else { return }
                var sampler = samplers[which - 6]
                sampler.base = UnsafePointer(base.assumingMemoryBound(to: UInt8.self))
                withUnsafePointer(to: sampler) { kernels.sample(row, count, Int32(start) - 20, 7, $0) }
              }
            }
          }
        }
        return destination
      }
      let samplers = (0..<4).map { _ in Self.sampler(&random) }
      for which in 0..<10 {
        let expected = run(portable, which)
        #expect(run(vector, which) == expected, "kernel \(which), seed \(seed), start \(start), count \(count)")
        #expect(expected[..<start] == before[..<start])
        #expect(expected[(start + Int(count))...] == before[(start + Int(count))...])
      }
    }
  }

  /// A sampler of an image of 13 × 9 pixels. Some samplers have numbers that overflow.
  private static func sampler(_ random: inout SplitMix64) -> ckernels_sampler {
    func number(_ range: ClosedRange<Double>, _ random: inout SplitMix64) -> Int64 {
      if random.chance(0.05) { return Int64.random(in: .min ... .max, using: &random) }
      if random.chance(0.2) { return Int64(Double.random(in: range, using: &random).rounded()) << 32 }
      return Int64(Double.random(in: range, using: &random) * 0x1p32)
    }
    let byte = UnsafePointer<UInt8>(bitPattern: 1)
    guard let byte else { preconditionFailure("1 is an address") }
    return ckernels_sampler(
      base: byte, bytes_per_row: 52, width: 13, height: 9, u: number(-20...20, &random), ux: number(-1...1, &random),
      uy: number(-1...1, &random), v: number(-20...20, &random), vx: number(-1...1, &random), vy: number(-1...1, &random))
  }

  /// Nothing behind the last pixel of an image is read: here follows a page that nobody may read.
  @Test(arguments: tables.indices, 1...20 as ClosedRange<Int32>)
  func samplingStaysInsideTheImage(table: Int, width: Int32) throws {
    let kernels = Self.tables[table].pointee
    let page = 4096
    let memory = try #require(mmap(nil, 2 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))
    try #require(memory != MAP_FAILED)
    defer { munmap(memory, 2 * page) }
    try #require(mprotect(memory + page, page, PROT_NONE) == 0)
    let height: Int32 = 3
    let base = memory + page - Int(4 * width * height)
    for scale in [0.25, 1, 1.5] {
      let step = Int64(scale * 0x1p32)
      var sampler = ckernels_sampler(
        base: base.assumingMemoryBound(to: UInt8.self), bytes_per_row: Int64(4 * width), width: width, height: height,
        u: 0, ux: step, uy: 0, v: 0, vx: 0, vy: step)
      var row = [UInt32](repeating: 1, count: 100)
      for y in 0..<16 as Range<Int32> { kernels.sample(&row, 100, 0, y, &sampler) }
      #expect(row.allSatisfy { $0 == 0 })
    }
  }

  /// A pixel depends on its own coordinate, and not on the beginning of its row.
  @Test(arguments: tables.indices)
  func samplingDoesNotDependOnTheStart(table: Int) {
    let kernels = Self.tables[table].pointee
    var random = SplitMix64(seed: 9)
    let image = pixels(13 * 9, &random)
    for _ in 0..<100 {
      var sampler = Self.sampler(&random)
      image.withUnsafeBytes { bytes in
        guard let base = bytes.baseAddress else { return }
        sampler.base = base.assumingMemoryBound(to: UInt8.self)
        var whole = [UInt32](repeating: 0, count: 100)
        kernels.sample(&whole, 100, -30, 3, &sampler)
        for start in 0..<12 {
          var part = [UInt32](repeating: 0, count: 100 - start)
          kernels.sample(&part, Int64(100 - start), Int32(start) - 30, 3, &sampler)
          #expect(part == Array(whole[start...]))
        }
      }
    }
  }

  @Test(arguments: tables.indices)
  func samplingInterpolates(table: Int) {
    let kernels = Self.tables[table].pointee
    let image: [UInt32] = [0xFF00_0000, 0xFF00_00FF, 0xFF00_FF00, 0xFF00_FFFF]
    let one: Int64 = 1 << 32
    image.withUnsafeBytes { bytes in
      guard let base = bytes.baseAddress else { return }
      // The sampler moves half a pixel each step along the upper row: 0, ½, 1, and the last pixel again.
      var sampler = ckernels_sampler(
        base: base.assumingMemoryBound(to: UInt8.self), bytes_per_row: 8, width: 2, height: 2, u: -one / 2, ux: one / 2,
        uy: 0, v: 0, vx: 0, vy: one / 2)
      var row = [UInt32](repeating: 0, count: 6)
      kernels.sample(&row, 6, 0, 0, &sampler)
      #expect(row == [0xFF00_0000, 0xFF00_0000, 0xFF00_0080, 0xFF00_00FF, 0xFF00_00FF, 0xFF00_00FF])
      kernels.sample(&row, 6, 0, 1, &sampler)
      #expect(row == [0xFF00_8000, 0xFF00_8000, 0xFF00_8080, 0xFF00_80FF, 0xFF00_80FF, 0xFF00_80FF])
    }
  }
}
