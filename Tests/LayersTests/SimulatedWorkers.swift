import Geometry
import Layers
import LinuxSystem
import Raster

/// Layers whose pictures are drawn by simulated workers: a test says when one works, and a picture what happens while it is drawn.
@MainActor
final class SimulatedWorkers {
  let pool: WorkerPool
  let stage: Stage
  private(set) var layers: [NumberedLayer] = []
  let log = PictureLog()

  init(layers count: Int, threads: Int = 1) {
    pool = WorkerPool(simulatedThreads: threads)
    stage = Stage(workers: pool)
    for _ in 0..<count { layers.append(makeLayer()) }
    for layer in layers { stage.root.addSublayer(layer) }
    stage.turn()
  }

  func makeLayer() -> NumberedLayer {
    let layer = NumberedLayer(log: log)
    layer.bounds.size = Size(4, 4)
    return layer
  }

  /// Takes a layer out of the tree and lets go of it.
  func loseLayer(_ index: Int) {
    layers[index].removeFromSuperlayer()
    layers.remove(at: index)
  }

  /// Works until nothing waits.
  func workOff() { while pool.runNextJob() {} }

  /// Works until one more picture was drawn. Returns false if there is none to draw.
  @discardableResult
  func drawOne() -> Bool {
    let count = log.begun.count
    while pool.runNextJob() {
      if log.begun.count > count { return true }
    }
    return false
  }
}

/// Pictures by their numbers, and how far each of them came.
@MainActor
final class PictureLog {
  /// Those that a worker began to draw, in order.
  fileprivate(set) var begun: [Int] = []
  /// Those that were cancelled when all of them was drawn.
  fileprivate(set) var cancelled: [Int] = []
}

/// A layer with pictures that are told apart by a number above 0.
final class NumberedLayer: Layer {
  private let log: PictureLog
  private var number = 0
  private var meanwhile: (@MainActor () -> Void)?
  /// Gives the number of each picture, and what happens meanwhile, as it is requested.
  var picture: (@MainActor (NumberedLayer) -> (number: Int, meanwhile: @MainActor () -> Void))?

  init(log: PictureLog) {
    self.log = log
    super.init()
  }

  /// Requests a picture. `meanwhile` is called after half of its drawing.
  func request(_ number: Int, meanwhile: (@MainActor () -> Void)? = nil) {
    (self.number, self.meanwhile) = (number, meanwhile)
    setNeedsDisplay()
  }

  override func makeDrawing() -> (any Drawing)? {
    if let next = picture?(self) { (number, meanwhile) = next }
    defer { meanwhile = nil }
    return Picture(number: number, log: log, meanwhile: meanwhile)
  }

  /// The number of the picture that it has; nil for none.
  var shown: Int? {
    contents.map { Int($0.base.load(as: UInt32.self) & 0xFF_FFFF) }
  }

  private struct Picture: Drawing {
    let number: Int
    let log: PictureLog
    let meanwhile: (@MainActor () -> Void)?

    func draw(in context: DrawingContext) {
      context.fill(color: Color(hex: UInt32(number)))
      // Simulated workers work on the test's thread.
      MainActor.assumeIsolated {
        log.begun.append(number)
        meanwhile?()
      }
      if context.isCancelled { MainActor.assumeIsolated { log.cancelled.append(number) } }
    }
  }
}
