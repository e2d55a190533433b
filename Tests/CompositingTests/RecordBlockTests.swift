import Compositing
import Geometry
import Glibc
import Layers
import LinuxSystem
import Raster
import RenderTree
import TestLength
import Testing

/// The difference and the pixels of trees with blocks are those of the same records without blocks. The random trees of other tests are
/// too small to have blocks of leaves.
@Suite struct RecordBlockTests {
  @MainActor @Test(arguments: some(6, of: 1...60))
  func blocksChangeNeitherDamageNorPixels(seed: UInt64) throws {
    let world = WideWorld(seed: seed)
    let compositor = Compositor()
    let (part, full) = (
      try Bitmap(width: WideWorld.side, height: WideWorld.side), try Bitmap(width: WideWorld.side, height: WideWorld.side)
    )
    let screen = DamageRegion(IntRect(x: 0, y: 0, width: WideWorld.side, height: WideWorld.side))
    var known: [UInt64: ArraySlice<RenderRecord>] = [:]
    var last = TreeSnapshot()
    for frame in 0..<40 {
      let tree = world.next()
      #expect(tree.blocks.count == (tree.records.count + RecordBlock.length - 1) / RecordBlock.length)
      for case (let number, let block?) in tree.blocks.enumerated() {
        let records = tree.records.dropFirst(number * RecordBlock.length).prefix(RecordBlock.length)
        #expect(
          known[block.version, default: records].elementsEqual(records), "seed \(seed), frame \(frame): block \(number)")
        #expect(RecordBlock(number, of: tree.records).leafBounds == block.leafBounds)
        known[block.version] = records
      }
      let damage = damage(from: last, to: tree)
      let (bareLast, bareTree) = (Self.withoutBlocks(last), Self.withoutBlocks(tree))
      let bareDamage = self.damage(from: bareLast, to: bareTree)
      #expect(damage.rects.elementsEqual(bareDamage.rects), "seed \(seed), frame \(frame)")
      compositor.render(tree, damage: frame == 0 ? screen : damage, into: part)
      compositor.render(bareTree, damage: screen, into: full)
      let isSame = (0..<full.height).allSatisfy { memcmp(part.row($0), full.row($0), full.width * 4) == 0 }
      #expect(isSame, "seed \(seed), frame \(frame)")
      last = tree
    }
    #expect(world.leafBlocks > 10, "seed \(seed): hardly any block is one of leaves")
  }

  @Test func aChangeOfTheRecordsForgetsTheBlocks() {
    var tree = TreeSnapshot(records: [RenderRecord(id: 1, subtreeEnd: 1, bounds: .zero)])
    tree.blocks = [RecordBlock(0, of: tree.records)]
    tree.records[0].opacity = 0.5
    #expect(tree.blocks.isEmpty)
  }

  private static func withoutBlocks(_ tree: TreeSnapshot) -> TreeSnapshot {
    var tree = tree
    tree.blocks = []
    return tree
  }

  private func damage(from old: TreeSnapshot, to new: TreeSnapshot) -> DamageRegion {
    var diff = SceneDiff()
    return diff.change(from: old, to: new, width: WideWorld.side, height: WideWorld.side).written
  }
}

/// Three groups: of many leaves, of many small groups, and of leaves of which some are turned. Some throw a shadow, or blur what lies
/// behind them.
@MainActor
private final class WideWorld {
  nonisolated static let side = 240
  private(set) var leafBlocks = 0
  private let context: LayerContext
  private let groups: [Layer]
  private var random: SplitMix64
  private var now = MonotonicTime.zero

  private static let workers = WorkerPool(threads: 1)

  init(seed: UInt64) {
    random = SplitMix64(seed: seed)
    let root = Layer(frame: Rect(x: 0, y: 0, width: Double(Self.side), height: Double(Self.side)))
    groups = (0..<3).map { _ in Layer(frame: root.bounds) }
    context = LayerContext(root: root, workers: Self.workers)
    for (index, group) in groups.enumerated() {
      root.addSublayer(group)
      for _ in 0..<(index == 0 ? 300 : 120) {
        let layer = leaf()
        group.addSublayer(layer)
        if index == 1 { for _ in 0..<3 { layer.addSublayer(leaf()) } }
        if index == 2, random.chance(0.02) { layer.transform = .rotation(1) }
      }
    }
  }

  /// The tree a few edits and 40 milliseconds later.
  func next() -> TreeSnapshot {
    for _ in 0..<Int.random(in: 1...4, using: &random) { edit() }
    now += .milliseconds(40)
    _ = context.commit(at: now)
    let tree = context.renderTree(at: now)
    leafBlocks += tree.blocks.count { $0?.leafBounds != nil }
    return tree
  }

  private func leaf() -> Layer {
    let layer = Layer(
      frame: Rect(
        x: .random(in: -20...230, using: &random), y: .random(in: -20...230, using: &random),
        width: .random(in: 1...16, using: &random), height: .random(in: 1...16, using: &random)))
    layer.backgroundColor = color()
    return layer
  }

  private func color() -> Color {
    Color(hex: .random(in: 0...0xFF_FFFF, using: &random)).withAlpha(random.chance(0.5) ? 1 : 0.5)
  }

  private func edit() {
    Transaction.begin()
    defer { Transaction.commit() }
    Transaction.disablesActions = random.chance(0.7)
    let group = groups[.random(in: 0...2, using: &random)]
    let layers = group.sublayers
    let layer = layers[.random(in: 0..<layers.count, using: &random)]
    switch Int.random(in: 0..<13, using: &random) {
    case 0...4: layer.position = Point(.random(in: 0...240, using: &random), .random(in: 0...240, using: &random))
    case 5: layer.position.x = random.chance(0.5) ? 1e9 : -3e9
    case 6: layer.backgroundColor = color()
    case 7: layer.isHidden.toggle()
    case 8: layer.shadowOpacity = layer.shadowOpacity > 0 ? 0 : 0.5
    case 9: group.transform = .scale(x: .random(in: -1.5...1.5, using: &random), y: .random(in: 0.3...1.5, using: &random))
    case 10: layer.removeFromSuperlayer()
    case 11: layer.backdropBlurRadius = layer.backdropBlurRadius > 0 ? 0 : 3
    default: group.addSublayer(leaf())
    }
  }
}
