import Framepace
import FramepaceTesting
import Simulation
import TestLength
import XCTest

/// A list that scrolls, through a whole engine: what either buffer shows equals, byte for byte, what is painted anew.
@preconcurrency @MainActor final class ScrolledFramesTests: XCTestCase {
  /// A clock's display, and screens that tell late, or not at all, when they have shown a frame.
  func testScrolledFramesAreThosePaintedWhole() throws {
    for seed in some(2, of: 1...40 as ClosedRange<UInt64>) {
      let stage = try ManualStage(width: ListScene.width, height: ListScene.height, rate: .hertz60)
      try check(stage, seed)
      let late = try ManualStage { clock in
        let vblanks = SimulatedVBlankSource(.steady, clock: .manual(clock), seed: seed)
        vblanks.faults.lateWakeUps = 0.3
        vblanks.faults.latestWakeUp = .milliseconds(40)
        vblanks.faults.lostEvents = 0.1
        return try SimulatedScreen(
          width: ListScene.width, height: ListScene.height, vblanks: vblanks, clock: .manual(clock))
      }
      try check(late, seed)
    }
  }

  private func check<Screen: Display>(_ stage: ManualStage<Screen>, _ seed: UInt64) throws {
    let image = try XCTUnwrap(try RandomLayers.images(seed: seed).first)
    let scene = ListScene(in: stage.root, seed: seed, image: image, font: try SystemFonts.font(.sans, size: 14))
    let proof = try FrameProof(stage.engine.output, of: stage.engine)
    let steps = FrameLoop.Timer(
      fireTime: stage.clock.now, interval: .microseconds(12_300), .onMain { _ in scene.step() })
    stage.loop.add(steps, to: .common)
    stage.run(for: .seconds(2))
    steps.invalidate()
    stage.run(for: .milliseconds(600))
    proof.checkAtRest()
    XCTAssertNil(proof.difference, "seed \(seed), \(stage.display.name)")
    XCTAssertEqual(proof.buffers.count, 2)
    // Otherwise lists would have been painted whole.
    let area = ListScene.width * ListScene.height
    let moved = proof.frames.count { $0.paintedPixels < area / 2 }
    XCTAssertGreaterThan(moved, proof.frames.count / 8, "seed \(seed), \(stage.display.name), \(scene.scrolls) scrolls")
    stage.engine.invalidate()
  }
}
