import CPeers
import Compositing
import Geometry
import Layers
import LinuxSystem
import Raster
import RenderTree
import Typesetting

/// Measures pages of text: shaped and set in lines beside Pango, set again after a changed word, and painted beside Cairo.
@MainActor
enum ParagraphBenchmarks {
  static let all = Benchmark(name: "paragraphs") {
    let workers = WorkerPool(threads: 1)
    defer { workers.shutdown() }
    let words = try Words()
    defer { peer_page_free(words.peer) }
    let page = try Page(workers, words)
    defer { peer_text_free(page.peer) }
    return [
      try Harness.compare("5,000 words in 100 paragraphs, shaped and set in lines, against Pango", repeats: 4, limit: 1.1) {
        try words.set()
      } peer: {
        words.setByPeer()
      },
      try Harness.compare("a changed word of them, against its paragraph set by Pango", repeats: 40, limit: 1.3) {
        try words.change()
      } peer: {
        words.setParagraphByPeer()
      },
      Harness.compare("2,000 glyphs of a paragraph on a plain page, against Cairo", repeats: 10, limit: 1.8) {
        page.paint()
      } peer: {
        page.paintByPeer()
      },
      Harness.allocations("allocations in that") { page.paint() },
      Harness.time("a changed word on that page: set, compared and painted", repeats: 20) { page.change() },
    ]
  }

  /// Texts of 5,000 words, each time other ones, so that nothing is known of them.
  @MainActor
  private final class Words {
    static let width = 480.0
    let fonts: FontLibrary
    let request = FontRequest(["DejaVu Sans"], size: 14)
    let peer: OpaquePointer
    private let pages: [String]
    private let paragraphs: [String]
    private var (next, nextByPeer, nextParagraph, count) = (0, 0, 0, 0)
    private var text: AttributedText
    private var layout: TextLayout
    /// The byte at which the number of a paragraph in the middle begins: its first word.
    private let numberOffset: Int

    init() throws {
      let path = try SystemFonts.path(of: "DejaVuSans.ttf")
      fonts = try FontLibrary(files: [path])
      guard let made = peer_page_make(path, "DejaVu Sans", 14) else { throw BenchmarkError("Pango cannot read the font") }
      peer = made
      // More than the library keeps.
      pages = (0..<30).map { Self.page(seed: $0) }
      paragraphs = (0..<2_000).map { Self.paragraph(seed: $0 + 3_000) }
      text = AttributedText(pages[0])
      layout = try TextLayout(text, font: request, width: Self.width, fonts: fonts)
      numberOffset = pages[0].split(separator: "\n").prefix(50).reduce(0) { $0 + $1.utf8.count + 1 }
    }

    private static func page(seed: Int) -> String {
      (0..<100).map { paragraph(seed: seed * 100 + $0) }.joined(separator: "\n")
    }

    private static func paragraph(seed: Int) -> String {
      let words =
        ("the quick brown fox jumps over lazy dogs while every train of this morning leaves platform three at half past nine "
        + "and passengers who wait for another look up to read what a board has to say about fog, snow or work on the line")
        .split(
          separator: " ")
      return "\(seed) " + (0..<49).map { String(words[($0 * 7 + seed * 13 + $0 * $0) % words.count]) }.joined(separator: " ")
    }

    func set() throws {
      next = (next + 1) % pages.count
      Harness.blackHole(try TextLayout(AttributedText(pages[next]), font: request, width: Self.width, fonts: fonts))
    }

    func setByPeer() {
      nextByPeer = (nextByPeer + 1) % pages.count
      Harness.blackHole(peer_page_set(peer, pages[nextByPeer], Self.width))
    }

    /// Replaces the beginning of the 51st paragraph.
    func change() throws {
      count += 1
      text.replace(numberOffset..<numberOffset + 4, with: AttributedText(String(1000 + count % 9000)))
      layout = try TextLayout(text, font: request, width: Self.width, fonts: fonts, after: layout)
    }

    func setParagraphByPeer() {
      nextParagraph = (nextParagraph + 1) % paragraphs.count
      Harness.blackHole(peer_page_set(peer, paragraphs[nextParagraph], Self.width))
    }
  }

  /// One layer of 2,000 glyphs.
  @MainActor
  private final class Page {
    private static let (width, height) = (800, 800)
    let peer: OpaquePointer
    private let layer = ParagraphLayer(frame: Rect(x: 10.3, y: 10, width: 400, height: 780))
    private let context: LayerContext
    private let bitmap: Bitmap
    private let peerBitmap: Bitmap
    private let compositor = Compositor()
    private var diff = SceneDiff()
    private var tree: TreeSnapshot
    private var count = 0
    private let all = DamageRegion(IntRect(x: 0, y: 0, width: width, height: height))
    private var lines: [(glyphs: [UInt32], columns: [Double], baseline: Point)] = []

    init(_ workers: WorkerPool, _ words: Words) throws {
      bitmap = try Bitmap(width: Self.width, height: Self.height)
      peerBitmap = try Bitmap(width: Self.width, height: Self.height)
      let root = Layer(frame: Rect(x: 0, y: 0, width: Double(Self.width), height: Double(Self.height)))
      root.backgroundColor = Color(hex: 0x20_3040)
      let string = (0..<10).map {
        "\(100 + $0) " + String(repeating: "the quick brown fox jumps over 12 lazy dogs at 5:30 ", count: 4)
      }
      (layer.fonts, layer.baseFont, layer.baseColor) = (words.fonts, words.request, .white)
      layer.attributedText = AttributedText(string.joined(separator: "\n"))
      root.addSublayer(layer)
      context = LayerContext(root: root, workers: workers)
      _ = context.commit(at: .zero)
      tree = context.renderTree(at: .zero)
      let font = try words.fonts.font(words.request)
      let made = peer_text_make(
        font.face.path, font.size, peerBitmap.base.assumingMemoryBound(to: UInt8.self), Int32(Self.width),
        Int32(Self.height), Int32(peerBitmap.bytesPerRow))
      guard let made else { throw BenchmarkError("Cairo cannot read the font") }
      peer = made
      for line in layer.layout?.lines ?? [] {
        for run in line.runs {
          lines.append(
            (
              run.glyphs.glyphs.map(\.id), run.glyphs.glyphs.map(\.x),
              Point(10.3 + line.baseline.x + run.x, 10 + line.baseline.y)
            ))
        }
      }
    }

    func paint() { compositor.render(tree, damage: all, into: bitmap) }

    func paintByPeer() {
      peer_text_fill(peer, 0.125, 0.188, 0.251)
      for line in lines {
        peer_text_line(
          peer, line.glyphs, line.columns, Int32(line.glyphs.count), line.baseline.x, line.baseline.y)
      }
    }

    func change() {
      count += 1
      layer.attributedText.replace(0..<3, with: AttributedText(String(100 + count % 900)))
      Transaction.withoutActions { _ = context.commit(at: .zero) }
      let new = context.renderTree(at: .zero)
      let change = diff.change(from: tree, to: new, width: Self.width, height: Self.height)
      compositor.render(new, change: change, into: bitmap)
      tree = new
    }
  }
}
