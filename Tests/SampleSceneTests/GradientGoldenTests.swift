import Framepace
import FramepaceTesting
import XCTest

/// Compares sheets of gradients, in layers and in shapes, with stored pictures.
final class GradientGoldenTests: XCTestCase {
  /// One path in several scales, with lines that are measured in pixels.
  func testHairlines() throws {
    try Sheet.check("look-hairlines") { sheet in
      @MainActor func add(_ transform: Affine, _ change: (ShapeLayer) -> Void = { _ in }) {
        sheet.add { card in
          let shape = ShapeLayer()
          var path = Path.roundedRect(Rect(x: -30, y: -30, width: 60, height: 60), cornerRadius: 12)
          path.move(to: Point(-30, 0))
          path.line(to: Point(0, -20))
          path.line(to: Point(30, 20))
          (shape.path, shape.fillColor, shape.strokeColor) = (path, nil, Color(hex: 0x0B1D3A))
          (shape.strokeStyle, shape.position, shape.affineTransform) = (.hairline, Point(30, 30), transform)
          change(shape)
          card.addSublayer(shape)
        }
      }
      add(.identity)
      add(.scale(0.4)) { $0.fillColor = .white }
      add(.scale(1.3))
      add(.scale(x: 1.2, y: 0.15))
      add(Affine.scale(x: 1.2, y: 0.4).concatenating(.rotation(0.7))) { $0.strokeStyle.dash = [6, 3] }
      add(.scale(0.05)) { $0.path = $0.path?.applying(.scale(20)) }
      add(.scale(400)) { shape in
        shape.path = shape.path?.applying(.scale(1.0 / 400))
        (shape.strokeStyle.width, shape.strokeStyle.join, shape.opacity) = (5, .round, 0.6)
      }
      add(.identity) { shape in
        shape.transform = .rotation(1.1, x: 0, y: 1, z: 0)
        shape.fillColor = .white
      }
    }
  }

  func testGradients() throws {
    let (sun, sky, night) = (Color(hex: 0xFFD54A), Color(hex: 0x1E90FF), Color(hex: 0x0B1D3A))
    try Sheet.check("look-gradients") { sheet in
      @MainActor func add(_ change: (GradientLayer) -> Void) {
        sheet.add { card in
          let gradient = GradientLayer(frame: Rect(x: -10, y: -10, width: 80, height: 80))
          gradient.colors = [sun, sky, night]
          change(gradient)
          card.addSublayer(gradient)
        }
      }
      add { _ in }
      add { ($0.startPoint, $0.endPoint, $0.locations) = (.zero, Point(1, 1), [0.2, 0.2, 0.8]) }
      add { ($0.type, $0.startPoint, $0.endPoint) = (.radial, Point(0.5, 0.5), Point(1, 1)) }
      add { ($0.type, $0.startPoint, $0.endPoint) = (.radial, Point(0.3, 0.5), Point(0.6, 1.2)) }
      add { ($0.type, $0.startPoint, $0.endPoint) = (.conic, Point(0.5, 0.5), Point(0.5, 0)) }
      add { ($0.cornerRadius, $0.borderWidth, $0.borderColor) = (24, 3, sun) }
      // It fades out over the card and turns with the layer.
      add { ($0.colors, $0.transform) = ([sky, sky.withAlpha(0)], .rotation(0.4)) }
      add { gradient in
        (gradient.cornerRadius, gradient.masksToBounds, gradient.opacity) = (24, true, 0.7)
        gradient.addSublayer(Sheet.layer(Rect(x: 40, y: 40, width: 60, height: 60), 0x2E8B57))
      }
      // Two dark levels, dithered.
      add { $0.colors = [Color(hex: 0x101014), Color(hex: 0x14141A)] }
      add { gradient in
        let mask = GradientLayer(frame: gradient.bounds)
        (mask.colors, mask.type) = ([.black, .clear], .radial)
        (mask.startPoint, mask.endPoint) = (Point(0.5, 0.5), Point(1, 1))
        gradient.mask = mask
      }
      add { ($0.type, $0.startPoint, $0.endPoint, $0.colors) = (.conic, Point(0.2, 0.2), Point(1, 1), [sun]) }
      // No line: the card is seen.
      add { $0.endPoint = $0.startPoint }
    }
  }

  func testShapeGradients() throws {
    let (sun, sky, night) = (Color(hex: 0xFFD54A), Color(hex: 0x1E90FF), Color(hex: 0x0B1D3A))
    try Sheet.check("look-shape-gradients") { sheet in
      @MainActor func add(_ change: (ShapeLayer) -> Void) {
        sheet.add { card in
          let shape = ShapeLayer(frame: card.bounds)
          shape.path = .ellipse(in: Rect(x: 8, y: 8, width: 44, height: 44))
          shape.fillColor = night
          change(shape)
          card.addSublayer(shape)
        }
      }
      add { $0.fillGradient = ShapeGradient(from: Point(30, 8), to: Point(30, 52), colors: [sun, sky, night]) }
      add { $0.fillGradient = ShapeGradient(.radial, from: Point(22, 22), to: Point(52, 52), colors: [sun, sky]) }
      add { $0.fillGradient = ShapeGradient(.conic, from: Point(30, 30), to: Point(30, 0), colors: [sun, sky, sun]) }
      add { shape in
        (shape.fillColor, shape.strokeStyle.width) = (nil, 10)
        shape.strokeGradient = ShapeGradient(.conic, from: Point(30, 30), to: Point(30, 0), colors: [night, sky, sun])
      }
      add { shape in
        (shape.strokeStyle.width, shape.strokeStyle.dash, shape.strokeStyle.cap) = (6, [0.1, 12], .round)
        shape.strokeGradient = ShapeGradient(from: Point(0, 0), to: Point(60, 60), colors: [sun, sky])
        shape.fillColor = nil
      }
      // It fades out, turns with the layer, and is cut by the layer's bounds.
      add { shape in
        shape.fillGradient = ShapeGradient(from: Point(8, 0), to: Point(52, 0), colors: [sky, sky.withAlpha(0)])
        (shape.transform, shape.masksToBounds) = (.rotation(0.5), true)
        shape.bounds.size = Size(36, 60)
      }
      add { shape in
        let edge = [Gradient.Stop(sun, at: 0.5), Gradient.Stop(sky, at: 0.5)]
        shape.fillGradient = ShapeGradient(from: Point(8, 8), to: Point(52, 52), stops: edge)
        shape.strokeGradient = ShapeGradient(from: Point(8, 8), to: Point(52, 52), colors: [sky, sun])
        (shape.strokeStyle.width, shape.opacity) = (6, 0.6)
      }
      // Without stops the colour is seen.
      add { $0.fillGradient = ShapeGradient(from: .zero, to: Point(9, 9), stops: []) }
    }
  }
}
