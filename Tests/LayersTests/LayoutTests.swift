import Geometry
import Layers
import LinuxSystem
import XCTest

@preconcurrency @MainActor final class LayoutTests: XCTestCase {
  override func setUp() {
    RecordingLayer.journal = []
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
    XCTAssertEqual(endless.layouts, before + 8)
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
    XCTAssertEqual(endless.draws, 8)
    XCTAssertFalse(stage.context.isDirty)
    endless.onDraw = nil
    XCTAssertEqual(stage.turn().displayCount, 1, "left over for the next commit")
    XCTAssertFalse(endless.needsDisplay)
  }

  func testCommitIsAskedForOncePerTurn() {
    let (stage, layer) = Stage.showing(RecordingLayer("layer"))
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
    let (mover, box) = (RecordingLayer("mover"), RecordingLayer("box"))
    let stage = Stage()
    stage.root.add(mover, box)
    stage.turn()
    RecordingLayer.journal = []
    mover.setNeedsLayout()
    box.addSublayer(mover)
    stage.turn()
    XCTAssertEqual(RecordingLayer.journal, ["box", "mover"])
  }
}
