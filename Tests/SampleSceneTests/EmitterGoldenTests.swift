import Framepace
import FramepaceTesting
import XCTest

/// Compares particles of emitters with a stored picture.
final class EmitterGoldenTests: XCTestCase {
  func testEmitters() throws {
    let (strip, disc) = (try Self.image(12, 6, isRound: false), try Self.image(16, 16, isRound: true))
    try Sheet.check("look-emitters") { sheet in
      @MainActor func add(_ image: Image, _ change: (EmitterLayer, inout EmitterCell) -> Void) {
        sheet.add { card in
          card.backgroundColor = Color(hex: 0x202B39)
          let layer = EmitterLayer(frame: card.bounds)
          var cell = EmitterCell(contents: image)
          (cell.birthRate, cell.lifetime) = (20, 2)
          (cell.velocity, cell.emissionRange) = (16, 2 * .pi)
          (cell.beginTime, cell.color) = (.zero + .seconds(-5.0), Color(hex: 0xF5C542))
          (layer.emitterPosition, layer.seed) = (Point(30, 30), 3)
          change(layer, &cell)
          layer.emitterCells = [cell]
          // The time of the picture does not matter.
          (layer.speed, layer.timeOffset) = (0, .seconds(1.0))
          card.addSublayer(layer)
        }
      }
      add(strip) { _, cell in
        (cell.spin, cell.spinRange, cell.velocityRange) = (2, 6, 10)
        (cell.redRange, cell.blueRange, cell.greenRange) = (0.6, 1, 0.8)
      }
      add(disc) { layer, cell in
        layer.renderMode = .additive
        (cell.birthRate, cell.scale, cell.scaleSpeed) = (60, 0.8, -0.3)
        (cell.color, cell.alphaSpeed) = (Color(hex: 0xC06020), -0.4)
      }
      add(disc) { layer, cell in
        (layer.emitterShape, layer.emitterMode, layer.emitterSize) = (.rectangle, .outline, Size(40, 24))
        (cell.velocity, cell.scale, cell.birthRate) = (0, 0.3, 40)
      }
      add(disc) { layer, cell in
        (layer.emitterShape, layer.emitterMode, layer.emitterSize) = (.circle, .outline, Size(22, 0))
        (cell.velocity, cell.scale, cell.scaleRange, cell.birthRate) = (0, 0.3, 0.3, 40)
      }
      add(strip) { layer, cell in
        // Cut by a round layer, and faded as one.
        (layer.masksToBounds, layer.cornerRadius, layer.opacity) = (true, 30, 0.7)
        layer.backgroundColor = Color(hex: 0x1E90FF)
        (cell.birthRate, cell.velocity, cell.spin) = (40, 30, 3)
      }
      add(strip) { layer, cell in
        // The oldest, which are the largest, above the others.
        layer.renderMode = .oldestLast
        (cell.scale, cell.scaleSpeed, cell.color) = (0.4, 1, .white)
        (cell.redSpeed, cell.greenSpeed, cell.velocity) = (-0.5, -0.2, 10)
      }
      add(strip) { layer, cell in
        // Turned in space, behind glass of half the opacity.
        layer.superlayer?.sublayerTransform = .perspective(distance: 120)
        layer.transform = .rotation(0.9, x: 1, y: 0, z: 0)
        (cell.velocity, cell.yAcceleration, cell.emissionRange) = (40, 60, 1)
        cell.emissionLongitude = -.pi / 2
      }
      add(disc) { layer, cell in
        // Behind each other by their depth, with gravity.
        layer.renderMode = .backToFront
        (cell.emissionLatitude, cell.velocityRange, cell.yAcceleration) = (1, 60, 20)
        (cell.redRange, cell.greenRange, cell.scale) = (1, 1, 0.6)
      }
    }
  }

  private static func image(_ width: Int, _ height: Int, isRound: Bool) throws -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    let context = DrawingContext(bitmap: bitmap)
    let rect = Rect(x: 0, y: 0, width: Double(width), height: Double(height))
    if isRound { context.fill(.ellipse(in: rect), color: .white) } else { context.fill(rect, color: .white) }
    context.flush()
    return bitmap.freeze()
  }
}
