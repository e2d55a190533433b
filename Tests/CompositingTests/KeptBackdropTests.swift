import Geometry
import LinuxSystem
import Raster
import TestLength
import Testing

@testable import Compositing
@testable import RenderTree

/// Filtered backdrops are kept while nothing behind the layers changes, and have the bytes of those that are painted anew.
@Suite struct KeptBackdropTests {
  private static let (width, height) = (60, 40)
  private static let all = IntRect(x: 0, y: 0, width: width, height: height)

  private static func layer(_ rect: Rect, _ color: UInt32) -> RenderRecord {
    RenderRecord(
      id: 1, transform: .translation(x: rect.minX, y: rect.minY),
      bounds: Rect(x: 0, y: 0, width: rect.width, height: rect.height), backgroundColor: color)
  }

  /// A root with these layers in a row; those with a number filter what lies behind them.
  private static func tree(_ layers: [(record: RenderRecord, blur: Double?)]) -> TreeSnapshot {
    var tree = TreeSnapshot()
    tree.append(
      RenderRecord(id: 1, subtreeEnd: UInt32(layers.count + 1), bounds: Rect(all), backgroundColor: 0xFFC0_4020),
      SideValues())
    for (index, layer) in layers.enumerated() {
      var record = layer.record
      (record.id, record.subtreeEnd) = (UInt32(index + 2), UInt32(index + 2))
      var parts = RenderEffects.Parts()
      if let blur = layer.blur {
        (parts.backdropBlurRadius, parts.backdropColorMatrix) = (blur, blur > 1 ? .saturation(1.6) : nil)
      }
      tree.append(record, SideValues(effects: .make(parts, last: nil)))
    }
    return tree
  }

  /// Edits behind, in front of and of two layers of glass, one over the other, painted in their damage.
  @Test func areThoseThatPaintingGives() throws {
    var keptFrames = 0
    let seeds = some(12, of: UInt64(1)...400)
    for seed in seeds { keptFrames += try Self.playRandomEdits(seed: seed) }
    #expect(keptFrames > seeds.count * 10, "backdrops were kept in \(keptFrames) frames")
  }

  /// - Returns: the number of frames after which something was kept.
  private static func playRandomEdits(seed: UInt64) throws -> Int {
    var random = SplitMix64(seed: seed)
    func color() -> UInt32 {
      multiplyPixel(0xFF00_0000 | .random(in: 0...0xFF_FFFF, using: &random), .random(in: 60...255, using: &random))
    }
    func rect() -> Rect {
      Rect(
        x: Double.random(in: -8...40, using: &random), y: Double.random(in: -8...30, using: &random),
        width: Double.random(in: 4...30, using: &random), height: Double.random(in: 4...20, using: &random))
    }
    // Glass is the third and the fifth.
    var tree = tree(
      (1...7).map {
        (Self.layer(rect(), color()), $0 == 3 || $0 == 5 ? .random(in: 0...4, using: &random) : nil)
      })
    if seed % 3 == 0 {
      // In a group.
      tree.records[1].subtreeEnd = 6
      tree.records[1].opacity = seed % 2 == 0 ? 0.6 : 1
    }
    for index in tree.records.indices { tree.records[index].settle(tree.sides[index]) }
    #expect(tree.inconsistency == nil)
    let (keeping, bitmap) = (Compositor(), try Bitmap(width: Self.width, height: Self.height))
    var difference = SceneDiff()
    var keptFrames = 0
    keeping.render(tree, damage: DamageRegion(Self.all), into: bitmap)
    for frame in 0..<60 {
      let old = tree
      // Mostly in front of all glass.
      let index = random.chance(0.85) ? Int.random(in: 6...7, using: &random) : Int.random(in: 1...7, using: &random)
      switch Int.random(in: 0..<3, using: &random) {
      case 0: tree.records[index].backgroundColor = color()
      case 1: tree.records[index].transform.tx += Double.random(in: -3...3, using: &random)
      default: tree.records[index].opacity = .random(in: 0.2...1, using: &random)
      }
      var change = difference.change(from: old, to: tree, width: Self.width, height: Self.height)
      if frame % 20 < 2 { change.damage.add(Self.all) }
      keeping.render(tree, change: change, into: bitmap)
      keptFrames += keeping.rasterCache.cost > 0 ? 1 : 0
      let expected = try tree.picture(width: Self.width, height: Self.height)
      for y in 0..<Self.height {
        for x in 0..<Self.width {
          try #require(bitmap[x, y] == expected[x, y], "seed \(seed), frame \(frame), pixel \(x), \(y)\n\(tree)")
        }
      }
    }
    return keptFrames
  }

  /// Glass over a content, with a small layer in front of it at the other end.
  private static func stage(keptBytes: Int = 64 << 20) throws -> (
    content: CountedContent, paints: (DamageRegion, (inout TreeSnapshot) -> Void) -> Int, Compositor
  ) {
    let content = CountedContent()
    var tree = tree([
      (layer(Rect(x: 10, y: 10, width: 10, height: 20), 0xFF00_FF00), nil), (layer(Rect(all), 0), 8),
      (layer(Rect(x: 40, y: 12, width: 4, height: 4), 0xFF10_1010), nil),
    ])
    tree.sides[1].content = content
    tree.records[1].settle(tree.sides[1])
    let (compositor, bitmap) = (Compositor(keptBytes: keptBytes), try Bitmap(width: width, height: height))
    return (
      content,
      { damage, change in
        change(&tree)
        content.reset()
        compositor.render(tree, damage: damage, into: bitmap)
        return content.paints
      }, compositor
    )
  }

  private static let screen = DamageRegion(all)
  private static let front = DamageRegion(IntRect(x: 40, y: 12, width: 4, height: 4))

  @Test func nothingBehindIsPaintedAgainForWhatChangesInFront() throws {
    let (_, paints, compositor) = try Self.stage()
    func change(_ tree: inout TreeSnapshot) { tree.records[3].backgroundColor ^= 0xFF }
    // The blur reaches the content. The second frame that paints all makes the picture, which takes once more.
    #expect([paints(Self.front, change), paints(Self.screen, change), paints(Self.screen, change)] == [1, 1, 2])
    #expect(compositor.rasterCache.cost == Self.width * Self.height * 4)
    for _ in 0..<3 { #expect(paints(Self.front, change) == 0) }
    #expect(paints(Self.front) { $0.records[1].opacity = 0.5 } == 1)
    #expect(compositor.rasterCache.cost == 0)
  }

  /// Layers in front of the glass and in it come and go; one that becomes the layer around it is another matter.
  @Test func layersInFrontMayComeAndGo() throws {
    let (_, paints, compositor) = try Self.stage()
    for _ in 0..<3 { _ = paints(Self.screen) { _ in } }
    func append(_ tree: inout TreeSnapshot) {
      var record = Self.layer(Rect(x: 40, y: 12, width: 4, height: 4), 0xFF77_7777)
      (record.id, record.subtreeEnd) = (UInt32(tree.records.count + 1), UInt32(tree.records.count + 1))
      tree.append(record, SideValues())
      tree.records[0].subtreeEnd += 1
    }
    #expect(paints(Self.front, append) == 0)
    let inTheGlass = paints(Self.front) { tree in
      append(&tree)
      tree.records[2].subtreeEnd = 6
    }
    #expect(inTheGlass == 0)
    #expect(compositor.rasterCache.cost > 0)
    #expect(paints(Self.front) { $0.records[1].subtreeEnd = 6 } == 1)
  }

  /// Glass that is wholly hidden is made once, not in each frame.
  @Test func hiddenGlassIsMadeOnce() throws {
    let (_, paints, compositor) = try Self.stage()
    let hide = { (tree: inout TreeSnapshot) in
      tree.records[3].transform = .identity
      tree.records[3].bounds = Rect(Self.all)
      tree.records[3].settle(tree.sides[3])
    }
    #expect((0..<4).map { _ in paints(Self.screen, hide) } == [0, 1, 0, 0])
    #expect(compositor.work.missedPictures == 0)
  }

  @Test func anyChangeBehindLetsItGo() throws {
    let changes: [(inout TreeSnapshot) -> Void] = [
      { $0.records[0].backgroundColor = 0xFF00_0000 }, { $0.records[1].transform.tx += 1 }, { $0.backdrop = 0xFF12_3456 },
      { $0.viewport = Viewport(transform: .identity, clip: IntRect(x: 0, y: 0, width: 50, height: 40)) },
      { $0.records[2].bounds.size.width = 50 },
      { tree in
        var parts = RenderEffects.Parts()
        parts.backdropBlurRadius = 9
        tree.sides[2].effects = .make(parts, last: nil)
        tree.records[2].settle(tree.sides[2])
      },
    ]
    for change in changes {
      let (_, paints, compositor) = try Self.stage()
      for _ in 0..<3 { _ = paints(Self.screen) { _ in } }
      #expect(compositor.rasterCache.cost > 0)
      #expect(paints(Self.front, change) > 0)
    }
  }

  @Test func itIsNotKeptWithoutRoomNorForLong() throws {
    let (_, paints, compositor) = try Self.stage(keptBytes: Self.width * Self.height * 4 - 1)
    for _ in 0..<5 { #expect(paints(Self.screen) { _ in } == 1) }
    #expect(compositor.rasterCache.cost == 0)
    let (_, longPaints, other) = try Self.stage()
    for _ in 0..<3 { _ = longPaints(Self.screen) { _ in } }
    #expect(other.rasterCache.cost > 0)
    // One that nobody asks for goes: the damage lies beside the glass.
    for _ in 0..<240 {
      _ = longPaints(DamageRegion(IntRect(x: 58, y: 38, width: 2, height: 2))) { $0.records[2].bounds.size.width = 20 }
    }
    #expect(other.rasterCache.cost == 0)
  }
}
