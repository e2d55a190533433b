import CPeers
import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree

/// Measures text that is painted without a bitmap: against Cairo, and against a layer that draws one.
@MainActor
enum TextBenchmarks {
  static let all = Benchmark(name: "text") {
    let workers = WorkerPool(threads: 1)
    defer { workers.shutdown() }
    let page = try Page(workers)
    defer { peer_text_free(page.peer) }
    let number = Label(TextLayer(), workers, page.font)
    let drawn = Label(DrawnTextLayer(), workers, page.font)
    return [
      Harness.compare("2,000 glyphs on a plain page, against Cairo", repeats: 10, limit: 1.2) {
        page.paint()
      } peer: {
        page.paintByPeer()
      },
      Harness.allocations("allocations: 2,000 glyphs") { page.paint() },
      Harness.time("2,000 glyphs, turned: from their outlines", repeats: 3) { page.paintTurned() },
      Harness.allocations("allocations in that") { page.paintTurned() },
      Harness.compare("a changed number, against one with a bitmap", repeats: 100, limit: 0.8) {
        number.change()
      } peer: {
        drawn.change()
      },
    ]
  }

  /// A subclass draws a bitmap, which is then shown.
  private final class DrawnTextLayer: TextLayer {}

  /// Forty lines of fifty glyphs.
  @MainActor
  private struct Page {
    private static let (width, height) = (800, 800)
    let font: Font
    let peer: OpaquePointer
    private let tree: TreeSnapshot
    private let turned: TreeSnapshot
    private let context: LayerContext
    private let bitmap: Bitmap
    private let peerBitmap: Bitmap
    private let compositor = Compositor()
    private let all = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))
    private var lines: [(glyphs: [UInt32], columns: [Double], baseline: Point)] = []

    init(_ workers: WorkerPool) throws {
      font = try SystemFonts.font(.sans, size: 14)
      bitmap = try Bitmap(width: Self.width, height: Self.height)
      peerBitmap = try Bitmap(width: Self.width, height: Self.height)
      let root = Layer(frame: Rect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)))
      root.backgroundColor = Color(hex: 0x20_3040)
      let letters = "the quick brown fox jumps over 12 lazy dogs at 5:30 ".map { $0 }
      for index in 0..<40 {
        let label = TextLayer(frame: Rect(x: 10.3, y: Double(index) * 19 + 10, width: 780, height: 18))
        label.string = String((0..<50).map { letters[($0 + index * 7) % letters.count] })
        (label.font, label.color, label.truncation) = (font, .white, .none)
        root.addSublayer(label)
        let line = TextLine(label.string, font: font)
        lines.append(
          (line.glyphs.map(\.id), line.glyphs.map(\.x), Point(10.3, label.frame.midY + (line.ascent - line.descent) / 2)))
      }
      context = LayerContext(root: root, workers: workers)
      _ = context.commit(at: .zero)
      tree = context.renderTree(at: .zero)
      Transaction.withoutActions { root.transform = .rotation(0.1) }
      _ = context.commit(at: .zero)
      turned = context.renderTree(at: .zero)
      let made = peer_text_make(
        font.face.path, font.size, peerBitmap.base.assumingMemoryBound(to: UInt8.self), Int32(Self.width),
        Int32(Self.height), Int32(peerBitmap.bytesPerRow))
      guard let made else { throw BenchmarkError("Cairo cannot read the font") }
      peer = made
    }

    func paint() { compositor.render(tree, damage: all, into: bitmap) }

    func paintTurned() { compositor.render(turned, damage: all, into: bitmap) }

    func paintByPeer() {
      peer_text_fill(peer, 0.125, 0.188, 0.251)
      for line in lines {
        peer_text_line(
          peer, line.glyphs, line.columns, Int32(line.glyphs.count), line.baseline.x, line.baseline.y)
      }
    }
  }

  /// A number of six digits that counts: shaped, compared and painted.
  @MainActor
  private final class Label {
    private let layer: TextLayer
    private let context: LayerContext
    private let compositor = Compositor()
    private var diff = SceneDiff()
    private let bitmap: Bitmap?
    private var shown: TreeSnapshot
    private var count = 123_456

    init(_ layer: TextLayer, _ workers: WorkerPool, _ font: Font) {
      self.layer = layer
      layer.frame = Rect(x: 20, y: 10, width: 100, height: 30)
      (layer.font, layer.color) = (Font(font.face, size: 24, tabularFigures: true), .white)
      let root = Layer(frame: Rect(x: 0, y: 0, width: 200, height: 60))
      root.addSublayer(layer)
      context = LayerContext(root: root, workers: workers)
      bitmap = try? Bitmap(width: 200, height: 60)
      shown = context.renderTree(at: .zero)
      change()
    }

    func change() {
      count += 1
      layer.string = String(count)
      Transaction.withoutActions { _ = context.commit(at: .zero) }
      let tree = context.renderTree(at: .zero)
      let change = diff.change(from: shown, to: tree, width: 200, height: 60)
      if let bitmap { compositor.render(tree, change: change, into: bitmap) }
      shown = tree
    }
  }
}
