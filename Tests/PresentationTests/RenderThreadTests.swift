import LinuxSystem
import Presentation
import XCTest

/// Frames that are rendered on a real thread, which the thread sanitizer watches.
@preconcurrency @MainActor final class RenderThreadTests: XCTestCase {
  /// The tree is edited while a thread renders, and outputs end meanwhile: the pictures are those of the trees.
  func testFramesAreThoseOfTheirTrees() throws {
    let threads = WorkerPool(threads: 1)
    for seed in 0..<6 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let stage = try RenderThreadStage(
        threads: threads, seed: seed, RenderThreadStage.screen(random.chance(0.5) ? .double : .triple))
      while stage.shown.count < 100 {
        stage.run(.milliseconds(Int64.random(in: 1...40, using: &random)))
        stage.edit()
        // The clock of the tests does not wait for it.
        if random.chance(0.5) { Self.finish(threads) }
      }
      XCTAssertEqual(stage.faults, [], "seed \(seed)")
      XCTAssertEqual(stage.renderer.collisions, 0)
      stage.end()
    }
    Self.finish(threads)
  }

  /// Waits until the thread has done what it was given.
  private static func finish(_ threads: WorkerPool) {
    let latch = Latch()
    threads.submit(.compositing) { latch.open() }
    latch.wait()
  }
}
