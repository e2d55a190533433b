import Framepace
import FramepaceTesting
import Glibc
import TestLength
import XCTest

/// Whatever the size of a point, what lies on whole pixels is sharp: nothing is interpolated that need not be.
@preconcurrency @MainActor final class PointSizeTests: XCTestCase {
  private static let side = 120
  private static let scales = [1, 1.25, 1.5, 2]

  /// Contents that were drawn, and images with a pixel for each of the output's, are copied: each pixel of them is one on the screen.
  func testPicturesOfTheirSizeAreCopied() throws {
    let font = try SystemFonts.font(.regular, size: 13)
    for scale in Self.scales {
      for seed in some(10, of: 1...200 as ClosedRange<UInt64>) {
        var random = SplitMix64(seed: seed)
        let frame = Self.frame(scale, &random)
        let (layer, offset) = try Self.picture(in: frame, scale, font, &random)
        let screen = try Self.screen(of: layer, in: frame, scale)
        let contents = try XCTUnwrap(layer.contents)
        let pixels = Self.pixels(frame, scale)
        for y in pixels.minY..<pixels.maxY {
          for x in pixels.minX..<pixels.maxX {
            let (column, row) = (Int(x - pixels.minX) - offset.x, Int(y - pixels.minY) - offset.y)
            let isInside = (0..<contents.width).contains(column) && (0..<contents.height).contains(row)
            let expected = isInside ? Self.pixel(contents, column, row) : 0xFF00_0000
            guard Self.pixel(screen, Int(x), Int(y)) != expected else { continue }
            return XCTFail("scale \(scale), seed \(seed), \(type(of: layer)), pixel \(x) \(y)")
          }
        }
      }
    }
  }

  /// A border in whole pixels, one at least; nothing of it or of the background lies beside.
  func testBordersAndEdgesAreSharp() throws {
    for scale in Self.scales {
      for seed in some(10, of: 1...200 as ClosedRange<UInt64>) {
        var random = SplitMix64(seed: seed)
        let frame = Self.frame(scale, &random)
        let layer = Layer()
        layer.backgroundColor = Color(hex: 0xFF0000)
        let width = [0.01, 0.5, 1 / scale, 1, 2, .random(in: 0...4, using: &random)].randomElement(using: &random) ?? 1
        (layer.borderWidth, layer.borderColor) = (width, Color(hex: 0x0000FF))
        let screen = try Self.screen(of: layer, in: frame, scale)
        let outer = Self.pixels(frame, scale)
        let line = Int32(max((width * scale).rounded(), 1))
        let inner = IntRect(
          minX: outer.minX + line, minY: outer.minY + line, maxX: outer.maxX - line, maxY: outer.maxY - line)
        for y in 0..<Self.side {
          for x in 0..<Self.side {
            let one = IntRect(x: x, y: y, width: 1, height: 1)
            let expected: UInt32 =
              !outer.contains(one) ? 0xFF00_0000 : !inner.isEmpty && inner.contains(one) ? 0xFFFF_0000 : 0xFF00_00FF
            guard Self.pixel(screen, x, y) != expected else { continue }
            return XCTFail("scale \(scale), seed \(seed), width \(width), pixel \(x) \(y)")
          }
        }
      }
    }
  }

  /// Between pixels and turned, the thinnest line still has the light of one pixel.
  func testHairlinesKeepAPixel() throws {
    for scale in Self.scales {
      for (offset, angle) in [(0.5, 0.0), (0.3, 0), (0, 0.4)] {
        let layer = Layer()
        (layer.borderWidth, layer.borderColor) = (0.01, .white)
        layer.transform = .rotation(angle)
        let size = Double(Self.side) / scale
        let frame = Rect(
          x: (size * 0.25 * scale).rounded() / scale + offset / scale, y: (size * 0.25 * scale).rounded() / scale,
          width: size / 2, height: size / 2)
        let screen = try Self.screen(of: layer, in: frame, scale)
        // Through the middle of both upright sides.
        let y = Int(((frame.midY) * scale).rounded())
        var light = 0.0
        for x in 0..<Self.side { light += Double(Self.pixel(screen, x, y) & 255) / 255 }
        let expected = 2 / cos(angle)
        XCTAssertEqual(light, expected, accuracy: 0.15, "scale \(scale), offset \(offset), angle \(angle)")
      }
    }
  }

  // MARK: Help

  /// A frame whose edges lie between pixels, but for the right and the bottom one.
  private static func frame(_ scale: Double, _ random: inout SplitMix64) -> Rect {
    func place() -> Double { Double(Int.random(in: 0...50, using: &random)) / scale }
    return Rect(
      x: place(), y: place(), width: Double(Int.random(in: 8...50, using: &random)) / scale,
      height: Double(Int.random(in: 8...50, using: &random)) / scale)
  }

  /// A layer with a picture that has a pixel for each of the output's, and where that lies in it.
  private static func picture(
    in frame: Rect, _ scale: Double, _ font: Font, _ random: inout SplitMix64
  ) throws -> (Layer, offset: (x: Int, y: Int)) {
    if random.chance(0.4) {
      let text = TextLayer()
      (text.font, text.string, text.color, text.isOpaque) = (font, "Sharp 123", .white, true)
      text.alignment = TextLayer.Alignment.allCases.randomElement(using: &random) ?? .left
      return (text, (0, 0))
    }
    let layer = Layer()
    let pixels = pixels(frame, scale)
    if random.chance(0.5) {
      layer.contents = try image(pixels.width, pixels.height, &random)
      return (layer, (0, 0))
    }
    let image = try image(.random(in: 1...60, using: &random), .random(in: 1...60, using: &random), &random)
    (layer.contents, layer.contentsScale) = (image, scale)
    let gravities: [ContentsGravity] = [.topLeft, .topRight, .bottomLeft, .bottomRight]
    let gravity = Int.random(in: 0..<4, using: &random)
    layer.contentsGravity = gravities[gravity]
    return (
      layer,
      (
        gravity.isMultiple(of: 2) ? 0 : pixels.width - image.width, gravity < 2 ? 0 : pixels.height - image.height
      )
    )
  }

  private static func image(_ width: Int, _ height: Int, _ random: inout SplitMix64) throws -> Image {
    let bitmap = try Bitmap(width: width, height: height)
    for y in 0..<height {
      let row = bitmap.row(y).assumingMemoryBound(to: UInt32.self)
      for x in 0..<width { row[x] = .random(in: 0xFF00_0000...0xFFFF_FFFF, using: &random) }
    }
    return bitmap.freeze()
  }

  private static func pixels(_ frame: Rect, _ scale: Double) -> IntRect {
    func whole(_ value: Double) -> Int { Int((value * scale).rounded()) }
    return IntRect(x: whole(frame.minX), y: whole(frame.minY), width: whole(frame.width), height: whole(frame.height))
  }

  /// The screen with the layer in two others, which lie on whole pixels too.
  private static func screen(of layer: Layer, in frame: Rect, _ scale: Double) throws -> Image {
    let stage = try ManualStage(width: side, height: side, rate: .hertz60, scale: scale, workers: WorkerPool(threads: 1))
    defer { stage.engine.invalidate() }
    let outer = Layer(frame: Rect(x: -3 / scale, y: 7 / scale, width: 200, height: 200))
    outer.bounds.origin = Point(-3 / scale, 7 / scale)
    (layer.bounds.size, layer.position) = (frame.size, Point(frame.midX, frame.midY))
    outer.addSublayer(layer)
    stage.root.addSublayer(outer)
    stage.run(for: .milliseconds(50))
    return try stage.display.capture()
  }

  private static func pixel(_ image: Image, _ x: Int, _ y: Int) -> UInt32 {
    image.row(y).assumingMemoryBound(to: UInt32.self)[x]
  }
}
