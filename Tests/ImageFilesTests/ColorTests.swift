import CLCMS
import Glibc
import Raster
import Testing

@testable import ImageFiles

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

  /// A WebP's profile of more than 4 MB is left out: the picture is that of the file without it.
  @Test func largeProfilesAreLeftOut() throws {
    let whole = try Pictures.bytes("wide.webp")
    // The profile stands behind the first chunk, with 500 bytes.
    try #require(whole[30..<38].elementsEqual(Array("ICCP".utf8) + [0xF4, 1, 0, 0]))
    func file(profile count: Int) -> [UInt8] {
      func word(_ value: Int) -> [UInt8] { [0, 8, 16, 24].map { UInt8(truncatingIfNeeded: value >> $0) } }
      let padding = [UInt8](repeating: 0, count: count - 500)
      var file = whole
      file.insert(contentsOf: padding, at: 538)
      file.replaceSubrange(34..<38, with: word(count))
      file.replaceSubrange(4..<8, with: word(file.count - 8))
      return file
    }
    var plain = whole
    // Without the bit for a profile.
    plain[20] &= ~0x20
    let (converted, unconverted) = try (ImageFile(bytes: whole).decode(), ImageFile(bytes: plain).decode())
    try #require(converted.pixels != unconverted.pixels)
    #expect(try ImageFile(bytes: file(profile: 4 << 20)).decode().pixels == converted.pixels)
    #expect(try ImageFile(bytes: file(profile: 4 << 20 + 2)).decode().pixels == unconverted.pixels)
  }

  /// Nobody has said which of the light beyond that of a screen is left out.
  @Test(arguments: [16, 18] as [UInt8]) func lightOfHDRIsRefused(curve: UInt8) throws {
    var bytes = try Pictures.bytes("wide-p3.avif")
    let place = try #require((0..<bytes.count - 8).first { bytes[$0..<$0 + 4].elementsEqual("nclx".utf8) })
    try #require(bytes[place + 4..<place + 8].elementsEqual([0, 12, 0, 13]))
    bytes[place + 7] = curve
    let file = try ImageFile(bytes: bytes)
    let error = #expect(throws: ImageFileError.self) { try file.decode() }
    #expect(error?.description.contains("HDR") == true)
  }

  /// Processing elements have no bound of the time that they take, so that a profile with them is left out.
  @Test(arguments: [nil, cmsSigDToB0Tag, cmsSigDToB1Tag, cmsSigDToB2Tag, cmsSigDToB3Tag] as [cmsTagSignature?])
  func profilesWithPipelinesAreLeftOut(tag: cmsTagSignature?) throws {
    let profile = try profile(pipeline: tag)
    let conversion = profile.withUnsafeBytes { ColorConversion(profile: $0, source: .color) }
    #expect((conversion == nil) == (tag != nil))
  }

  /// A profile whose red and green are exchanged, with a pipeline that turns colours round.
  private func profile(pipeline tag: cmsTagSignature?) throws -> [UInt8] {
    func color(_ x: Double, _ y: Double) -> cmsCIExyY { cmsCIExyY(x: x, y: y, Y: 1) }
    let curve = try #require(cmsBuildGamma(nil, 2.2))
    defer { cmsFreeToneCurve(curve) }
    var white = color(0.3127, 0.329)
    var colors = cmsCIExyYTRIPLE(Red: color(0.3, 0.6), Green: color(0.64, 0.33), Blue: color(0.15, 0.06))
    let profile = try #require(cmsCreateRGBProfile(&white, &colors, [curve, curve, curve]))
    defer { cmsCloseProfile(profile) }
    if let tag {
      let pipeline = try #require(cmsPipelineAlloc(nil, 3, 3))
      defer { cmsPipelineFree(pipeline) }
      let matrix = [0, 1, 0, 0, 0, 1, 1, 0, 0] as [Double]
      try #require(cmsPipelineInsertStage(pipeline, cmsAT_END, cmsStageAllocMatrix(nil, 3, 3, matrix, nil)) != 0)
      try #require(cmsWriteTag(profile, tag, UnsafeRawPointer(pipeline)) != 0)
    }
    var count: UInt32 = 0
    try #require(cmsSaveProfileToMem(profile, nil, &count) != 0)
    var bytes = [UInt8](repeating: 0, count: Int(count))
    try #require(cmsSaveProfileToMem(profile, &bytes, &count) != 0)
    return bytes
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
