import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

@preconcurrency @MainActor final class SnapshotTests: XCTestCase {
  func testNothingIsMadeWhileNothingChanges() {
    let stage = Stage()
    stage.turn()
    let first = stage.tree()
    let second = stage.tree(after: 16)
    XCTAssertEqual(base(first), base(second), "the same memory")
    XCTAssertFalse(stage.turn().treeChanged)
    XCTAssertEqual(base(first), base(stage.tree()))
  }

  func testCopiesNobodyNeedsAreGivenUp() {
    let stage = Stage()
    stage.turn()
    var held: [TreeSnapshot] = []
    for step in 0..<6 {
      Transaction.withoutActions { stage.root.position.x = Double(step) }
      stage.turn()
      held.append(stage.tree())
    }
    XCTAssertEqual(stage.context.snapshots.count, 6)
    held.removeAll()
    for _ in 0..<300 {
      Transaction.withoutActions { stage.root.position.x += 1 }
      stage.turn()
      _ = stage.tree()
    }
    XCTAssertEqual(stage.context.snapshots.count, 1)

    // A copy that takes the place of one that was given up is brought up to date as any other.
    held = [stage.tree()]
    for step in 1...3 {
      Transaction.withoutActions { stage.root.bounds.origin.x = Double(step) }
      stage.turn()
      XCTAssertEqual(stage.tree().records[0].bounds.minX, Double(step))
    }
  }

  func testValuesThatAreNotFiniteHideTheLayer() {
    let stage = Stage()
    let layer = Layer(frame: Rect(x: 0, y: 0, width: 5, height: 5))
    stage.root.addSublayer(layer)
    for change in [
      { $0.position.x = .nan }, { $0.bounds.size.width = .infinity }, { $0.affineTransform.a = -.infinity },
      { $0.opacity = .nan }, { $0.cornerRadius = .nan }, { $0.anchorPoint.y = .nan },
    ] as [@MainActor (Layer) -> Void] {
      let fresh = Layer(frame: Rect(x: 0, y: 0, width: 5, height: 5))
      stage.root.replaceSublayer(stage.root.sublayers[0], with: fresh)
      Transaction.withoutActions { change(fresh) }
      stage.turn()
      guard let record = stage.tree().records.last else { return XCTFail("no record") }
      XCTAssertTrue(record.flags.contains(.hidden))
      XCTAssertEqual(record, record, "no NaN is left: a record equals itself")
    }
  }

  func testRecordValuesAreInRange() {
    let stage = Stage(scale: 2)
    stage.root.opacity = 7
    stage.root.cornerRadius = 1000
    stage.root.backgroundColor = Color(red: 1, green: 0, blue: 0, alpha: 0.5)
    stage.root.masksToBounds = true
    stage.turn()
    let record = stage.tree().records[0]
    XCTAssertEqual(record.opacity, 1)
    XCTAssertEqual(record.cornerRadius, 50)
    XCTAssertEqual(record.backgroundColor, 0x8080_0000)
    XCTAssertEqual(record.flags, .masksToBounds)
    XCTAssertEqual(record.transform, .scale(2), "the root is mapped to pixels")
    stage.context.scale = 3
    stage.turn()
    XCTAssertEqual(stage.tree().records[0].transform, .scale(3))
  }
}

private func base(_ tree: TreeSnapshot?) -> UnsafeRawPointer? {
  tree?.records.withUnsafeBufferPointer { $0.baseAddress.map(UnsafeRawPointer.init) }
}
