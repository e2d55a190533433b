import Framepace
import FramepaceTesting
import XCTest

/// Compares a sheet of small cards for each property of a layer's look with a stored picture.
final class LookGoldenTests: XCTestCase {
  func testBorders() throws {
    try Sheet.check("look-borders") { sheet in
      sheet.add { $0.borderWidth = 4 }
      sheet.add { ($0.borderWidth, $0.cornerRadius, $0.borderColor) = (6, 18, Color(hex: 0x1E90FF, alpha: 0.6)) }
      sheet.add { card in
        // The border lies above the sublayers, and the group fades as one.
        (card.borderWidth, card.borderColor, card.opacity) = (5, Color(hex: 0x0000FF), 0.5)
        card.backgroundColor = Color(hex: 0xFF0000)
        card.addSublayer(Sheet.layer(Rect(x: 20, y: 20, width: 60, height: 20), 0x00FF00))
      }
      sheet.add { ($0.borderWidth, $0.transform) = (3, .rotation(0.3)) }
      sheet.add { ($0.borderWidth, $0.cornerRadius, $0.maskedCorners) = (3, 20, [.minXMinY, .maxXMaxY]) }
      sheet.add { ($0.cornerRadius, $0.maskedCorners) = (30, [.maxXMinY, .maxXMaxY]) }
      sheet.add { card in
        (card.cornerRadius, card.maskedCorners, card.masksToBounds) = (24, [.minXMaxY], true)
        card.addSublayer(Sheet.layer(Rect(x: -20, y: 30, width: 60, height: 60), 0x2E8B57))
      }
      sheet.add { ($0.borderWidth, $0.cornerRadius) = (50, 12) }
    }
  }

  func testSurfaces() throws {
    // Bars, and over a part of them a later update.
    let surface = try Surface(width: 16, height: 16)
    try surface.update(IntRect(x: 0, y: 0, width: 16, height: 16)) { pixels in
      for y in 0..<16 { for x in 0..<16 { pixels.row(y)[x] = [0xFF20_60C0, 0xFFE0_4030, 0, 0x8000_4000][x / 4] } }
    }
    try surface.commit()
    try surface.update(IntRect(x: 3, y: 6, width: 7, height: 4)) { pixels in
      for y in 0..<4 { pixels.row(y).update(repeating: 0xFFFF_FFFF) }
    }
    try surface.commit()
    let opaque = try Surface(width: 16, height: 16, isOpaque: true)
    let bytes = [UInt8](repeating: 0x60, count: 16 * 16 * 4)
    try bytes.withUnsafeBytes { try opaque.write($0, bytesPerRow: 64, to: IntRect(x: 0, y: 0, width: 16, height: 16)) }
    try opaque.commit()
    try Sheet.check("look-surfaces") { sheet in
      @MainActor func add(_ other: Surface? = nil, _ change: (SurfaceLayer) -> Void) {
        sheet.add { card in
          let layer = SurfaceLayer(frame: Rect(x: -10, y: -10, width: 80, height: 80))
          layer.surface = other ?? surface
          change(layer)
          card.addSublayer(layer)
        }
      }
      add { $0.magnificationFilter = .nearest }
      add { _ in }
      add { $0.contentsGravity = .topRight }
      add { ($0.contentsGravity, $0.contentsScale) = (.center, 0.5) }
      add { ($0.transform, $0.magnificationFilter) = (.rotation(0.4), .nearest) }
      add { ($0.contentsRect, $0.magnificationFilter) = (Rect(x: 0, y: 0.25, width: 0.5, height: 0.5), .nearest) }
      add { ($0.cornerRadius, $0.masksToBounds, $0.opacity) = (24, true, 0.7) }
      add(opaque) { ($0.borderWidth, $0.bounds.size) = (3, Size(60, 40)) }
    }
  }

  func testPicturesFromFiles() throws {
    try Sheet.check("look-picture-files") { sheet in
      sheet.addPicture("wide.jpg")
      sheet.addPicture("wide.jpg") { $0.contentsGravity = .resizeAspectFill }
      sheet.addPicture("wide.jpg") {
        ($0.contentsGravity, $0.masksToBounds, $0.cornerRadius) = (.resizeAspectFill, true, 20)
      }
      sheet.addPicture("orientation-6.jpg") { $0.contentsGravity = .resize }
      sheet.addPicture("translucent.png") { $0.contentsGravity = .center }
      sheet.addPicture("cmyk-profile.jpg") { ($0.transform, $0.opacity) = (.rotation(0.3), 0.8) }
      // In its second picture.
      sheet.addPicture("disposal-1.gif") { ($0.speed, $0.timeOffset) = (0, .milliseconds(60)) }
      sheet.addPicture("moving.webp") { $0.animates = false }
    }
  }

  func testContents() throws {
    let image = try Sheet.image()
    try Sheet.check("look-contents") { sheet in
      sheet.add { ($0.contents, $0.magnificationFilter) = (image, .nearest) }
      sheet.add { $0.contents = image }
      sheet.add { ($0.contents, $0.contentsRect) = (image, Rect(x: 0.5, y: 0, width: 0.5, height: 0.5)) }
      sheet.add { card in
        (card.contents, card.contentsRect) = (image, Rect(x: -0.5, y: -0.5, width: 2, height: 2))
        card.magnificationFilter = .nearest
      }
      sheet.add { card in
        (card.contents, card.contentsCenter) = (image, Rect(x: 0.25, y: 0.25, width: 0.5, height: 0.5))
        card.magnificationFilter = .nearest
      }
      sheet.add { card in
        (card.contents, card.contentsCenter) = (image, Rect(x: 0.5, y: 0.5, width: 0, height: 0))
        (card.contentsScale, card.transform) = (0.5, .rotation(0.2))
      }
      sheet.add { card in
        (card.contents, card.contentsGravity) = (image, .center)
        card.contentsRect = Rect(x: 0.25, y: 0.25, width: 0.5, height: 0.5)
      }
      sheet.add { ($0.contents, $0.contentsGravity, $0.contentsScale) = (image, .bottomRight, 0.5) }
    }
  }

  /// Contents half way and a quarter of the way to others, of all sizes and transparencies.
  func testContentsFade() throws {
    let (image, stripes) = (try Sheet.image(), try Self.stripes())
    try Sheet.check("look-contents-fade") { sheet in
      @MainActor func fade(_ card: Layer, _ from: Image?, _ to: Image?, at time: Nanoseconds) {
        (card.contents, card.magnificationFilter) = (to, .nearest)
        // The layer's time stands still.
        (card.speed, card.timeOffset) = (0, time)
        card.add(BasicAnimation(.contents, from: .image(from), to: .image(to), beginTime: .zero, duration: .seconds(1)))
      }
      for time in [0, 250, 500, 750] { sheet.add { fade($0, image, stripes, at: .milliseconds(Int64(time))) } }
      sheet.add { fade($0, nil, image, at: .milliseconds(500)) }
      sheet.add { card in
        fade(card, image, nil, at: .milliseconds(500))
        (card.contentsGravity, card.contentsScale) = (.bottomRight, 0.25)
      }
      sheet.add { card in
        fade(card, image, stripes, at: .milliseconds(500))
        (card.transform, card.cornerRadius, card.masksToBounds, card.borderWidth) = (.rotation(0.3), 20, true, 2)
      }
      sheet.add { card in
        fade(card, stripes, image, at: .milliseconds(500))
        (card.contentsCenter, card.contentsScale) = (Rect(x: 0.25, y: 0.25, width: 0.5, height: 0.5), 0.25)
      }
    }
  }

  func testShadows() throws {
    try Sheet.check("look-shadows") { sheet in
      sheet.add { $0.shadowOpacity = 1 }
      sheet.add { ($0.shadowOpacity, $0.shadowOffset, $0.shadowRadius) = (0.7, Size(6, 8), 8) }
      sheet.add { ($0.shadowOpacity, $0.shadowOffset, $0.shadowRadius) = (1, Size(5, 5), 0) }
      sheet.add { card in
        // Sublayers throw it too, and what is clear throws none.
        (card.shadowOpacity, card.shadowOffset, card.backgroundColor) = (1, Size(4, 6), nil)
        card.addSublayer(Sheet.layer(Rect(x: 0, y: 0, width: 30, height: 20), 0xFF8C00))
        card.addSublayer(Sheet.layer(Rect(x: 35, y: 30, width: 35, height: 20), 0x9370DB))
      }
      sheet.add { card in
        (card.shadowOpacity, card.shadowOffset, card.shadowRadius) = (1, Size(0, 14), 4)
        card.shadowPath = .ellipse(in: Rect(x: 0, y: 40, width: 60, height: 20))
      }
      sheet.add { ($0.shadowOpacity, $0.shadowOffset, $0.transform) = (0.8, Size(0, 10), .rotation(0.5)) }
      sheet.add { ($0.shadowOpacity, $0.masksToBounds, $0.cornerRadius) = (1, true, 10) }
      sheet.add { ($0.shadowOpacity, $0.shadowColor, $0.shadowRadius) = (1, Color(hex: 0xDC143C), 12) }
    }
  }

  func testInnerShadows() throws {
    try Sheet.check("look-inner-shadows") { sheet in
      sheet.add { $0.innerShadowOpacity = 1 }
      sheet.add { ($0.innerShadowOpacity, $0.innerShadowOffset, $0.innerShadowRadius) = (0.7, Size(4, 6), 8) }
      sheet.add { ($0.innerShadowOpacity, $0.innerShadowOffset, $0.innerShadowRadius) = (1, Size(5, 5), 0) }
      sheet.add { card in
        // Below the sublayers and the border, which is seen through.
        (card.innerShadowOpacity, card.innerShadowRadius, card.cornerRadius) = (1, 12, 20)
        (card.borderWidth, card.borderColor) = (6, Color(hex: 0x1E90FF, alpha: 0.5))
        card.addSublayer(Sheet.layer(Rect(x: 30, y: 25, width: 45, height: 14), 0x2E8B57))
      }
      sheet.add { card in
        (card.innerShadowOpacity, card.innerShadowColor, card.innerShadowRadius) = (1, Color(hex: 0xDC143C), 10)
        card.shadowPath = .ellipse(in: Rect(x: 5, y: 15, width: 50, height: 30))
      }
      sheet.add { ($0.innerShadowOpacity, $0.innerShadowOffset, $0.transform) = (0.8, Size(0, 8), .rotation(0.5)) }
      sheet.add { card in
        (card.innerShadowOpacity, card.innerShadowRadius, card.cornerRadius) = (0.9, 10, 24)
        (card.maskedCorners, card.opacity) = ([.minXMinY, .maxXMaxY], 0.5)
      }
      sheet.add { card in
        (card.innerShadowOpacity, card.innerShadowRadius, card.backgroundColor, card.cornerRadius) = (1, 8, nil, 30)
        (card.masksToBounds, card.shadowOpacity) = (true, 0)
      }
    }
  }

  func testFilters() throws {
    let image = try Sheet.image()
    try Sheet.check("look-filters") { sheet in
      sheet.add { ($0.contents, $0.blurRadius) = (image, 3) }
      sheet.add { card in
        // Sublayers and border are blurred with it, and its shadow is that of the blur.
        (card.blurRadius, card.borderWidth, card.shadowOpacity, card.shadowOffset) = (2, 4, 0.6, Size(6, 8))
        card.addSublayer(Sheet.layer(Rect(x: 35, y: 30, width: 45, height: 20), 0xFF8C00))
      }
      sheet.add { ($0.blurRadius, $0.transform, $0.cornerRadius) = (4, .rotation(0.5), 12) }
      sheet.add { ($0.contents, $0.colorMatrix) = (image, .saturation(0)) }
      sheet.add { ($0.contents, $0.colorMatrix) = (image, .hueRotation(2)) }
      sheet.add { ($0.contents, $0.colorMatrix) = (image, .inversion(1)) }
      sheet.add { ($0.contents, $0.colorMatrix) = (image, .contrast(0.4)) }
      sheet.add { ($0.contents, $0.colorMatrix) = (image, .saturation(0.2).concatenating(.brightness(1.4))) }
    }
  }

  /// Glass over the middle of cards and over the ground beside them.
  func testBackdrops() throws {
    let image = try Sheet.image()
    try Sheet.check("look-backdrops") { sheet in
      @MainActor func add(_ frame: Rect = Rect(x: 20, y: 15, width: 60, height: 30), _ change: @escaping (Layer) -> Void) {
        sheet.add { card in
          (card.contents, card.magnificationFilter) = (image, .nearest)
          let glass = Layer(frame: frame)
          glass.cornerRadius = 10
          change(glass)
          card.addSublayer(glass)
        }
      }
      add { $0.backdropBlurRadius = 3 }
      add { ($0.backdropBlurRadius, $0.backgroundColor) = (6, Color(white: 1).withAlpha(0.4)) }
      add { $0.backdropColorMatrix = .saturation(0) }
      add { ($0.backdropBlurRadius, $0.backdropColorMatrix) = (2, .inversion(1)) }
      add { ($0.backdropBlurRadius, $0.transform) = (4, .rotation(0.4)) }
      add { glass in
        // The border lies above, the shadow below.
        (glass.backdropBlurRadius, glass.borderWidth, glass.borderColor) = (4, 2, .white)
        (glass.shadowOpacity, glass.shadowOffset, glass.backgroundColor) = (0.6, Size(3, 5), Color(white: 1).withAlpha(0.3))
      }
      add { ($0.backdropBlurRadius, $0.opacity, $0.backgroundColor) = (4, 0.5, .white) }
      add { glass in
        glass.backdropBlurRadius = 4
        glass.mask = Sheet.layer(Rect(x: 0, y: 8, width: 60, height: 14), 0)
        glass.mask?.cornerRadius = 7
      }
      // Over other glass.
      add { glass in
        glass.backdropColorMatrix = .inversion(1)
        let second = Layer(frame: Rect(x: 25, y: -10, width: 20, height: 50))
        (second.backdropBlurRadius, second.cornerRadius) = (3, 6)
        glass.addSublayer(second)
      }
      // At the edge of the picture, which goes on beyond it.
      sheet.add { card in
        card.addSublayer(Sheet.layer(Rect(x: 20, y: 50, width: 30, height: 50), 0xDC143C))
        let glass = Layer(frame: Rect(x: 0, y: 40, width: 60, height: 60))
        glass.backdropBlurRadius = 8
        card.addSublayer(glass)
      }
    }
  }

  func testMasks() throws {
    let image = try Sheet.image()
    try Sheet.check("look-masks") { sheet in
      sheet.add { card in
        card.mask = Sheet.layer(Rect(x: 10, y: 10, width: 40, height: 40), 0)
        card.mask?.cornerRadius = 20
      }
      sheet.add { card in
        card.mask = Sheet.layer(Rect(x: 0, y: 0, width: 60, height: 60), 0)
        card.mask?.opacity = 0.4
      }
      sheet.add { card in
        card.mask = Layer()
        card.mask?.addSublayer(Sheet.layer(Rect(x: 0, y: 0, width: 25, height: 60), 0))
        card.mask?.addSublayer(Sheet.layer(Rect(x: 40, y: 10, width: 40, height: 30), 0))
        card.addSublayer(Sheet.layer(Rect(x: 30, y: 5, width: 50, height: 15), 0xFF8C00))
      }
      sheet.add { card in
        (card.contents, card.mask) = (image, Sheet.layer(Rect(x: 5, y: 15, width: 50, height: 30), 0))
        card.mask?.transform = .rotation(0.5)
        card.mask?.shadowOpacity = 1
        card.mask?.shadowOffset = .zero
        card.mask?.shadowRadius = 10
      }
    }
  }

  func testBlendModes() throws {
    try Sheet.check("look-blend-modes") { sheet in
      for mode in BlendMode.allCases where !Self.operators.contains(mode) {
        sheet.add { card in
          for (index, color) in [0xE0_4030, 0x30_C060, 0x30_60E0].enumerated() {
            card.addSublayer(Sheet.layer(Rect(x: 0, y: Double(index) * 20, width: 40, height: 20), UInt32(color)))
          }
          let top = Sheet.layer(Rect(x: 15, y: 5, width: 50, height: 50), 0xE0_A020)
          (top.compositingFilter, top.cornerRadius) = (mode, 12)
          card.addSublayer(top)
        }
      }
    }
  }

  private static let operators: [BlendMode] = [
    .destinationOver, .sourceAtop, .destinationOut, .xor, .plusLighter, .clear, .copy, .sourceIn, .destinationIn, .sourceOut,
    .destinationAtop,
  ]

  /// In a group of its own, on what is opaque, translucent and clear in it.
  func testOperators() throws {
    try Sheet.check("look-operators") { sheet in
      for mode in Self.operators {
        sheet.add { card in
          let group = Layer(frame: card.bounds)
          group.opacity = 0.9
          group.addSublayer(Sheet.layer(Rect(x: 0, y: 0, width: 40, height: 30), 0xE0_4030))
          let under = Sheet.layer(Rect(x: 0, y: 30, width: 40, height: 30), 0x30_60E0)
          under.backgroundColor = Color(hex: 0x3060E0, alpha: 0.5)
          let top = Sheet.layer(Rect(x: 15, y: 5, width: 50, height: 50), 0x20_A040)
          (top.compositingFilter, top.cornerRadius, top.opacity) = (mode, 12, 0.8)
          for layer in [under, top] { group.addSublayer(layer) }
          card.addSublayer(group)
        }
      }
    }
  }

  /// Turned cards of nine layers that meet: with all edges antialiased, and without those inside.
  func testEdges() throws {
    let image = try Sheet.image()
    try Sheet.check("look-edges") { sheet in
      for (mask, hasImages) in [(Edges.all, false), ([], false), ([], true)] {
        sheet.add { card in
          (card.backgroundColor, card.transform) = (nil, .rotation(0.3))
          for index in 0..<9 {
            let (column, row) = (Double(index % 3), Double(index / 3))
            let cell = Sheet.layer(Rect(x: column * 20, y: row * 20, width: 20, height: 20), 0x1E_90FF)
            if hasImages {
              (cell.contents, cell.contentsRect) = (image, Rect(x: column / 3, y: row / 3, width: 1 / 3, height: 1 / 3))
            }
            cell.edgeAntialiasingMask = mask
            card.addSublayer(cell)
          }
        }
      }
      sheet.add { card in
        (card.transform, card.masksToBounds, card.edgeAntialiasingMask) = (.rotation(0.3), true, [.minX, .minY])
        card.addSublayer(Sheet.layer(Rect(x: 20, y: 20, width: 60, height: 60), 0x2E8B57))
      }
    }
  }

  func testRasterized() throws {
    try Sheet.check("look-rasterized") { sheet in
      for (scale, turn) in [(1, 0), (0.25, 0), (1, 0.4), (2, 0.4)] {
        sheet.add { card in
          (card.shouldRasterize, card.rasterizationScale) = (true, scale)
          (card.transform, card.cornerRadius, card.borderWidth) = (.rotation(turn), 16, 3)
          card.addSublayer(Sheet.layer(Rect(x: 20, y: 20, width: 60, height: 8), 0x2E8B57))
          card.shadowOpacity = 0.6
        }
      }
    }
  }

  /// A line of a point, a line of a pixel, a picture of the display's pixels, a shape, text, and the thinnest lines between pixels
  /// and turned, in each size of a point.
  func testScales() throws {
    let image = try Sheet.image()
    let font = try SystemFonts.font(.regular, size: 13)
    for scale in [1, 1.25, 1.5, 2] {
      try Sheet.check("look-scale-\(scale)", scale: scale) { sheet in
        sheet.add { ($0.borderWidth, $0.backgroundColor) = (1, nil) }
        sheet.add { ($0.borderWidth, $0.backgroundColor) = (1 / scale, nil) }
        sheet.add { ($0.contents, $0.contentsGravity, $0.contentsScale) = (image, .topLeft, scale) }
        sheet.add { card in
          let shape = ShapeLayer()
          (shape.bounds, shape.anchorPoint) = (card.bounds, .zero)
          shape.path = .ellipse(in: card.bounds.insetBy(dx: 4, dy: 4))
          card.addSublayer(shape)
        }
        for alignment in [TextLayer.Alignment.left, .center] {
          sheet.add { card in
            let text = TextLayer()
            (text.bounds, text.anchorPoint, text.alignment) = (card.bounds, .zero, alignment)
            (text.font, text.string) = (font, "Sharp 12")
            card.addSublayer(text)
          }
        }
        sheet.add { card in
          (card.borderWidth, card.backgroundColor) = (0.01, nil)
          card.position += Point(0.5 / scale, 0.5 / scale)
        }
        sheet.add { ($0.borderWidth, $0.backgroundColor, $0.transform) = (0.01, nil, .rotation(0.3)) }
      }
    }
  }

  // MARK: Help

  /// Six by three pixels: stripes of a colour, a thinner one and none.
  private static func stripes() throws -> Image {
    let bitmap = try Bitmap(width: 6, height: 3)
    for y in 0..<3 {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<6 { row[x] = [0xFF90_30C0, 0x8048_1860, 0][x % 3] }
    }
    return bitmap.freeze()
  }
}
