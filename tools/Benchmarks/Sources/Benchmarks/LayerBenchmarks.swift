import CPeers
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// Measures marks, commits, snapshots, the evaluation of animations, hit tests and the memory of layers.
@MainActor
enum LayerBenchmarks {
  static let all = Benchmark(name: "layers") {
    let workers = WorkerPool(threads: 2)
    defer { workers.shutdown() }
    return commits(workers) + animations(workers) + timingFunctions() + hitTests() + memory(workers)
  }

  private static func commits(_ workers: WorkerPool) -> [Result] {
    let small = CommittedScene(count: 500, workers)
    let large = CommittedScene(count: 10_000, workers)
    return [
      Harness.time("a mark on a dirty layer", repeats: 1_000_000) { small.scene.root.setNeedsLayout() },
      Harness.time("one of 500 moved: commit, snapshot", repeats: 2_000) { small.move() },
      Harness.allocations("allocations in that", frames: 1_000) { small.move() },
      // The rest of the tree costs nothing, but the processor's caches hold less of it.
      Harness.compare("one of 10,000 moved, against of 500", repeats: 2_000, limit: 2) {
        large.move()
      } peer: {
        small.move()
      },
      Harness.compare("none of 10,000 moved, against one", repeats: 2_000, limit: 0.5) {
        large.commit()
      } peer: {
        large.move()
      },
    ] + composited(workers)
  }

  /// Measures frames in which transforms and opacities of 100 layers change, which have drawn their contents before.
  private static func composited(_ workers: WorkerPool) -> [Result] {
    let painter = Painter()
    let scene = CommittedScene(count: 100, workers)
    for layer in scene.scene.root.sublayers {
      layer.delegate = painter
      layer.setNeedsDisplay()
    }
    scene.commit()
    var step = 0.0
    @MainActor func frame() {
      step += 0.01
      Transaction.withoutActions {
        for layer in scene.scene.root.sublayers {
          layer.transform = .rotation(step)
          layer.opacity = 0.5 + 0.4 * Double(Int(step * 100) % 2)
        }
      }
      scene.commit()
    }
    let before = painter.drawings
    let results = [
      Harness.time("100 transforms and opacities", repeats: 200) { frame() },
      Harness.allocations("allocations in that", frames: 200) { frame() },
    ]
    let drawings = painter.drawings - before
    precondition(before == 100, "the layers have not drawn")
    return results + [Result(name: "bitmaps drawn in that", unit: .count, ours: Double(drawings), peer: nil, limit: 0)]
  }

  private final class Painter: LayerDelegate {
    private(set) var drawings = 0

    func draw(_ layer: Layer, in context: DrawingContext) {
      drawings += 1
      context.fill(layer.bounds, color: .white)
    }
  }

  /// The memory of layers of which nothing but the frame is set to another value than it has at first.
  private static func memory(_ workers: WorkerPool) -> [Result] {
    // So many fill the arrays that hold something for each layer.
    let count = 8_192
    func perLayer(_ body: () -> Void) -> Double {
      let before = peer_heap_bytes()
      body()
      return Double(peer_heap_bytes() - before) / Double(count)
    }
    var context: LayerContext?
    var tree: TreeSnapshot?
    let layer = perLayer {
      let root = Layer(frame: Rect(x: 0, y: 0, width: 1, height: 1))
      for _ in 1..<count {
        let layer = Layer(frame: root.bounds)
        (layer.name, layer.contentsScale, layer.speed, layer.states, layer.state) = (nil, nil, 1, [], nil)
        root.addSublayer(layer)
      }
      context = LayerContext(root: root, workers: workers)
      _ = context?.commit(at: .zero)
    }
    let shown = perLayer { tree = context?.renderTree(at: .zero) }
    precondition(tree?.records.count == count, "the layers are not in the tree")
    return [
      Result(name: "bytes of a plain layer and its record", unit: .count, ours: layer, peer: nil, limit: 600),
      Result(name: "bytes of it in each tree that is shown", unit: .count, ours: shown, peer: nil, limit: nil),
    ]
  }
}

/// A moving scene with its committed tree, at the times of frames.
@MainActor
final class CommittedScene {
  let scene: MovingScene
  private let context: LayerContext
  private var time = MonotonicTime.zero

  init(count: Int, _ workers: WorkerPool) {
    scene = MovingScene(count: count)
    context = LayerContext(root: scene.root, workers: workers)
    commit()
  }

  func commit() {
    time += .milliseconds(16)
    _ = context.commit(at: time)
    Harness.blackHole(context.renderTree(at: time).records.count)
  }

  func move() {
    scene.moveOne()
    commit()
  }
}

/// A tree of layers of 100×100 on a screen of 1920×1080. One of them moves in each frame.
@MainActor
struct MovingScene {
  static let width = 1920
  static let height = 1080
  let root: Layer
  private let mover: Layer
  private let step: Counter

  private final class Counter { var value = 0 }

  init(count: Int) {
    root = Layer(frame: Rect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)))
    root.backgroundColor = Color(red: 0.1, green: 0.12, blue: 0.15)
    var last = root
    for index in 0..<count {
      let column = Double(index % 25)
      let row = Double(index / 25)
      let layer = Layer(frame: Rect(x: 10 + column * 72, y: 10 + row * 47, width: 100, height: 100))
      layer.backgroundColor = Color(red: column / 25, green: row / 20, blue: 0.5, alpha: index % 3 == 0 ? 0.7 : 1)
      layer.cornerRadius = index % 2 == 0 ? 12 : 0
      root.addSublayer(layer)
      last = layer
    }
    mover = root.sublayers.count > count / 2 ? root.sublayers[count / 2] : last
    step = Counter()
  }

  func moveOne() {
    step.value += 1
    Transaction.withoutActions {
      mover.position = Point(x: 960 + Double(step.value % 16), y: 540 + Double(step.value / 16 % 16))
    }
  }
}
