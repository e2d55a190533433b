import Geometry
import Layers
import LinuxSystem
import Raster
import XCTest

/// A drawing that fills its bitmap, once its gate is open if it has one.
struct GatedDrawing: Drawing {
  var color: Color
  var gate: Latch?

  func draw(in context: DrawingContext) {
    gate?.wait()
    guard !context.isCancelled else { return }
    context.fill(color: color)
  }
}

final class AsyncLayer: Layer {
  private var white = 0.0

  override func makeDrawing() -> (any Drawing)? { GatedDrawing(color: Color(white: white)) }
  override func draw(in context: DrawingContext) { XCTFail("draw(in:) of an asynchronous layer") }

  /// Requests contents in a gray that identifies the drawing.
  func request(_ white: Double) {
    self.white = white
    setNeedsDisplay()
  }

  var gray: UInt32? {
    contents.map { $0.base.load(as: UInt32.self) & 0xFF }
  }
}

@MainActor
func makeStage(_ count: Int, threads: Int = 2) -> (Stage, [AsyncLayer]) {
  let stage = Stage(workers: WorkerPool(threads: threads))
  let layers = (0..<count).map { _ in AsyncLayer(frame: Rect(x: 0, y: 0, width: 4, height: 4)) }
  for layer in layers { stage.root.addSublayer(layer) }
  stage.turn()
  return (stage, layers)
}
