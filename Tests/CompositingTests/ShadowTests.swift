import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// Shadows and borders that are painted without a picture of their layer.
@Suite struct ShadowTests {
  /// An opaque layer throws the shadow of its shape: that of its picture, which `shouldRasterize` makes.
  @Test(arguments: some(8, of: UInt64(1)...100))
  func shapesThrowTheShadowsOfTheirPictures(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var record = RenderRecord(
      id: 2, subtreeEnd: 3, transform: .translation(x: 20, y: 18), bounds: Rect(x: 0, y: 0, width: 30, height: 22),
      backgroundColor: 0xFFE0_D0C0)
    record.cornerRadius = random.chance(0.7) ? .random(in: 0...11, using: &random) : 0
    var shape = RenderEffects.Parts()
    shape.shadow = Shadow(
      color: 0xFF20_0040, offset: Size(.random(in: -6...6, using: &random), .random(in: -6...6, using: &random)),
      radius: random.chance(0.2) ? 0 : .random(in: 0...9, using: &random))
    if random.chance(0.3) { shape.shadow?.path = .ellipse(in: Rect(x: -4, y: 2, width: 40, height: 18)) }
    if random.chance(0.3) { shape.corners = [.minXMinY, .maxXMaxY] }
    var raster = shape
    raster.rasterizationScale = 1
    func tree(_ parts: RenderEffects.Parts) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(
        RenderRecord(id: 1, subtreeEnd: 3, bounds: Rect(x: 0, y: 0, width: 80, height: 60), backgroundColor: 0xFFFF_FFFF),
        SideValues())
      tree.append(record, SideValues(effects: .make(parts, last: nil)))
      tree.append(
        RenderRecord(
          id: 3, subtreeEnd: 3, transform: .translation(x: 12, y: 9), bounds: Rect(x: 0, y: 0, width: 6, height: 4),
          backgroundColor: 0xFF00_8000), SideValues())
      return tree
    }
    let (direct, picture) = (tree(shape), tree(raster))
    #expect(direct.withTreeLayers { $0.throwsShadowOfShape(1, end: 3, record.transform, depth: 0) })
    #expect(picture.withTreeLayers { !$0.throwsShadowOfShape(1, end: 3, record.transform, depth: 0) })
    let pictures = [try direct.picture(width: 80, height: 60), try picture.picture(width: 80, height: 60)]
    for y in 0..<60 {
      for x in 0..<80 {
        try #require(
          pictures[0][x, y].isNear(pictures[1][x, y], tolerance: 2),
          "seed \(seed), \(x), \(y): \(String(pictures[0][x, y], radix: 16)), \(String(pictures[1][x, y], radix: 16))")
      }
    }
  }

  /// A layer of which anything may reach out of the shape is asked for its picture.
  @Test func onlyOpaqueShapesThrowTheirShadows() {
    var parts = RenderEffects.Parts()
    parts.shadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 2)
    func isDirect(
      _ change: (inout RenderRecord) -> Void = { _ in }, inner: Rect = Rect(x: 5, y: 5, width: 4, height: 4),
      innerEffects: RenderEffects? = nil, effects: (inout RenderEffects.Parts) -> Void = { _ in }
    ) -> Bool {
      var tree = TreeSnapshot()
      var record = RenderRecord(
        id: 1, subtreeEnd: 2, bounds: Rect(x: 0, y: 0, width: 20, height: 20), cornerRadius: 4, backgroundColor: 0xFF00_00FF)
      change(&record)
      var parts = parts
      effects(&parts)
      tree.append(record, SideValues(effects: .make(parts, last: nil)))
      tree.append(
        RenderRecord(id: 2, subtreeEnd: 2, bounds: inner, backgroundColor: 0xFFFF_FFFF), SideValues(effects: innerEffects))
      return tree.withTreeLayers { $0.throwsShadowOfShape(0, end: 2, .identity, depth: 0) }
    }
    #expect(isDirect())
    #expect(!isDirect({ $0.backgroundColor = 0x8000_0080 }))
    #expect(!isDirect(inner: Rect(x: 0, y: 0, width: 4, height: 4)), "a corner")
    #expect(!isDirect(inner: Rect(x: 15, y: 5, width: 9, height: 4)))
    #expect(isDirect({ $0.flags = .masksToBounds }, inner: Rect(x: 15, y: 5, width: 9, height: 4)))
    #expect(isDirect({ $0.backgroundColor = 0x8000_0080 }, effects: { $0.shadow?.path = .rect(.zero) }))
    #expect(!isDirect(effects: { $0.blendMode = .screen }))
    #expect(!isDirect({ $0.flags = .masked }))
    #expect(!isDirect(effects: { $0.shadow = nil }))
    var (blending, filtering) = (RenderEffects.Parts(), RenderEffects.Parts())
    (blending.blendMode, filtering.backdropBlurRadius) = (.multiply, 2)
    #expect(!isDirect(innerEffects: RenderEffects(blending)), "the picture is all that it blends with")
    #expect(!isDirect(innerEffects: RenderEffects(filtering)))
    #expect(isDirect(effects: { $0.backdropBlurRadius = 2 }))
  }

  /// A shadow inside of a layer's edges: above its background, cut by its bounds, below what lies in it.
  @Test(arguments: some(8, of: UInt64(1)...100))
  func innerShadowsAreThoseOfTheDefinition(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var parts = RenderEffects.Parts()
    parts.innerShadow = Shadow(
      color: 0x8040_0000, offset: Size(.random(in: -4...4, using: &random), .random(in: -4...4, using: &random)),
      radius: random.chance(0.2) ? 0 : .random(in: 0...8, using: &random))
    if random.chance(0.3) { parts.border = Border(width: 2, color: 0x8000_0080) }
    var record = RenderRecord(
      id: 1, subtreeEnd: 2, transform: .translation(x: 9, y: 8), bounds: Rect(x: 0, y: 0, width: 22, height: 16),
      backgroundColor: random.chance(0.3) ? 0 : 0xFFE0_D0C0)
    record.opacity = random.chance(0.3) ? 0.6 : 1
    if random.chance(0.3) { record.flags = .masksToBounds }
    var tree = TreeSnapshot(backdrop: 0xFF40_8060)
    tree.append(record, SideValues(effects: .make(parts, last: nil)))
    tree.append(
      RenderRecord(
        id: 2, subtreeEnd: 2, transform: .translation(x: 14, y: 10), bounds: Rect(x: 0, y: 0, width: 13, height: 4),
        backgroundColor: 0xFF00_8000), SideValues())
    let bitmap = try tree.picture(width: 40, height: 32)
    let plain = PlainCompositor(tree: tree, output: IntRect(x: 0, y: 0, width: 40, height: 32))
    for y in 0..<32 {
      for x in 0..<40 {
        let expected = plain.pixel(x, y) * 255
        let difference = PlainCompositor.color(bitmap[x, y]) * 255 - expected
        try #require(
          max(difference.max(), -difference.min()) <= 2,
          "seed \(seed), pixel \(x), \(y): \(String(bitmap[x, y], radix: 16)), not \(expected)\n\(tree)")
      }
    }
  }

  /// Layers inside of twelve that ask for pictures have no effects, in the damage and in the picture, though shadows of shapes need none.
  @Test func shadowsOfShapesCountAsPictures() throws {
    func tree(_ x: Double) -> TreeSnapshot {
      let depth = TreeLayers.maximumPictureDepth + 1
      let end = UInt32(depth + 2)
      let bounds = Rect(x: 0, y: 0, width: 60, height: 40)
      var tree = TreeSnapshot(backdrop: 0xFFFF_FFFF)
      for id in 1...UInt32(depth) {
        var parts = RenderEffects.Parts()
        parts.shadow = Shadow(
          color: 0x2000_0000, offset: .zero, radius: 0, path: .rect(Rect(x: Double(id), y: 1, width: 3, height: 3)))
        tree.append(RenderRecord(id: id, subtreeEnd: end, bounds: bounds), SideValues(effects: RenderEffects(parts)))
      }
      var blur = RenderEffects.Parts()
      blur.blurRadius = 2
      tree.append(RenderRecord(id: end - 1, subtreeEnd: end, bounds: bounds), SideValues(effects: RenderEffects(blur)))
      tree.append(
        RenderRecord(
          id: end, subtreeEnd: end, transform: .translation(x: x, y: 18), bounds: Rect(x: 0, y: 0, width: 6, height: 6),
          backgroundColor: 0xFF00_0000), SideValues())
      return tree
    }
    let (compositor, shown) = (Compositor(), try tree(20).picture(width: 60, height: 40))
    var damage = DamageRegion()
    for rect in SceneDiff.rects(from: tree(20), to: tree(28), width: 60, height: 40) { damage.add(rect) }
    compositor.render(tree(28), damage: damage, into: shown)
    let full = try tree(28).picture(width: 60, height: 40)
    for y in 0..<40 { for x in 0..<60 { try #require(shown[x, y] == full[x, y], "\(x), \(y)") } }
    #expect(full[28, 20] == 0xFF00_0000, "no blur")
    #expect(full[2, 2] != 0xFFFF_FFFF, "the outermost shadow")
  }

  /// The edges of round corners cut an inner shadow once, whether they cut what lies in the layer as well or not.
  @Test func roundCornersCutAnInnerShadowOnce() throws {
    func picture(_ flags: RenderRecord.Flags) throws -> Bitmap {
      var parts = RenderEffects.Parts()
      parts.innerShadow = Shadow(color: 0xFF00_0000, offset: .zero, radius: 6)
      var tree = TreeSnapshot(backdrop: 0xFFFF_FFFF)
      tree.append(
        RenderRecord(
          id: 1, subtreeEnd: 1, bounds: Rect(x: 0, y: 0, width: 20, height: 20), cornerRadius: 9, flags: flags),
        SideValues(effects: RenderEffects(parts)))
      return try tree.picture(width: 20, height: 20)
    }
    let (free, cut) = (try picture([]), try picture(.masksToBounds))
    for y in 0..<20 { for x in 0..<20 { #expect(free[x, y] == cut[x, y], "\(x), \(y)") } }
    #expect(free[0, 10] != 0xFFFF_FFFF)
  }

  /// A sublayer that hides its whole parent does not hide the border, which lies above it.
  @Test func aBorderLiesAboveWhatHidesItsLayer() throws {
    var parts = RenderEffects.Parts()
    parts.border = Border(width: 2, color: 0xFF00_00FF)
    var tree = TreeSnapshot()
    let bounds = Rect(x: 0, y: 0, width: 20, height: 20)
    tree.append(
      RenderRecord(id: 1, subtreeEnd: 2, bounds: bounds, backgroundColor: 0xFFFF_FFFF),
      SideValues(effects: .make(parts, last: nil)))
    tree.append(RenderRecord(id: 2, subtreeEnd: 2, bounds: bounds, backgroundColor: 0xFF00_FF00), SideValues())
    let bitmap = try tree.picture(width: 20, height: 20)
    let (blue, green): (UInt32, UInt32) = (0xFF00_00FF, 0xFF00_FF00)
    #expect([bitmap[0, 0], bitmap[1, 10], bitmap[2, 10], bitmap[19, 19]] == [blue, blue, green, blue])
  }
}
