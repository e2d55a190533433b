import Geometry
import Layers
import LinuxSystem
import XCTest

/// Lays out every style tree of `Cases` and compares the frames with those that Chromium gave it.
@preconcurrency @MainActor final class CaseTests: XCTestCase {
  private static let workers = WorkerPool(threads: 1)

  func testYogaFixtures() throws { try check("Yoga.json", atLeast: 480) }
  func testWebPlatformTests() throws { try check("WebPlatform.json", atLeast: 30) }
  func testDrawnTrees() throws { try check("Drawn.json", atLeast: 500) }
  func testTaffyFixtures() throws { try check("Taffy.json", atLeast: 370) }
  func testWebPlatformTestsOfGrids() throws { try check("WebPlatformGrids.json", atLeast: 50) }
  func testDrawnGrids() throws { try check("DrawnGrids.json", atLeast: 600) }

  private func check(_ file: String, atLeast count: Int) throws {
    let cases = try LayoutCase.all(in: file)
    XCTAssertGreaterThanOrEqual(cases.count, count)
    for layoutCase in cases {
      let (root, layer) = layoutCase.tree.stage()
      // So fine that nothing is rounded.
      let context = LayerContext(root: root, workers: Self.workers, scale: 65_536)
      let phases = context.commit(at: .zero)
      XCTAssertNil(phases.unsettled, "\(file), \(layoutCase.name)")
      let layers = layer.tree
      let frames = layers.map(\.frame)
      // The browser counts in 64ths of a pixel.
      let differences = zip(frames, layoutCase.rects).enumerated().filter { _, pair in !isClose(pair.0, pair.1) }
      if let (index, (frame, rect)) = differences.first {
        XCTFail("\(file), \(layoutCase.name): layer \(index) from the top is at \(frame), not at \(rect)")
      }
      XCTAssertEqual(frames.count, layoutCase.rects.count, "\(file), \(layoutCase.name)")
      for layer in layers { XCTAssertLessThanOrEqual(layer.layouts, 1, "\(file), \(layoutCase.name)") }
      context.invalidate()
    }
  }

  private func isClose(_ frame: Rect, _ rect: [Double]) -> Bool {
    let differences = zip([frame.minX, frame.minY, frame.width, frame.height], rect).map { abs($0 - $1) }
    return differences.allSatisfy { $0 < 0.1 }
  }
}
