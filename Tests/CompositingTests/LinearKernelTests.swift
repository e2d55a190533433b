import CKernels
import LinuxSystem
import RenderTree
import Testing

/// Source-over in linear light, against its definition in real numbers. `KernelEquality` compares machines.
@Suite struct LinearKernelTests {
  private let linear = ckernels_linear().pointee
  private let plain = ckernels_best().pointee

  private static func pixel(_ alpha: UInt32, _ random: inout SplitMix64) -> UInt32 {
    func channel() -> UInt32 { [0, alpha, .random(in: 0...alpha, using: &random)].randomElement(using: &random) ?? 0 }
    return alpha << 24 | channel() << 16 | channel() << 8 | channel()
  }

  private static func pixels(_ count: Int, isOpaque: Bool = false, _ random: inout SplitMix64) -> [UInt32] {
    (0..<count).map { _ in
      let alpha: UInt32 =
        isOpaque || random.chance(0.2) ? 255 : random.chance(0.2) ? 0 : .random(in: 1...255, using: &random)
      return pixel(alpha, &random)
    }
  }

  /// Every kernel, with coverage and opacity, over opaque and translucent pixels.
  @Test(arguments: [true, false])
  func colorsMixAsLight(isOpaque: Bool) {
    var random = SplitMix64(seed: 11)
    for _ in 0..<100 {
      let source = Self.pixels(100, &random)
      let before = Self.pixels(100, isOpaque: isOpaque, &random)
      let coverage = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
      let opacity = UInt32.random(in: 0...255, using: &random)
      var (over, faded, cut, colored, tinted) = (before, before, before, before, before)
      linear.over(&over, source, 100)
      linear.over_opacity(&faded, source, 100, opacity)
      linear.over_coverage(&cut, source, 100, coverage, opacity)
      linear.over_color(&colored, 100, source[0])
      linear.over_color_coverage(&tinted, 100, source[0], coverage)
      for index in 0..<100 {
        let (share, part) = (Double(opacity) / 255, Double(coverage[index]) / 255)
        check(over[index], source[index], before[index], 1)
        check(faded[index], source[index], before[index], share)
        check(cut[index], source[index], before[index], share * part)
        check(colored[index], source[0], before[index], 1)
        check(tinted[index], source[0], before[index], part)
      }
    }
  }

  private func check(_ found: UInt32, _ source: UInt32, _ before: UInt32, _ factor: Double) {
    let top = PlainCompositor.color(source) * factor
    let expected = PlainBlending.over(top, PlainCompositor.color(before), .linear)
    let color = PlainCompositor.color(found)
    // The colour is that of the definition, with the alpha that was rounded to a byte.
    let scale = expected.w > 0 ? color.w / expected.w : 0
    for channel in 0..<3 {
      let difference = abs(color[channel] - expected[channel] * scale) * 255
      #expect(
        difference <= 1,
        "\(String(source, radix: 16))·\(factor) over \(String(before, radix: 16)): \(String(found, radix: 16))")
    }
    #expect(abs(color.w - expected.w) * 255 <= 1.5)
  }

  /// Alpha is that of the stored values; clear and opaque pixels are copied, and over nothing a pixel is what it is.
  @Test func alphaStaysTheSame() {
    var random = SplitMix64(seed: 12)
    for _ in 0..<200 {
      let (source, before) = (Self.pixels(100, &random), Self.pixels(100, &random))
      let coverage = (0..<100).map { _ in UInt8.random(in: 0...255, using: &random) }
      let opacity: UInt32 = random.chance(0.3) ? 255 : .random(in: 0...255, using: &random)
      var (light, stored) = (before, before)
      linear.over_coverage(&light, source, 100, coverage, opacity)
      plain.over_coverage(&stored, source, 100, coverage, opacity)
      #expect(light.map { $0 >> 24 } == stored.map { $0 >> 24 })
      (light, stored) = (before, before)
      linear.over_opacity(&light, source, 100, opacity)
      plain.over_opacity(&stored, source, 100, opacity)
      #expect(light.map { $0 >> 24 } == stored.map { $0 >> 24 })
      for index in 0..<100 where before[index] == 0 || source[index] == 0 || (source[index] >> 24 == 255 && opacity == 255) {
        #expect(light[index] == stored[index])
      }
    }
  }

  /// A colour over itself is itself, in any part.
  @Test func equalColorsStay() {
    for value in 0...255 as ClosedRange<UInt32> {
      let color = 0xFF00_0000 | value << 16 | value << 8 | value
      for opacity in 0...255 as ClosedRange<UInt32> {
        var pixel = [color]
        linear.over_opacity(&pixel, [color], 1, opacity)
        #expect(pixel == [color])
      }
    }
  }

  @Test func halfWhiteOverBlack() {
    var pixel: [UInt32] = [0xFF00_0000]
    linear.over_color(&pixel, 1, 0x8080_8080)
    #expect(pixel == [0xFFBC_BCBC])
    // Half red over green, without the dark brown of the stored values.
    pixel = [0xFF00_FF00]
    linear.over_opacity(&pixel, [0xFFFF_0000], 1, 128)
    #expect(pixel == [0xFFBC_BB00])
  }
}
