import Layers
import LinuxSystem
import RenderTree
import XCTest

/// Several viewers of one tree, each at its own times.
@preconcurrency @MainActor final class TreeViewerTests: XCTestCase {
  /// The first viewer looks 40 ms ahead and the second 10 ms: the first is past the animation's end while the second still
  /// shows it.
  func testAnAnimationIsOverWhenEverybodyHasShownItsEnd() {
    let stage = Stage()
    let (near, far) = (stage.context.makeViewer(), stage.context.makeViewer())
    let log = fade(stage)
    stage.turn(after: 70)
    XCTAssertEqual(far.opacity(at: 110), 1)
    XCTAssertTrue(stage.context.isDirty, "its end is to be reported")
    XCTAssertTrue(stage.context.isAnimating, "the other one has not been asked")
    stage.turn()
    XCTAssertEqual(near.opacity(at: 80), 0.8, accuracy: 1e-6, "it jumps to the end")
    XCTAssertEqual(far.opacity(at: 110), 1)
    XCTAssertTrue(stage.context.isAnimating)
    stage.turn()
    XCTAssertEqual(log.entries, [])
    XCTAssertEqual(near.opacity(at: 100), 1)
    XCTAssertEqual(far.opacity(at: 140), 1)
    XCTAssertFalse(stage.context.isAnimating)
    stage.turn()
    XCTAssertEqual(log.entries, ["true"])
  }

  /// The first viewer is past the animation's end and asks for the same time again, before the second has asked: a commit would end
  /// nothing, so that none is asked for. The loop would turn without a rest.
  func testTheSameTimeAsksForNoOtherCommit() {
    let stage = Stage()
    let (near, far) = (stage.context.makeViewer(), stage.context.makeViewer())
    let log = fade(stage)
    stage.turn(after: 70)
    XCTAssertEqual(far.opacity(at: 110), 1)
    XCTAssertTrue(stage.context.isDirty)
    stage.turn()
    XCTAssertEqual(far.opacity(at: 110), 1)
    XCTAssertFalse(stage.context.isDirty)
    XCTAssertEqual(near.opacity(at: 105), 1)
    XCTAssertTrue(stage.context.isDirty)
    stage.turn()
    XCTAssertEqual(log.entries, ["true"])
  }

  func testOneThatStandsStillKeepsNobodyWaiting() {
    let stage = Stage()
    let (going, stuck) = (stage.context.makeViewer(), stage.context.makeViewer())
    let log = fade(stage)
    XCTAssertEqual(stuck.opacity(at: 10), 0.1, accuracy: 1e-6)
    stage.turn(after: 90)
    XCTAssertEqual(going.opacity(at: 110), 1)
    stage.turn(after: 9)
    XCTAssertEqual(log.entries, [])
    XCTAssertEqual(going.opacity(at: 127), 1)
    stage.turn(after: 1)
    XCTAssertEqual(log.entries, ["true"])
    XCTAssertFalse(stage.context.isAnimating)
  }

  /// While one viewer stands, another one that has come to an animation is not told that all wait for their beginnings.
  func testAViewerThatStandsPutsNoOtherToRest() {
    let (stage, layer) = Stage.showing(Layer())
    let (standing, ahead) = (stage.context.makeViewer(), stage.context.makeViewer())
    let begin = stage.now + .seconds(2)
    var move = BasicAnimation(.positionX, from: 0, to: 10, duration: .seconds(1))
    move.beginTime = begin
    layer.add(move)
    stage.turn()
    for viewer in [standing, ahead] { _ = viewer.renderTree(at: stage.now + .milliseconds(10)) }
    XCTAssertFalse(stage.context.isAnimating)
    XCTAssertEqual(stage.context.nextBeginning, begin)
    _ = ahead.renderTree(at: begin + .milliseconds(50))
    XCTAssertTrue(stage.context.isAnimating)
  }

  func testOneThatHasGoneDoesNotCount() {
    let stage = Stage()
    let (staying, going) = (stage.context.makeViewer(), stage.context.makeViewer())
    let log = fade(stage)
    XCTAssertEqual(going.opacity(at: 10), 0.1, accuracy: 1e-6)
    going.invalidate()
    stage.turn(after: 90)
    XCTAssertEqual(staying.opacity(at: 100), 1)
    XCTAssertFalse(stage.context.isAnimating)
    stage.turn()
    XCTAssertEqual(log.entries, ["true"])
    XCTAssertEqual(going.renderTree(at: milliseconds(5)).records.count, 0)
  }
}

/// Fades the root from 0 to 1 in a tenth of a second.
@MainActor
private func fade(_ stage: Stage) -> Log {
  let log = Log()
  stage.root.add(
    BasicAnimation(.opacity, from: 0, to: 1, duration: .milliseconds(100), completion: { log.append("\($0)") }))
  stage.turn()
  return log
}

extension TreeViewer {
  fileprivate func opacity(at time: Int64) -> Float { renderTree(at: milliseconds(time)).records[0].opacity }
}
