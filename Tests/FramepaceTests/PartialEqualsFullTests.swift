import Framepace
import FramepaceTesting
import TestLength
import XCTest

/// The proof of damage through the whole engine: whatever is edited, what either buffer of the ring shows equals, byte for
/// byte, what is painted anew.
@preconcurrency @MainActor final class PartialEqualsFullTests: XCTestCase {
  private static let width = 96
  private static let height = 64

  /// Some trees of 50, 100 edits each, in timers between vblanks: some frames get none of them, some several.
  func testRandomEditsOfRandomLayers() throws {
    let images = try RandomLayers.images(seed: 1)
    let font = try SystemFonts.font(.sans, size: 14)
    let workers = WorkerPool()
    var edits = 0
    var partialFrames = 0
    let seeds = some(12, of: 1...50 as ClosedRange<UInt64>)
    for seed in seeds {
      let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60, workers: workers)
      let layers = RandomLayers(in: stage.root, seed: seed, count: 10, images: images, font: font)
      let proof = try FrameProof(stage.engine.output, of: stage.engine)
      var journal: [String] = []
      let timer = FrameLoop.Timer(
        fireTime: stage.clock.now, interval: .microseconds(9_900),
        .onMain { timer in
          journal.append(layers.edit())
          if journal.count == 100 { timer.invalidate() }
        })
      stage.loop.add(timer, to: .common)
      while timer.isValid {
        stage.run(for: .milliseconds(20))
        if let difference = proof.difference {
          XCTFail("seed \(seed): \(difference)\nafter: \(journal.suffix(6).joined(separator: ", "))")
          return
        }
      }
      stage.run(for: .milliseconds(500))
      XCTAssertNil(proof.difference, "seed \(seed), at rest")
      XCTAssertEqual(proof.buffers.count, 2, "seed \(seed)")
      edits += journal.count
      partialFrames += proof.partialFrames
      stage.engine.invalidate()
    }
    XCTAssertEqual(edits, seeds.count * 100)
    // Otherwise nothing would have been proven.
    XCTAssertGreaterThan(partialFrames, seeds.count * 20)
  }
}
