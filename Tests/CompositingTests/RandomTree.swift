import FramepaceTesting
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import SceneText

/// Random layers as the compositor sees them, on an output whose backdrop and viewport change as well.
@MainActor
final class RandomTree {
  private let layers: RandomLayers
  private let context: LayerContext
  private var backdrop: UInt32 = 0xFF20_3040
  private var viewport: Viewport?
  private var random: SplitMix64
  private var now = MonotonicTime.zero

  private static let workers = WorkerPool(threads: 1)

  /// - Parameter isGuarded: true for images in whose neighbouring memory no byte can be read.
  init(seed: UInt64, layers count: Int, width: Int, height: Int, isGuarded: Bool = false) throws {
    random = SplitMix64(seed: seed)
    let root = Layer(frame: Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    let images =
      isGuarded
      ? try RandomLayers.images(seed: seed) { Bitmap.guarded(width: $0, height: $1, at: $0 % 2 == 0 ? .end : .start) }
      : try RandomLayers.images(seed: seed)
    layers = RandomLayers(in: root, seed: seed, count: count, images: images, font: try SystemFonts.font(.sans, size: 13))
    context = LayerContext(root: root, workers: Self.workers)
  }

  /// The tree as it is now, so much later than the one before.
  ///
  /// - Parameter arrives: true if the pictures that layers have asked for are there by now; otherwise they show their old ones.
  func snapshot(after time: Nanoseconds = .milliseconds(8), arrives: Bool = true) -> TreeSnapshot {
    now += time
    _ = context.commit(at: now)
    // All are finished before the next edit, so that the same seed gives the same pictures.
    context.waitForDrawings()
    if arrives, context.publishFinishedDrawings() { _ = context.commit(at: now) }
    var tree = context.renderTree(at: now)
    (tree.backdrop, tree.viewport) = (backdrop, viewport)
    return tree
  }

  /// The scene's text, at its present time.
  var text: String {
    do {
      return try Scene.text(of: context.root, origin: now)
    } catch {
      return "no text: \(error)"
    }
  }

  /// Changes one thing, chosen by `seed` and by what is there.
  /// - Returns: the name of the change.
  func edit(seed: UInt64) -> String {
    random = SplitMix64(seed: seed)
    return Int.random(in: 0..<60, using: &random) > 1 ? layers.edit(seed: seed) : edit()
  }

  /// Changes one thing.
  /// - Returns: the name of the change.
  func edit() -> String {
    switch Int.random(in: 0..<60, using: &random) {
    case 0:
      backdrop = UInt32.random(in: 0...0xFF_FFFF, using: &random) | 0xFF00_0000
      return "backdrop"
    case 1: return changeViewport()
    default: return layers.edit()
    }
  }

  /// The viewports of mirrors and of turned panels: larger and smaller, inside of the output and beyond it.
  private func changeViewport() -> String {
    let (width, height) = (Int(context.root.bounds.width), Int(context.root.bounds.height))
    guard random.chance(0.8) else {
      viewport = nil
      return "no viewport"
    }
    let turns = Int.random(in: 0...3, using: &random)
    guard random.chance(0.7) else {
      viewport = Viewport(quarterTurns: turns, width: width, height: height)
      return "\(turns) quarter turns"
    }
    let clip = IntRect(
      x: .random(in: -9...width / 2, using: &random), y: .random(in: -9...height / 2, using: &random),
      width: .random(in: 0...width, using: &random), height: .random(in: 0...height, using: &random))
    var transform = Affine.scale(x: .random(in: 0.2...3, using: &random), y: .random(in: 0.2...3, using: &random))
    (transform.tx, transform.ty) = (Double(clip.minX), Double(clip.minY))
    viewport = Viewport(transform: transform, clip: clip).turned(byQuarterTurns: turns, width: width, height: height)
    return "viewport with \(turns) quarter turns"
  }
}
