import Geometry
import Layers
import LinuxSystem
import Raster
import XCTest

/// Layers that have no size yet, or whose size, scale or opacity changes while they are drawn.
@preconcurrency @MainActor final class AsynchronousSizeTests: XCTestCase {
  func testALayerIsDrawnOnceItHasASizeThatCanBeDrawn() {
    for size in [Size.zero, Size(4, 0), Size(.infinity, 4), Size(4, .nan), Size(-4, .infinity)] {
      let workers = SimulatedWorkers(layers: 1)
      let layer = workers.layers[0]
      layer.bounds.size = size
      layer.request(1)
      for _ in 0..<3 {
        XCTAssertEqual(workers.stage.turn().displayCount, 0, "\(size)")
        XCTAssertFalse(workers.pool.runNextJob(), "\(size)")
      }
      XCTAssertFalse(workers.stage.context.isDirty, "\(size)")
      layer.bounds.size = Size(6, 3)
      XCTAssertEqual(workers.stage.turn().displayCount, 1, "\(size)")
      workers.workOff()
      workers.stage.turn()
      XCTAssertEqual(layer.shown, 1, "\(size)")
      XCTAssertEqual(layer.contents?.width, 6, "\(size)")
    }
  }

  /// The size goes and comes back while a picture for the old one is drawn: that appears, and then the one for the new size.
  func testASizeThatGoesWhileALayerIsDrawn() {
    let workers = SimulatedWorkers(layers: 1)
    let (stage, layer) = (workers.stage, workers.layers[0])
    layer.needsDisplayOnBoundsChange = true
    layer.request(1) {
      layer.bounds.size = .zero
      stage.turn()
    }
    stage.turn()
    workers.workOff()
    stage.turn()
    XCTAssertEqual(layer.contents?.width, 4)
    layer.bounds.size = Size(8, 8)
    stage.turn()
    XCTAssertEqual(layer.contents?.width, 4, "the old picture stays")
    workers.workOff()
    stage.turn()
    XCTAssertEqual(layer.contents?.width, 8)
  }

  /// Also the first picture of a layer, which is drawn while it has none, must fit what it is shown on.
  func testAScaleThatChangesWhileALayerIsDrawn() {
    for isFirst in [true, false] {
      let workers = SimulatedWorkers(layers: 1)
      let (stage, layer) = (workers.stage, workers.layers[0])
      if !isFirst {
        layer.request(1)
        stage.turn()
        workers.workOff()
        stage.turn()
      }
      layer.request(2) { stage.context.scale = 2 }
      stage.turn()
      workers.workOff()
      stage.turn()
      workers.workOff()
      stage.turn()
      XCTAssertEqual(layer.contents?.width, 8, "first \(isFirst)")
    }
  }

  func testOpacityThatIsPromisedWhileALayerIsDrawn() throws {
    let workers = WorkerPool(simulatedThreads: 1)
    let stage = Stage(workers: workers)
    let layer = Empty(frame: Rect(x: 0, y: 0, width: 4, height: 4))
    stage.root.addSublayer(layer)
    layer.setNeedsDisplay()
    stage.turn()
    layer.isOpaque = true
    for _ in 0..<2 {
      stage.turn()
      while workers.runNextJob() {}
    }
    stage.turn()
    XCTAssertTrue(try XCTUnwrap(layer.contents).isOpaque)
  }

  private final class Empty: Layer {
    override func makeDrawing() -> (any Drawing)? { Nothing() }
    private struct Nothing: Drawing {
      func draw(in context: DrawingContext) {}
    }
  }
}
