import FramepaceTesting
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

@preconcurrency @MainActor final class PatchedTreeTests: XCTestCase {
  /// Random edits of a random tree with frames at random times: a patched snapshot equals one that is made anew, and a
  /// snapshot never changes while it is kept.
  func testPatchedTreesEqualRebuiltOnes() throws {
    let images = try RandomLayers.images(seed: 1)
    for seed in some(12, of: 1...60 as ClosedRange<UInt64>) {
      var world = World(seed: seed, images: images)
      for step in 0..<120 {
        for _ in 0..<Int.random(in: 0...4, using: &world.generator) { world.layers.edit() }
        if world.generator.chance(0.8) { world.commit() }
        for _ in 0..<Int.random(in: 0...3, using: &world.generator) { world.render("seed \(seed), step \(step)") }
        world.letGo()
      }
      XCTAssertLessThanOrEqual(world.context.snapshots.count, 8)
    }
  }
}

/// A tree of layers, its state at the last commit, and the snapshots that are kept.
@MainActor
private struct World {
  var generator: SplitMix64
  let context: LayerContext
  private static let workers = WorkerPool(threads: 2)
  private let root = Layer(frame: Rect(x: 0, y: 0, width: 300, height: 200))
  let layers: RandomLayers
  private var now = MonotonicTime.zero
  private var committed: Node
  private var held: [(tree: TreeSnapshot, records: [RenderRecord])] = []

  /// The state of a layer at a commit.
  private struct Node {
    var record: RenderRecord
    var sides: SideValues
    var contents: ContentsSource
    var values: AnimatableValues
    var timed: [TimedAnimation]
    var clock: LayerClock
    /// The copies of the sublayers, of a replicator, and how much each is behind the one before.
    var copies: (count: Int, delay: Nanoseconds)?
    var hasSublayers: Bool
    var isMask: Bool
    var kind: Layer.Type
    /// True if the layer shows the same from the commit on. It is then shown so at earlier times too.
    var stands: Bool
    var placesSublayers: Bool
    var isSpace: Bool
    var isPlacedFlipped: Bool
    /// The mask, if any, and the sublayers from back to front.
    var layers: [Node]
  }

  init(seed: UInt64, images: [Image]) {
    generator = SplitMix64(seed: seed)
    layers = RandomLayers(in: root, seed: seed, count: 10, images: images)
    context = LayerContext(root: root, workers: Self.workers, scale: 2)
    committed = Self.copy(root)
    for _ in 0..<20 { layers.edit() }
    commit()
  }

  mutating func commit() {
    now += .milliseconds(Int64.random(in: 0...20, using: &generator))
    _ = context.commit(at: now)
    committed = Self.copy(root)
  }

  mutating func render(_ comment: String) {
    let time = now + .milliseconds(Int64.random(in: -5...40, using: &generator))
    let tree = context.renderTree(at: time)
    var rebuilt = TreeSnapshot()
    let moving = Set(context.copiedAnimations.map(\.recordIndex))
    rebuild(
      committed, at: (time, max(time, now)), in: SublayerSpace(scale: 2), like: tree, Copy(moving: moving), into: &rebuilt)
    XCTAssertEqual(tree.records, rebuilt.records, comment)
    XCTAssertNil(tree.inconsistency, comment)
    held.append((tree, tree.records))
  }

  /// Checks that the kept snapshots have not changed, and releases some of them.
  mutating func letGo() {
    for (tree, records) in held {
      XCTAssertEqual(tree.records, records)
      XCTAssertNil(tree.inconsistency)
    }
    let chance = held.count > 8 ? 0.9 : 0.4
    var kept = held
    kept.removeAll { _ in generator.chance(chance) }
    held = kept
  }

  private static func copy(_ layer: Layer) -> Node {
    let order = layer.sublayers.enumerated().sorted {
      ($0.element.zPosition, $0.offset) < ($1.element.zPosition, $1.offset)
    }
    let sides = layer.sideValues
    return Node(
      record: layer.record(sides), sides: sides, contents: layer.contentsSource, values: layer.values,
      timed: layer.animations.map(\.timed), clock: layer.clock,
      copies: (layer as? ReplicatorLayer).map { ($0.instanceCount, $0.instanceDelay) },
      hasSublayers: !layer.sublayers.isEmpty, isMask: layer.superlayer?.mask === layer, kind: type(of: layer),
      stands: !(layer.committedAnimations?.isMoving ?? false),
      placesSublayers: layer.placesSublayers, isSpace: layer.isSpace, isPlacedFlipped: layer.isPlacedFlipped,
      layers: ([layer.mask] + order.map(\.element)).compactMap { $0.map(copy) })
  }

  /// The copy that a layer is in.
  private struct Copy {
    /// The indices of the records of copies that move.
    let moving: Set<Int>
    var isCopy = false
    var delay = Nanoseconds.zero
  }

  /// A time of the superlayer's clock and, for what stands since the commit, another one. Without a clock of its own at the top a layer
  /// goes by the display's, whatever that shows.
  private typealias Times = (moving: MonotonicTime, standing: MonotonicTime)

  /// - Parameter shown: effects with the same values as those of its layers are the same objects, and copies have the same ids.
  private func rebuild(
    _ node: Node, at outer: Times, in space: SublayerSpace?, like shown: TreeSnapshot, _ copy: Copy,
    into tree: inout TreeSnapshot
  ) {
    let index = tree.records.count
    var (record, sides) = (node.record, node.sides)
    if copy.isCopy, shown.records.indices.contains(index) { record.id = shown.records[index].id }
    var values = node.values
    func local(_ time: MonotonicTime) -> MonotonicTime {
      if node.clock == LayerClock(), copy.delay == .zero { return time }
      let begin = node.clock.beginTime + copy.delay
      return time < begin
        ? .zero : .zero + Nanoseconds.seconds((time - begin).seconds * node.clock.speed) + node.clock.timeOffset
    }
    let times = (moving: local(outer.moving), standing: local(outer.standing))
    let stands = copy.isCopy ? !copy.moving.contains(index) : node.stands
    for animation in node.timed { animation.apply(to: &values, at: stands ? times.standing : times.moving) }
    // A space has no picture that a transition could show.
    if !node.isSpace { values.settleTransition(&record.flags) }
    if !node.isSpace, shown.sides.indices.contains(index) {
      let last = shown.sides[index]
      let content = node.kind.content(for: values, image: values.image)
      // A layer that does not move has the colours of the commit, which are multiplied as those of its content then.
      values.takeTint(of: space, hasPicture: node.hasSublayers || content != nil)
      sides.effects = node.contents.or(values.image).effects(
        for: values, values.homography(in: space), last: last.effects)
      sides.content = values.mixture ?? values.image ?? values.content
      // The same mixture is the same object, and so is the same shape.
      if let mixture = values.mixture, mixture == last.content as? ImageMixture { sides.content = last.content }
      if let shape = sides.content as? ShapeContent, shape.parts == (last.content as? ShapeContent)?.parts {
        sides.content = last.content
      }
      // A kind that draws itself from a property of its own draws a picture for each value.
      if !values.named.isEmpty { sides.content = last.content }
    }
    if !node.isSpace { record.update(from: values, sides, in: space) }
    tree.append(record, sides)
    for number in 0..<max(node.copies?.count ?? 1, 1) {
      for layer in node.layers where number == 0 || !layer.isMask {
        let instance = layer.isMask ? nil : node.copies.map { ReplicatorInstance(number: number, count: $0.count) }
        let places = node.placesSublayers || number > 0
        let inner =
          node.isSpace
          ? SublayerSpace(values, isFlipped: layer.isPlacedFlipped, instance, through: space)
          : places ? SublayerSpace(values, isFlipped: layer.isPlacedFlipped, instance) : nil
        var next = copy
        next.isCopy = copy.isCopy || number > 0
        next.delay = layer.isMask ? .zero : (node.copies?.delay ?? .zero) * Int64(number)
        rebuild(layer, at: times, in: inner, like: shown, next, into: &tree)
      }
    }
    tree.records[index].subtreeEnd = UInt32(tree.records.count)
  }
}
