import CPeers
import Compositing
import Geometry
import Glibc
import Raster
import RenderTree

/// Measures shapes that are painted as strips: rasterised for the first time beside Cairo and FreeType, and painted again from the
/// strips that are kept.
enum ShapeBenchmarks {
  static let all = Benchmark(name: "shapes", peers: ["Cairo", "FreeType"]) {
    let screen = try Screen()
    let star = Self.star(2000)
    let rects = (0..<500).map { Self.rounded($0) }
    let places = (0..<500).map { Self.place($0) }
    let kept = screen.tree(rects.map { Self.shape($0) })
    let turn = screen.tree([Self.shape(Self.path(star))])
    let spans = screen.tree([Self.shape(.rect(Rect(x: 200, y: 100, width: 1500, height: 900)))])
    let layers = screen.layers([Rect(x: 200, y: 100, width: 1500, height: 900)])
    return [
      screen.compare("2,000 edges filled", Gate(peer: 0, limit: 0.5)) {
        screen.paint(screen.tree([Self.shape(Self.path(star))]))
      } cairo: {
        screen.cairo(star)
      } freetype: {
        screen.freetype(star)
      },
      screen.compare("the same from its strips") { screen.paint(turn) },
      screen.compare("500 rounded rectangles filled", Gate(peer: 0, limit: 1.8)) {
        screen.paint(screen.tree(rects.map { Self.shape($0) }))
      } cairo: {
        for rect in rects { screen.context.fill(rect, color: .white) }
      },
      screen.compare("the same from their strips", Gate(peer: 0, limit: 0.8)) {
        screen.paint(kept)
      } cairo: {
        for rect in rects { screen.context.fill(rect, color: .white) }
      },
      screen.compare("the same as layers' backgrounds, new", Gate(peer: 0, limit: 1)) {
        screen.paint(screen.layers(places, cornerRadius: 14))
      } cairo: {
        for rect in rects { screen.context.fill(rect, color: .white) }
      },
      screen.compare("2,000 edges stroked") { screen.paint(screen.tree([Self.shape(Self.path(star), strokes: true)])) },
      Harness.compare("a square's strips, against a layer's colour", repeats: 20, limit: 1.3) {
        screen.paint(spans)
      } peer: {
        screen.paint(layers)
      },
      Harness.allocations("allocations: 500 from their strips") { screen.paint(kept) },
    ]
  }

  /// A star with short points around its rim.
  private static func star(_ count: Int) -> [Double] {
    (0..<count).flatMap { index -> [Double] in
      let (angle, radius) = (Double(index) / Double(count) * 2 * .pi, index % 2 == 0 ? 520.0 : 470.0)
      return [960 + radius * 1.8 * cos(angle), 540 + radius * sin(angle)]
    }
  }

  private static func path(_ points: [Double]) -> Path {
    var path = Path()
    for index in stride(from: 0, to: points.count, by: 2) { path.line(to: Point(points[index], points[index + 1])) }
    path.close()
    return path
  }

  /// 120 × 80 points, at a place between pixels.
  private static func place(_ index: Int) -> Rect {
    Rect(x: Double(index * 71 % 1790) + 0.3, y: Double(index * 137 % 990) + 0.6, width: 120, height: 80)
  }

  private static func rounded(_ index: Int) -> Path { .roundedRect(place(index), cornerRadius: 14) }

  private static func shape(_ path: Path, strokes: Bool = false) -> ShapeContent {
    var parts = ShapeContent.Parts()
    (parts.path, parts.fillColor, parts.strokeColor) = (path, strokes ? nil : .white, strokes ? .white : nil)
    parts.strokeStyle = StrokeStyle(width: 3)
    return ShapeContent(parts)
  }

  /// The picture that all paint.
  private final class Screen {
    private let bitmap: Bitmap
    private let compositor = Compositor()
    private let damage: DamageRegion
    let context: DrawingContext

    init() throws {
      bitmap = try Bitmap(width: 1920, height: 1080)
      damage = DamageRegion(IntRect(x: 0, y: 0, width: bitmap.width, height: bitmap.height))
      context = DrawingContext(bitmap: bitmap)
    }

    func tree(_ shapes: [ShapeContent]) -> TreeSnapshot {
      var tree = TreeSnapshot()
      tree.append(RenderRecord(id: 1, subtreeEnd: UInt32(shapes.count + 1), bounds: .zero), SideValues())
      for (index, shape) in shapes.enumerated() {
        let id = UInt32(index + 2)
        tree.append(RenderRecord(id: id, subtreeEnd: id, bounds: .zero), SideValues(shape: shape))
      }
      return tree
    }

    func layers(_ rects: [Rect], cornerRadius: Float = 0) -> TreeSnapshot {
      var tree = TreeSnapshot(records: [RenderRecord(id: 1, subtreeEnd: UInt32(rects.count + 1), bounds: .zero)])
      for (index, rect) in rects.enumerated() {
        let id = UInt32(index + 2)
        tree.append(
          RenderRecord(id: id, subtreeEnd: id, bounds: rect, cornerRadius: cornerRadius, backgroundColor: 0xFFFF_FFFF),
          SideValues())
      }
      return tree
    }

    func paint(_ tree: TreeSnapshot) { compositor.render(tree, damage: damage, into: bitmap) }

    func cairo(_ points: [Double]) {
      peer_cairo_fill(
        bitmap.base.assumingMemoryBound(to: UInt8.self), Int32(bitmap.width), Int32(bitmap.height),
        Int32(bitmap.bytesPerRow),
        points, Int32(points.count / 2))
    }

    func freetype(_ points: [Double]) {
      peer_freetype_fill(
        bitmap.base.assumingMemoryBound(to: UInt8.self), Int32(bitmap.width), Int32(bitmap.height),
        Int32(bitmap.bytesPerRow),
        points, Int32(points.count / 2))
    }

    /// Medians of five rounds in which all alternate. The time of the compositor has the backdrop in it.
    func compare(
      _ name: String, _ gate: Gate? = nil, ours: () -> Void, cairo: (() -> Void)? = nil, freetype: (() -> Void)? = nil
    ) -> Result {
      Harness.best {
        var times: [[Double]] = [[], [], []]
        for _ in 0..<Harness.rounds {
          times[0].append(Self.time(ours))
          if let cairo { times[1].append(Self.time(cairo)) }
          if let freetype { times[2].append(Self.time(freetype)) }
        }
        let medians = times.map { $0.isEmpty ? nil : Harness.median($0) }
        return Result(
          name: name, unit: .nanoseconds, ours: medians[0] ?? .nan, peers: [medians[1], medians[2]],
          gates: gate.map { [$0] } ?? [])
      }
    }

    private static func time(_ call: () -> Void) -> Double {
      call()
      return Harness.processorTime { for _ in 0..<4 { call() } } / 4
    }
  }
}
