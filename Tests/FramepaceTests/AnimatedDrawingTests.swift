import Framepace
import FramepaceTesting
import XCTest

/// A layer that draws itself from an animated property of its own.
@preconcurrency @MainActor final class AnimatedDrawingTests: XCTestCase {
  /// As `AnimatableKey` says it: a display link that asks for display while the animation runs, and no frame after it.
  func testALinkRedrawsItWhileItsPropertyAnimates() throws {
    let gauge = Gauge()
    gauge.bounds = Rect(x: 0, y: 0, width: 100, height: 20)
    gauge.position = Point(50, 10)
    gauge.setNeedsDisplay()
    let root = Layer()
    root.addSublayer(gauge)
    let stage = try ManualStage(width: 100, height: 20, root: root, rate: .hertz60)
    let link = stage.engine.makeDisplayLink { link in
      gauge.setNeedsDisplay()
      if gauge.animation(forKey: "level") == nil { link.isPaused = true }
    }
    link.isPaused = true
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(gauge.drawn, [0])

    gauge.level = 1
    link.isPaused = false
    stage.run(for: .seconds(1))
    XCTAssertGreaterThan(gauge.drawn.count, 12, "a quarter of a second")
    XCTAssertEqual(gauge.drawn, gauge.drawn.sorted())
    XCTAssertEqual(gauge.drawn.last, 1)
    XCTAssertTrue(link.isPaused)
    stage.engine.invalidate()
  }
}

extension AnimatableKey where Value == Double {
  fileprivate static var level: Self { Self("level", default: 0) }
}

private final class Gauge: Layer {
  private(set) var drawn: [Double] = []

  var level: Double {
    get { self[.level] }
    set { self[.level] = newValue }
  }

  override func draw(in context: DrawingContext) {
    drawn.append(presentation[.level])
    context.fill(Rect(x: 0, y: 0, width: bounds.width * presentation[.level], height: bounds.height), color: .white)
  }
}
