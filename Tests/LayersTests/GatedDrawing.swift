import Geometry
import Layers
import LinuxSystem
import Raster
import Synchronization
import XCTest

/// A drawing that waits at a gate, then fills its bitmap, and records whether it was cancelled.
struct GatedDrawing: Drawing {
  final class Probe: Sendable {
    let began = Latch()
    let gate = Latch()
    let ended = Latch()
    private let begun = Atomic(false)
    private let cancelled = Atomic(false)
    var hasBegun: Bool { begun.load(ordering: .acquiring) }
    var sawCancellation: Bool { cancelled.load(ordering: .acquiring) }
    fileprivate func begin() {
      begun.store(true, ordering: .releasing)
      began.open()
    }
    fileprivate func sawCancelled() { cancelled.store(true, ordering: .releasing) }
  }

  var color: Color
  var probe: Probe?

  func draw(in context: DrawingContext) {
    probe?.begin()
    probe?.gate.wait()
    if context.isCancelled { probe?.sawCancelled() }
    context.fill(color: color)
    probe?.ended.open()
  }
}

final class AsyncLayer: Layer {
  var drawing = GatedDrawing(color: .black)

  override func makeDrawing() -> (any Drawing)? { drawing }
  override func draw(in context: DrawingContext) { XCTFail("draw(in:) of an asynchronous layer") }

  /// Requests contents in a gray that identifies the drawing.
  func request(_ white: Double, gated: Bool = true) -> GatedDrawing.Probe {
    let probe = GatedDrawing.Probe()
    if !gated { probe.gate.open() }
    drawing = GatedDrawing(color: Color(white: white), probe: probe)
    setNeedsDisplay()
    return probe
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
