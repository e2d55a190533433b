import CPeers
import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// Measures gradients that fill a screen, dithered, against Cairo, which does not dither.
@MainActor
enum GradientBenchmarks {
  nonisolated private static let (width, height) = (1920, 1080)

  static let all = Benchmark(name: "gradients") {
    let workers = WorkerPool(threads: 1)
    defer { workers.shutdown() }
    let screen = try Bitmap(width: width, height: height)
    let (axial, radial, conic) = (tree(.axial, workers), tree(.radial, workers), tree(.conic, workers))
    let compositor = Compositor()
    func paint(_ tree: TreeSnapshot) {
      compositor.render(tree, damage: DamageRegion(IntRect(x: 0, y: 0, width: width, height: height)), into: screen)
    }
    func paintByPeer(isRadial: Bool) {
      peer_gradient(
        screen.base.assumingMemoryBound(to: UInt8.self), Int32(width), Int32(height), Int32(screen.bytesPerRow), isRadial)
    }
    return [
      Harness.compare("axial, three colours", repeats: 4, limit: 0.7) {
        paint(axial)
      } peer: {
        paintByPeer(isRadial: false)
      },
      Harness.compare("radial, three colours", repeats: 4, limit: 0.7) {
        paint(radial)
      } peer: {
        paintByPeer(isRadial: true)
      },
      Harness.time("conic, three colours", repeats: 4) { paint(conic) },
      Harness.allocations("allocations: axial") { paint(axial) },
    ]
  }

  private static func tree(_ type: GradientType, _ workers: WorkerPool) -> TreeSnapshot {
    let layer = GradientLayer(frame: Rect(x: 0, y: 0, width: Double(width), height: Double(height)))
    layer.colors = [
      Color(red: 0.05, green: 0.1, blue: 0.2), Color(red: 0.1, green: 0.6, blue: 1), Color(red: 1, green: 1, blue: 0.9),
    ]
    (layer.locations, layer.type) = ([0, 0.4, 1], type)
    (layer.startPoint, layer.endPoint) = type == .axial ? (.zero, Point(1, 1)) : (Point(0.5, 0.5), Point(1, 1))
    let context = LayerContext(root: layer, workers: workers)
    _ = context.commit(at: .zero)
    return context.renderTree(at: .zero)
  }
}
