import Framepace
import FramepaceTesting
import TestLength
import XCTest

/// `render(in:)` draws the bytes that an output shows.
@preconcurrency @MainActor final class RenderInTests: XCTestCase {
  private static let (width, height) = (96, 64)

  func testItDrawsWhatTheScreenShows() throws {
    let images = try RandomLayers.images(seed: 1)
    let font = try SystemFonts.font(.regular, size: 11)
    let workers = WorkerPool(threads: 1)
    for seed in some(10, of: 1...500 as ClosedRange<UInt64>) {
      let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60, workers: workers)
      let random = RandomLayers(in: stage.root, seed: seed, count: 12, images: images, font: font)
      for _ in 0..<40 { random.edit() }
      // The layers as they are set, in a root that has nothing behind it.
      Self.stop(stage.root)
      (stage.root.backgroundColor, stage.root.opacity) = (Color(hex: 0x203040), 1)
      stage.run(for: .milliseconds(60))
      let shown = try stage.display.capture()
      let bitmap = try Bitmap(width: Self.width, height: Self.height)
      let context = DrawingContext(bitmap: bitmap)
      try stage.root.render(in: context)
      context.flush()
      stage.engine.invalidate()
      for y in 0..<Self.height {
        let (found, expected) = (bitmap.row(y), shown.row(y))
        guard let x = (0..<Self.width).first(where: { Self.pixel(found, $0) != Self.pixel(expected, $0) }) else {
          continue
        }
        XCTFail(
          "seed \(seed), pixel \(x) \(y): \(String(Self.pixel(found, x), radix: 16)), not \(String(Self.pixel(expected, x), radix: 16))"
        )
        return
      }
    }
  }

  /// Over what the context has, under its transform, and inside of its clip.
  func testItDrawsInTheContextsCoordinates() throws {
    let layer = Layer(frame: Rect(x: 500, y: 500, width: 6, height: 4))
    (layer.backgroundColor, layer.isDoubleSided) = (Color(hex: 0xFF0000), false)
    layer.transform = .rotation(1)
    (layer.shadowOpacity, layer.shadowOffset, layer.shadowRadius) = (1, Size(2, 0), 0)
    let bitmap = try Bitmap(width: 20, height: 10)
    let context = DrawingContext(bitmap: bitmap, scale: 2)
    context.fill(color: Color(hex: 0x00FF00))
    context.clip(Rect(x: 0, y: 0, width: 20, height: 4))
    context.translate(x: 8, y: 1)
    context.scale(x: -1, y: 1)
    try layer.render(in: context)
    context.flush()
    func row(_ y: Int) -> String {
      (0..<20).map { x in
        switch Self.pixel(UnsafeRawPointer(bitmap.row(y)), x) {
        case 0xFFFF_0000: "r"
        case 0xFF00_FF00: "g"
        case 0xFF00_0000: "s"
        default: "?"
        }
      }.joined()
    }
    XCTAssertEqual(
      [1, 2, 7, 8].map(row),
      ["gggggggggggggggggggg", "ssssrrrrrrrrrrrrgggg", "ssssrrrrrrrrrrrrgggg", "gggggggggggggggggggg"])
    layer.isHidden = true
    try layer.render(in: context)
  }

  /// The opacity of a transform layer, for each of its sublayers by itself; its place does not count.
  func testItDrawsASpaceWithItsOpacity() throws {
    let box = TransformLayer()
    (box.position, box.transform, box.opacity) = (Point(50, 50), .rotation(1), 0.5)
    for x in [0, 2] as [Double] {
      let side = Layer(frame: Rect(x: x, y: 0, width: 4, height: 1))
      side.backgroundColor = .white
      box.addSublayer(side)
    }
    let bitmap = try Bitmap(width: 8, height: 1)
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: .black)
    try box.render(in: context)
    context.flush()
    for (x, expected) in [128, 128, 192, 192, 128, 128, 0, 0].enumerated() {
      XCTAssertEqual(
        Int(Self.pixel(UnsafeRawPointer(bitmap.row(0)), x) & 0xFF), expected, accuracy: expected == 0 ? 0 : 1, "pixel \(x)")
    }
  }

  private static func stop(_ layer: Layer) {
    Transaction.withoutActions {
      // Contents that are drawn later would fade in.
      layer.actions = nil
      (layer as? TiledLayer)?.fadeDuration = .zero
      // Particles stand: a frame may have been evaluated that the screen does not show yet.
      if layer is EmitterLayer { (layer.speed, layer.timeOffset) = (0, .seconds(1)) }
      layer.removeAllAnimations()
      for inner in layer.sublayers + [layer.mask].compactMap(\.self) { stop(inner) }
    }
  }

  private static func pixel(_ row: UnsafeRawPointer, _ x: Int) -> UInt32 { row.assumingMemoryBound(to: UInt32.self)[x] }
}
