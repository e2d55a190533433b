import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// Emitters on the clocks of their layers.
@preconcurrency @MainActor final class EmitterLayerTests: XCTestCase {
  private func cell() throws -> EmitterCell {
    let bitmap = try Bitmap(width: 4, height: 4)
    for y in 0..<4 { bitmap.row(y).assumingMemoryBound(to: UInt32.self).update(repeating: .max, count: 4) }
    var cell = EmitterCell(contents: bitmap.freeze())
    (cell.birthRate, cell.lifetime, cell.velocity) = (10, 2, 30)
    return cell
  }

  @MainActor private struct Stage {
    let layer = EmitterLayer(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let root = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    let context: LayerContext

    init(_ cells: [EmitterCell]) {
      layer.emitterCells = cells
      root.addSublayer(layer)
      context = LayerContext(root: root, workers: WorkerPool(threads: 1))
    }

    func commit(_ seconds: Double) { _ = context.commit(at: .zero + .seconds(seconds)) }

    /// The particles of the last record at a time of the display's clock.
    func content(_ seconds: Double) throws -> ParticleContent {
      let tree = context.renderTree(at: .zero + .seconds(seconds))
      XCTAssertNil(tree.inconsistency)
      return try XCTUnwrap(tree.sides.last?.content as? ParticleContent)
    }
  }

  func testDefaultsAreThoseOfCoreAnimation() {
    let (layer, cell) = (EmitterLayer(), EmitterCell())
    XCTAssertEqual(layer.emitterCells, [])
    XCTAssertEqual([layer.birthRate, layer.lifetime, layer.velocity, layer.scale, layer.spin], [1, 1, 1, 1, 1])
    XCTAssertEqual(layer.emitterPosition, .zero)
    XCTAssertEqual(layer.emitterSize, .zero)
    XCTAssertEqual(layer.emitterShape, .point)
    XCTAssertEqual(layer.emitterMode, .volume)
    XCTAssertEqual(layer.renderMode, .unordered)
    XCTAssertEqual(layer.seed, 0)
    XCTAssertEqual([cell.birthRate, cell.lifetime, cell.velocity, cell.spin, cell.scaleSpeed], [0, 0, 0, 0, 0])
    XCTAssertEqual([cell.scale, cell.contentsScale], [1, 1])
    XCTAssertEqual(cell.color, .white)
    XCTAssertTrue(cell.isEnabled)
  }

  /// The particles are made of all properties.
  func testPropertiesReachTheParticles() throws {
    let stage = Stage([try cell(), try cell()])
    Transaction.withoutActions {
      (stage.layer.birthRate, stage.layer.lifetime, stage.layer.velocity) = (2, 3, 4)
      (stage.layer.scale, stage.layer.spin, stage.layer.seed) = (5, 6, 7)
      (stage.layer.emitterPosition, stage.layer.emitterSize) = (Point(1, 2), Size(3, 4))
      (stage.layer.emitterShape, stage.layer.emitterMode, stage.layer.renderMode) = (.circle, .outline, .additive)
    }
    stage.commit(1)
    let parts = try stage.content(1).emission.parts
    XCTAssertEqual(parts.cells, stage.layer.emitterCells)
    XCTAssertEqual([parts.birthRate, parts.lifetime, parts.velocity, parts.scale, parts.spin], [2, 3, 4, 5, 6])
    XCTAssertEqual(parts.seed, 7)
    XCTAssertEqual(parts.position, Point(1, 2))
    XCTAssertEqual(parts.size, Size(3, 4))
    XCTAssertEqual(parts.shape, .circle)
    XCTAssertEqual(parts.mode, .outline)
    XCTAssertEqual(parts.renderMode, .additive)
    stage.layer.emitterCells = []
    stage.commit(2)
    XCTAssertNil(stage.context.renderTree(at: .zero + .seconds(2.0)).sides.last?.content)
    XCTAssertFalse(stage.context.isAnimating)
  }

  func testFramesFollowTheClockOfTheLayer() throws {
    let stage = Stage([try cell()])
    stage.commit(5)
    XCTAssertTrue(stage.context.isAnimating)
    XCTAssertEqual(try stage.content(6).time, .zero + .seconds(6.0))
    // A layer at half of the speed, and one that begins later.
    (stage.layer.speed, stage.layer.beginTime) = (0.5, .zero + .seconds(4.0))
    stage.commit(7)
    XCTAssertEqual(try stage.content(8).time, .zero + .seconds(2.0))
    XCTAssertTrue(stage.context.isAnimating)
  }

  /// A layer that stands shows the same particles, and asks for no frame.
  func testALayerThatStandsAsksForNoFrames() throws {
    let stage = Stage([try cell()])
    (stage.layer.speed, stage.layer.timeOffset) = (0, .seconds(3.0))
    stage.commit(5)
    XCTAssertFalse(stage.context.isAnimating)
    let content = try stage.content(6)
    XCTAssertEqual(content.time, .zero + .seconds(3.0))
    XCTAssertTrue(content === (try stage.content(9)))
    XCTAssertFalse(stage.context.isAnimating)
    // Another change of the layer leaves it the same content.
    stage.layer.opacity = 0.5
    stage.layer.removeAllAnimations()
    stage.commit(10)
    XCTAssertTrue(content === (try stage.content(10)))
  }

  /// An animation that is over goes on showing the birth rate that it filled in.
  func testAFilledBirthRateKeepsParticlesMoving() throws {
    let stage = Stage([try cell()])
    stage.layer.birthRate = 0
    XCTAssertTrue(stage.layer.animations.isEmpty)
    var animation = BasicAnimation(.birthRate, from: 0, to: 1, duration: .seconds(1))
    (animation.fillMode, animation.isRemovedOnCompletion) = (.forwards, false)
    stage.layer.add(animation, forKey: "births")
    stage.commit(5)
    stage.commit(7)
    XCTAssertTrue(stage.context.isAnimating)
    XCTAssertEqual(try stage.content(8).time, .zero + .seconds(8.0))
    XCTAssertEqual(try stage.content(8).emission.parts.birthRate, 1)
  }

  /// A slow animation beside them does not slow particles down.
  func testParticlesMoveAtAnyRate() throws {
    let stage = Stage([try cell()])
    let slow = FrameRateRange(minimum: 8, maximum: 15, preferred: 10)
    var animation = BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(9))
    animation.preferredFrameRateRange = slow
    stage.root.add(animation, forKey: "slow")
    stage.commit(1)
    XCTAssertEqual(stage.context.frameRateRange, FrameRateRange.default.union(slow))
  }

  /// Births that are over: the last particle dies two seconds after the last birth.
  func testWhenAllAreDeadNoFrameIsAskedFor() throws {
    var burst = try cell()
    (burst.beginTime, burst.duration) = (.zero + .seconds(5.0), .seconds(1.0))
    let stage = Stage([burst])
    stage.commit(4)
    XCTAssertTrue(stage.context.isAnimating)
    let before = try stage.content(4.5)
    XCTAssertTrue(before === (try stage.content(4.9)))
    XCTAssertTrue(before.drawnBounds(in: .zero, nil).isEmpty)
    XCTAssertFalse(try stage.content(7.9).drawnBounds(in: .zero, nil).isEmpty)
    XCTAssertTrue(stage.context.isAnimating)
    let after = try stage.content(8.1)
    XCTAssertTrue(after.drawnBounds(in: .zero, nil).isEmpty)
    XCTAssertFalse(stage.context.isAnimating)
    XCTAssertTrue(after === (try stage.content(20)))
    stage.root.backgroundColor = .black
    stage.commit(21)
    XCTAssertFalse(stage.context.isAnimating)
  }

  func testNothingIsBornWithoutARate() throws {
    for change in [
      { $0.birthRate = 0 }, { $0.lifetime = 0 }, { $0.isEnabled = false }, { $0.contents = nil }, { $0.duration = .zero },
    ] as [(inout EmitterCell) -> Void] {
      var cell = try cell()
      change(&cell)
      let stage = Stage([cell])
      stage.commit(5)
      XCTAssertFalse(stage.context.isAnimating)
    }
    let stage = Stage([try cell()])
    stage.layer.birthRate = 0
    stage.commit(5)
    XCTAssertFalse(stage.context.isAnimating)
  }

  func testCellsAreMixedNumberByNumber() throws {
    let first = try cell()
    var second = first
    (second.birthRate, second.scale, second.color) = (20, 3, .black)
    let stage = Stage([first])
    var change = BasicAnimation(.emitterCells, from: [first], to: [second], duration: .seconds(2))
    change.timingFunction = .linear
    stage.layer.add(change)
    stage.commit(10)
    let shown = try XCTUnwrap(try stage.content(11).emission.parts.cells.first)
    XCTAssertEqual([shown.birthRate, shown.scale, shown.color.red], [15, 2, 0.5])
    XCTAssertEqual(try stage.content(11).time, .zero + .seconds(11.0))
    var growth = BasicAnimation(AnimatableKey<Double>.scale, from: 1, to: 3, duration: .seconds(2))
    growth.timingFunction = .linear
    stage.layer.add(growth)
    stage.commit(20)
    XCTAssertEqual(try stage.content(21).emission.parts.scale, 2)
  }

  /// The particles of each copy are behind those of the one before.
  func testCopiesAreLater() throws {
    let (replicator, stage) = (ReplicatorLayer(frame: Rect(x: 0, y: 0, width: 100, height: 100)), Stage([try cell()]))
    stage.root.addSublayer(replicator)
    replicator.addSublayer(stage.layer)
    (replicator.instanceCount, replicator.instanceDelay) = (3, .seconds(0.25))
    stage.commit(5)
    let tree = stage.context.renderTree(at: .zero + .seconds(6.0))
    let times = tree.sides.compactMap { ($0.content as? ParticleContent)?.time?.seconds }
    XCTAssertEqual(times, [6, 5.75, 5.5])
  }
}
