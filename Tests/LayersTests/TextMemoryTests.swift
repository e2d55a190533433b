import AllocationCounter
import Geometry
import LinuxSystem
import RenderTree
import XCTest

@testable import Layers
@testable import Raster

/// The memory of a page of text, with what the render tree holds of it.
@preconcurrency @MainActor final class TextMemoryTests: XCTestCase {
  /// Two hundred lines of forty letters, against the same as bitmaps, on a plain screen and on one of two pixels a point.
  func testTextTakesLessThanBitmaps() throws {
    try XCTSkipUnless(allocation_counter_is_available(), "a sanitizer's allocator is in place")
    // The first of each makes caches that stay.
    for make in [{ TextLayer() }, { DrawnTextLayer() }] { _ = try bytes(of: make, scale: 1) }
    for scale in [1.0, 2] {
      let (text, bitmaps) = (try bytes(of: { TextLayer() }, scale: scale), try bytes(of: { DrawnTextLayer() }, scale: scale))
      print("200 lines at scale \(scale): \(text) bytes as text, \(bitmaps) as bitmaps")
      XCTAssertGreaterThan(text, 200 * 40 * MemoryLayout<GlyphRun.Glyph>.size, "the glyphs are counted")
      XCTAssertLessThan(Double(text), 0.4 * Double(bitmaps), "at scale \(scale)")
    }
  }

  private func bytes(of make: () -> TextLayer, scale: Double) throws -> Int {
    let font = try SystemFonts.font(.regular, size: 14)
    let before = Int(allocation_counter_heap_bytes())
    let root = Layer(frame: Rect(x: 0, y: 0, width: 640, height: 4000))
    for index in 0..<200 {
      let line = make()
      line.frame = Rect(x: 10, y: Double(index) * 20, width: 300, height: 18)
      (line.font, line.string) = (font, "\(1000 + index) the quick brown fox jumps over 12 dogs")
      root.addSublayer(line)
    }
    let context = LayerContext(root: root, workers: Stage.workers, scale: scale)
    _ = context.commit(at: .zero)
    let tree = context.renderTree(at: .zero)
    let bytes = Int(allocation_counter_heap_bytes()) - before
    XCTAssertEqual(
      tree.sides.filter { $0.content is TextContent }.count, type(of: root.sublayers[0]) == TextLayer.self ? 200 : 0)
    return withExtendedLifetime((root, context, tree)) { bytes }
  }
}

/// A subclass draws a bitmap.
private final class DrawnTextLayer: TextLayer {}
