import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import Synchronization
import XCTest

@preconcurrency @MainActor final class AsynchronousDisplayTests: XCTestCase {
  func testOldContentsStayUntilTheNewOnesAreThere() {
    let (stage, layers) = makeStage(1)
    let layer = layers[0]
    _ = layer.request(1, gated: false)
    stage.turn()
    stage.context.waitForDrawings()
    XCTAssertNil(layer.contents, "published in a turn only")
    stage.turn()
    XCTAssertEqual(layer.gray, 255)
    XCTAssertTrue(stage.tree().sides[1].content === layer.contents, "in the turn in which it arrives")

    let probe = layer.request(0)
    stage.turn()
    probe.began.wait()
    for _ in 0..<3 { stage.turn() }
    XCTAssertEqual(layer.gray, 255)
    XCTAssertEqual(stage.context.pendingDrawings, 1)
    probe.gate.open()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layer.gray, 0)
    XCTAssertEqual(stage.context.pendingDrawings, 0)
  }

  func testNewerRequestCancelsTheOlder() {
    let (stage, layers) = makeStage(1)
    let old = layers[0].request(0.2)
    stage.turn()
    old.began.wait()
    let new = layers[0].request(1, gated: false)
    stage.turn()
    XCTAssertEqual(stage.context.pendingDrawings, 1)
    old.gate.open()
    old.ended.wait()
    XCTAssertTrue(old.sawCancellation, "the drawing itself can see it")
    new.ended.wait()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
  }

  func testCancelledBeforeItBeginsIsNeverDrawn() {
    let (stage, layers) = makeStage(2, threads: 1)
    // The first drawing blocks the only thread.
    let holder = layers[0].request(0.5)
    stage.turn()
    holder.began.wait()
    let old = layers[1].request(0.2, gated: false)
    stage.turn()
    _ = layers[1].request(1, gated: false)
    stage.turn()
    holder.gate.open()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layers[1].gray, 255)
    XCTAssertFalse(old.hasBegun)
  }

  /// Requests come faster than drawings are finished: without a limit on cancellation nothing would ever be shown.
  func testNoStarvation() {
    let (stage, layers) = makeStage(1, threads: 4)
    let layer = layers[0]
    var probes: [GatedDrawing.Probe] = []
    for request in 1...30 {
      probes.append(layer.request(Double(request) / 255))
      stage.turn()
    }
    XCTAssertNil(layer.contents)
    XCTAssertEqual(stage.context.pendingDrawings, 2, "the one that is kept, and the newest")
    for probe in probes.dropLast() { probe.gate.open() }
    probes[7].ended.wait()
    stage.turn(until: { layer.contents != nil })
    XCTAssertEqual(layer.gray, 8, "the one under way when patience ended")
    probes.last?.gate.open()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layer.gray, 30)
    XCTAssertEqual(stage.context.pendingDrawings, 0)

    // Patience begins anew when something was shown, and when contents were set.
    for _ in 0..<2 {
      probes = (1...5).map { _ in
        let probe = layer.request(1)
        stage.turn()
        XCTAssertEqual(stage.context.pendingDrawings, 1)
        return probe
      }
      layer.contents = nil
      for probe in probes { probe.gate.open() }
    }
  }

  func testKeptDrawingIsNotShownAfterANewerOne() {
    let (stage, layers) = makeStage(1, threads: 12)
    let layer = layers[0]
    var probes: [GatedDrawing.Probe] = []
    for request in 1...10 {
      probes.append(layer.request(Double(request) / 255))
      stage.turn()
    }
    probes[9].gate.open()
    stage.turn(until: { layer.contents != nil })
    XCTAssertEqual(layer.gray, 10)
    XCTAssertEqual(stage.context.pendingDrawings, 0, "the kept one is cancelled")
    for probe in probes { probe.gate.open() }
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layer.gray, 10)
  }

  func testGroupAppearsTogether() {
    let (stage, layers) = makeStage(3)
    layers[2].publishesDrawingsAlone = true
    let fast = layers[0].request(1, gated: false)
    let slow = layers[1].request(1)
    let alone = layers[2].request(1, gated: false)
    stage.turn()
    fast.ended.wait()
    alone.ended.wait()
    stage.turn(until: { layers[2].contents != nil })
    XCTAssertNil(layers[0].contents, "finished, but its group is not")
    XCTAssertNil(layers[1].contents)
    slow.gate.open()
    stage.context.waitForDrawings()
    XCTAssertTrue(stage.context.publishFinishedDrawings())
    XCTAssertEqual(layers.map(\.gray), [255, 255, 255])
    XCTAssertFalse(stage.context.publishFinishedDrawings())
  }

  func testGroupDoesNotWaitForWhatWasCancelled() {
    let (stage, layers) = makeStage(2)
    let wakes = Counter()
    let fast = layers[0].request(1, gated: false)
    let slow = layers[1].request(1)
    stage.turn()
    fast.ended.wait()
    slow.began.wait()
    stage.context.wake = { wakes.count() }
    layers[1].removeFromSuperlayer()
    stage.context.waitForDrawings()
    XCTAssertEqual(wakes.value, 1)
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
    slow.gate.open()
    // After the layer is added again, it is drawn again.
    stage.root.addSublayer(layers[1])
    stage.turn()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layers[1].gray, 255)
  }

  func testGroupThatWasCancelledWakesNobody() {
    let (stage, layers) = makeStage(1)
    let wakes = Counter()
    let probe = layers[0].request(1)
    stage.turn()
    probe.began.wait()
    stage.context.wake = { wakes.count() }
    layers[0].removeFromSuperlayer()
    probe.gate.open()
    probe.ended.wait()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(wakes.value, 0)
    XCTAssertNil(layers[0].contents)
  }

  func testFinishedDrawingWakes() {
    let (stage, layers) = makeStage(2)
    let wakes = Counter()
    stage.context.wake = { wakes.count() }
    for layer in layers { _ = layer.request(1, gated: false) }
    stage.turn()
    stage.context.waitForDrawings()
    XCTAssertEqual(wakes.value, 1, "once for a group")
  }

  func testLayerThatIsGoneMeanwhile() {
    let (stage, layers) = makeStage(1)
    var layer: AsyncLayer? = AsyncLayer(frame: Rect(x: 0, y: 0, width: 4, height: 4))
    weak let weakLayer = layer
    let other = layers[0].request(1, gated: false)
    let probe = layer?.request(0.5)
    if let layer { stage.root.addSublayer(layer) }
    stage.turn()
    probe?.began.wait()
    layer?.removeFromSuperlayer()
    stage.turn()
    layer = nil
    XCTAssertNil(weakLayer)
    probe?.gate.open()
    probe?.ended.wait()
    XCTAssertEqual(probe?.sawCancellation, true)
    other.ended.wait()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
  }

  func testContentsThatAreSetTakeThePlaceOfADrawing() throws {
    let (stage, layers) = makeStage(1)
    let probe = layers[0].request(1)
    stage.turn()
    probe.began.wait()
    let image = try Bitmap(width: 2, height: 2).freeze()
    layers[0].contents = image
    probe.gate.open()
    probe.ended.wait()
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertTrue(layers[0].contents === image)
  }

  func testALayerWithoutASizeIsDrawnOnceItHasOne() {
    let (stage, layers) = makeStage(1)
    layers[0].bounds.size = .zero
    let probe = layers[0].request(1, gated: false)
    for _ in 0..<3 { XCTAssertEqual(stage.turn().displayCount, 0) }
    XCTAssertFalse(stage.context.isDirty)
    XCTAssertFalse(probe.hasBegun)
    layers[0].bounds.size = Size(3, 3)
    XCTAssertEqual(stage.turn().displayCount, 1)
    stage.context.waitForDrawings()
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
  }

  func testAWaitEndsAtItsLimit() {
    let (stage, layers) = makeStage(1)
    let probe = layers[0].request(1)
    stage.turn()
    for limit in [.zero, .milliseconds(1), .seconds(-1)] as [Nanoseconds] {
      XCTAssertFalse(stage.context.waitForNewDrawings(until: SystemClock.monotonic.now + limit))
    }
    probe.gate.open()
    XCTAssertTrue(stage.context.waitForNewDrawings(until: SystemClock.monotonic.now + .seconds(60)))
    stage.turn()
    XCTAssertEqual(layers[0].gray, 255)
  }

  /// The only worker is held up: a picture that nobody shows any more lives until it can release it.
  func testAWorkerReleasesOldPictures() {
    let (stage, layers) = makeStage(2, threads: 1)
    _ = layers[0].request(1, gated: false)
    stage.turn()
    stage.context.waitForDrawings()
    stage.turn()
    _ = stage.tree()
    weak let old = layers[0].contents
    XCTAssertNotNil(old)
    _ = layers[0].request(0, gated: false)
    stage.turn()
    stage.context.waitForDrawings()
    let holder = layers[1].request(0.5)
    stage.turn()
    holder.began.wait()
    XCTAssertEqual(layers[0].gray, 0)
    for step in 0..<300 {
      layers[0].position.x = Double(step)
      stage.turn()
      _ = stage.tree()
    }
    XCTAssertNotNil(old)
    holder.gate.open()
    stage.turn(until: { old == nil })
  }

  func testPoolThatWasShutDown() {
    let workers = WorkerPool(threads: 1)
    let stage = Stage(workers: workers)
    let layer = AsyncLayer(frame: Rect(x: 0, y: 0, width: 4, height: 4))
    stage.root.addSublayer(layer)
    workers.shutdown()
    _ = layer.request(1, gated: false)
    stage.turn()
    stage.turn()
    XCTAssertEqual(layer.gray, 255)
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
            _ = layer.request(Double(white) / 255, gated: false)
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

private final class Counter: Sendable {
  private let number = Atomic(0)
  var value: Int { number.load(ordering: .acquiring) }
  func count() { number.add(1, ordering: .acquiringAndReleasing) }
}
