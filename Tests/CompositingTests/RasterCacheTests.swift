import FramepaceTesting
import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// The pictures of isolated layers that the compositor keeps: the same bytes as painting anew, painted once, within their limit.
@Suite struct RasterCacheTests {
  private static let width = 90
  private static let height = 80
  private static let screen = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))

  /// Most frames move the whole tree by whole pixels, or fade a layer, as scrolling and fading do; others edit it.
  @MainActor @Test func keptPicturesAreThoseThatPaintingGives() throws {
    var shownPictures = 0
    for seed in some(12, of: UInt64(1)...400) { shownPictures += try Self.playRandomEdits(seed: seed) }
    #expect(shownPictures > 12 * 4, "\(shownPictures) kept pictures were shown")
  }

  /// A rasterized layer's picture that was kept where its pixels are those of the output, shown between them.
  @Test func aRasterizedPictureIsShownBetweenPixels() throws {
    var parts = RenderEffects.Parts()
    parts.rasterizationScale = 1
    func tree(at place: Double) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(
        RenderRecord(
          id: 1, subtreeEnd: 1, transform: .translation(x: place, y: 20), bounds: Rect(x: 0, y: 0, width: 12, height: 18),
          backgroundColor: 0xFF45_B5B0),
        SideValues(effects: RenderEffects(parts)))
      return tree
    }
    let (keeping, bitmap) = (Compositor(), try Bitmap(width: Self.width, height: Self.height))
    let shown = tree(at: 30)
    for _ in 0..<6 { keeping.render(shown, damage: Self.screen, into: bitmap) }
    #expect(keeping.rasterCache.shownPictures > 0)
    var moved = shown
    moved.records[0].transform.tx = 30.5
    keeping.render(moved, damage: Self.screen, into: bitmap)
    let expected = try moved.picture(width: Self.width, height: Self.height)
    for x in 28..<45 { #expect(bitmap[x, 25] == expected[x, 25], "column \(x)") }
  }

  /// - Returns: how often a kept picture was shown.
  @MainActor
  private static func playRandomEdits(seed: UInt64) throws -> Int {
    let model = try RandomTree(seed: seed &+ 7000, layers: 14, width: width, height: height)
    var random = SplitMix64(seed: seed)
    let (keeping, painting) = (Compositor(keptBytes: 1 << 20), Compositor(keptBytes: 0))
    let (kept, painted) = (try Bitmap(width: width, height: height), try Bitmap(width: width, height: height))
    var tree = model.snapshot()
    for frame in 0..<48 {
      if frame % 6 == 0 {
        let edit = model.edit()
        tree = model.snapshot()
        try #require(tree.inconsistency == nil, "\(edit)")
      } else if let index = tree.records.indices.randomElement(using: &random), random.chance(0.3) {
        tree.records[index].opacity = .random(in: 0.1...1, using: &random)
      } else {
        tree.records[0].transform.tx += Double(Int.random(in: -9...9, using: &random))
        tree.records[0].transform.ty += Double(Int.random(in: -9...9, using: &random))
      }
      keeping.render(tree, damage: screen, into: kept)
      painting.render(tree, damage: screen, into: painted)
      for y in 0..<height {
        let rows = [kept, painted].map { UnsafeRawBufferPointer(start: $0.row(y), count: width * 4) }
        try #require(rows[0].elementsEqual(rows[1]), "seed \(seed), frame \(frame), row \(y)\n\(tree)")
      }
    }
    #expect(painting.rasterCache.shownPictures == 0)
    return keeping.rasterCache.shownPictures
  }

  @Test func anUnchangedPictureIsPaintedTwice() throws {
    let content = CountedContent()
    var stage = try Stage([content])
    func paints(_ change: (inout RenderRecord) -> Void = { _ in }) -> Int { stage.paints(of: content, change) }
    #expect([paints(), paints(), paints(), paints()] == [1, 1, 0, 0])
    #expect(paints { $0.transform.tx += 3 } == 0)
    #expect(paints { $0.opacity = 0.5 } == 0)
    // Sums of places that differ in their last bits are the same place.
    #expect(paints { $0.transform.ty += 0.1 } == 1)
    #expect([paints(), paints { $0.transform.ty += 0.2 - 0.1 - 0.1 + 1 }] == [1, 0])
    #expect(paints { $0.transform.ty -= 0.5 } == 1)
    #expect(paints { $0.cornerRadius = 2 } == 1)
    #expect([paints(), paints()] == [1, 0])
  }

  /// A picture is not made for the little of it that is ever damaged.
  @Test func smallDamagePaintsNoWholePicture() throws {
    let content = CountedContent()
    var stage = try Stage([content])
    let corner = DamageRegion(IntRect(x: 12, y: 12, width: 4, height: 4))
    for _ in 0..<10 { #expect(stage.paints(of: content, damage: corner) == 1) }
    #expect(stage.compositor.rasterCache.cost == 0)
    // Some 22 · 22 pixels: as many have been painted after 30 frames.
    for _ in 0..<25 { _ = stage.paints(of: content, damage: corner) }
    #expect(stage.compositor.rasterCache.cost > 0)
    #expect(stage.paints(of: content, damage: corner) == 0)
  }

  /// One that is larger than the limit is not kept, and drives no other out.
  @Test func aPictureThatDoesNotFitDrivesOutNoOther() throws {
    let contents = (0..<3).map { _ in CountedContent() }
    var stage = try Stage(contents, keptBytes: 2 * 24 * 24 * 4)
    stage.tree.records[1].bounds.size.width = 60
    for _ in 0..<4 { _ = stage.paints(of: contents[0]) }
    #expect(stage.paints(of: contents[0]) == 1)
    #expect(stage.paints(of: contents[1]) == 0)
    #expect(stage.paints(of: contents[2]) == 0)
  }

  /// Trees with an id that two layers have are painted without a trap.
  @Test func oneIDMayStandForTwoLayers() throws {
    let contents = (0..<2).map { _ in CountedContent() }
    var stage = try Stage(contents)
    stage.tree.records[2].id = stage.tree.records[1].id
    for _ in 0..<4 { _ = stage.paints(of: contents[0]) }
    #expect(stage.paints(of: contents[0]) == 0)
    #expect(stage.paints(of: contents[1]) == 1)
  }

  @Test func thePicturesStayWithinTheirLimit() throws {
    let contents = (0..<8).map { _ in CountedContent() }
    var stage = try Stage(contents, keptBytes: 3 * 24 * 24 * 4)
    for _ in 0..<6 {
      _ = stage.paints(of: contents[0])
      let cache = stage.compositor.rasterCache
      #expect(cache.cost <= cache.limit)
    }
    let shown = stage.compositor.rasterCache.shownPictures
    // Those that fit stay: the others do not drive them out of the same frame.
    _ = stage.paints(of: contents[0])
    #expect(stage.compositor.rasterCache.shownPictures == shown + 3)
  }

  @Test func picturesThatAreNotAskedForGo() throws {
    var (stage, other, gone) = try Self.stageWithTwo { $0.remove(0) }
    #expect(gone() != nil)
    for _ in 0..<240 { _ = stage.paints(of: other) }
    #expect(gone() == nil)
    #expect(stage.paints(of: other) == 0)
  }

  /// The contents of a layer that was removed go in the frame that paints what lies there now.
  @Test func aRemovedLayersContentsGoAtOnce() throws {
    var (stage, other, gone) = try Self.stageWithTwo { $0.remove(0) }
    #expect(gone() != nil)
    _ = stage.paints(of: other, damage: DamageRegion(IntRect(x: 12, y: 12, width: 4, height: 4)))
    #expect(gone() == nil)
    #expect(stage.compositor.rasterCache.cost > 0, "the other's picture stays")
  }

  /// A scroll copies pixels and paints the strip that appears: the pictures of layers that it moved stay. That of a layer that is removed
  /// later goes with the frame that paints the place to which it was moved.
  @Test func picturesThatAScrollMovesStay() throws {
    var (stage, other, gone) = try Self.stageWithTwo { stage in
      stage.tree.records[1].transform.tx += 150
      stage.tree.records[2].transform.tx += 150
      let change = FrameChange(
        DamageRegion(IntRect(x: 0, y: 0, width: 150, height: 80)),
        move: PixelMove(IntRect(x: 150, y: 0, width: 150, height: 80), dx: 150, dy: 0))
      stage.render(change)
    }
    #expect(stage.paints(of: other, damage: DamageRegion(IntRect(x: 190, y: 10, width: 20, height: 20))) == 0)
    stage.render(FrameChange(DamageRegion(IntRect(x: 270, y: 0, width: 30, height: 80))))
    if let first = gone() { #expect(stage.paints(of: first) == 0) } else { Issue.record("the picture is gone") }
    stage.remove(0)
    _ = stage.paints(of: other, damage: DamageRegion(IntRect(x: 162, y: 12, width: 4, height: 4)))
    #expect(gone() == nil)
    #expect(stage.paints(of: other) == 0)
  }

  /// A stage with the kept pictures of two layers, changed then: with the second layer's content, and the first one's while anything
  /// holds it.
  private static func stageWithTwo(
    _ change: (inout Stage) -> Void
  ) throws -> (stage: Stage, other: CountedContent, first: () -> CountedContent?) {
    let (content, other) = (CountedContent(), CountedContent())
    var stage = try Stage([content, other])
    for _ in 0..<3 { _ = stage.paints(of: content) }
    #expect([stage.paints(of: content), stage.paints(of: other)] == [0, 0])
    change(&stage)
    return (stage, other, { [weak content] in content })
  }

  /// The coverage of a shadow is made once for all layers of one shape, wherever they lie.
  @Test func layersOfOneShapeShareAShadow() throws {
    var parts = RenderEffects.Parts()
    parts.shadow = Shadow(color: 0x8000_0000, offset: Size(0, 3), radius: 4)
    parts.innerShadow = Shadow(color: 0x8000_0000, offset: .zero, radius: 4)
    func tree(_ offset: Double, _ size: Double = 20) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(RenderRecord(id: 1, subtreeEnd: 4, bounds: Rect(x: 0, y: 0, width: 90, height: 80)), SideValues())
      for index in 0..<3 {
        let record = RenderRecord(
          id: UInt32(index + 2), subtreeEnd: UInt32(index + 2),
          transform: .translation(x: 10 + offset + 24 * Double(index), y: 10.5),
          bounds: Rect(x: 0, y: 0, width: size, height: size), cornerRadius: 5, backgroundColor: 0xFFF0_F0F0)
        tree.append(record, SideValues(effects: .make(parts, last: nil)))
      }
      return tree
    }
    let (compositor, bitmap) = (Compositor(), try Bitmap(width: Self.width, height: Self.height))
    compositor.render(tree(0), damage: Self.screen, into: bitmap)
    // 20 · 21 pixels that the layer touches; the blur reaches 7 to each side, and one more where its place is between pixels.
    let inner = 20 * 21
    let outer = (20 + 13 + 1) * (21 + 13 + 1)
    #expect(abs(compositor.rasterCache.cost - inner - outer) <= 2 * 40, "\(compositor.rasterCache.cost)")
    let cost = compositor.rasterCache.cost
    compositor.render(tree(3), damage: Self.screen, into: bitmap)
    #expect(compositor.rasterCache.cost == cost)
    compositor.render(tree(3, 22), damage: Self.screen, into: bitmap)
    #expect(compositor.rasterCache.cost > cost)
    for _ in 0..<240 { compositor.render(TreeSnapshot(), damage: Self.screen, into: bitmap) }
    #expect(compositor.rasterCache.cost == 0)
  }

  /// A shadow that is another in each frame leaves few behind it, and drives out none that is shown now and then.
  @Test func anAnimatedShadowLeavesFewBehind() throws {
    func tree(_ radius: Double) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(RenderRecord(id: 1, subtreeEnd: 3, bounds: Rect(x: 0, y: 0, width: 90, height: 80)), SideValues())
      for (index, radius) in [radius, 7].enumerated() {
        let record = RenderRecord(
          id: UInt32(index + 2), subtreeEnd: UInt32(index + 2), transform: .translation(x: 20 + 40 * Double(index), y: 20),
          bounds: Rect(x: 0, y: 0, width: 10, height: 10), backgroundColor: 0xFFF0_F0F0)
        var parts = RenderEffects.Parts()
        parts.shadow = Shadow(color: 0x8000_0000, offset: .zero, radius: radius)
        tree.append(record, SideValues(effects: .make(parts, last: nil)))
      }
      return tree
    }
    let (compositor, bitmap) = (Compositor(), try Bitmap(width: Self.width, height: Self.height))
    let left = DamageRegion(IntRect(x: 0, y: 0, width: 45, height: 80))
    for _ in 0..<2 { compositor.render(tree(1), damage: Self.screen, into: bitmap) }
    for step in 1...400 {
      let isWhole = step % 100 == 0
      compositor.render(tree(1 + Double(step) / 100), damage: isWhole ? Self.screen : left, into: bitmap)
      #expect(compositor.rasterCache.shadowCount <= 34)
      #expect(compositor.work.missedPictures == 1, "step \(step)")
    }
  }

  /// Layers of 20 · 20 units that are pictures of their own with a content each, side by side.
  private struct Stage {
    let compositor: Compositor
    private let bitmap: Bitmap
    var tree = TreeSnapshot()

    init(_ contents: [CountedContent], keptBytes: Int = 1 << 20) throws {
      compositor = Compositor(keptBytes: keptBytes)
      bitmap = try Bitmap(width: 300, height: 80)
      var parts = RenderEffects.Parts()
      parts.colorMatrix = .identity
      tree.append(RenderRecord(id: 1, bounds: Rect(x: 0, y: 0, width: 300, height: 80)), SideValues())
      for (index, content) in contents.enumerated() {
        let record = RenderRecord(
          id: UInt32(index + 2), subtreeEnd: UInt32(index + 2), transform: .translation(x: 10 + 30 * Double(index), y: 10.1),
          bounds: Rect(x: 0, y: 0, width: 20, height: 20))
        tree.append(record, SideValues(content: content, effects: .make(parts, last: nil)))
      }
      tree.records[0].subtreeEnd = UInt32(tree.records.count)
    }

    /// How often a frame paints a content, after a change of the first layer.
    mutating func paints(
      of content: CountedContent, damage: DamageRegion = DamageRegion(IntRect(x: 0, y: 0, width: 300, height: 80)),
      _ change: (inout RenderRecord) -> Void = { _ in }
    ) -> Int {
      content.reset()
      change(&tree.records[1])
      tree.records[1].settle(tree.sides[1])
      compositor.render(tree, damage: damage, into: bitmap)
      return content.paints
    }

    func render(_ change: FrameChange) { compositor.render(tree, change: change, into: bitmap) }

    mutating func remove(_ index: Int) {
      tree.records.remove(at: index + 1)
      tree.sides.remove(at: index + 1)
      for index in tree.records.indices.dropFirst() { tree.records[index].subtreeEnd = UInt32(index + 1) }
      tree.records[0].subtreeEnd = UInt32(tree.records.count)
    }
  }
}
