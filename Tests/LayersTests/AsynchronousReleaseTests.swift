import Geometry
import Layers
import LinuxSystem
import XCTest

/// The memory of pictures that are not shown any more is given back by workers: until one works, it is there.
@preconcurrency @MainActor final class AsynchronousReleaseTests: XCTestCase {
  /// Two layers with pictures 1 and 2.
  private static func stage() -> SimulatedWorkers {
    let workers = SimulatedWorkers(layers: 2)
    for (index, layer) in workers.layers.enumerated() { layer.request(index + 1) }
    workers.stage.turn()
    workers.workOff()
    workers.stage.turn()
    return workers
  }

  /// Turns, until no tree of an earlier one is left.
  private static func forgetTrees(_ workers: SimulatedWorkers) {
    for step in 0..<10 {
      workers.layers.last?.position.x = Double(step)
      workers.stage.turn()
      _ = workers.stage.tree()
    }
  }

  func testThePictureOfALayerThatWasDrawnAgainOrIsGone() {
    for isGone in [false, true] {
      let workers = Self.stage()
      weak let old = workers.layers[0].contents
      if isGone {
        workers.loseLayer(0)
      } else {
        workers.layers[0].request(3)
        workers.stage.turn()
        workers.workOff()
      }
      Self.forgetTrees(workers)
      XCTAssertNotNil(old, "gone \(isGone)")
      workers.workOff()
      XCTAssertNil(old, "gone \(isGone)")
    }
  }

  /// A layer that comes back has its picture still, which is released once it is drawn again.
  func testThePictureOfALayerThatCameBack() {
    let workers = Self.stage()
    weak let old = workers.layers[0].contents
    for _ in 0..<3 {
      workers.layers[0].removeFromSuperlayer()
      Self.forgetTrees(workers)
      workers.workOff()
      workers.stage.root.addSublayer(workers.layers[0])
    }
    XCTAssertEqual(workers.layers[0].shown, 1)
    workers.layers[0].request(3)
    workers.stage.turn()
    workers.workOff()
    Self.forgetTrees(workers)
    XCTAssertNotNil(old)
    workers.workOff()
    XCTAssertNil(old)
  }

  /// A finished picture that was superseded before its group could appear is known to nobody: a worker has it to release.
  func testAPictureThatWasNeverShown() {
    let workers = SimulatedWorkers(layers: 2)
    for (index, layer) in workers.layers.enumerated() { layer.request(index + 1) }
    workers.stage.turn()
    workers.drawOne()
    workers.layers[0].request(3)
    workers.stage.turn()
    workers.workOff()
    workers.stage.turn()
    XCTAssertEqual(workers.log.begun, [1, 2, 3])
    XCTAssertEqual(workers.layers.map(\.shown), [3, 2])
    XCTAssertFalse(workers.pool.runNextJob())
    workers.stage.turn()
    XCTAssertTrue(workers.pool.runNextJob())
    XCTAssertFalse(workers.pool.runNextJob())
  }
}
