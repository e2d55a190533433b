import Framepace
import FramepaceTesting
import LinuxSystem
import TestLength
import XCTest

/// An engine that composites on a thread makes the frames of one that does it in its turns, byte for byte.
@preconcurrency @MainActor final class EngineRenderThreadTests: XCTestCase {
  private struct Frame: Equatable {
    var number: UInt64
    var presented: MonotonicTime
    var animationTime: MonotonicTime
    var pixels: [UInt8]
  }

  /// Random edits of random layers of every kind, with animations; a third of them with overlays, which the main thread draws.
  func testFramesAreThoseOfTurns() throws {
    let images = try RandomLayers.images(seed: 1)
    let font = try SystemFonts.font(.sans, size: 14)
    let seeds = some(6, of: 1...30 as ClosedRange<UInt64>)
    try compare(seeds, width: 96, height: 64) { seed, root in
      let layers = RandomLayers(in: root, seed: seed, count: 10, images: images, font: font)
      return { layers.edit() }
    }
  }

  /// A list that scrolls: its pixels are copied.
  func testScrolledFramesAreThoseOfTurns() throws {
    let image = try XCTUnwrap(try RandomLayers.images(seed: 1).first)
    let font = try SystemFonts.font(.sans, size: 14)
    let seeds = some(2, of: 1...30 as ClosedRange<UInt64>)
    try compare(seeds, width: ListScene.width, height: ListScene.height) { seed, root in
      let scene = ListScene(in: root, seed: seed, image: image, font: font)
      return { scene.step() }
    }
  }

  /// - Parameter makeScene: makes layers in a root, and returns an edit of them.
  private func compare(
    _ seeds: [UInt64], width: Int, height: Int, _ makeScene: @MainActor (UInt64, Layer) -> @MainActor () -> Void
  ) throws {
    var count = 0
    for seed in seeds {
      let turns = try frames(seed, width, height, threads: nil, makeScene)
      let thread = try frames(seed, width, height, threads: WorkerPool(simulatedThreads: 1), makeScene)
      count += turns.count
      XCTAssertEqual(turns.count, thread.count, "seed \(seed)")
      let difference = zip(turns, thread).first { $0 != $1 }
      XCTAssertNil(difference.map { "\($0.number) at \($0.presented), \($1.number) at \($1.presented)" }, "seed \(seed)")
    }
    // Otherwise nothing would have been compared.
    XCTAssertGreaterThan(count, seeds.count * 10)
  }

  private func frames(
    _ seed: UInt64, _ width: Int, _ height: Int, threads: WorkerPool?,
    _ makeScene: @MainActor (UInt64, Layer) -> @MainActor () -> Void
  ) throws -> [Frame] {
    let clock = ManualClock(start: .zero + .seconds(1000))
    let loop = FrameLoop(clock: .manual(clock))
    let display = try VirtualDisplay(
      width: width, height: height, refreshRate: .hertz60, reason: "a test", clock: loop.clock)
    let root = Layer()
    let engine = Engine(
      display: display, root: root, scale: nil, loop: loop, workers: WorkerPool(threads: 1), renderThreads: threads)
    // Drawings of other threads would come at another time in each run.
    engine.waitsForDrawings = true
    if seed.isMultiple(of: 3) { try engine.show([.damage, .borders]) }
    var frames: [Frame] = []
    engine.output.observe { event in
      guard case .presented(let frame) = event, let shown = display.shownBitmap else { return }
      let pixels = (0..<shown.height).flatMap { UnsafeRawBufferPointer(start: shown.row($0), count: shown.width * 4) }
      frames.append(
        Frame(
          number: frame.frameNumber, presented: frame.presented, animationTime: frame.animationTime, pixels: pixels))
    }.keep()
    let edit = makeScene(seed, root)
    let edits = FrameLoop.Timer(fireTime: clock.now, interval: .microseconds(9_900), .onMain { _ in edit() })
    loop.add(edits, to: .common)
    // The thread begins when the main thread has nothing more to do.
    let turnEnd = FrameLoop.Observer(
      [.beforeWaiting], order: ObserverOrder.turnEnd, .onMain { _, _ in while threads?.runNextJob() == true {} })
    loop.add(turnEnd, to: .common)
    let end = clock.now + .seconds(1)
    while clock.now < end { loop.run(mode: .default, until: end) }
    edits.invalidate()
    turnEnd.invalidate()
    engine.invalidate()
    return frames
  }

  /// The engine's own thread.
  func testTheEnginesThread() throws {
    let clock = ManualClock(start: .zero + .seconds(1000))
    let loop = FrameLoop(clock: .manual(clock))
    let display = try VirtualDisplay(width: 8, height: 8, refreshRate: .hertz60, reason: "a test", clock: loop.clock)
    let root = Layer()
    let engine = Engine(display: display, root: root, loop: loop, rendering: .onThread)
    let threads = try XCTUnwrap(engine.renderThreads)
    for (color, pixel) in [(Color(hex: 0xFF0000), 0xFFFF_0000), (Color(hex: 0x0000FF), 0xFF00_00FF)] as [(Color, UInt32)] {
      Transaction.withoutActions { root.backgroundColor = color }
      // A frame that was begun before, and then this one.
      for _ in 0..<4 {
        loop.run(mode: .default, until: clock.now + .milliseconds(20))
        let latch = Latch()
        threads.submit(.compositing) { latch.open() }
        latch.wait()
      }
      let shown = try XCTUnwrap(display.shownBitmap)
      XCTAssertEqual(shown.row(0).load(as: UInt32.self), pixel)
    }
    engine.invalidate()
  }
}
