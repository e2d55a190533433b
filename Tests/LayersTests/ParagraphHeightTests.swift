import Geometry
import Raster
import RenderTree
import Typesetting
import XCTest

@testable import Layers

/// A paragraph layer shows as many lines as it is high enough for.
@preconcurrency @MainActor final class ParagraphHeightTests: XCTestCase {
  /// No line is cut through its letters: those for which there is no height are left out, whether or not the layer masks to its bounds.
  func testWholeLinesAreShown() throws {
    let layer = ParagraphLayer()
    layer.fonts = try FontLibrary(files: [SystemFonts.path(of: "DejaVuSans.ttf")])
    (layer.baseFont, layer.attributedText) = (FontRequest(["DejaVu Sans"], size: 10), "one\ntwo\nthree\nfour")
    layer.frame = Rect(x: 5, y: 5, width: 90, height: 300)
    layer.insets = Insets(top: 3, left: 0, bottom: 5, right: 0)
    let (stage, _) = Stage.showing(layer)
    let lines = try XCTUnwrap(layer.layout?.lines)
    XCTAssertEqual(lines.count, 4)
    func bottom(_ count: Int) -> Double { 8 + lines[count - 1].top + lines[count - 1].height }
    for (height, count) in [
      (bottom(4), 4), (bottom(4) - 0.9, 4), (bottom(4) - 1.1, 3), (bottom(3), 3), (bottom(2) + 2, 2), (bottom(1), 1), (4, 1),
    ] {
      layer.bounds.size.height = height
      for masks in [false, true] {
        layer.masksToBounds = masks
        for edge in ParagraphLayer.VerticalAlignment.allCases {
          layer.verticalAlignment = edge
          stage.turn()
          let layout = try XCTUnwrap(layer.layout)
          XCTAssertEqual(layout.lines.count, count, "\(height)")
          XCTAssertEqual(layout.isTruncated, count < 4)
          let parts = (stage.tree().sides.last?.content as? TextContent)?.parts ?? []
          let baselines = Set(parts.compactMap { if case .glyphs(let run) = $0 { run.baseline.y } else { nil } })
          XCTAssertEqual(baselines.count, count, "\(height)")
          let room = max(height - 8 - layout.size.height, 0)
          let top = layer.bounds.minY + 3 + (edge == .top ? 0 : edge == .center ? room / 2 : room)
          XCTAssertEqual(layer.layoutOrigin.y, top, accuracy: 1e-9)
        }
      }
      XCTAssertEqual(layer.size(fitting: SizeProposal(width: 90)).height, bottom(4).rounded(.up), "all that it has")
    }
  }
}
