import Geometry
import Glibc
import Layers
import LinuxSystem
import RenderTree

extension LayerBenchmarks {
  /// Measures 1,000 layers, each with a spring, key frames or a group of two animations, none of which comes to an end.
  static func animations(_ workers: WorkerPool) -> [Result] {
    let root = Layer()
    for index in 0..<1_000 { root.addSublayer(animatedLayer(index)) }
    let context = LayerContext(root: root, workers: workers)
    var time = MonotonicTime.zero
    _ = context.commit(at: time)
    @MainActor func values() {
      time += .milliseconds(16)
      for layer in root.sublayers { Harness.blackHole(layer.presentation(at: time).opacity) }
    }
    @MainActor func tree() {
      time += .milliseconds(16)
      Harness.blackHole(context.renderTree(at: time).records.count)
    }
    // A sum: of numbers that nobody uses the compiler leaves out the arithmetic.
    var sum = 0.0
    @MainActor func curves() {
      time += .milliseconds(16)
      for index in 0..<1_000 { sum += curve(index, at: time.seconds) }
    }
    defer { precondition(sum.isFinite) }
    return [
      Harness.compare("1,000 layers' values, against curves", repeats: 100) {
        values()
      } peer: {
        curves()
      },
      Harness.allocations("allocations in that", frames: 100) { values() },
      Harness.compare("a tree of these, against curves", repeats: 100, limit: 14) {
        tree()
      } peer: {
        curves()
      },
      Harness.allocations("allocations in that", frames: 100) { tree() },
    ]
  }

  private static func animatedLayer(_ index: Int) -> Layer {
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
    return layer
  }

  /// The arithmetic of such an animation without a layer.
  private static func curve(_ index: Int, at seconds: Double) -> Double {
    let part = seconds - seconds.rounded(.down)
    switch index % 3 {
    case 0:
      let point = Point.zero.mixed(with: Point(100, 50), fraction: Spring().position(at: part))
      return point.x + point.y
    case 1:
      let rest = 1 - part
      return rest * rest * rest * 0.2 + 3 * rest * rest * part * 0.9 + 3 * rest * part * part * 0.4 + part * part * part
    default:
      let way = TimingFunction.easeInEaseOut.progress(at: part)
      return way * 9 + cos(way * 6) + sin(way * 6)
    }
  }

  /// Measures the solution of curves at 1,000 times, against halving the interval of the parameter until it is as exact.
  static func timingFunctions() -> [Result] {
    [("easeInEaseOut", TimingFunction.easeInEaseOut), ("default", .default)].map { name, function in
      Harness.compare("1,000 times of \(name), against halving", repeats: 50, limit: 0.15) {
        var sum = 0.0
        for step in 1...1_000 { sum += function.progress(at: Double(step * 617 % 1_000) / 1_000) }
        precondition(sum > 0)
      } peer: {
        var sum = 0.0
        for step in 1...1_000 { sum += halving(function, Double(step * 617 % 1_000) / 1_000) }
        precondition(sum > 0)
      }
    }
  }

  private static func halving(_ function: TimingFunction, _ x: Double) -> Double {
    func curve(_ t: Double, _ first: Double, _ second: Double) -> Double {
      let rest = 1 - t
      return (3 * rest * rest * first + 3 * rest * t * second + t * t) * t
    }
    var (low, high) = (0.0, 1.0)
    while high - low > 1e-15 {
      let middle = (low + high) / 2
      if curve(middle, function.x1, function.x2) < x { low = middle } else { high = middle }
    }
    return curve(low, function.y1, function.y2)
  }
}
