import CKernels
import LinuxSystem
import Testing

@Suite struct KernelTests {
  /// The tables that this processor runs. `Tests/KernelEquality` compares them with each other, on rows between guard pages.
  static var tables: [UnsafePointer<ckernels_table>] {
    Array(
      sequence(state: Int32(0)) { index in
        defer { index += 1 }
        return ckernels_runnable(index)
      })
  }

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

  /// A mask multiplies by its alpha and the opacity, one after the other; a mixture is rounded once.
  @Test(arguments: tables.indices)
  func masksAndMixtures(table: Int) {
    let kernels = Self.tables[table].pointee
    var random = SplitMix64(seed: 6)
    for factor in 0...255 as ClosedRange<UInt32> {
      let before = pixels(100, &random)
      let other = pixels(100, &random)
      var masked = before
      var mixed = before
      kernels.mask(&masked, other, 100, factor)
      kernels.mix(&mixed, other, 100, factor)
      for index in 0..<100 {
        for shift in [0, 8, 16, 24] as [UInt32] {
          let (byte, otherByte) = (before[index] >> shift & 255, other[index] >> shift & 255)
          #expect(masked[index] >> shift & 255 == product(byte, product(other[index] >> 24, factor)))
          let sum = Double(byte * (255 - factor) + otherByte * factor) / 255
          #expect(mixed[index] >> shift & 255 == UInt32(sum.rounded()))
        }
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
