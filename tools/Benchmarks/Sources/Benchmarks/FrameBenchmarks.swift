import Framepace
import FramepaceTesting

/// Measures the whole way of a frame on manual time: tick, link callback, commit, tree, diff, compositing, presenting,
/// feedback.
@MainActor
enum FrameBenchmarks {
  static let all = Benchmark(name: "frame") {
    let scene = MovingScene(count: 500)
    let stage = try ManualStage(
      width: MovingScene.width, height: MovingScene.height, root: scene.root, rate: .hertz60,
      workers: WorkerPool(threads: 2))
    // The stage would keep every frame's record, which the engine does not do.
    stage.recordsFrames = false
    let link = DisplayLink(ticker: stage.display.ticker) { _ in scene.moveOne() }
    link.add(to: stage.loop, mode: .common)
    stage.run(for: .seconds(1))
    let interval = RefreshRate.hertz60.interval
    let frames = stage.display.shownFrames
    let results = [
      Harness.time("one of 500 moved, all phases", repeats: 300) { stage.run(for: interval) },
      Harness.allocations("allocations in that", frames: 300) { stage.run(for: interval) },
    ]
    guard stage.display.shownFrames - frames > 1_800 else { throw BenchmarkError("frames were not shown") }
    link.invalidate()
    stage.engine.invalidate()
    return results + [try smallLayers(), try allocationsOnThread()]
  }

  /// Layers that do not change cost next to nothing, however many there are.
  private static func smallLayers() throws -> Result {
    let (many, few) = (try SmallLayers(count: 10_000), try SmallLayers(count: 500))
    defer {
      many.end()
      few.end()
    }
    return Harness.compare("one of 10,000 small ones moved, against of 500", repeats: 200, limit: 3) {
      many.runFrame()
    } peer: {
      few.runFrame()
    }
  }

  /// The allocations for a frame that another thread composites, until it is shown.
  private static func allocationsOnThread() throws -> Result {
    let scene = MovingScene(count: 500)
    let clock = ManualClock(start: .zero + .seconds(1_000))
    let loop = FrameLoop(clock: .manual(clock))
    let display = try VirtualDisplay(
      width: MovingScene.width, height: MovingScene.height, refreshRate: .hertz60, reason: "a benchmark", clock: loop.clock)
    let engine = Engine(
      display: display, root: scene.root, loop: loop, workers: WorkerPool(threads: 2), rendering: .onThread)
    let link = DisplayLink(ticker: display.ticker) { _ in scene.moveOne() }
    link.add(to: loop, mode: .common)
    defer {
      link.invalidate()
      engine.invalidate()
    }
    return Harness.allocations("allocations, composited on a thread", frames: 300) {
      let shown = display.shownFrames
      while display.shownFrames == shown { loop.run(mode: .default, until: clock.now + RefreshRate.hertz60.interval) }
    }
  }
}

/// A layer of 12 × 10 that moves among many such, which cover the screen if there are 10,000.
@MainActor
private final class SmallLayers {
  private let root = Layer(frame: Rect(x: 0, y: 0, width: 1920, height: 1080))
  private let stage: ManualStage<VirtualDisplay>
  private var link: DisplayLink?
  private var step = 0.0

  init(count: Int) throws {
    root.backgroundColor = Color(hex: 0x20_3040)
    for index in 0..<count {
      let layer = Layer(frame: Rect(x: Double(index % 125) * 15.36, y: Double(index / 125) * 13.5, width: 12, height: 10))
      layer.backgroundColor = Color(hex: UInt32(index * 4001) & 0xFF_FFFF)
      root.addSublayer(layer)
    }
    stage = try ManualStage(width: 1920, height: 1080, root: root, rate: .hertz60, workers: WorkerPool(threads: 2))
    stage.recordsFrames = false
    link = DisplayLink(ticker: stage.display.ticker) { [unowned self] _ in move() }
    link?.add(to: stage.loop, mode: .common)
    stage.run(for: .seconds(1))
  }

  func runFrame() { stage.run(for: RefreshRate.hertz60.interval) }

  func end() {
    link?.invalidate()
    stage.engine.invalidate()
  }

  private func move() {
    step += 1
    Transaction.withoutActions {
      root.sublayers[root.sublayers.count / 2].position = Point(960 + step.truncatingRemainder(dividingBy: 16), 540)
    }
  }
}
