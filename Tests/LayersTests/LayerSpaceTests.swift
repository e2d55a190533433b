import Geometry
import LinuxSystem
import RenderTree
import XCTest

@testable import Layers

/// A layer whose sublayers are seen from 500 points above its middle, and a sublayer of 100 × 100 there.
@MainActor
private func stageWithCard() -> (stage: Stage, card: Layer) {
  let stage = Stage()
  stage.root.frame = Rect(x: 0, y: 0, width: 200, height: 200)
  stage.root.sublayerTransform = .perspective(distance: 500)
  let card = Layer(frame: Rect(x: 50, y: 50, width: 100, height: 100))
  stage.root.addSublayer(card)
  return (stage, card)
}

/// Layers in space: perspective, depth, flips and backs.
@preconcurrency @MainActor final class LayerSpaceTests: XCTestCase {
  func testANearerLayerIsLarger() {
    let (stage, card) = stageWithCard()
    card.zPosition = 250
    let near = card.convert(card.bounds, to: stage.root)
    XCTAssertEqual(near, Rect(x: 0, y: 0, width: 200, height: 200))
    card.zPosition = -500
    XCTAssertEqual(card.convert(card.bounds, to: stage.root), Rect(x: 75, y: 75, width: 50, height: 50))
    XCTAssertEqual(card.frame, Rect(x: 50, y: 50, width: 100, height: 100), "the superlayer's perspective does not count")
    // The same by the transform and by the anchor point.
    card.zPosition = 0
    card.transform = .translation(x: 0, y: 0, z: -500)
    XCTAssertEqual(card.convert(card.bounds, to: stage.root), Rect(x: 75, y: 75, width: 50, height: 50))
    card.transform = .identity
    card.anchorPointZ = 500
    XCTAssertEqual(card.convert(card.bounds, to: stage.root), Rect(x: 75, y: 75, width: 50, height: 50))
    card.zPosition = 2000
    XCTAssertNil(card.convert(Point.zero, to: stage.root), "behind the viewer")
  }

  func testPointsComeBackThroughPerspective() {
    let (stage, card) = stageWithCard()
    card.transform = .rotation(0.7, x: 0.3, y: 1, z: 0.2)
    let inner = Layer(frame: Rect(x: 10, y: 20, width: 30, height: 30))
    inner.transform = .rotation(0.4)
    card.addSublayer(inner)
    for point in [Point(0, 0), Point(3, 29), Point(-40, 12)] {
      let there = inner.convert(point, to: stage.root) ?? .zero
      XCTAssertLessThan(inner.convert(there, from: stage.root)?.distance(to: point) ?? 1, 1e-9)
      XCTAssertLessThan(stage.root.convert(there, to: inner)?.distance(to: point) ?? 1, 1e-9)
    }
    // A turned square is narrower than it is high, and higher where it is near.
    card.transform = .rotation(0.7, x: 0, y: 1, z: 0)
    func height(_ x: Double) -> Double {
      (card.convert(Point(x, 100), to: stage.root)?.y ?? 0) - (card.convert(Point(x, 0), to: stage.root)?.y ?? 0)
    }
    XCTAssertGreaterThan(height(0), 100, "the left edge is nearer")
    XCTAssertLessThan(height(100), 100)
  }

  func testFlippedCoordinatesRunUpwards() {
    let stage = Stage()
    stage.root.bounds = Rect(x: 0, y: 0, width: 200, height: 200)
    let outer = Layer(frame: Rect(x: 0, y: 0, width: 100, height: 80))
    let inner = Layer(frame: Rect(x: 10, y: 10, width: 20, height: 20))
    stage.root.addSublayer(outer)
    outer.addSublayer(inner)
    outer.isGeometryFlipped = true
    XCTAssertEqual(inner.convert(Point.zero, to: outer), Point(10, 10))
    XCTAssertEqual(inner.convert(Point.zero, to: stage.root), Point(10, 70))
    stage.turn()
    let records = stage.tree().records
    XCTAssertEqual(records[2].transform, .translation(x: 10, y: 50), "upright, at the bottom")
    // Flipped twice: as if never.
    let core = Layer(frame: Rect(x: 2, y: 3, width: 4, height: 5))
    inner.addSublayer(core)
    inner.isGeometryFlipped = true
    stage.turn()
    XCTAssertEqual(stage.tree().records[3].transform, .translation(x: 2, y: 3))
    XCTAssertEqual(core.convert(Point.zero, to: outer), Point(12, 27))
    // Each flip counts for all that is below.
    for (isOuter, isInner, places) in [(false, true, (10, 12)), (true, true, (50, 3)), (true, false, (50, 12))] {
      (outer.isGeometryFlipped, inner.isGeometryFlipped) = (isOuter, isInner)
      stage.turn()
      XCTAssertEqual(stage.tree().records[2].transform, .translation(x: 10, y: Double(places.0)), "\(isOuter), \(isInner)")
      XCTAssertEqual(stage.tree().records[3].transform, .translation(x: 2, y: Double(places.1)), "\(isOuter), \(isInner)")
    }
    inner.isGeometryFlipped = false
    XCTAssertFalse(stage.context.isDirty, "no change")
    // The place depends on the superlayer's height.
    outer.bounds.size.height = 100
    stage.turn()
    XCTAssertEqual(stage.tree(after: 1000).records[2].transform, .translation(x: 10, y: 70))
  }

  func testALayerOfOneSideIsHitFromItsFront() {
    let (stage, card) = stageWithCard()
    let point = Point(90, 100)
    card.isDoubleSided = false
    card.transform = .rotation(0.5, x: 0, y: 1, z: 0)
    XCTAssertIdentical(stage.root.hitTest(point), card)
    // Coordinates that run upwards show the same side.
    stage.root.isGeometryFlipped = true
    XCTAssertIdentical(stage.root.hitTest(point), card)
    card.transform = .rotation(2.8, x: 0, y: 1, z: 0)
    XCTAssertIdentical(stage.root.hitTest(point), stage.root, "the back")
    // Two halves of a turn show the front again.
    card.isDoubleSided = true
    let face = Layer(frame: card.bounds)
    face.isDoubleSided = false
    card.addSublayer(face)
    XCTAssertIdentical(stage.root.hitTest(point), card)
    face.transform = .rotation(.pi, x: 0, y: 1, z: 0)
    XCTAssertIdentical(stage.root.hitTest(point), face)
  }

  /// Animations are not looked at, also for the side that is seen.
  func testTheSideThatIsHitIsThatOfTheModel() {
    let (stage, card) = stageWithCard()
    card.isDoubleSided = false
    stage.turn()
    let mirror = Transform3D.scale(x: -1, y: 1)
    stage.root.add(BasicAnimation(.sublayerTransform, from: mirror, to: mirror, duration: .seconds(1)))
    stage.turn()
    XCTAssertIdentical(stage.root.hitTest(Point(90, 100)), card)
    Transaction.withoutActions { stage.root.sublayerTransform = mirror }
    XCTAssertIdentical(stage.root.hitTest(Point(90, 100)), stage.root)
  }

  /// Seen from the edge it has no inside to be found in.
  func testALayerThatIsSeenFromTheEdgeIsNotHit() {
    let (stage, card) = stageWithCard()
    let turned = Transform3D.rotation(0.5, x: 0, y: 1, z: 0)
    card.zPosition = 50
    for flat in [Transform3D.scale(x: 0, y: 1), .scale(x: 1, y: 0)] {
      card.transform = flat.concatenating(turned)
      for point in [card.position, Point(90, 100), Point(100, 90)] {
        XCTAssertIdentical(stage.root.hitTest(point), stage.root, "\(flat) at \(point)")
        XCTAssertNil(card.convert(point, from: stage.root), "\(flat) at \(point)")
      }
    }
    card.transform = turned
    XCTAssertIdentical(stage.root.hitTest(card.position), card)
  }

  func testNegativeSizesAreStandardized() {
    let layer = Layer()
    layer.bounds = Rect(x: 10, y: 10, width: -4, height: 6)
    XCTAssertEqual(layer.bounds, Rect(x: 6, y: 10, width: 4, height: 6))
    layer.frame = Rect(x: 50, y: 50, width: 20, height: -30)
    XCTAssertEqual(layer.frame, Rect(x: 50, y: 20, width: 20, height: 30))
    layer[.bounds] = Rect(x: 10, y: 10, width: 6, height: -4)
    XCTAssertEqual(layer.bounds, Rect(x: 10, y: 6, width: 6, height: 4))
    layer[.boundsSizeWidth] = -8
    XCTAssertEqual(layer.bounds, Rect(x: 2, y: 6, width: 8, height: 4))
    layer[.boundsSize] = Size(-1, -2)
    XCTAssertEqual(layer.bounds, Rect(x: 1, y: 4, width: 1, height: 2))
  }

  func testPerspectiveReachesTheRenderTree() throws {
    let (stage, card) = stageWithCard()
    stage.turn()
    XCTAssertNil(stage.tree().sides[1].effects, "flat in the plane of its superlayer")
    card.transform = .rotation(0.7, x: 0, y: 1, z: 0)
    stage.turn()
    let map = try XCTUnwrap(stage.tree(after: 1000).sides[1].effects?.parts.homography)
    let corner = try XCTUnwrap(map.apply(Point(100, 0)))
    XCTAssertLessThan(corner.distance(to: card.convert(Point(100, 0), to: stage.root) ?? .zero), 1e-9)
    // Without perspective a turned plane is only narrower.
    stage.root.sublayerTransform = .identity
    stage.turn()
    XCTAssertNil(stage.tree(after: 1000).sides[1].effects)
    XCTAssertEqual(stage.tree(after: 1000).records[1].transform.a, 0.7648421873, accuracy: 1e-9)
  }

  func testSublayersFollowAnAnimatedPerspective() {
    let (stage, card) = stageWithCard()
    stage.root.sublayerTransform = .identity
    card.zPosition = -500
    stage.turn()
    var animation = BasicAnimation(.sublayerTransform, from: .perspective(distance: 500), to: .perspective(distance: 500))
    animation.duration = .seconds(1)
    stage.root.add(animation, forKey: "view")
    stage.turn()
    XCTAssertEqual(stage.tree(after: 500).records[1].transform, Affine(a: 0.5, b: 0, c: 0, d: 0.5, tx: 75, ty: 75))
    stage.root.removeAnimation(forKey: "view")
    stage.turn()
    XCTAssertEqual(stage.tree(after: 501).records[1].transform, .translation(x: 50, y: 50))
    // A change of the perspective itself animates too.
    stage.root.sublayerTransform = .perspective(distance: 500)
    XCTAssertNotNil(stage.root.animation(forKey: "sublayerTransform"))
    stage.turn()
    XCTAssertEqual(stage.tree(after: 2000).records[1].transform.a, 0.5, accuracy: 1e-9)
  }

  func testRotationInSpaceIsAnimatedByParts() {
    var values = AnimatableValues()
    values[.transformRotationY] = 0.5
    values[.transformRotationX] = 0.25
    XCTAssertEqual(values[.transformRotationY], 0.5, accuracy: 1e-9)
    XCTAssertEqual(values[.transformRotationX], 0.25, accuracy: 1e-9)
    XCTAssertEqual(values[.rotation], 0, accuracy: 1e-9)
    values[.rotation] = 1
    values[.transformScale] = 2
    values[.transformTranslationZ] = -30
    values[.transformTranslationX] = 7
    XCTAssertEqual(values[.transformRotationY], 0.5, accuracy: 1e-9)
    XCTAssertEqual(values[.transformScaleX], 2, accuracy: 1e-9)
    XCTAssertEqual(values[.transformScaleZ], 2, accuracy: 1e-9)
    XCTAssertEqual(values.transform.m43, -30)
    XCTAssertEqual(values.transform.m41, 7)
    XCTAssertFalse(values.isFlat)
    values.affineTransform = .identity
    XCTAssertTrue(values.isFlat && values.rareBox == nil)
  }
}
