import Framepace
import FramepaceTesting
import TestLength
import XCTest

/// A hit test and the compositor agree: in random trees the layer that is hit at the middle of a pixel is the one that painted it.
@preconcurrency @MainActor final class HitTestPixelTests: XCTestCase {
  private static let (width, height) = (96, 64)

  func testWhoIsHitIsWhoPainted() throws {
    let images = try RandomLayers.images(seed: 1)
    let workers = WorkerPool(threads: 2)
    var (agreed, asked, clipped) = (0, 0, 0)
    for seed in some(10, of: 1...200 as ClosedRange<UInt64>) {
      let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60, workers: workers)
      let random = RandomLayers(in: stage.root, seed: seed, count: 20, images: images)
      for _ in 0..<60 { random.edit() }
      var painters: [UInt32: Layer] = [:]
      Transaction.withoutActions { Self.color(stage.root, &painters) }
      stage.run(for: .milliseconds(40))
      let image = try stage.display.capture()
      for y in 0..<Self.height {
        let row = image.row(y).assumingMemoryBound(to: UInt32.self)
        for x in 0..<Self.width {
          asked += 1
          // Nobody painted a pixel that several edges share.
          guard let painter = painters[row[x] & 0xFF_FFFF] else { continue }
          let hit = stage.root.hitTest(Point(Double(x) + 0.5, Double(y) + 0.5))
          // An edge goes by, or a layer lies there that is too thin to colour a pixel.
          guard Self.isFirm(hit, stage.root, x, y), hit.map(Self.isNear) ?? true else { continue }
          agreed += 1
          if painter.superlayer?.masksToBounds == true { clipped += 1 }
          XCTAssertTrue(
            hit === painter, "seed \(seed), pixel \(x) \(y): hit \(hit.map { "\($0)" } ?? "nobody"), painted by \(painter)"
          )
          if hit !== painter { return }
        }
      }
      stage.engine.invalidate()
    }
    // Otherwise nothing would have been proven.
    XCTAssertGreaterThan(agreed, asked / 2)
    XCTAssertGreaterThan(clipped, asked / 50)
  }

  /// Gives every layer a colour of its own and nothing else to show. What is nearly clear is hidden, and other layers opaque: the
  /// hit test knows no more of opacity.
  private static func color(_ layer: Layer, _ painters: inout [UInt32: Layer]) {
    // Random colours: hardly one is a mixture of two others.
    var random = SplitMix64(seed: UInt64(painters.count))
    let color = UInt32.random(in: 1...0xFF_FFFF, using: &random)
    painters[color] = layer
    layer.backgroundColor = Color(hex: color)
    (layer.contents, layer.mask, layer.maskedCorners) = (nil, nil, .all)
    (layer.borderWidth, layer.shadowOpacity, layer.compositingFilter, layer.shouldRasterize) = (0, 0, .normal, false)
    (layer.blurRadius, layer.colorMatrix) = (0, .identity)
    (layer.backdropBlurRadius, layer.backdropColorMatrix) = (0, .identity)
    layer.removeAllAnimations()
    if layer.opacity > 0.01 { layer.opacity = 1 } else { layer.isHidden = true }
    // Without a clip the corners belong to the layer that leaves them free.
    if !layer.masksToBounds { layer.cornerRadius = 0 }
    if let shape = layer as? ShapeLayer { shape.path = nil }
    if let text = layer as? TextLayer { text.string = "" }
    if let gradient = layer as? GradientLayer { gradient.colors = [] }
    if let screen = layer as? SurfaceLayer { screen.surface = nil }
    if let tiled = layer as? TiledLayer { tiled.image = nil }
    // Copies are not hit, and a colour that is multiplied is another layer's.
    if let replicator = layer as? ReplicatorLayer {
      (replicator.instanceCount, replicator.instanceColor) = (1, .white)
    }
    for sublayer in layer.sublayers { Self.color(sublayer, &painters) }
  }

  /// Nothing is left of a pixel in the sums of numbers beyond: in a space they are not cut off before they are projected.
  private static func isNear(_ layer: Layer) -> Bool {
    let transform = layer.transform
    let reach = [layer.position.x, layer.position.y, transform.m41, transform.m42, transform.m43].map(abs).max() ?? 0
    return reach < 1e12 && layer.superlayer.map(isNear) ?? true
  }

  private static func isFirm(_ hit: Layer?, _ root: Layer, _ x: Int, _ y: Int) -> Bool {
    for (dx, dy) in [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)] {
      let near = root.hitTest(Point(Double(x) + 0.5 + dx / 8, Double(y) + 0.5 + dy / 8))
      if near !== hit { return false }
    }
    return true
  }
}
