import CPeers
import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// Measures the way from two snapshots to pixels: difference, damage, painting.
@MainActor
enum CompositingBenchmarks {
  static let all = Benchmark(name: "compositing") {
    let workers = WorkerPool(threads: 2)
    defer { workers.shutdown() }
    let bitmap = try Bitmap(width: MovingScene.width, height: MovingScene.height)
    let screen = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
    var frames = try FrameSequence(workers: workers, bitmap: bitmap)
    let compositor = Compositor()
    let threaded = Compositor(workers: workers)
    let tree = frames.tree
    let empty = TreeSnapshot(backdrop: 0xFF20_3040)
    return [
      Harness.compare("one colour, against memset", repeats: 10, limit: 1.3) {
        compositor.render(empty, damage: screen, into: bitmap)
      } peer: {
        for y in 0..<bitmap.height {
          peer_fill(bitmap.row(y).assumingMemoryBound(to: UInt32.self), UInt64(bitmap.width), 0xFF20_3040)
        }
      },
      Harness.compare("1 of 500 layers, against all", limit: 0.05) {
        frames.next()
      } peer: {
        compositor.render(tree, damage: screen, into: bitmap)
      },
      Harness.allocations("allocations: 1 of 500") { frames.next() },
      Harness.allocations("allocations: all of 500") { compositor.render(tree, damage: screen, into: bitmap) },
      Harness.allocations("allocations: all of 500, on threads") {
        threaded.render(tree, damage: screen, into: bitmap)
      },
      Harness.compare("a list in round corners, against one in square ones", repeats: 10, limit: 2) {
        compositor.render(Self.roundList, damage: Self.listPixels, into: bitmap)
      } peer: {
        compositor.render(Self.squareList, damage: Self.listPixels, into: bitmap)
      },
      Harness.allocations("allocations: a list in round corners") {
        compositor.render(Self.roundList, damage: Self.listPixels, into: bitmap)
      },
      Harness.compare("all of 500: two threads, against one") {
        threaded.render(tree, damage: screen, into: bitmap)
      } peer: {
        compositor.render(tree, damage: screen, into: bitmap)
      },
    ]
  }

  // A card of 800 × 600 pixels that cuts 50 rows.
  private static let roundList = list(cornerRadius: 16)
  private static let squareList = list(cornerRadius: 0)
  private static let listPixels = DamageRegion(IntRect(x: 200, y: 100, width: 800, height: 600))

  private static func list(cornerRadius: Float) -> TreeSnapshot {
    var tree = TreeSnapshot(backdrop: 0xFF20_3040)
    tree.append(
      RenderRecord(
        id: 1, subtreeEnd: 51, transform: .translation(x: 200, y: 100), bounds: Rect(x: 0, y: 0, width: 800, height: 600),
        cornerRadius: cornerRadius, backgroundColor: 0xFFFF_FFFF, flags: .masksToBounds), SideValues())
    for row in 0..<50 {
      let id = UInt32(row + 2)
      tree.append(
        RenderRecord(
          id: id, subtreeEnd: id, transform: .translation(x: 8, y: Double(row) * 14 - 30),
          bounds: Rect(x: 0, y: 0, width: 784, height: 12), backgroundColor: row % 2 == 0 ? 0xFFE0_E8F0 : 0x8040_3020),
        SideValues())
    }
    return tree
  }

  /// Frames in which one of 500 layers moves. The trees are made beforehand, so that only the way from snapshots to pixels
  /// is measured.
  @MainActor
  private struct FrameSequence {
    private var trees: [TreeSnapshot] = []
    private var index = 0
    private var difference = SceneDiff()
    private let compositor = Compositor()
    private let bitmap: Bitmap

    init(workers: WorkerPool, bitmap: Bitmap) throws {
      self.bitmap = bitmap
      let scene = MovingScene(count: 500)
      let context = LayerContext(root: scene.root, workers: workers)
      for index in 0..<16 {
        scene.moveOne()
        let time = MonotonicTime(nanoseconds: Int64(index + 1) * 16_666_667)
        _ = context.commit(at: time)
        trees.append(context.renderTree(at: time))
      }
      guard trees[0].records.count == 501, trees[0].records != trees[1].records else {
        throw BenchmarkError("the scene does not move")
      }
    }

    var tree: TreeSnapshot { trees[0] }

    mutating func next() {
      let following = (index + 1) % trees.count
      let change = difference.change(
        from: trees[index], to: trees[following], width: bitmap.width, height: bitmap.height)
      compositor.render(trees[following], change: change, into: bitmap)
      index = following
    }
  }
}
