import CKernels
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// The compositor against the definition of a picture, in real numbers: see `PlainCompositor`.
@Suite struct PlainDefinitionTests {
  private static let (width, height) = (40, 30)

  /// Upright layers on whole pixels with square corners, with all that a look has but paths: order, group opacity, clips and masks,
  /// contents in parts, borders, shadows, modes of blending, pictures that fade.
  @MainActor @Test(arguments: Blending.allCases, some(25, of: 1...400))
  func agreesWithThePlainDefinition(blending: Blending, seed: UInt64) throws {
    let model = try RandomTree(seed: seed &+ 9000, layers: 6, width: Self.width, height: Self.height)
    let bitmap = try Bitmap(width: Self.width, height: Self.height)
    let compositor = Compositor(blending: blending)
    for _ in 0..<4 {
      _ = model.edit()
      let tree = model.snapshot().onWholePixels(keepsEffects: true)
      #expect(tree.inconsistency == nil)
      let all = IntRect(x: 0, y: 0, width: Self.width, height: Self.height)
      compositor.render(tree, damage: DamageRegion(all), into: bitmap)
      let plain = PlainCompositor(tree: tree, output: all, blending: blending)
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          let expected = plain.pixel(x, y) * 255
          let difference = PlainCompositor.color(bitmap[x, y]) * 255 - expected
          // Each composition rounds once or twice, and a blend makes up to twice as much of that.
          let isNear = blending == .linear && Self.isNear(bitmap[x, y], expected)
          if !isNear, max(difference.max(), -difference.min()) > 6 {
            Issue.record("seed \(seed), pixel \(x), \(y): \(String(bitmap[x, y], radix: 16)), not \(expected)\n\(tree)")
            return
          }
        }
      }
    }
  }

  /// True if opaque colours are near in light: a step of an alpha is twelve of a dark value.
  private static func isNear(_ found: UInt32, _ expected: SIMD4<Double>) -> Bool {
    (0..<3).allSatisfy { channel in
      let light = PlainBlending.light(of: PlainCompositor.color(found)[channel])
      return abs(light - PlainBlending.light(of: expected[channel] / 255)) < 3 / 255
    }
  }

  /// Blur and map of colours, of a layer with one in it that reaches beyond it.
  @MainActor @Test(arguments: some(8, of: 1...100))
  func filtersAreThoseOfTheDefinition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var parts = RenderEffects.Parts()
    if seed % 3 != 0 { parts.blurRadius = .random(in: 0.2...3, using: &random) }
    if seed % 3 != 1 {
      let maps: [ColorMatrix] = [
        .brightness(.random(in: 0...1.5, using: &random)), .contrast(.random(in: 0...1.5, using: &random)),
        .saturation(.random(in: 0...1.5, using: &random)), .hueRotation(.random(in: -4...4, using: &random)),
        .inversion(.random(in: 0...1, using: &random)),
      ]
      parts.colorMatrix = maps.randomElement(using: &random)
    }
    if seed.isMultiple(of: 2) { parts.shadow = Shadow(color: 0x8000_4000, offset: Size(3, 2), radius: 2) }
    func color() -> UInt32 {
      multiplyPixel(0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random), .random(in: 100...255, using: &random))
    }
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 2, transform: .translation(x: 14, y: 13), bounds: Rect(x: 0, y: 0, width: 12, height: 9),
        backgroundColor: color()), SideValues(effects: .make(parts, last: nil)))
    tree.append(
      RenderRecord(
        id: 2, subtreeEnd: 2, transform: .translation(x: 5, y: -4), bounds: Rect(x: 0, y: 0, width: 13, height: 7),
        backgroundColor: color()), SideValues())
    let bitmap = try Bitmap(width: 50, height: 40)
    let all = IntRect(x: 0, y: 0, width: 50, height: 40)
    Compositor().render(tree, damage: DamageRegion(all), into: bitmap)
    let plain = PlainCompositor(tree: tree, output: all)
    for y in 0..<40 {
      for x in 0..<50 {
        let expected = plain.pixel(x, y) * 255
        let difference = PlainCompositor.color(bitmap[x, y]) * 255 - expected
        try #require(
          max(difference.max(), -difference.min()) <= 3,
          "seed \(seed), pixel \(x), \(y): \(String(bitmap[x, y], radix: 16)), not \(expected)\n\(tree)")
      }
    }
  }

  /// Every mode of blending, for pixels of every kind.
  @Test(arguments: BlendMode.allCases, KernelTests.tables.indices)
  func modesAreThoseOfTheSpecification(mode: BlendMode, table: Int) {
    var random = SplitMix64(seed: 7)
    func pixel() -> UInt32 {
      let alpha: UInt32 = [0, 255, .random(in: 0...255, using: &random)].randomElement(using: &random) ?? 0
      func channel() -> UInt32 { [0, alpha, .random(in: 0...alpha, using: &random)].randomElement(using: &random) ?? 0 }
      return alpha << 24 | channel() << 16 | channel() << 8 | channel()
    }
    let sources = (0..<20_000).map { _ in pixel() }
    let backdrops = sources.map { _ in pixel() }
    var results = backdrops
    mode.blend(sources, over: &results, count: results.count, opacity: 255, with: KernelTests.tables[table])
    for (index, found) in results.enumerated() {
      let (source, backdrop) = (sources[index], backdrops[index])
      let expected = PlainBlending.blend(mode, PlainCompositor.color(source), over: PlainCompositor.color(backdrop)) * 255
      let difference = PlainCompositor.color(found) * 255 - expected
      let isRight = max(difference.max(), -difference.min()) <= 0.5001
      #expect(
        isRight, "\(mode): \(String(source, radix: 16)) over \(String(backdrop, radix: 16)): \(String(found, radix: 16))")
      #expect(found & 0xFF <= found >> 24 && found >> 8 & 0xFF <= found >> 24 && found >> 16 & 0xFF <= found >> 24)
    }
  }

  /// The pictures of a fade: their mean by the shares, for opaque ones opaque, and each pixel limited to what a pixel can be.
  @Test(arguments: some(20, of: 1...200))
  func mixturesAreSums(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let isOpaque = random.chance(0.4)
    let count = Int.random(in: 1...5, using: &random)
    var parts: [ImageMixture.Part] = []
    var rest = 1.0
    for index in 0..<count {
      let share =
        isOpaque
        ? (index == count - 1 ? rest : rest * .random(in: 0...1, using: &random)) : .random(in: -1...1.5, using: &random)
      rest -= share
      parts.append(ImageMixture.Part(try Self.image(isOpaque: isOpaque, &random), share: share))
    }
    let mixture = ImageMixture(parts)
    // On whole pixels, and stretched between pixels: then against images that are painted one by one.
    for scale in [1, 1.7] {
      let bounds = Rect(x: 0, y: 0, width: 12 * scale, height: 9 * scale)
      func pixels(_ content: any RenderContent) throws -> [UInt32] {
        var tree = TreeSnapshot()
        tree.append(RenderRecord(id: 1, subtreeEnd: 1, bounds: bounds), SideValues(content: content))
        return try tree.isolatedPixels(width: 21, height: 16)
      }
      let found = try pixels(mixture)
      let images = try parts.map { try pixels($0.image) }
      // Edges between pixels are cut after the sum is limited.
      for index in found.indices where index % 21 < Int(12 * scale) && index / 21 < Int(9 * scale) {
        var sum = SIMD4<Double>.zero
        for (part, image) in zip(parts, images) { sum += PlainCompositor.color(image[index]) * (255 * part.share) }
        sum.w = min(max(sum.w, 0), 255)
        sum.clamp(lowerBound: .zero, upperBound: SIMD4(repeating: sum.w))
        let difference = PlainCompositor.color(found[index]) * 255 - sum
        // The samples of images that are stretched are rounded first.
        let tolerance = scale == 1 ? 0.51 : 1 + 0.51 * parts.reduce(0) { $0 + abs($1.share) }
        #expect(max(difference.max(), -difference.min()) <= tolerance, "seed \(seed), scale \(scale), pixel \(index)")
        if isOpaque { #expect(found[index] >> 24 == 255, "seed \(seed)") }
      }
    }
  }

  private static func image(isOpaque: Bool, _ random: inout SplitMix64) throws -> Image {
    try Bitmap(width: 12, height: 9) { _, _ in
      let alpha: UInt32 = isOpaque ? 255 : .random(in: 0...255, using: &random)
      func channel() -> UInt32 { .random(in: 0...alpha, using: &random) }
      return alpha << 24 | channel() << 16 | channel() << 8 | channel()
    }.freeze()
  }
}

extension TreeSnapshot {
  /// The picture of the root over nothing.
  fileprivate func isolatedPixels(width: Int, height: Int) throws -> [UInt32] {
    let bitmap = try Bitmap(width: width, height: height)
    let all = IntRect(x: 0, y: 0, width: width, height: height)
    withTreeLayers { layers in
      var list = CompositeList()
      list.build(layers, of: 0, end: records.count, .identity, pixels: all, pictureDepth: 0)
      list.nodes.withUnsafeBufferPointer { nodes in
        BandPainter(
          kernels: ckernels_best(), layers: layers, nodes: nodes, scratch: CompositeScratch(), band: all,
          frame: PictureFrame(all: all, edge: all)
        )
        .paintPicture(PixelTarget(base: bitmap.base, bytesPerRow: bitmap.bytesPerRow, pixels: all))
      }
    }
    return (0..<height).flatMap { y in (0..<width).map { bitmap[$0, y] } }
  }
}
