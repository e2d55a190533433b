import Geometry
import Layers
import LinuxSystem
import RenderTree

/// Measures marks, commits and snapshots of a tree of 500 layers, and the evaluation of animations.
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
    ] + animations(workers)
  }

  /// Measures 1,000 layers, each with a spring, key frames or a group of two animations, none of which comes to an end.
  private static func animations(_ workers: WorkerPool) -> [Result] {
    let root = Layer()
    for index in 0..<1_000 {
      let layer = Layer()
      switch index % 3 {
      case 0:
        var spring = SpringAnimation(.position, from: .zero, to: Point(100, 50))
        spring.repeatCount = .infinity
        layer.add(spring)
      case 1:
        var frames = KeyframeAnimation(.opacity, values: [0, 1, 0.5, 0.7], calculationMode: .cubic)
        frames.repeatCount = .infinity
        layer.add(frames)
      default:
        var group = AnimationGroup([BasicAnimation(.positionX, from: 0, to: 9), BasicAnimation(.rotation, from: 0, to: 6)])
        (group.duration, group.repeatCount, group.timingFunction) = (.seconds(1), .infinity, .easeInEaseOut)
        layer.add(group)
      }
      root.addSublayer(layer)
    }
    let context = LayerContext(root: root, workers: workers)
    var time = MonotonicTime.zero
    _ = context.commit(at: time)
    @MainActor func evaluate() {
      time += .milliseconds(16)
      Harness.blackHole(context.renderTree(at: time).records.count)
    }
    var x = 0.0
    return [
      Harness.time("1,000 animated layers: one evaluation", repeats: 200) { evaluate() },
      Harness.allocations("allocations in that", frames: 100) { evaluate() },
      Harness.time("timing function at one time", repeats: 1_000_000) {
        x = x < 0.99 ? x + 0.0137 : 0.001
        Harness.blackHole(Int(TimingFunction.easeInEaseOut.progress(at: x) * 1000))
      },
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
