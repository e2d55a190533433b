import Framepace
import FramepaceTesting
import LinuxSystem
import XCTest

@testable import Presentation

/// Drawings by simulated workers and the frames of an engine, whose display may go and come back meanwhile.
@preconcurrency @MainActor final class AsynchronousFrameTests: XCTestCase {
  /// Fills its superlayer and draws itself in one colour.
  private final class Painted: Layer {
    var color = Color.black
    /// Called when half of a picture is drawn.
    var meanwhile: (@MainActor () -> Void)?
    private(set) var draws = 0

    override func makeDrawing() -> (any Drawing)? { Fill(layer: self, color: color, meanwhile: meanwhile) }

    private struct Fill: Drawing {
      weak let layer: Painted?
      let color: Color
      let meanwhile: (@MainActor () -> Void)?

      func draw(in context: DrawingContext) {
        context.fill(color: color)
        // Simulated workers work on the test's thread.
        MainActor.assumeIsolated {
          layer?.draws += 1
          meanwhile?()
        }
      }
    }
  }

  private final class Frame: Layer {
    override func layoutSublayers() {
      Transaction.withoutActions {
        for layer in sublayers { layer.frame = bounds }
      }
    }
  }

  private static let red: UInt32 = 0xFFFF_0000
  private static let green: UInt32 = 0xFF00_FF00

  private static func stage(
    root: Layer = Frame(), layer: Painted = Painted(), workers: WorkerPool = WorkerPool(simulatedThreads: 1)
  ) throws -> (ManualStage<GuestDisplay>, Painted, WorkerPool) {
    let stage = try ManualStage(root: root, workers: workers) { try GuestDisplay(clock: $0) }
    layer.needsDisplayOnBoundsChange = true
    if layer.superlayer == nil { root.addSublayer(layer) }
    return (stage, layer, workers)
  }

  /// The colour of the last pixel that the screen shows.
  private static func pixel(_ stage: ManualStage<GuestDisplay>) -> UInt32? {
    guard let bitmap = stage.display.memory?.shownBitmap else { return nil }
    return bitmap.row(bitmap.height - 1).load(fromByteOffset: 4 * (bitmap.width - 1), as: UInt32.self)
  }

  /// The turn publishes what was finished, and then commits it.
  func testAFinishedDrawingIsInTheTreeOfTheNextTurn() throws {
    let (stage, layer, workers) = try Self.stage()
    stage.run(for: .milliseconds(100))
    XCTAssertTrue(workers.runNextJob())
    XCTAssertNil(layer.contents)
    var commits = 0
    let afterCommit = FrameLoop.Observer(
      [.beforeWaiting, .exit], order: ObserverOrder.afterCommit,
      .onMain { [context = stage.engine.context] _, _ in
        commits += 1
        guard commits == 1 else { return }
        let tree = context.renderTree(at: stage.clock.now)
        XCTAssertTrue(tree.sides[1].content === layer.contents)
        XCTAssertNotNil(layer.contents)
      })
    stage.loop.add(afterCommit, to: .common)
    stage.turn()
    XCTAssertGreaterThanOrEqual(commits, 1)
    afterCommit.invalidate()
    stage.engine.invalidate()
  }

  func testADrawingThatEndsWithoutAScreenIsSeenOnTheNext() throws {
    let (stage, layer, workers) = try Self.stage()
    layer.color = Color(hex: 0xFF0000)
    stage.run(for: .milliseconds(100))
    let frames = stage.frames.count
    stage.change { stage.display.unplug() }
    XCTAssertTrue(workers.runNextJob())
    stage.run(for: .milliseconds(100))
    XCTAssertNotNil(layer.contents, "published without a screen")
    XCTAssertEqual(stage.frames.count, frames)
    stage.change { stage.display.plug(width: 16, height: 16) }
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(Self.pixel(stage), Self.red)
    XCTAssertEqual(layer.draws, 1)
    stage.engine.invalidate()
  }

  /// The screen comes back with another size before, while or after the picture for the old one is drawn.
  func testADrawingForAScreenOfAnotherSize() throws {
    for checkpoint in ["before", "during", "after"] {
      let (stage, layer, workers) = try Self.stage()
      stage.run(for: .milliseconds(100))
      XCTAssertTrue(workers.runNextJob())
      stage.run(for: .milliseconds(100))
      let replug: @MainActor () -> Void = {
        stage.change { stage.display.unplug() }
        stage.run(for: .milliseconds(500))
        stage.change { stage.display.plug(width: 24, height: 40) }
        stage.run(for: .milliseconds(100))
      }
      layer.color = Color(hex: 0xFF0000)
      layer.meanwhile = checkpoint == "during" ? replug : nil
      layer.setNeedsDisplay()
      stage.run(for: .milliseconds(100))
      layer.meanwhile = nil
      if checkpoint != "before" { XCTAssertTrue(workers.runNextJob()) }
      if checkpoint != "during" { replug() }
      XCTAssertEqual(layer.contents?.width, 16, "the old picture stays, \(checkpoint)")
      while workers.runNextJob() {}
      stage.run(for: .milliseconds(100))
      XCTAssertEqual(layer.contents?.width, 24, checkpoint)
      XCTAssertEqual(layer.contents?.height, 40, checkpoint)
      XCTAssertEqual(Self.pixel(stage), Self.red, checkpoint)
      XCTAssertEqual(layer.draws, checkpoint == "before" ? 2 : 3, checkpoint)
      XCTAssertEqual(stage.engine.context.pendingDrawings, 0, checkpoint)
      stage.engine.invalidate()
    }
  }

  /// Pictures that come while there is no screen are released as they are superseded.
  func testPicturesDoNotPileUpWithoutAScreen() throws {
    let (stage, layer, workers) = try Self.stage()
    stage.run(for: .milliseconds(100))
    stage.change { stage.display.unplug() }
    var pictures: [WeakPicture] = []
    for step in 0..<200 {
      layer.color = Color(hex: UInt32(step))
      layer.setNeedsDisplay()
      stage.run(for: .milliseconds(20))
      while workers.runNextJob() {}
      stage.run(for: .milliseconds(20))
      pictures.append(WeakPicture(image: layer.contents))
    }
    XCTAssertEqual(layer.draws, 200)
    XCTAssertLessThanOrEqual(pictures.count { $0.image != nil }, 6)
    stage.engine.invalidate()
  }

  /// The engine ends while a layer is drawn; on the display of another one it is drawn again.
  func testAnEngineThatEndsWhileALayerIsDrawn() throws {
    let (first, layer, workers) = try Self.stage()
    layer.color = Color(hex: 0xFF0000)
    layer.meanwhile = {
      layer.color = Color(hex: 0x00FF00)
      first.engine.invalidate()
    }
    first.run(for: .milliseconds(100))
    layer.meanwhile = nil
    XCTAssertTrue(workers.runNextJob())
    XCTAssertNil(layer.contents)
    let (second, _, _) = try Self.stage(root: first.root, layer: layer, workers: workers)
    second.run(for: .milliseconds(100))
    while workers.runNextJob() {}
    second.run(for: .milliseconds(100))
    XCTAssertEqual(Self.pixel(second), Self.green)
    XCTAssertEqual(layer.draws, 2)
    second.engine.invalidate()
  }
}

private struct WeakPicture {
  weak var image: Image?
}

extension ManualStage {
  /// Displays come and go in a turn.
  fileprivate func change(_ body: @escaping @MainActor () -> Void) {
    loop.perform(onMain: body)
    run(for: .milliseconds(1))
  }
}
