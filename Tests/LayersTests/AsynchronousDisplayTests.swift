import LinuxSystem
import XCTest

@testable import Layers

/// Pictures that real threads draw: for the thread sanitizer.
@preconcurrency @MainActor final class AsynchronousDisplayTests: XCTestCase {
  func testPoolThatWasShutDown() {
    let (stage, layers) = makeStage(1)
    stage.context.workers.shutdown()
    layers[0].request(1)
    stage.turn()
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
  }

  /// After many requests at random times, with layers that come and go, every layer shows its last request.
  func testRandomRequests() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var generator = SplitMix64(seed: seed)
      let (stage, layers) = makeStage(6, threads: 3)
      var last = [Int: UInt32]()
      for _ in 0..<200 {
        for (index, layer) in layers.enumerated() {
          if generator.chance(0.1) {
            layer.drawingPriority = DrawingPriority.allCases.randomElement(using: &generator) ?? .normal
          }
          if generator.chance(0.4) {
            let white = UInt32.random(in: 0...255, using: &generator)
            layer.request(Double(white) / 255)
            last[index] = white
          }
          if generator.chance(0.03) { layer.removeFromSuperlayer() }
          if generator.chance(0.05) { stage.root.addSublayer(layer) }
        }
        stage.turn()
        if generator.chance(0.5) { _ = stage.tree() }
      }
      for layer in layers { stage.root.addSublayer(layer) }
      stage.turn()
      stage.context.waitForDrawings()
      stage.turn()
      for (index, white) in last { XCTAssertEqual(layers[index].gray, white, "seed \(seed), layer \(index)") }
      XCTAssertEqual(stage.context.pendingDrawings, 0, "seed \(seed)")
    }
  }
}
