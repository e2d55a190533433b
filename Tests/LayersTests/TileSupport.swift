import Compositing
import Geometry
import LinuxSystem
import Raster
import RenderTree

@testable import Layers

/// The tiles of a layer that were asked for, and how far they came.
@MainActor
final class TileLog {
  struct Tile: Hashable {
    let rect: Rect
    let scale: Double
  }
  /// Those whose drawings were made, in order, since the list was last emptied.
  var requested: [Tile] = []
  /// Those that a worker began.
  var begun: [Tile] = []
  /// Those that were cancelled when all of them was drawn.
  var cancelled: [Tile] = []
  /// Called after half of each drawing.
  var meanwhile: (@MainActor (Tile) -> Void)?
}

/// A tiled layer that shows squares of 16 points in colours that tell their place, and the edition that was drawn.
final class SquaresLayer: TiledLayer {
  let log = TileLog()
  var edition: UInt32 = 1
  var isTranslucent = false
  var isLogged = true
  /// Called with each tile that is asked for.
  var asked: (@MainActor () -> Void)?

  override func makeDrawing(of rect: Rect, scale: Double) -> (any Drawing)? {
    let tile = TileLog.Tile(rect: rect, scale: scale)
    if isLogged { log.requested.append(tile) }
    asked?()
    return Squares(rect: rect, edition: edition, alpha: isTranslucent ? 0.5 : 1, log: isLogged ? (log, tile) : nil)
  }
}

/// The colours of the squares in a rectangle.
struct Squares: Drawing {
  let rect: Rect
  let edition: UInt32
  var alpha = 1.0
  /// Only for simulated workers, which work on the test's thread.
  var log: (log: TileLog, tile: TileLog.Tile)?

  static func color(_ x: Int, _ y: Int, edition: UInt32) -> Color {
    Color(hex: UInt32(truncatingIfNeeded: x &* 0x3A + y &* 0x1700) & 0x7F7F | edition << 16 & 0x7F_0000 | 0x80_8080)
  }

  func draw(in context: DrawingContext) {
    func range(_ start: Double, _ end: Double) -> ClosedRange<Int> {
      Int((start / 16).rounded(.down))...Int((end / 16).rounded(.up))
    }
    for y in range(rect.minY, rect.maxY) {
      for x in range(rect.minX, rect.maxX) {
        context.fill(
          Rect(x: Double(x) * 16, y: Double(y) * 16, width: 16, height: 16),
          color: Self.color(x, y, edition: edition).withAlpha(alpha))
      }
    }
    guard let (log, tile) = log else { return }
    MainActor.assumeIsolated {
      log.begun.append(tile)
      log.meanwhile?(tile)
    }
    if context.isCancelled { MainActor.assumeIsolated { log.cancelled.append(tile) } }
  }
}

/// A stage whose root shows a layer of squares, with simulated workers.
@MainActor
final class TileStage {
  let pool: WorkerPool
  let stage: Stage
  let layer: SquaresLayer

  init(
    _ size: Size = Size(1024, 1024), output: Size = Size(200, 150), threads: Int = 1, fade: Nanoseconds = .zero,
    scale: Double = 1
  ) {
    pool = WorkerPool(simulatedThreads: threads)
    stage = Stage(
      root: Layer(frame: Rect(origin: .zero, size: Size(output.width / scale, output.height / scale))), workers: pool,
      scale: scale)
    layer = SquaresLayer()
    layer.frame = Rect(origin: .zero, size: size)
    layer.tileSize = Size(64, 64)
    layer.fadeDuration = fade
    // As sharp as the output when it is shown at its own size.
    layer.anchorPoint = .zero
    layer.position = .zero
    stage.root.addSublayer(layer)
  }

  /// Changes the layer without animations, and commits.
  func turn(after milliseconds: Int64 = 0, _ change: (SquaresLayer) -> Void = { _ in }) {
    Transaction.withoutActions { change(layer) }
    stage.turn(after: milliseconds)
    _ = stage.tree()
  }

  func workOff() { while pool.runNextJob() {} }

  /// Draws one tile. Returns false if none waits.
  @discardableResult
  func drawOne() -> Bool {
    let count = layer.log.begun.count
    while layer.log.begun.count == count, pool.runNextJob() {}
    return layer.log.begun.count > count
  }

  /// Draws and shows all.
  func settle() {
    turn()
    for _ in 0..<100 where stage.context.pendingDrawings > 0 || stage.context.isDirty {
      workOff()
      turn()
    }
  }

  /// The pixels that the output shows.
  func picture(after milliseconds: Int64 = 0) throws -> Image {
    var tree = stage.tree(after: milliseconds)
    tree.backdrop = 0xFFFF_00FF
    let output = stage.root.bounds.size * stage.context.scale
    let bitmap = try Bitmap(width: Int(output.width), height: Int(output.height))
    Compositor().render(
      tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height)), into: bitmap)
    return bitmap.freeze()
  }

  /// The squares as one picture, drawn under the layer's map to the output.
  func expected(edition: UInt32 = 1, _ map: Affine) throws -> Image {
    let output = stage.root.bounds.size * stage.context.scale
    let bitmap = try Bitmap(width: Int(output.width), height: Int(output.height))
    let context = DrawingContext(bitmap: bitmap)
    context.fill(color: Color(hex: 0xFF00FF))
    context.concatenate(map)
    context.clip(layer.bounds)
    Squares(rect: layer.bounds, edition: edition).draw(in: context)
    context.flush()
    return bitmap.freeze()
  }

  /// The records of tiles, back to front.
  var records: [RenderRecord] {
    let tree = stage.tree()
    let ids = Set(layer.innerLayers.map(\.id))
    return tree.records.filter { ids.contains($0.id) }
  }

  /// True where a record shows a picture at a point of the layer.
  func isCovered(_ point: Point) -> Bool { records.contains { $0.bounds.contains(point) && $0.content != nil } }
}

extension Image {
  var words: [UInt32] {
    (0..<height).flatMap { y in
      (0..<width).map { x in row(y).assumingMemoryBound(to: UInt32.self)[x] }
    }
  }
}
