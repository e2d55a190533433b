import Framepace
import FramepaceTesting
import XCTest

/// Layers in tiles: in several levels, turned, translucent, cut and in perspective.
final class TileGoldenTests: XCTestCase {
  func testTiles() throws {
    try Sheet.check("look-tiles") { sheet in
      @MainActor func add(_ change: (PlanLayer) -> Void) {
        sheet.add { card in
          let layer = PlanLayer(frame: Rect(x: -10, y: -10, width: 80, height: 80))
          (layer.tileSize, layer.fadeDuration) = (Size(24, 24), .zero)
          (layer.levelsOfDetail, layer.levelsOfDetailBias) = (3, 1)
          change(layer)
          card.addSublayer(layer)
        }
      }
      add { _ in }
      add { $0.transform = .scale(0.5) }
      add { $0.transform = .scale(1.4) }
      add { $0.transform = .rotation(0.4) }
      add { ($0.alpha, $0.transform) = (0.5, .rotation(0.4)) }
      add { ($0.cornerRadius, $0.masksToBounds, $0.opacity) = (24, true, 0.7) }
      // A window of the middle of a larger one.
      add { layer in
        layer.bounds = Rect(x: 30, y: 50, width: 70, height: 40)
        layer.transform = .rotation(.pi / 4, x: 0, y: 1, z: 0)
      }
      let image = try Sheet.image()
      sheet.add { card in
        let layer = TiledLayer(frame: Rect(x: -10, y: -10, width: 80, height: 80))
        (layer.tileSize, layer.fadeDuration, layer.image) = (Size(24, 24), .zero, image)
        card.addSublayer(layer)
      }
    }
  }
}

/// Squares of 16 points, and the edges of tiles, in a colour for each level.
private final class PlanLayer: TiledLayer {
  var alpha = 1.0

  override func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? {
    Plan(rect: rect, scale: scale, alpha: alpha)
  }

  private struct Plan: Drawing {
    let rect: Rect
    let scale: Double
    let alpha: Double

    func draw(in context: DrawingContext) {
      context.fill(color: Color(hex: 0x30343C).withAlpha(alpha))
      for y in -1..<8 {
        for x in -1..<8 where (x + y).isMultiple(of: 2) {
          context.fill(
            Rect(x: Double(x) * 16, y: Double(y) * 16, width: 16, height: 16), color: Color(hex: 0x4A90D9).withAlpha(alpha))
        }
      }
      let color = scale > 1 ? Color(hex: 0xE0A020) : scale < 1 ? Color(hex: 0xE04030) : Color(hex: 0xFFFFFF)
      let edge = rect.insetBy(dx: 1.5 / scale, dy: 1.5 / scale)
      context.stroke(.rect(edge), StrokeStyle(width: 1 / scale), color: color)
    }
  }
}
