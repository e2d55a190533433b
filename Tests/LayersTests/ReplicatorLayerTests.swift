import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree
import TestLength
import XCTest

@testable import Layers

/// Layers that show their sublayers several times. `PatchedTreeTests` has them in random trees.
@preconcurrency @MainActor final class ReplicatorLayerTests: XCTestCase {
  /// A stage with a replicator that fills its root, and in it a square of 10 points at (20, 20).
  private func squareStage(_ count: Int) -> (stage: Stage, replicator: ReplicatorLayer, square: Layer) {
    let (stage, replicator) = (Stage(), ReplicatorLayer(frame: Rect(x: 0, y: 0, width: 100, height: 100)))
    let square = Layer(frame: Rect(x: 20, y: 20, width: 10, height: 10))
    square.backgroundColor = .white
    replicator.addSublayer(square)
    replicator.instanceCount = count
    stage.root.addSublayer(replicator)
    stage.turn()
    return (stage, replicator, square)
  }

  /// The squares of 10 points in a tree, as they lie in a root that is not moved.
  private func squares(in tree: TreeSnapshot) -> [Rect] {
    tree.records.filter { $0.bounds.width == 10 && $0.isShown }.map { $0.transform.boundingBox(of: $0.bounds) }
  }

  func testDefaults() {
    let layer = ReplicatorLayer()
    XCTAssertEqual(layer.instanceCount, 1)
    XCTAssertEqual(layer.instanceDelay, .zero)
    XCTAssertEqual(layer.instanceTransform, .identity)
    XCTAssertEqual(layer.instanceColor, .white)
    let offsets = [
      layer.instanceRedOffset, layer.instanceGreenOffset, layer.instanceBlueOffset, layer.instanceAlphaOffset,
    ]
    XCTAssertEqual(offsets, [0, 0, 0, 0])
    XCTAssertFalse(layer.preservesDepth)
  }

  /// Replicators in replicators with random steps, delays and moving layers: each record lies, and is coloured, where a loop over all copies
  /// puts it.
  func testRandomReplicatorsMatchAPlainLoop() {
    for seed in some(150, of: 1...5000) {
      var random = SplitMix64(seed: UInt64(seed))
      let world = PlainReplicators(&random)
      let stage = Stage(now: .zero + .seconds(100))
      stage.root.addSublayer(world.layer)
      stage.turn()
      for _ in 0..<4 {
        let after = Int64.random(in: 0...1500, using: &random)
        let tree = stage.tree(after: after)
        XCTAssertNil(tree.inconsistency)
        let expected = world.marks(seconds: Double(after) / 1000)
        let found = zip(tree.records, tree.sides).filter { $0.0.bounds.width == PlainReplicators.markSize }
        XCTAssertEqual(found.count, expected.count, "seed \(seed)")
        for ((record, _), mark) in zip(found, expected) {
          let place = [record.transform.tx, record.transform.ty, record.transform.a, record.transform.b]
          for (found, expected) in zip(place, mark.place) {
            XCTAssertEqual(found, expected, accuracy: 1e-6, "seed \(seed), after \(after) ms")
          }
          XCTAssertEqual(Double(record.opacity), mark.opacity, accuracy: 1e-6, "seed \(seed)")
          for shift in [0, 8, 16] as [UInt32] {
            let (one, two) = (record.backgroundColor >> shift & 0xFF, mark.color >> shift & 0xFF)
            XCTAssertLessThanOrEqual(max(one, two) - min(one, two), 1, "seed \(seed)")
          }
        }
        if found.count != expected.count { return }
      }
      stage.context.invalidate()
    }
  }

  func testCopiesLieAroundTheMiddleAndAboveEachOther() {
    let (stage, replicator, square) = squareStage(4)
    Transaction.withoutActions { replicator.instanceTransform = .rotation(.pi / 2) }
    stage.turn()
    let expected =
      [Rect(x: 20, y: 20, width: 10, height: 10)]
      + [Point(70, 20), Point(70, 70), Point(20, 70)].map {
        Rect(origin: $0, size: Size(10, 10))
      }
    for (found, expected) in zip(squares(in: stage.tree()), expected) {
      XCTAssertEqual(found.minX, expected.minX, accuracy: 1e-9)
      XCTAssertEqual(found.minY, expected.minY, accuracy: 1e-9)
    }
    XCTAssertEqual(squares(in: stage.tree()).count, 4)
    // The second of two layers is above the first in its copy, and below the first of the next copy.
    let other = Layer(frame: Rect(x: 0, y: 0, width: 30, height: 30))
    replicator.addSublayer(other)
    stage.turn()
    XCTAssertEqual(stage.tree().records.dropFirst(2).map(\.bounds.width), [10, 30, 10, 30, 10, 30, 10, 30])
    XCTAssertEqual(stage.tree().records[2].id, square.id)
  }

  func testCountsBelowTwo() {
    let (stage, replicator, _) = squareStage(1)
    XCTAssertEqual(squares(in: stage.tree()).count, 1)
    for count in [0, -3] {
      replicator.instanceCount = count
      stage.turn()
      XCTAssertEqual(squares(in: stage.tree()).count, 0)
    }
    replicator.instanceCount = 3
    stage.turn()
    XCTAssertEqual(squares(in: stage.tree()).count, 3)
  }

  func testATreeHasALimit() {
    let (stage, replicator, square) = squareStage(1)
    stage.context.maximumTreeSize = 500
    replicator.instanceCount = .max
    let inner = ReplicatorLayer(frame: replicator.bounds)
    inner.instanceCount = .max
    inner.addSublayer(square)
    replicator.addSublayer(inner)
    stage.turn()
    let tree = stage.tree()
    XCTAssertLessThanOrEqual(tree.records.count, 501)
    XCTAssertGreaterThan(tree.records.count, 400)
    XCTAssertNil(tree.inconsistency)
  }

  func testCopiesKeepTheirNumbersAndChangeWithTheirLayer() {
    let (stage, replicator, square) = squareStage(3)
    let before = stage.tree().records
    square.backgroundColor = .black
    Transaction.withoutActions { square.opacity = 0.5 }
    square.removeAllAnimations()
    stage.turn()
    let after = stage.tree().records
    XCTAssertEqual(before.map(\.id), after.map(\.id))
    XCTAssertEqual(after.dropFirst(2).map(\.opacity), [0.5, 0.5, 0.5])
    // A change elsewhere makes no copy anew.
    Transaction.withoutActions { stage.root.cornerRadius = 3 }
    XCTAssertEqual(stage.turn().recordCount, 1)
    XCTAssertTrue(replicator.hitTest(Point(25, 25)) === square)
  }

  func testColors() throws {
    let (stage, replicator, square) = squareStage(3)
    replicator.instanceColor = Color(red: 1, green: 0.5, blue: 0, alpha: 0.8)
    (replicator.instanceRedOffset, replicator.instanceAlphaOffset) = (-0.5, -0.4)
    replicator.instanceGreenOffset = 2
    replicator.removeAllAnimations()
    stage.turn()
    let records = stage.tree().records.dropFirst(2)
    XCTAssertEqual(records.map(\.backgroundColor), [0xFFFF_8000, 0xFF80_FF00, 0xFF00_FF00])
    for (opacity, expected) in zip(records.map(\.opacity), [0.8, 0.4, 0] as [Float]) {
      XCTAssertEqual(opacity, expected, accuracy: 1e-6)
    }
    // A picture may be made of anything: its colours are mapped, after the layer's own map.
    square.addSublayer(Layer(frame: Rect(x: 0, y: 0, width: 3, height: 3)))
    square.colorMatrix = .inversion(1)
    square.removeAllAnimations()
    stage.turn()
    let sides = stage.tree().sides.dropFirst(2)
    let matrix = try XCTUnwrap(sides.first?.effects?.parts.colorMatrix)
    XCTAssertEqual(matrix.rows[0], -1)
    XCTAssertEqual(matrix.rows[6], -0.5)
    XCTAssertEqual(matrix.constant, [1, 0.5, 0, 0])
  }

  /// A transform layer has no picture that could be coloured: its sublayers are.
  func testColorsGoThroughSpaces() {
    let (stage, replicator, square) = squareStage(2)
    let (space, inner) = (TransformLayer(), ReplicatorLayer())
    replicator.addSublayer(space)
    space.addSublayer(inner)
    (inner.preservesDepth, inner.instanceColor) = (true, Color(red: 0.5, green: 1, blue: 1, alpha: 0.5))
    inner.addSublayer(square)
    replicator.instanceColor = Color(red: 1, green: 0.5, blue: 1)
    replicator.instanceBlueOffset = -0.5
    replicator.removeAllAnimations()
    stage.turn()
    let squares = stage.tree().records.filter { $0.bounds.width == 10 }
    XCTAssertEqual(squares.map(\.backgroundColor), [0xFF80_80FF, 0xFF80_8080])
    XCTAssertEqual(squares.map(\.opacity), [0.5, 0.5])
  }

  func testHitTestsFindTheLayersAlone() {
    let (stage, replicator, square) = squareStage(3)
    replicator.instanceTransform = .translation(x: 30, y: 0)
    replicator.removeAllAnimations()
    stage.turn()
    XCTAssertTrue(stage.root.hitTest(Point(25, 25)) === square)
    XCTAssertTrue(stage.root.hitTest(Point(55, 25)) === replicator)
    XCTAssertEqual(square.convert(Point.zero, to: stage.root), Point(20, 20))
  }

  func testCopiesMoveLaterAndEndWithTheLast() {
    let (stage, replicator, square) = squareStage(3)
    replicator.instanceDelay = .milliseconds(100)
    var ended = 0
    var slide = BasicAnimation(.positionX, from: 0, to: 100, duration: .milliseconds(400))
    slide.timingFunction = .linear
    slide.completion = { _ in ended += 1 }
    square.add(slide, forKey: "slide")
    stage.turn()
    func places(after milliseconds: Int64) -> [Double] {
      squares(in: stage.tree(after: milliseconds)).map { $0.midX.rounded() }
    }
    // Before their turn they show the layer's own place.
    XCTAssertEqual(places(after: 50), [13, 25, 25])
    XCTAssertEqual(places(after: 250), [63, 38, 13])
    // Over for the layer, which shows its own place, but not for its copies.
    XCTAssertEqual(places(after: 450), [25, 88, 63])
    XCTAssertTrue(stage.context.isAnimating)
    stage.turn(after: 450)
    XCTAssertEqual(ended, 0)
    XCTAssertNotNil(square.animation(forKey: "slide"))
    XCTAssertEqual(places(after: 100), [25, 25, 88])
    _ = stage.tree(after: 200)
    stage.turn(after: 200)
    stage.turn()
    XCTAssertEqual(ended, 1)
    XCTAssertNil(square.animation(forKey: "slide"))
    XCTAssertFalse(stage.context.isAnimating)
  }

  /// A copy before its turn shows what the fill mode says, as it does where the animation has a beginning of its own.
  func testCopiesWaitForTheirTurn() {
    for (fillMode, waiting) in [(MediaTiming.FillMode.removed, 25.0), (.forwards, 25), (.backwards, 0), (.both, 0)] {
      for beginsAtCommit in [true, false] {
        let (stage, replicator, square) = squareStage(3)
        replicator.instanceDelay = .milliseconds(100)
        var slide = BasicAnimation(.positionX, from: 0, to: 100, duration: .milliseconds(400))
        (slide.timingFunction, slide.fillMode, slide.beginTime) = (.linear, fillMode, beginsAtCommit ? nil : stage.now)
        square.add(slide)
        stage.turn()
        let places = squares(in: stage.tree(after: 120)).map { $0.midX.rounded() }
        XCTAssertEqual(places, [30, 5, waiting], "\(fillMode), \(beginsAtCommit)")
      }
    }
  }

  func testItsPropertiesAnimate() {
    let (stage, replicator, _) = squareStage(3)
    replicator.add(
      BasicAnimation(
        AnimatableKey<Transform3D>.instanceTransform, from: .identity, to: .translation(x: 20, y: 0), duration: .seconds(1)))
    replicator.add(BasicAnimation(.instanceColor, from: .black, to: .white, duration: .seconds(1)))
    replicator.add(BasicAnimation(.instanceAlphaOffset, from: -1, to: 0, duration: .seconds(1)))
    stage.turn()
    let records = stage.tree(after: 750).records.dropFirst(2)
    XCTAssertEqual(records.map { $0.transform.boundingBox(of: $0.bounds).minX }, [20, 35, 50])
    XCTAssertEqual(records.map(\.backgroundColor), [0xFFBF_BFBF, 0xFFBF_BFBF, 0xFFBF_BFBF])
    XCTAssertEqual(records.map(\.opacity), [1, 0.75, 0.5])
  }

  func testAMaskIsNotCopied() {
    let (stage, replicator, _) = squareStage(3)
    replicator.mask = Layer(frame: Rect(x: 0, y: 0, width: 50, height: 50))
    replicator.instanceColor = .black
    replicator.removeAllAnimations()
    replicator.mask?.backgroundColor = .white
    stage.turn()
    let masks = stage.tree().records.filter { $0.flags.contains(.mask) }
    XCTAssertEqual(masks.map(\.backgroundColor), [0xFFFF_FFFF])
  }

  /// Its sublayers lie in space, with their copies, and it has no picture.
  func testItPreservesDepth() throws {
    let (stage, replicator, square) = squareStage(2)
    replicator.backgroundColor = .white
    replicator.preservesDepth = true
    replicator.transform = .rotation(.pi / 2, x: 0, y: 1, z: 0)
    square.transform = .rotation(-.pi / 2, x: 0, y: 1, z: 0)
    replicator.instanceTransform = .translation(x: 0, y: 20)
    for layer in [replicator, square] { layer.removeAllAnimations() }
    stage.turn()
    let tree = stage.tree()
    XCTAssertEqual(tree.records[1].drawnBounds, .zero)
    XCTAssertEqual(squares(in: tree).map { $0.width.rounded() }, [10, 10])
    XCTAssertEqual(squares(in: tree).map { $0.minY.rounded() }, [20, 40])
    replicator.preservesDepth = false
    stage.turn()
    XCTAssertEqual(stage.tree().records[1].backgroundColor, 0xFFFF_FFFF)
  }

  /// Copies of copies, layers that come and go, and no memory of those that went.
  func testCopiesGoWithTheirLayers() {
    let (stage, replicator, _) = squareStage(3)
    for _ in 0..<5 {
      let layer = Layer(frame: Rect(x: 0, y: 0, width: 5, height: 5))
      replicator.addSublayer(layer)
      stage.turn()
      XCTAssertEqual(replicator.copiesInMemory, 4)
      layer.removeFromSuperlayer()
      stage.turn()
      XCTAssertEqual(replicator.copiesInMemory, 2)
    }
    replicator.instanceCount = 1
    stage.turn()
    XCTAssertEqual(stage.tree().records.count, 3)
    XCTAssertEqual(replicator.copiesInMemory, 0)
  }

  /// The copies of a replicator that preserves depth lie in the space of its superlayer, which alone changes.
  func testCopiesGoWithASuperlayerThatMovesThem() {
    let (stage, replicator, _) = squareStage(3)
    (replicator.preservesDepth, replicator.instanceTransform) = (true, .translation(x: 0, y: 20))
    let plane = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 100))
    stage.root.addSublayer(plane)
    plane.addSublayer(replicator)
    for layer in [replicator, plane] { layer.removeAllAnimations() }
    stage.turn()
    XCTAssertEqual(squares(in: stage.tree()).map(\.minX), [20, 20, 20])
    plane.sublayerTransform = .translation(x: 7, y: 0)
    plane.removeAllAnimations()
    stage.turn()
    XCTAssertEqual(squares(in: stage.tree()).map(\.minX), [27, 27, 27])
    plane.sublayerTransform = .translation(x: 9, y: 0)
    plane.removeAllAnimations()
    stage.turn()
    XCTAssertEqual(squares(in: stage.tree()).map(\.minX), [29, 29, 29])
  }

  /// A number of copies of nothing takes no time, however large: in a commit, and in a picture of the layer alone.
  func testManyCopiesOfNothing() throws {
    let stage = Stage()
    let (outer, inner) = (ReplicatorLayer(), ReplicatorLayer())
    (outer.instanceCount, inner.instanceCount) = (.max, .max)
    outer.addSublayer(inner)
    stage.context.maximumTreeSize = 20
    stage.root.addSublayer(outer)
    stage.turn()
    XCTAssertEqual(stage.tree().records.count, 20)
    try inner.render(in: DrawingContext(bitmap: try Bitmap(width: 8, height: 8)), with: Compositor())
  }
}
