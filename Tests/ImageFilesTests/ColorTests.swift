import Glibc
import ImageFiles
import Raster
import Testing

@Suite struct ColorTests {
  /// A file that states light itself, without a curve: values become those of sRGB's curve.
  @Test func statedGammaIsApplied() throws {
    let plain = try Pictures.file("colour.png").decode()
    let linear = try ImageFile(bytes: withChunks(gamma: 100_000, primaries: nil)).decode()
    for (before, after) in zip(plain.pixels, linear.pixels) {
      for shift in [0, 8, 16] as [UInt32] {
        let light = Double(before >> shift & 0xFF) / 255
        let value = light <= 0.0031308 ? 12.92 * light : 1.055 * pow(light, 1 / 2.4) - 0.055
        let difference = abs(Double(after >> shift & 0xFF) - value * 255)
        // Little CMS counts with 8 + 6 bits; the curve is steepest, 13, at black.
        #expect(difference <= (light < 0.02 ? 2 : 1.2), "\(light): \(value * 255), \(after >> shift & 0xFF)")
      }
    }
    // The usual number means sRGB.
    #expect(try ImageFile(bytes: withChunks(gamma: 45_455, primaries: nil)).decode().pixels == plain.pixels)
    // Red and green exchanged.
    let exchanged = try ImageFile(
      bytes: withChunks(gamma: 45_455, primaries: [31_270, 32_900, 30_000, 60_000, 64_000, 33_000, 15_000, 6_000])
    ).decode()
    #expect(exchanged.pixels != plain.pixels)
  }

  /// Numbers that are no colours are taken as sRGB, or as something, but do no harm.
  @Test(
    arguments: [[0, 0, 0, 0, 0, 0, 0, 0], [31_270, 32_900, 1, 1, 1, 1, 1, 1], [0, 1, 0, 1, 0, 1, 100_000, 100_000]]
      as [[UInt32]])
  func senselessPrimariesAreHarmless(primaries: [UInt32]) throws {
    for gamma in [0, 1, 45_455, 2_000_000_000] as [UInt32] {
      let image = try ImageFile(bytes: withChunks(gamma: gamma, primaries: primaries)).decode()
      #expect(image.width == 61 && image.isMultiplied)
    }
  }

  /// `colour.png` with more chunks behind its header.
  private func withChunks(gamma: UInt32, primaries: [UInt32]?) throws -> [UInt8] {
    func word(_ value: UInt32) -> [UInt8] { [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: value >> $0) } }
    func chunk(_ name: String, _ values: [UInt32]) -> [UInt8] {
      word(UInt32(values.count * 4)) + Array(name.utf8) + values.flatMap(word) + [0, 0, 0, 0]
    }
    var bytes = try Pictures.bytes("colour.png")
    bytes.insert(contentsOf: chunk("gAMA", [gamma]) + (primaries.map { chunk("cHRM", $0) } ?? []), at: 33)
    PNGSums.correct(&bytes)
    return bytes
  }
}
