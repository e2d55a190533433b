import Framepace
import FramepaceTesting
import TestLength
import XCTest

/// A hit test and the compositor agree: in random trees the layer that is hit at the middle of a pixel is the one that painted it.
@preconcurrency @MainActor final class HitTestPixelTests: XCTestCase {
  private static let (width, height) = (96, 64)

  func testWhoIsHitIsWhoPainted() throws { try findPainters(inMotion: false) }

  /// The same while most layers are animated, by the time of the frame that is seen.
  func testWhoIsHitInMotionIsWhoPainted() throws { try findPainters(inMotion: true) }

  private func findPainters(inMotion: Bool) throws {
    let images = try RandomLayers.images(seed: 1)
    let workers = WorkerPool(threads: 2)
    var (agreed, asked, clipped, moved) = (0, 0, 0, 0)
    // Each evaluation of an animation takes its time.
    let step = inMotion ? 3 : 1
    for seed in some(10, of: 1...200 as ClosedRange<UInt64>) {
      let stage = try ManualStage(width: Self.width, height: Self.height, rate: .hertz60, workers: workers)
      let random = RandomLayers(in: stage.root, seed: seed, count: 20, images: images)
      for _ in 0..<60 { random.edit() }
      var painters: [UInt32: Layer] = [:]
      Transaction.withoutActions { Self.color(stage.root, &painters) }
      if inMotion {
        var random = SplitMix64(seed: seed)
        for layer in stage.root.sublayers { Self.move(layer, &random) }
      }
      stage.run(for: .milliseconds(inMotion ? 400 : 40))
      let shown = inMotion ? stage.engine.output.shownTime : nil
      let image = try stage.display.capture()
      for y in stride(from: 0, to: Self.height, by: step) {
        let row = image.row(y).assumingMemoryBound(to: UInt32.self)
        for x in stride(from: 0, to: Self.width, by: step) {
          asked += 1
          // Nobody painted a pixel that several edges share.
          guard let painter = painters[row[x] & 0xFF_FFFF] else { continue }
          let hit = Self.hit(stage.root, Double(x) + 0.5, Double(y) + 0.5, shown)
          // An edge goes by, or a layer lies there that is too thin to colour a pixel.
          guard Self.isFirm(hit, stage.root, x, y, shown), hit.map(Self.isNear) ?? true else { continue }
          agreed += 1
          if painter.superlayer?.masksToBounds == true { clipped += 1 }
          if Self.hit(stage.root, Double(x) + 0.5, Double(y) + 0.5, nil) !== hit { moved += 1 }
          XCTAssertTrue(
            hit === painter, "seed \(seed), pixel \(x) \(y): hit \(hit.map { "\($0)" } ?? "nobody"), painted by \(painter)"
          )
          if hit !== painter { return }
        }
      }
      stage.engine.invalidate()
    }
    // Otherwise nothing would have been proven. In ten trees there may be few clips.
    XCTAssertGreaterThan(agreed, asked / 2)
    XCTAssertGreaterThan(inMotion ? moved : clipped, isLongRun ? asked / 50 : 0)
  }

  private static func hit(_ root: Layer, _ x: Double, _ y: Double, _ shown: MonotonicTime?) -> Layer? {
    let point = Point(x, y)
    return shown.map { root.hitTest(point, at: $0) } ?? root.hitTest(point)
  }

  /// Animates a layer and those in it for longer than the test.
  private static func move(_ layer: Layer, _ random: inout SplitMix64) {
    func number(_ range: ClosedRange<Double>) -> Double { Double.random(in: range, using: &random) }
    func point(_ range: ClosedRange<Double>) -> Point { Point(number(range), number(range)) }
    for _ in 0..<Int.random(in: 0...2, using: &random) {
      let animation: any Animation =
        switch Int.random(in: 0..<7, using: &random) {
        case 0: BasicAnimation(.position, from: point(0...90), duration: .seconds(1))
        case 1: BasicAnimation(.rotation, from: number(-4...4), to: number(-4...4), duration: .seconds(1))
        case 2: BasicAnimation(.boundsSize, to: Size(number(5...60), number(5...60)), duration: .seconds(1))
        case 3: BasicAnimation(.boundsOrigin, to: point(-20...20), duration: .milliseconds(300))
        case 4: BasicAnimation(.transformScale, to: number(0.3...2), duration: .seconds(1))
        case 5: BasicAnimation(.sublayerTransform, to: .rotation(number(-1...1), x: 0, y: 1, z: 0), duration: .seconds(1))
        default: SpringAnimation(.position, from: point(0...90), to: point(0...90))
        }
      layer.add(animation)
    }
    for sublayer in layer.sublayers { move(sublayer, &random) }
  }

  /// A layer runs across the screen: a finger finds it where the last frame shows it, and not where it will stop.
  func testAFingerFindsALayerWhereItIsSeen() throws {
    final class Told: Responder {
      var count = 0
      override func touchBegan(_ touch: Touch) { count += 1 }
    }
    let stage = try ManualStage(width: 96, height: 32, rate: .hertz60)
    defer { stage.engine.invalidate() }
    let (layer, told) = (Layer(frame: Rect(x: 0, y: 8, width: 16, height: 16)), Told())
    (layer.backgroundColor, layer.responder) = (.white, told)
    stage.root.addSublayer(layer)
    let device = InputDevice(id: InputDevice.ID(rawValue: 1), name: "", abilities: .touch)
    func send(_ action: InputEvent.Action) {
      stage.engine.inputRouter.receive(InputEvent(time: stage.clock.now, device: device.id, action: action))
      stage.turn()
    }
    send(.added(device))
    stage.run(for: .milliseconds(100))
    Transaction.withoutActions { layer.position.x = 88 }
    layer.add(BasicAnimation(.positionX, from: 8, to: 88, duration: .seconds(1)))
    // Before the first frame of it: the screen shows the layer where it was.
    for _ in 0..<40 {
      let image = try stage.display.capture()
      let row = image.row(16).assumingMemoryBound(to: UInt32.self)
      for x in 0..<96 {
        let isSeen = row[x] & 0xFF_FFFF == 0xFF_FFFF
        // Nobody can say whose an edge is.
        if !isSeen, row[x] & 0xFF_FFFF != 0 { continue }
        let count = told.count
        send(.touch(finger: 0, .down(Point((Double(x) + 0.5) / 96, 0.5))))
        send(.touch(finger: 0, .up))
        XCTAssertEqual(told.count - count, isSeen ? 1 : 0, "at \(x)")
      }
      stage.run(for: .milliseconds(23))
    }
    XCTAssertGreaterThan(told.count, 300)
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

  private static func isFirm(_ hit: Layer?, _ root: Layer, _ x: Int, _ y: Int, _ shown: MonotonicTime?) -> Bool {
    for (dx, dy) in [(-1.0, 0.0), (1, 0), (0, -1), (0, 1)] {
      let near = Self.hit(root, Double(x) + 0.5 + dx / 8, Double(y) + 0.5 + dy / 8, shown)
      if near !== hit { return false }
    }
    return true
  }
}
