import Framepace
import Glibc
import XCTest

/// Compares sheets of small cards for the ways in which colours mix, of an image and of layers, with stored pictures.
final class MixingGoldenTests: XCTestCase {
  /// A fine drawing in sizes between its halves: a row for each filter, and one in which width and height differ.
  func testShrunkContents() throws {
    let rings = try Self.rings()
    try Sheet.check("look-shrunk") { sheet in
      @MainActor func add(_ width: Double, _ height: Double, _ filter: ImageFilter) {
        sheet.add { card in
          let picture = Layer(frame: Rect(x: -10, y: -10, width: width, height: height))
          (picture.contents, picture.minificationFilter) = (rings, filter)
          card.addSublayer(picture)
        }
      }
      for filter in ImageFilter.allCases {
        for side in [80.0, 60, 44, 31] { add(side, side, filter) }
      }
      for side in [80.0, 60, 44, 31] { add(80, side, .trilinear) }
    }
  }

  /// White on black and black on white, antialiased and faded; colours of equal brightness over each other and in a gradient; a group,
  /// a shadow, a mode of blending, an image that is copied.
  func testBlending() throws {
    let (image, font) = (try Sheet.image(), try SystemFonts.font(.regular, size: 13))
    for blending in Blending.allCases {
      try Sheet.check("look-blending-\(blending.rawValue)", blending: blending) { sheet in
        for (ground, color) in [(Color.black, Color.white), (.white, .black)] {
          sheet.add { card in
            card.backgroundColor = ground
            let text = TextLayer()
            (text.bounds, text.anchorPoint) = (Rect(x: 0, y: 0, width: 60, height: 20), .zero)
            (text.font, text.string, text.color) = (font, "Light 12", color)
            card.addSublayer(text)
            for index in 0..<4 {
              let line = Layer(frame: Rect(x: 6, y: 22 + Double(index) * 9, width: 48, height: 1 + Double(index) / 2))
              (line.backgroundColor, line.transform) = (color, .rotation(0.12))
              card.addSublayer(line)
            }
          }
          sheet.add { card in
            card.backgroundColor = ground
            for index in 0..<6 {
              let step = Layer(frame: Rect(x: Double(index) * 10, y: 10, width: 10, height: 40))
              (step.backgroundColor, step.opacity) = (color, Double(index) / 5)
              card.addSublayer(step)
            }
          }
        }
        let (red, green) = (Color(hex: 0xFF0000), Color(hex: 0x00FF00))
        sheet.add { card in
          card.backgroundColor = green
          let half = Layer(frame: Rect(x: 15, y: 15, width: 45, height: 45))
          (half.backgroundColor, half.opacity) = (red, 0.5)
          card.addSublayer(half)
        }
        sheet.add { card in
          let gradient = GradientLayer(frame: card.bounds)
          (gradient.colors, gradient.startPoint, gradient.endPoint) = ([red, green], .zero, Point(1, 0))
          card.addSublayer(gradient)
        }
        sheet.add { card in
          let gradient = GradientLayer(frame: card.bounds)
          (gradient.type, gradient.colors) = (.radial, [.white, Color.white.withAlpha(0)])
          (gradient.startPoint, gradient.endPoint) = (Point(0.5, 0.5), Point(1, 1))
          card.backgroundColor = .black
          card.addSublayer(gradient)
        }
        sheet.add { card in
          (card.opacity, card.shadowOpacity, card.shadowOffset, card.cornerRadius) = (0.6, 1, Size(6, 8), 12)
          card.addSublayer(Sheet.layer(Rect(x: 20, y: 20, width: 50, height: 24), 0x9370DB))
        }
        sheet.add { card in
          let top = Sheet.layer(Rect(x: 15, y: 5, width: 50, height: 50), 0xE0_A020)
          (top.compositingFilter, top.cornerRadius) = (.multiply, 12)
          card.addSublayer(top)
        }
        sheet.add { ($0.contents, $0.contentsGravity) = (image, .center) }
        sheet.add { ($0.contents, $0.transform) = (image, .rotation(0.3)) }
        sheet.add { card in
          card.mask = Sheet.layer(Rect(x: 0, y: 0, width: 60, height: 60), 0)
          card.mask?.cornerRadius = 30
          card.mask?.opacity = 0.5
        }
      }
    }
  }

  /// 120 by 120 pixels: rings that become finer towards the edge.
  private static func rings() throws -> Image {
    let bitmap = try Bitmap(width: 120, height: 120)
    for y in 0..<120 {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<120 {
        let (dx, dy) = (Double(x) - 59.5, Double(y) - 59.5)
        let value = UInt32(128 + 120 * cos((dx * dx + dy * dy) / 50))
        row[x] = 0xFF00_0000 | value << 16 | value << 8 | (value / 2 + 60)
      }
    }
    return bitmap.freeze()
  }
}
