import Geometry
import LinuxSystem
import RenderTree
import XCTest

@testable import Layers

/// Layers whose sublayers are not flattened. `SpaceConversionTests` and `HitTests` have them in random trees.
@preconcurrency @MainActor final class TransformLayerTests: XCTestCase {
  private static let left = Transform3D.rotation(.pi / 2, x: 0, y: 1, z: 0)
  private static let right = Transform3D.rotation(-.pi / 2, x: 0, y: 1, z: 0)

  /// A stage with a transform layer at (50, 50), turned by a quarter, and in it a square around the origin, turned back.
  private func turnedStage() -> (stage: Stage, space: TransformLayer, square: Layer) {
    let (stage, space) = (Stage(), TransformLayer())
    (space.position, space.transform) = (Point(50, 50), Self.left)
    let square = Layer(frame: Rect(x: -10, y: -10, width: 20, height: 20))
    (square.backgroundColor, square.transform) = (.black, Self.right)
    space.addSublayer(square)
    stage.root.addSublayer(space)
    return (stage, space, square)
  }

  private func frame(of layer: Layer, in stage: Stage, after milliseconds: Int64 = 0) -> Rect? {
    let tree = stage.tree(after: milliseconds)
    guard let index = tree.records.firstIndex(where: { $0.id == layer.id }) else { return nil }
    let place = tree.sides[index].effects?.parts.homography ?? Homography(tree.records[index].transform)
    return place.boundingBox(of: tree.records[index].bounds)
  }

  private func isNear(_ one: Rect?, _ other: Rect) -> Bool {
    guard let one else { return false }
    return abs(one.minX - other.minX) + abs(one.minY - other.minY) < 1e-9
      && abs(one.width - other.width) + abs(one.height - other.height) < 1e-9
  }

  func testSublayersAreNotFlattened() {
    let (stage, _, square) = turnedStage()
    stage.turn()
    XCTAssertTrue(isNear(frame(of: square, in: stage), Rect(x: 40, y: 40, width: 20, height: 20)))
    // In a layer on its plane, which is seen from its edge, nothing is left of it.
    let flat = Layer()
    (flat.position, flat.transform) = (Point(50, 50), Self.left)
    stage.root.addSublayer(flat)
    flat.addSublayer(square)
    stage.turn()
    XCTAssertEqual(flat.mapToSuperlayer.boundingBox(of: square.frame)?.width ?? 0, 0, accuracy: 1e-9)
  }

  func testDepthGoesThroughSpacesInSpaces() {
    let (stage, space, square) = turnedStage()
    stage.root.sublayerTransform = .perspective(distance: 100)
    stage.root.anchorPoint = .zero
    let inner = TransformLayer()
    inner.zPosition = 30
    space.transform = .identity
    (space.position, space.zPosition) = (.zero, 20)
    space.addSublayer(inner)
    inner.addSublayer(square)
    square.transform = .identity
    stage.turn()
    // Half way to the viewer all is twice as large.
    XCTAssertTrue(isNear(frame(of: square, in: stage), Rect(x: -20, y: -20, width: 40, height: 40)))
    XCTAssertTrue(isNear(square.convert(square.bounds, to: stage.root), Rect(x: -20, y: -20, width: 40, height: 40)))
  }

  func testItHasNoPictureOfItsOwn() throws {
    let (stage, space, square) = turnedStage()
    space.bounds = Rect(x: 0, y: 0, width: 4, height: 4)
    (space.backgroundColor, space.borderWidth, space.cornerRadius) = (.black, 2, 1)
    (space.shadowOpacity, space.blurRadius, space.masksToBounds) = (1, 3, true)
    (space.mask, space.isDoubleSided, space.shouldRasterize) = (Layer(), false, true)
    space.compositingFilter = .multiply
    stage.turn()
    let tree = stage.tree()
    let record = try XCTUnwrap(tree.records.first { $0.id == space.id })
    XCTAssertEqual(record.drawnBounds, .zero)
    XCTAssertEqual(record.backgroundColor, 0)
    XCTAssertEqual(record.flags, [])
    XCTAssertNil(tree.sides[1].effects)
    XCTAssertEqual(frame(of: square, in: stage)?.width ?? 0, 20, accuracy: 1e-9)
  }

  func testOpacityCountsForEachSublayer() {
    let (stage, space, square) = turnedStage()
    let inner = TransformLayer()
    (space.opacity, inner.opacity, square.opacity) = (0.5, 0.5, 0.8)
    space.addSublayer(inner)
    inner.addSublayer(square)
    stage.turn()
    let records = stage.tree().records
    XCTAssertEqual(records.map(\.opacity), [1, 1, 1, 0.2])
    space.isHidden = true
    stage.turn()
    XCTAssertTrue(stage.tree().records[1].flags.contains(.hidden))
  }

  func testABackOfTheWholeWayIsHidden() {
    let (stage, space, square) = turnedStage()
    square.isDoubleSided = false
    XCTAssertTrue(stage.root.hitTest(Point(50, 50)) === square)
    space.transform = .rotation(.pi / 2 + 2, x: 0, y: 1, z: 0)
    XCTAssertTrue(stage.root.hitTest(Point(50, 50)) === stage.root)
  }

  func testAHitTestFindsSublayersAlone() {
    let (stage, space, square) = turnedStage()
    space.bounds = Rect(x: -40, y: -40, width: 80, height: 80)
    space.anchorPoint = Point(0.5, 0.5)
    XCTAssertTrue(stage.root.hitTest(Point(45, 55)) === square)
    XCTAssertTrue(stage.root.hitTest(Point(30, 30)) === stage.root)
    space.isHidden = true
    XCTAssertTrue(stage.root.hitTest(Point(45, 55)) === stage.root)
  }

  /// Its animations move what is in it, and so do those around it.
  func testAnimationsMoveSublayers() {
    let (stage, space, square) = turnedStage()
    stage.turn()
    space.add(BasicAnimation(.positionX, from: 0, to: 100, duration: .seconds(1)))
    stage.turn()
    XCTAssertTrue(isNear(frame(of: square, in: stage, after: 250), Rect(x: 15, y: 40, width: 20, height: 20)))
    space.removeAllAnimations()
    stage.turn()
    XCTAssertTrue(isNear(frame(of: square, in: stage, after: 250), Rect(x: 40, y: 40, width: 20, height: 20)))
    stage.root.add(
      BasicAnimation(.sublayerTransform, from: .identity, to: .translation(x: 40, y: 0, z: 0), duration: .seconds(1)))
    stage.turn()
    XCTAssertTrue(isNear(frame(of: square, in: stage, after: 500), Rect(x: 60, y: 40, width: 20, height: 20)))
    space.add(BasicAnimation(.opacity, from: 0, to: 1, duration: .seconds(1)))
    stage.turn()
    XCTAssertEqual(stage.tree(after: 500).records[2].opacity, 0.5, accuracy: 1e-6)
  }

  func testASpaceAtTheTopIsSeenOnTheOutput() {
    let space = TransformLayer()
    (space.position, space.transform) = (Point(50, 50), Self.left)
    let square = Layer(frame: Rect(x: -10, y: -10, width: 20, height: 20))
    square.transform = Self.right
    space.addSublayer(square)
    let stage = Stage(root: space, scale: 2)
    stage.turn()
    XCTAssertTrue(isNear(frame(of: square, in: stage), Rect(x: 80, y: 80, width: 40, height: 40)))
    XCTAssertTrue(space.hitTest(Point(45, 55)) === square)
    let inner = Layer(frame: Rect(x: 0, y: 0, width: 5, height: 5))
    square.addSublayer(inner)
    XCTAssertEqual(inner.convert(Point(1, 1), to: square), Point(1, 1))
    XCTAssertNil(Layer().convert(Point.zero, to: square), "in another tree")
  }
}
