import Geometry
import Layers
import LinuxSystem
import RenderTree

/// Measures marks, commits and snapshots of a tree of 500 layers.
@MainActor
enum LayerBenchmarks {
  static let all = Benchmark(name: "layers") {
    let workers = WorkerPool(threads: 2)
    defer { workers.shutdown() }
    let scene = MovingScene(count: 500)
    let context = LayerContext(root: scene.root, workers: workers)
    var time = MonotonicTime.zero
    @MainActor func frame() {
      time += .milliseconds(16)
      scene.moveOne()
      _ = context.commit(at: time)
      Harness.blackHole(context.renderTree(at: time).records.count)
    }
    frame()
    return [
      Harness.time("a mark on a dirty layer", repeats: 1_000_000) { scene.root.setNeedsLayout() },
      Harness.time("one of 500 moved: commit, snapshot", repeats: 2_000) { frame() },
      Harness.allocations("allocations in that", frames: 1_000) { frame() },
    ]
  }
}

/// A tree of 500 layers of 100×100 on a screen of 1920×1080. One of them moves in each frame.
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
