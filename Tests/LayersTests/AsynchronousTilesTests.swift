import Geometry
import Layers
import LinuxSystem
import Raster
import TestLength
import XCTest

/// Tiles that threads draw while the layer moves.
@preconcurrency @MainActor final class AsynchronousTilesTests: XCTestCase {
  func testTilesOfALayerThatMovesAreShownAtItsEnd() {
    var random = SplitMix64(seed: UInt64(runSeed))
    let stage = Stage(workers: WorkerPool(threads: 3))
    let layer = SquaresLayer(frame: Rect(x: 0, y: 0, width: 5000, height: 5000))
    (layer.isLogged, layer.anchorPoint, layer.tileSize) = (false, .zero, Size(32, 32))
    (layer.levelsOfDetail, layer.levelsOfDetailBias, layer.tileBytes) = (5, 1, 1 << 20)
    layer.fadeDuration = .zero
    stage.root.addSublayer(layer)
    for step in 0..<(isLongRun ? 2000 : 200) {
      Transaction.withoutActions {
        layer.position = Point(Double.random(in: -900...0, using: &random), .random(in: -900...0, using: &random))
        layer.transform = .scale([0.25, 0.5, 1, 2].randomElement(using: &random) ?? 1)
        if step % 5 == 0 {
          layer.edition += 1
          layer.setNeedsDisplay()
        }
        if step % 7 == 0 { layer.removeFromSuperlayer() }
        if step % 7 == 1 { stage.root.addSublayer(layer) }
      }
      stage.turn()
      if step % 11 == 0 { stage.context.waitForDrawings() }
    }
    if layer.superlayer == nil { stage.root.addSublayer(layer) }
    stage.turn { stage.context.pendingDrawings == 0 && !stage.context.isDirty }
    XCTAssertFalse(layer.innerLayers.isEmpty)
    XCTAssertTrue(layer.innerLayers.allSatisfy { $0.contents != nil })
  }
}
