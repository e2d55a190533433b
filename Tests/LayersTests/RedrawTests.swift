import Geometry
import LinuxSystem
import Raster
import RenderTree
import XCTest

@testable import Layers

/// Layers that draw themselves from properties of their own, while these animate.
@preconcurrency @MainActor final class RedrawTests: XCTestCase {
  func testEachFrameIsDrawnForItsTime() {
    let (stage, gauge) = makeGauge()
    XCTAssertEqual(gauge.drawn, [0])
    gauge.add(BasicAnimation(.level, from: 0, to: 10, duration: .milliseconds(100)))
    stage.turn()
    XCTAssertEqual(gauge.drawn, [0], "the layer's own value is drawn already")
    let held = stage.tree(after: 20)
    XCTAssertEqual(gauge.drawn, [0, 2])
    XCTAssertTrue(held.sides[1].content === stage.tree(after: 20).sides[1].content)
    XCTAssertEqual(gauge.drawn, [0, 2], "the same frame once more")
    let next = stage.tree(after: 70)
    XCTAssertEqual(gauge.drawn, [0, 2, 7])
    XCTAssertFalse(held.sides[1].content === next.sides[1].content, "no frame changes in its holder's hands")
    XCTAssertEqual(gauge.presentation[.level], 7)
    stage.turn(after: 120)
    XCTAssertTrue(stage.tree().sides[1].content === gauge.contents)
    XCTAssertEqual(gauge.drawn, [0, 2, 7], "the end is the layer's own picture")
  }

  func testOnlyAnotherValueIsDrawn() {
    let (stage, gauge) = makeGauge()
    gauge.add(KeyframeAnimation(.level, values: [3, 5], calculationMode: .discrete), forKey: "level")
    gauge.add(BasicAnimation(.opacity, from: 0, duration: .milliseconds(250)))
    stage.turn()
    for time in stride(from: Int64(0), through: 240, by: 10) { _ = stage.tree(after: time) }
    XCTAssertEqual(gauge.drawn, [0, 3, 5])
    // The layer looks different now, and so do the pictures of the animation.
    gauge.setNeedsDisplay()
    stage.turn()
    _ = stage.tree(after: 200)
    XCTAssertEqual(gauge.drawn, [0, 3, 5, 0, 5])
    stage.turn(after: 1000)
  }

  func testAChangeIsDrawnWithoutBeingAskedFor() {
    let (stage, gauge) = makeGauge()
    Transaction.withoutActions { gauge.level = 4 }
    XCTAssertTrue(gauge.needsDisplay)
    stage.turn()
    XCTAssertEqual(gauge.drawn, [0, 4])
    gauge.level = 8
    stage.turn()
    let tree = stage.tree(after: 125)
    XCTAssertEqual(gauge.drawn, [0, 4, 8, 4 + 4 * TimingFunction.default.progress(at: 0.5)])
    XCTAssertFalse(tree.sides[1].content === gauge.contents)
    stage.turn(after: 1000)
  }

  func testAFilledValueIsDrawnOnce() {
    let (stage, gauge) = makeGauge()
    gauge.add(
      BasicAnimation(.level, from: 1, to: 6, duration: .milliseconds(10), fillMode: .both, isRemovedOnCompletion: false))
    stage.turn()
    stage.turn(after: 20)
    for time in Int64(0)..<9 { _ = stage.tree(after: time) }
    XCTAssertEqual(gauge.drawn, [0, 6])
    XCTAssertFalse(stage.context.isAnimating)
  }

  /// A picture for a frame is as fine as the layer's own, and other properties ask for none.
  func testAFrameIsDrawnAsTheLayerIs() {
    let (stage, gauge) = makeGauge(scale: 2)
    gauge.add(BasicAnimation(AnimatableKey<Double>("other", default: 0), from: 0, to: 1, duration: .milliseconds(100)))
    stage.turn()
    _ = stage.tree(after: 50)
    XCTAssertEqual(gauge.drawn, [0])
    gauge.add(BasicAnimation(.level, from: 0, to: 10, duration: .milliseconds(100)))
    stage.turn()
    XCTAssertEqual((stage.tree(after: 50).sides[1].content as? Image)?.width, 10)
    XCTAssertEqual(gauge.drawn, [0, 5])
  }

  func testAnOpaqueLayerIsOpaqueInEachFrame() {
    let (stage, gauge) = makeGauge()
    gauge.isOpaque = true
    XCTAssertEqual(gauge.drawnImage(for: gauge.values, bounds: gauge.bounds)?.isOpaque, true)
    stage.turn()
  }
}

@MainActor
private func makeGauge(scale: Double = 1) -> (Stage, Gauge) {
  let (stage, gauge) = (Stage(scale: scale), Gauge(frame: Rect(x: 0, y: 0, width: 5, height: 5)))
  gauge.setNeedsDisplay()
  stage.root.addSublayer(gauge)
  stage.turn()
  return (stage, gauge)
}

extension AnimatableKey where Value == Double {
  fileprivate static var level: Self { Self("level", default: 0) }
}

private final class Gauge: Layer {
  var drawn: [Double] = []
  var level: Double {
    get { self[.level] }
    set { self[.level] = newValue }
  }

  override class func needsDisplay(forKey property: AnimatableProperty) -> Bool { property.rawValue == "level" }

  override func draw(in context: DrawingContext) { drawn.append(presentation[.level]) }
}
