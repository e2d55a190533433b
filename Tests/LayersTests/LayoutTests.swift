import Geometry
import Layers
import LinuxSystem
import XCTest

@preconcurrency @MainActor final class LayoutTests: XCTestCase {
  override func setUp() {
    RecordingLayer.journal = []
  }

  func testTwoMarksInOneTurnGiveOneLayoutAndOneDraw() {
    let layer = RecordingLayer("layer")
    let stage = Stage()
    stage.root.add(layer)
    stage.turn()
    XCTAssertEqual(layer.draws, 0, "nothing asked for it")
    let layouts = layer.layouts
    for _ in 0..<2 {
      layer.setNeedsLayout()
      layer.setNeedsDisplay()
    }
    XCTAssertEqual(layer.draws, 0, "a mark draws nothing")
    let phases = stage.turn()
    XCTAssertEqual(layer.layouts, layouts + 1)
    XCTAssertEqual(layer.draws, 1)
    XCTAssertEqual(phases.layoutCount, 1)
    XCTAssertEqual(phases.displayCount, 1)
    XCTAssertFalse(stage.context.isDirty)
    stage.turn()
    XCTAssertEqual(layer.draws, 1)
  }

  func testMarkInsideLayoutIsHandledInTheSameCommit() {
    let parent = RecordingLayer("parent")
    let child = RecordingLayer("child")
    let stage = Stage()
    stage.root.add(parent)
    parent.add(child)
    stage.turn()
    RecordingLayer.journal = []
    // Layout dirties a sublayer, the superlayer and the layer itself.
    parent.onLayout = { _ in child.bounds.size.width += 1 }
    child.onLayout = { child in
      if child.layouts < 4 {
        parent.setNeedsLayout()
        child.setNeedsLayout()
      }
      child.setNeedsDisplay()
    }
    parent.setNeedsLayout()
    let phases = stage.turn()
    XCTAssertNil(phases.unsettled)
    XCTAssertFalse(stage.context.isDirty)
    XCTAssertFalse(parent.needsLayout || child.needsLayout)
    XCTAssertEqual(RecordingLayer.journal, ["parent", "child", "parent", "child", "parent", "child"])
    XCTAssertEqual(child.draws, 1, "drawn once layout has settled")
  }

  func testEndlessDirtyingEndsAndNamesTheLayer() {
    let good = RecordingLayer("good")
    let endless = RecordingLayer("endless")
    let stage = Stage()
    stage.root.add(good, endless)
    stage.turn()
    let before = endless.layouts
    endless.onLayout = { $0.setNeedsLayout() }
    endless.setNeedsLayout()
    good.setNeedsDisplay()
    let phases = stage.turn()
    XCTAssertEqual(endless.layouts, before + LayerContext.maximumRounds)
    XCTAssertEqual(phases.unsettled?.name, "endless")
    XCTAssertEqual(good.draws, 1, "the others are shown all the same")
    XCTAssertFalse(stage.context.isDirty, "no busy loop")
    XCTAssertTrue(endless.needsLayout)

    // A new mark of the same layer requests a commit again.
    let requests = stage.commitRequests
    endless.setNeedsLayout()
    XCTAssertEqual(stage.commitRequests, requests + 1)
    XCTAssertEqual(stage.turn().unsettled?.name, "endless")
    // The mark that is left over is handled by the next commit.
    endless.onLayout = nil
    XCTAssertEqual(stage.turn().layoutCount, 1)
    XCTAssertFalse(endless.needsLayout)
  }

  func testDrawingThatAsksForItselfEnds() {
    let endless = RecordingLayer("endless")
    endless.onDraw = { _ in endless.setNeedsDisplay() }
    let stage = Stage()
    stage.root.add(endless)
    endless.setNeedsDisplay()
    XCTAssertEqual(stage.turn().unsettled?.name, "endless")
    XCTAssertEqual(endless.draws, LayerContext.maximumRounds)
    XCTAssertFalse(stage.context.isDirty)
    endless.onDraw = nil
    XCTAssertEqual(stage.turn().displayCount, 1, "left over for the next commit")
    XCTAssertFalse(endless.needsDisplay)
  }

  /// The same changes dirty the layout in Core Animation.
  func testChangesThatDirtyTheLayout() {
    let parent = Layer()
    let child = Layer()
    XCTAssertFalse(parent.needsLayout, "a new layer is clean")
    parent.addSublayer(child)
    XCTAssertTrue(parent.needsLayout, "adding dirties the parent")
    XCTAssertFalse(child.needsLayout)
    parent.layoutIfNeeded()
    XCTAssertFalse(parent.needsLayout)
    child.setNeedsLayout()
    XCTAssertFalse(parent.needsLayout, "a child does not dirty its parent")
    child.layoutIfNeeded()
    parent.setNeedsLayout()
    XCTAssertFalse(child.needsLayout, "a parent does not dirty its child")
    parent.layoutIfNeeded()
    child.removeFromSuperlayer()
    XCTAssertTrue(parent.needsLayout, "removing dirties the parent")
    XCTAssertFalse(child.needsLayout)
    child.position = Point(3, 4)
    child.bounds.origin = Point(1, 1)
    XCTAssertFalse(child.needsLayout)
    child.bounds.size = Size(5, 5)
    XCTAssertTrue(child.needsLayout, "a new size dirties layout")
  }

  func testLayoutIfNeededBeginsAtTheHighestDirtyLayer() {
    let layers = ["a", "b", "c", "d"].map { RecordingLayer($0, size: 0) }
    for (parent, child) in zip(layers, layers.dropFirst()) { parent.add(child) }
    layers[0].layoutIfNeeded()
    RecordingLayer.journal = []
    for index in [1, 2, 3] { layers[index].setNeedsLayout() }
    layers[2].layoutIfNeeded()
    XCTAssertEqual(RecordingLayer.journal, ["b", "c", "d"])
  }

  func testLayoutGoesFromTheTopDown() {
    for seed in 1...20 as ClosedRange<UInt64> {
      var generator = SplitMix64(seed: seed)
      let root = RecordingLayer("0")
      var layers = [root]
      for index in 1..<60 {
        let layer = RecordingLayer("\(index)")
        layers[Int.random(in: 0..<layers.count, using: &generator)].add(layer)
        layers.append(layer)
      }
      let stage = Stage(root: root)
      stage.turn()
      RecordingLayer.journal = []
      for layer in layers.shuffled(using: &generator) { layer.setNeedsLayout() }
      stage.turn()
      let order = RecordingLayer.journal.compactMap { Int($0) }
      XCTAssertEqual(order.sorted(), Array(0..<60), "seed \(seed)")
      for layer in layers {
        guard let above = layer.superlayer else { continue }
        let (own, parent) = (Int(layer.name ?? "") ?? 0, Int(above.name ?? "") ?? 0)
        XCTAssertLessThan(
          order.firstIndex(of: parent) ?? 99, order.firstIndex(of: own) ?? -1, "seed \(seed): \(own) in \(parent)")
      }
    }
  }

  func testCommitIsAskedForOncePerTurn() {
    let layer = RecordingLayer("layer")
    let stage = Stage()
    stage.root.add(layer)
    stage.turn()
    XCTAssertEqual(stage.commitRequests, 0, "a new context is dirty and says so by isDirty")
    XCTAssertFalse(stage.context.isDirty)
    layer.position = Point(1, 1)
    layer.opacity = 0.5
    layer.setNeedsLayout()
    XCTAssertTrue(stage.context.isDirty)
    XCTAssertEqual(stage.commitRequests, 1)
    layer.onLayout = { $0.backgroundColor = .white }
    XCTAssertTrue(stage.turn().treeChanged)
    XCTAssertEqual(stage.commitRequests, 1)
    layer.position = layer.position
    XCTAssertFalse(stage.context.isDirty, "no change, no mark")
  }

  func testLayerThatMovesDeeperBeforeItsLayout() {
    let mover = RecordingLayer("mover")
    let box = RecordingLayer("box")
    let stage = Stage()
    stage.root.add(mover, box)
    stage.turn()
    RecordingLayer.journal = []
    mover.setNeedsLayout()
    box.addSublayer(mover)
    stage.turn()
    XCTAssertEqual(RecordingLayer.journal, ["box", "mover"])
    mover.setNeedsLayout()
    mover.removeFromSuperlayer()
    RecordingLayer.journal = []
    stage.turn()
    XCTAssertEqual(RecordingLayer.journal, ["box"], "what left the tree is not laid out")
    stage.root.addSublayer(mover)
    stage.turn()
    XCTAssertEqual(RecordingLayer.journal, ["box", "mover"], "but once it is back")
  }
}
