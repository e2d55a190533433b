import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

/// Pictures that are cancelled, or whose layer dies, before, during and after their drawing.
@preconcurrency @MainActor final class AsynchronousCheckpointTests: XCTestCase {
  /// A point of a drawing's life at which something happens.
  private enum Checkpoint: CaseIterable {
    case before
    case during
    /// When it is finished and not shown yet, since another one of its group is not.
    case after
  }

  /// Requests pictures 1 and 2 of two layers in one group, and calls `event` at the checkpoint of picture 1.
  private static func stage(
    _ checkpoint: Checkpoint, _ event: @escaping @MainActor (SimulatedWorkers) -> Void
  ) -> SimulatedWorkers {
    let workers = SimulatedWorkers(layers: 2)
    workers.layers[0].request(1) { [unowned workers] in
      if checkpoint == .during { event(workers) }
    }
    workers.layers[1].request(2)
    workers.stage.turn()
    if checkpoint == .before { event(workers) }
    workers.drawOne()
    if checkpoint == .after {
      XCTAssertEqual(workers.log.begun, [1])
      workers.stage.turn()
      event(workers)
    }
    return workers
  }

  func testANewerRequestCancelsAtEachCheckpoint() {
    for checkpoint in Checkpoint.allCases {
      let workers = Self.stage(checkpoint) { workers in
        workers.layers[0].request(3)
        workers.stage.turn()
      }
      let (stage, log) = (workers.stage, workers.log)
      while workers.drawOne() {
        stage.turn()
        XCTAssertNotEqual(workers.layers[0].shown, 1, "\(checkpoint)")
      }
      stage.turn()
      XCTAssertEqual(workers.layers.map(\.shown), [3, 2], "\(checkpoint)")
      XCTAssertEqual(log.begun, checkpoint == .before ? [2, 3] : [1, 2, 3], "\(checkpoint)")
      XCTAssertEqual(log.cancelled, checkpoint == .during ? [1] : [], "\(checkpoint)")
      XCTAssertEqual(stage.context.pendingDrawings, 0, "\(checkpoint)")
    }
  }

  func testALayerMayDieAtEachCheckpoint() {
    for checkpoint in Checkpoint.allCases {
      weak var layer: Layer?
      let workers = Self.stage(checkpoint) { workers in
        layer = workers.layers[0]
        workers.loseLayer(0)
        workers.stage.turn()
        XCTAssertNil(layer, "\(checkpoint)")
      }
      workers.workOff()
      workers.stage.turn()
      XCTAssertEqual(workers.layers.map(\.shown), [2], "\(checkpoint)")
      XCTAssertEqual(workers.log.begun, checkpoint == .before ? [2] : [1, 2], "\(checkpoint)")
      XCTAssertEqual(workers.log.cancelled, checkpoint == .during ? [1] : [], "\(checkpoint)")
      XCTAssertEqual(workers.stage.context.pendingDrawings, 0, "\(checkpoint)")
    }
  }

  /// Nobody removes the layers of a tree that is let go of as a whole.
  func testATreeMayDieWhileALayerOfItIsDrawn() {
    let (pool, log) = (WorkerPool(simulatedThreads: 1), PictureLog())
    var stage: Stage? = Stage(workers: pool)
    let makeLayer = {
      let layer = NumberedLayer(log: log)
      layer.bounds.size = Size(4, 4)
      return layer
    }
    weak var layer: NumberedLayer?
    do {
      let new = makeLayer()
      layer = new
      stage?.root.addSublayer(new)
      new.request(1) { stage = nil }
    }
    stage?.turn()
    XCTAssertNotNil(layer)
    XCTAssertTrue(pool.runNextJob())
    XCTAssertNil(layer)
    XCTAssertEqual(log.cancelled, [1])
  }

  /// Old contents stay in view through all of it: nothing flashes, also where the layer leaves its place and comes back.
  func testOldContentsStayAtEachCheckpoint() {
    for checkpoint in Checkpoint.allCases {
      for isMoved in [false, true] {
        let workers = SimulatedWorkers(layers: 2)
        let (stage, layer) = (workers.stage, workers.layers[0])
        layer.request(9)
        stage.turn()
        workers.workOff()
        XCTAssertNil(layer.shown, "it appears in a turn only")
        stage.turn()
        let look = {
          XCTAssertEqual(layer.shown, 9, "\(checkpoint), \(isMoved)")
          XCTAssertTrue(stage.tree().sides[1].content === layer.contents, "\(checkpoint), \(isMoved)")
        }
        let event: @MainActor () -> Void = {
          if isMoved {
            layer.removeFromSuperlayer()
            stage.root.insertSublayer(layer, at: 0)
          } else {
            layer.request(3)
          }
          stage.turn()
          look()
        }
        layer.request(1, meanwhile: checkpoint == .during ? event : nil)
        workers.layers[1].request(2)
        stage.turn()
        look()
        if checkpoint == .before { event() }
        workers.drawOne()
        stage.turn()
        if checkpoint == .after { event() }
        look()
        workers.workOff()
        stage.turn()
        XCTAssertEqual(layer.shown, isMoved ? 1 : 3, "\(checkpoint), \(isMoved)")
      }
    }
  }

  /// The picture of a text is that of its newest string, or of one from before while that is drawn; it never goes back.
  func testTextIsNeverOlderThanItWas() throws {
    let font = Font(try FontFace(path: "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf"), size: 8)
    let texts = (0..<40).map(String.init)
    let pictures = texts.map { text in
      let label = Self.label(font)
      label.string = text
      _ = Stage.showing(label)
      return label.bytes
    }
    XCTAssertEqual(Set(pictures).count, texts.count)
    for seed in some(50, of: 1...1_000) {
      var random = SplitMix64(seed: UInt64(seed))
      let workers = SimulatedWorkers(layers: 1)
      let label = Self.label(font)
      label.drawsAsynchronously = true
      workers.stage.root.addSublayer(label)
      var shown = 0
      for (index, text) in texts.enumerated() {
        label.string = text
        if random.chance(0.3) { workers.layers[0].request(index + 1) }
        if random.chance(0.7) { workers.stage.turn() }
        while random.chance(0.4) { _ = workers.pool.runNextJob() }
        guard label.contents != nil else { continue }
        let picture = pictures.firstIndex(of: label.bytes)
        XCTAssertGreaterThanOrEqual(picture ?? -1, shown, "seed \(seed), text \(index)")
        shown = picture ?? shown
      }
      workers.stage.turn()
      workers.workOff()
      workers.stage.turn()
      XCTAssertEqual(label.bytes, pictures.last, "seed \(seed)")
    }
  }

  private static func label(_ font: Font) -> TextLayer {
    let label = TextLayer(frame: Rect(x: 0, y: 0, width: 24, height: 12))
    label.font = font
    return label
  }

  /// One of too many requests is kept, and shown if it is finished before the newest. Without that nothing might ever be shown.
  func testOneOfTooManyRequestsIsKept() {
    let workers = SimulatedWorkers(layers: 1)
    let (context, layer) = (workers.stage.context, workers.layers[0])
    func request(_ numbers: ClosedRange<Int>, pending: Int) {
      for number in numbers {
        layer.request(number)
        workers.stage.turn()
      }
      XCTAssertEqual(context.pendingDrawings, pending)
    }
    request(1...30, pending: 2)
    for picture in [8, 30] {
      workers.drawOne()
      workers.stage.turn()
      XCTAssertEqual(layer.shown, picture)
    }
    // Patience begins anew when something was shown, and when contents were set, which takes the place of all that is drawn.
    for _ in 0..<2 {
      request(31...38, pending: 1)
      layer.contents = nil
      XCTAssertEqual(context.pendingDrawings, 0)
    }
    // The newest may be finished first.
    request(40...48, pending: 2)
    layer.drawingPriority = .high
    request(49...49, pending: 2)
    workers.drawOne()
    workers.stage.turn()
    XCTAssertEqual(layer.shown, 49)
    XCTAssertEqual(context.pendingDrawings, 0)
    workers.workOff()
    XCTAssertEqual(workers.log.begun, [8, 30, 49])
  }

  /// Contents that are set, and the end of a layer in the tree, take the place of the newest drawing and of the one that is kept.
  func testOneThatIsKeptIsCancelledWithTheNewest() {
    for leaves in [false, true] {
      let workers = SimulatedWorkers(layers: 1)
      let (stage, layer) = (workers.stage, workers.layers[0])
      for number in 1...9 {
        layer.request(number)
        stage.turn()
      }
      XCTAssertEqual(stage.context.pendingDrawings, 2)
      if leaves { layer.removeFromSuperlayer() } else { layer.contents = nil }
      XCTAssertEqual(stage.context.pendingDrawings, 0, "leaves: \(leaves)")
      workers.workOff()
      stage.turn()
      XCTAssertEqual(workers.log.begun, [], "leaves: \(leaves)")
      XCTAssertNil(layer.shown, "leaves: \(leaves)")
    }
  }

  /// A drawing takes several turns, and each turn requests a new one. The age of what is seen has a bound: the turns of the requests
  /// that may cancel, and the time of four drawings.
  func testRequestsInEveryTurnStarveNothing() {
    for turnsPerDrawing in 1...20 {
      let workers = SimulatedWorkers(layers: 1)
      let (stage, layer) = (workers.stage, workers.layers[0])
      var (number, lastShown, longest) = (0, 0, 0)
      func turn() {
        number += 1
        layer.request(number) { for _ in 0..<turnsPerDrawing { turn() } }
        stage.turn()
        lastShown = layer.shown ?? lastShown
        longest = max(longest, number - lastShown)
      }
      while number < 400 {
        turn()
        workers.drawOne()
      }
      XCTAssertLessThanOrEqual(longest, 12 + 4 * turnsPerDrawing, "\(turnsPerDrawing) turns")
    }
  }
}

extension Layer {
  fileprivate var bytes: [UInt8] {
    guard let contents else { return [] }
    return (0..<contents.height).flatMap { y in
      [UInt8](UnsafeRawBufferPointer(start: contents.row(y), count: contents.width * 4))
    }
  }
}
