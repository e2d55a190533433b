import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// Layers that filter what lies behind them.
@Suite struct BackdropTests {
  private static let all = IntRect(x: 0, y: 0, width: 60, height: 40)

  /// A tree of records that end where they begin, in a root of 60 × 40.
  private static func tree(_ layers: [(record: RenderRecord, parts: RenderEffects.Parts)]) -> TreeSnapshot {
    var tree = TreeSnapshot()
    let end = UInt32(layers.count + 1)
    tree.append(
      RenderRecord(id: 1, subtreeEnd: end, bounds: Rect(all), backgroundColor: 0xFFC0_4020), SideValues())
    for (index, layer) in layers.enumerated() {
      var record = layer.record
      record.id = UInt32(index + 2)
      record.subtreeEnd = max(record.subtreeEnd, record.id)
      tree.append(record, SideValues(effects: .make(layer.parts, last: nil)))
    }
    return tree
  }

  private static func layer(_ x: Double, _ y: Double, _ width: Double, _ height: Double, _ color: UInt32) -> RenderRecord {
    RenderRecord(
      id: 1, transform: .translation(x: x, y: y), bounds: Rect(x: 0, y: 0, width: width, height: height),
      backgroundColor: color)
  }

  private static func glass(blur: Double, _ matrix: ColorMatrix? = nil) -> RenderEffects.Parts {
    var parts = RenderEffects.Parts()
    (parts.backdropBlurRadius, parts.backdropColorMatrix) = (blur, matrix)
    return parts
  }

  private static let none = RenderEffects.Parts()

  /// Glass over layers, over other glass, at the edges, in groups and in pictures.
  @Test(arguments: some(12, of: UInt64(1)...200))
  func backdropsAreThoseOfTheDefinition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    func color(_ alpha: ClosedRange<UInt32>) -> UInt32 {
      multiplyPixel(0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random), .random(in: alpha, using: &random))
    }
    func place() -> RenderRecord {
      Self.layer(
        Double(Int.random(in: -8...40, using: &random)), Double(Int.random(in: -8...30, using: &random)),
        Double(Int.random(in: 8...30, using: &random)), Double(Int.random(in: 6...20, using: &random)), color(80...255))
    }
    let maps: [ColorMatrix] = [.saturation(1.6), .brightness(0.7), .inversion(1), .contrast(0.6), .hueRotation(1)]
    var layers: [(record: RenderRecord, parts: RenderEffects.Parts)] = (0..<4).map { _ in (place(), Self.none) }
    for _ in 0..<3 {
      var parts = Self.glass(
        blur: random.chance(0.8) ? .random(in: 0.2...3, using: &random) : 0,
        random.chance(0.5) ? maps.randomElement(using: &random) : nil)
      if random.chance(0.2) { parts.shadow = Shadow(color: 0x8000_2000, offset: Size(2, 3), radius: 3) }
      if random.chance(0.2) { parts.blendMode = .screen }
      var record = place()
      record.backgroundColor = random.chance(0.5) ? 0 : color(20...120)
      record.opacity = random.chance(0.3) ? .random(in: 0.2...1, using: &random) : 1
      layers.append((record, parts))
    }
    var tree = Self.tree(layers)
    // The last six are in the second, which may be a group.
    for index in 2..<7 where seed % 2 == 0 { tree.records[index].transform.tx -= 4 }
    if seed % 2 == 0 { tree.records[1].subtreeEnd = UInt32(tree.records.count) }
    if seed % 4 == 0 { tree.records[1].opacity = 0.7 }
    if seed % 8 == 2 {
      var parts = Self.none
      parts.shadow = Shadow(color: 0x4000_0000, offset: Size(1, 1), radius: 2)
      tree.sides[1].effects = .make(parts, last: nil)
    }
    for index in tree.records.indices { tree.records[index].settle(tree.sides[index]) }
    #expect(tree.inconsistency == nil)
    let bitmap = try tree.picture(width: 60, height: 40)
    let plain = PlainCompositor(tree: tree, output: Self.all)
    for y in 0..<40 {
      for x in 0..<60 {
        let expected = plain.pixel(x, y) * 255
        let difference = PlainCompositor.color(bitmap[x, y]) * 255 - expected
        try #require(
          max(difference.max(), -difference.min()) <= 4,
          "seed \(seed), pixel \(x), \(y): \(String(bitmap[x, y], radix: 16)), not \(expected)\n\(tree)")
      }
    }
  }

  /// The damage of what changes behind glass grows by what the blur reaches; that of what changes in front of it does not.
  @Test func damageBehindReachesAsFarAsTheBlur() {
    let layers = [
      (Self.layer(20, 20, 4, 4, 0xFF00_00FF), Self.none), (Self.layer(26, 10, 20, 20, 0x2020_2020), Self.glass(blur: 2)),
      (Self.layer(40, 12, 2, 2, 0xFF00_FF00), Self.none),
    ]
    let old = Self.tree(layers)
    func rects(_ change: (inout TreeSnapshot) -> Void) -> [IntRect] {
      var new = old
      change(&new)
      let reasons = SceneDiff.reasons(from: old, to: new, width: 60, height: 40)
      #expect(reasons.dropFirst(2).allSatisfy { $0.layer == 3 && $0.change == .properties([.filteredBackdrop]) })
      return reasons.map(\.pixels)
    }
    let small = IntRect(x: 20, y: 20, width: 4, height: 4)
    // Six pixels to each side, and one more in the direction of the coordinates.
    let reached = IntRect(minX: 26, minY: 14, maxX: 31, maxY: 30)
    #expect(rects { $0.records[1].backgroundColor = 0xFF12_3456 } == [small, small, reached])
    let front = IntRect(x: 40, y: 12, width: 2, height: 2)
    #expect(rects { $0.records[3].backgroundColor = 0xFF12_3456 } == [front, front])
    #expect(rects { _ in } == [])
    let far = rects { $0.records[1].transform.tx = 2 }
    #expect(far.last == reached, "the place where it was")
  }

  /// A layer that an opaque one hides wholly is still seen in the blur beside it.
  @Test func whatIsHiddenInFrontIsStillBlurred() throws {
    let layers = [
      (Self.layer(10, 10, 10, 20, 0xFF00_FF00), Self.none), (Self.layer(0, 0, 60, 40, 0), Self.glass(blur: 3)),
      (Self.layer(10, 8, 10, 24, 0xFF10_1010), Self.none),
    ]
    let (covered, open) = (Self.tree(layers), Self.tree(Array(layers.dropLast())))
    let pictures = [try covered.picture(width: 60, height: 40), try open.picture(width: 60, height: 40)]
    for x in 0..<60 where !(10..<20).contains(x) { #expect(pictures[0][x, 20] == pictures[1][x, 20], "column \(x)") }
    #expect(pictures[1][22, 20] != pictures[1][50, 20])
  }

  /// Beyond the edge of an output, and of a viewport on it, the pixels at the edge go on.
  @Test func edgePixelsGoOn() throws {
    var tree = Self.tree([(Self.layer(-5, -5, 70, 50, 0), Self.glass(blur: 4))])
    tree.viewport = Viewport(transform: .translation(x: 10, y: 5), clip: IntRect(x: 10, y: 5, width: 40, height: 30))
    let bitmap = try tree.picture(width: 60, height: 40)
    for y in 0..<40 {
      for x in 0..<60 {
        let isInside = (10..<50).contains(x) && (5..<35).contains(y)
        #expect(bitmap[x, y] == (isInside ? 0xFFC0_4020 : 0xFF00_0000), "\(x), \(y)")
      }
    }
  }

  /// Round corners cut the glass, and a clip around it is no group: what lies behind the clip is seen.
  @Test func roundCornersCutTheGlassAndHideNothingBehind() throws {
    var clip = Self.layer(10, 10, 40, 20, 0)
    (clip.cornerRadius, clip.flags, clip.subtreeEnd) = (10, .masksToBounds, 3)
    let layers = [(clip, Self.none), (Self.layer(0, 0, 40, 20, 0), Self.glass(blur: 0, .inversion(1)))]
    let bitmap = try Self.tree(layers).picture(width: 60, height: 40)
    #expect(bitmap[30, 20] == 0xFF3F_BFDF)
    #expect(bitmap[10, 10] == 0xFFC0_4020)
    var round = Self.layer(10, 10, 40, 20, 0)
    round.cornerRadius = 10
    let alone = try Self.tree([(round, Self.glass(blur: 0, .inversion(1)))]).picture(width: 60, height: 40)
    for y in 0..<40 {
      for x in 0..<60 {
        #expect(bitmap[x, y].isNear(alone[x, y], tolerance: 1), "\(x), \(y)")
      }
    }
  }

  /// Glass that fades is one group with its background.
  @Test func glassFadesAsOne() throws {
    var record = Self.layer(10, 10, 40, 20, 0x8080_8080)
    record.opacity = 0.5
    let bitmap = try Self.tree([(record, Self.glass(blur: 0, .inversion(1)))]).picture(width: 60, height: 40)
    // Half of white over 3FBFDF is 9FDFEF; half of that is over C04020.
    #expect(bitmap[30, 20].isNear(0xFFB0_9088, tolerance: 1), "\(String(bitmap[30, 20], radix: 16))")
  }
}
