import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import XCTest

/// Transitions, by the pixels of a row in which the layer lies from 8 to 16.
final class TransitionTests: XCTestCase {
  func testAFadeMixesThePictures() throws {
    try MainActor.assumeIsolated {
      let stage = try PixelStage()
      stage.layer.opacity = 0.5
      stage.commit()
      stage.layer.add(Transition())
      stage.layer.backgroundColor = Color(hex: 0x0000FF)
      stage.turn()
      XCTAssertEqual(stage.layer.animationKeys, ["transition"])
      XCTAssertEqual(try stage.row(at: 0), "........rrrrrrrr........", "the old picture, at half the opacity")
      XCTAssertEqual(try stage.pixel(8, at: 500), [0x40, 0, 0x40])
      XCTAssertEqual(try stage.row(at: 1001), "........bbbbbbbb........")
    }
  }

  func testPicturesMove() throws {
    try MainActor.assumeIsolated {
      let rows: [(TransitionType, TransitionSubtype, String)] = [
        (.push, .fromLeft, "....bbbbbbbbrrrrrrrr...."), (.push, .fromRight, "....rrrrrrrrbbbbbbbb...."),
        (.moveIn, .fromLeft, "....bbbbbbbbrrrr........"), (.moveIn, .fromRight, "........rrrrbbbbbbbb...."),
        (.reveal, .fromLeft, "........bbbbrrrrrrrr...."), (.reveal, .fromRight, "....rrrrrrrrbbbb........"),
      ]
      for (type, subtype, expected) in rows {
        let stage = try PixelStage()
        stage.layer.add(Transition(type, subtype))
        stage.layer.backgroundColor = Color(hex: 0x0000FF)
        stage.turn()
        XCTAssertEqual(try stage.row(at: 500), expected, "\(type) \(subtype)")
        XCTAssertEqual(stage.layer.presentation.position, stage.layer.position)
      }
    }
  }

  /// Up and down: the colours of a row above the layer's middle and of one below it.
  func testPicturesMoveUpAndDown() throws {
    try MainActor.assumeIsolated {
      let places: [(TransitionType, TransitionSubtype, String)] = [
        (.push, .fromTop, "br"), (.push, .fromBottom, "rb"), (.moveIn, .fromTop, "br"), (.moveIn, .fromBottom, "rb"),
        (.reveal, .fromTop, "br"), (.reveal, .fromBottom, "rb"),
      ]
      for (type, subtype, expected) in places {
        let stage = try PixelStage()
        stage.layer.add(Transition(type, subtype))
        stage.layer.backgroundColor = Color(hex: 0x0000FF)
        stage.turn()
        let found = try [1, 6].map { try stage.row($0, at: 500).dropFirst(12).prefix(1) }.joined()
        XCTAssertEqual(found, expected, "\(type) \(subtype)")
      }
    }
  }

  func testProgressBeginsAndEndsWhereItIsTold() throws {
    try MainActor.assumeIsolated {
      let stage = try PixelStage()
      var transition = Transition(.push, .fromRight)
      (transition.startProgress, transition.endProgress) = (0.25, 0.75)
      stage.layer.add(transition)
      stage.layer.backgroundColor = Color(hex: 0x0000FF)
      stage.turn()
      XCTAssertEqual(try stage.row(at: 0), "......rrrrrrrrbbbbbbbb..")
      XCTAssertEqual(try stage.row(at: 500), "....rrrrrrrrbbbbbbbb....")
      XCTAssertEqual(try stage.row(at: 1000), "..rrrrrrrrbbbbbbbb......")
      XCTAssertEqual(try stage.row(at: 1001), "........bbbbbbbb........")
    }
  }

  func testItLeadsFromAPictureThatWasNeverShown() throws {
    try MainActor.assumeIsolated {
      let stage = try PixelStage()
      let other = Layer(frame: Rect(x: 100, y: 50, width: 8, height: 8))
      other.backgroundColor = Color(hex: 0xFF0000)
      var blush = BasicAnimation(.backgroundColor, to: Color(hex: 0x0000FF))
      (blush.beginTime, blush.duration, blush.fillMode) = (.zero, .seconds(2), .forwards)
      other.add(blush)
      var transition = Transition(.push, .fromRight)
      transition.from = OldPicture(of: other, at: .zero + .seconds(3))
      stage.layer.add(transition)
      stage.turn()
      XCTAssertEqual(try stage.row(at: 0), "........bbbbbbbbrrrrrrrr")
      XCTAssertEqual(try stage.row(at: 500), "....bbbbbbbbrrrrrrrr....")
      // It is free again, and has kept its own values.
      XCTAssertEqual(other.backgroundColor, Color(hex: 0xFF0000))
      stage.layer.addSublayer(other)
      stage.turn()
    }
  }

  func testALayerIsHiddenByIt() throws {
    try MainActor.assumeIsolated {
      let stage = try PixelStage()
      stage.layer.actions = [.hidden: .animation(Transition(.push, .fromBottom)), .sublayers: .animation(Transition())]
      Transaction.animationTimingFunction = .linear
      Transaction.animationDuration = .seconds(1)
      stage.layer.isHidden = true
      stage.turn()
      XCTAssertEqual(try stage.row(at: 0), "........rrrrrrrr........")
      XCTAssertEqual(try stage.row(at: 1001), "........................")
      stage.end()
      stage.layer.isHidden = false
      stage.layer.removeAllAnimations()
      stage.turn()
      let sublayer = Layer(frame: Rect(x: 4, y: 0, width: 4, height: 8))
      sublayer.backgroundColor = Color(hex: 0x0000FF)
      Transaction.animationTimingFunction = .linear
      Transaction.animationDuration = .seconds(1)
      stage.layer.addSublayer(sublayer)
      stage.turn()
      XCTAssertEqual(try stage.row(at: 0), "........rrrrrrrr........")
      XCTAssertEqual(try stage.pixel(12, at: 500), [0x7F, 0, 0x80])
      XCTAssertEqual(try stage.row(at: 1001), "........rrrrbbbb........")
      // The old picture of a second one is what the first one leads to.
      Transaction.withoutActions { sublayer.removeFromSuperlayer() }
      stage.layer.add(Transition())
      stage.turn()
      XCTAssertEqual(try stage.row(at: 0), "........rrrrbbbb........")
    }
  }
}

/// A red layer in a black root, and turns without animations of their own.
@MainActor
private final class PixelStage {
  let layer = Layer(frame: Rect(x: 8, y: 0, width: 8, height: 8))
  private let context: LayerContext
  private var now = MonotonicTime.zero
  private let bitmap: Bitmap
  private static let workers = WorkerPool(threads: 1)

  init() throws {
    let root = Layer(frame: Rect(x: 0, y: 0, width: 24, height: 8))
    root.addSublayer(layer)
    layer.backgroundColor = Color(hex: 0xFF0000)
    context = LayerContext(root: root, workers: Self.workers)
    bitmap = try Bitmap(width: 24, height: 8)
    commit()
    Transaction.animationDuration = .seconds(1)
    layer.actions = [.backgroundColor: .null, .opacity: .null]
  }

  func commit() { _ = context.commit(at: now) }

  func turn() {
    commit()
    Transaction.endTurn()
  }

  func end() { now += .seconds(5) }

  private func pixels(_ y: Int = 3, at milliseconds: Int64) throws -> [UInt32] {
    let tree = context.renderTree(at: now + .milliseconds(milliseconds))
    XCTAssertNil(tree.inconsistency)
    var damage = DamageRegion()
    damage.add(IntRect(minX: 0, minY: 0, maxX: 24, maxY: 8))
    Compositor().render(tree, damage: damage, into: bitmap)
    let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
    return (0..<24).map { row[$0] & 0xFF_FFFF }
  }

  func pixel(_ x: Int, at milliseconds: Int64) throws -> [UInt32] {
    let pixel = try pixels(at: milliseconds)[x]
    return [pixel >> 16, pixel >> 8 & 0xFF, pixel & 0xFF]
  }

  /// The colour with the largest share in each pixel.
  func row(_ y: Int = 3, at milliseconds: Int64) throws -> String {
    try pixels(y, at: milliseconds).map { $0 == 0 ? "." : $0 >> 16 > $0 & 0xFF ? "r" : "b" }.joined()
  }
}
