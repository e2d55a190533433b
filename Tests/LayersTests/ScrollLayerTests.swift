import Geometry
import Layers
import XCTest

@preconcurrency @MainActor final class ScrollLayerTests: XCTestCase {
  private func scrollLayer(_ mode: ScrollLayer.ScrollMode = .both) -> ScrollLayer {
    let layer = ScrollLayer(frame: Rect(x: 10, y: 20, width: 100, height: 50))
    layer.scrollMode = mode
    layer.bounds.origin = Point(3, 4)
    return layer
  }

  func testModesAllowDirections() {
    for (mode, origin) in [
      (ScrollLayer.ScrollMode.none, Point(3, 4)), (.vertically, Point(3, 80)), (.horizontally, Point(70, 4)),
      (.both, Point(70, 80)),
    ] {
      let layer = scrollLayer(mode)
      layer.scroll(to: Point(70, 80))
      XCTAssertEqual(layer.bounds, Rect(origin: origin, size: Size(100, 50)), "\(mode)")
      XCTAssertEqual(layer.frame, Rect(x: 10, y: 20, width: 100, height: 50))
    }
    XCTAssertEqual(ScrollLayer().scrollMode, .both)
    XCTAssertFalse(ScrollLayer().masksToBounds)
  }

  /// The origin moves by the least that is needed: the view is (3, 4) to (103, 54).
  func testARectangleBecomesVisible() {
    for (rect, origin) in [
      // Visible already; beyond each end; larger than the view, before it, around it and behind it.
      (Rect(x: 3, y: 4, width: 100, height: 50), Point(3, 4)), (Rect(x: 20, y: 20, width: 5, height: 5), Point(3, 4)),
      (Rect(x: 200, y: 10, width: 30, height: 5), Point(130, 4)), (Rect(x: -7, y: -9, width: 5, height: 5), Point(-7, -9)),
      (Rect(x: 0, y: 90, width: 0, height: 10), Point(0, 50)), (Rect(x: -400, y: 0, width: 300, height: 5), Point(-200, 0)),
      (Rect(x: -100, y: -100, width: 400, height: 400), Point(3, 4)),
      (Rect(x: 10, y: 20, width: 300, height: 300), Point(10, 20)),
      (Rect(x: 30, y: 10, width: -60, height: 5), Point(-30, 4)),
    ] {
      let layer = scrollLayer()
      layer.scroll(to: rect)
      XCTAssertEqual(layer.bounds.origin, origin, "\(rect)")
    }
  }

  /// A layer in a scroll layer scrolls the nearest one, in its own coordinates.
  func testLayersScrollWhatTheyAreIn() {
    let (outer, inner) = (scrollLayer(), ScrollLayer(frame: Rect(x: 50, y: 60, width: 40, height: 30)))
    let (content, row) = (
      Layer(frame: Rect(x: 0, y: 0, width: 40, height: 300)), Layer(frame: Rect(x: 5, y: 100, width: 20, height: 10))
    )
    outer.addSublayer(inner)
    inner.addSublayer(content)
    content.addSublayer(row)
    row.scrollRectToVisible(row.bounds)
    XCTAssertEqual(inner.bounds.origin, Point(0, 80))
    row.scroll(Point(2, 3))
    XCTAssertEqual(inner.bounds.origin, Point(7, 103))
    XCTAssertEqual(outer.bounds.origin, Point(3, 4))
    inner.scrollRectToVisible(Rect(x: 7, y: 103, width: 40, height: 30))
    XCTAssertEqual(outer.bounds.origin, Point(3, 40))
    // No scroll layer, no effect.
    let alone = Layer(frame: Rect(x: 1, y: 2, width: 3, height: 4))
    alone.scroll(Point(5, 5))
    alone.scrollRectToVisible(Rect(x: 50, y: 50, width: 1, height: 1))
    XCTAssertEqual(alone.bounds, Rect(x: 0, y: 0, width: 3, height: 4))
    XCTAssertEqual(alone.visibleRect, alone.bounds)
  }

  /// All scroll layers above cut what is visible, and turned ones by the box around them.
  func testVisibleRect() {
    let (outer, inner) = (scrollLayer(), ScrollLayer(frame: Rect(x: 63, y: 4, width: 80, height: 100)))
    let content = Layer(frame: Rect(x: -10, y: -10, width: 500, height: 500))
    outer.addSublayer(inner)
    inner.addSublayer(content)
    // The outer layer shows 40 × 50 points of the inner one.
    XCTAssertEqual(content.visibleRect, Rect(x: 10, y: 10, width: 40, height: 50))
    inner.scroll(to: Point(100, 0))
    XCTAssertEqual(content.visibleRect, Rect(x: 110, y: 10, width: 40, height: 50))
    XCTAssertEqual(inner.visibleRect, Rect(x: 100, y: 0, width: 40, height: 50))
    outer.scroll(to: Point(1000, 0))
    XCTAssertTrue(content.visibleRect.isEmpty)
  }
}
