public import Geometry
public import Raster
import Synchronization

/// Lines of text as content: glyphs that the compositor paints where they stand on the output, instead of an image of them.
///
/// It takes the place of an image that a layer would have drawn: everything that places, cuts or stretches contents holds for it as
/// for that image, but for `ImageFilter`: glyphs are sharp in every size and direction.
public final class TextContent: RenderContent {
  /// Back to front.
  public let runs: TextRuns
  /// The rectangle, in the layer's coordinates, that the text was set in. What lies outside is cut off.
  public let area: Rect
  /// The pixels, and the pixels for each of the layer's units, of an image of it.
  public let width: Int
  public let height: Int
  public let scale: Double

  /// The image, once it was asked for; without memory there is none.
  private final class Drawing: Sendable {
    let image: Image?

    init(_ image: Image?) { self.image = image }
  }
  private let drawing = AtomicLazyReference<Drawing>()

  /// - Parameters:
  ///   - width: the pixels of the image that it stands for, from 1 to `Bitmap.maximumSide`; `area.width * scale` or one more.
  ///   - height: the same for `area.height`.
  ///   - scale: its pixels for each of the layer's units, above 0.
  public init(_ runs: TextRuns, area: Rect, width: Int, height: Int, scale: Double) {
    // In place: few lines are cut.
    var runs = runs
    for index in runs.indices where runs[index].glyphs.width > area.width { runs[index] = runs[index].cut(to: area) }
    self.runs = runs
    (self.area, self.width, self.height, self.scale) = (area, width, height, scale)
  }

  public var pixelSize: Size { Size(Double(width), Double(height)) }

  /// An image of the text, for what only images can do: nine parts, fades, and edges that go on. Drawn when it is first asked for,
  /// and then kept. Where there was no memory for it then, it is nil from then on: all parts of a picture, which threads may paint at
  /// once, show the same.
  public var image: Image? {
    if let drawing = drawing.load() { return drawing.image }
    return drawing.storeIfNil(Drawing(draw())).image
  }

  private func draw() -> Image? {
    guard let bitmap = try? Bitmap(width: width, height: height) else { return nil }
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    context.translate(x: -area.minX, y: -area.minY)
    for run in runs { context.draw(run.glyphs, at: run.baseline, color: run.color) }
    context.flush()
    return bitmap.freeze()
  }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    runs.isEmpty ? .zero : effects.contentRect(in: bounds).intersection(bounds)
  }

  /// From the coordinates in which the text was set to pixels; nil where only an image can be shown.
  package func map(in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine) -> Affine? {
    let cut = effects?.parts.cut ?? ContentCut()
    if cut.hasNineParts || cut.reachesBeyondContent { return nil }
    let place = cut.place(ofAllIn: effects.contentRect(in: bounds))
    let (x, y) = (place.width * scale / Double(width), place.height * scale / Double(height))
    return Affine(a: x, b: 0, c: 0, d: y, tx: place.minX - area.minX * x, ty: place.minY - area.minY * y)
      .concatenating(transform)
  }

  /// A line of text that ticks changes in the boxes of its new and old digits.
  public func changedPixels(
    from old: any RenderContent, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine
  ) -> DamageRegion? {
    guard let old = old as? TextContent, old.runs.count == runs.count, let map = map(in: bounds, effects, transform),
      let oldMap = old.map(in: bounds, effects, transform)
    else { return nil }
    var changed = DamageRegion()
    for (run, oldRun) in zip(runs, old.runs) { changed.add(run.changedPixels(map, from: oldRun, oldMap)) }
    return changed
  }

  public var description: String {
    "text " + runs.map { "“\($0.string)” \($0.color.premultipliedBGRA.hexadecimalColor)" }.joined(separator: " ")
  }
}

/// The lines of a text, back to front. A single one, as most texts have, is held without an array.
public struct TextRuns: RandomAccessCollection, ExpressibleByArrayLiteral, Sendable {
  private enum Storage {
    case one(TextRun)
    case many([TextRun])
  }

  private var storage: Storage

  /// A single line.
  public init(_ run: TextRun) { storage = .one(run) }
  /// Lines from back to front; there may be none.
  public init(_ runs: [TextRun]) { storage = runs.count == 1 ? .one(runs[0]) : .many(runs) }
  public init(arrayLiteral runs: TextRun...) { self.init(runs) }

  public var startIndex: Int { 0 }
  public var endIndex: Int {
    switch storage {
    case .one: 1
    case .many(let runs): runs.count
    }
  }

  /// The line at an index from 0 to `count - 1`.
  public fileprivate(set) subscript(position: Int) -> TextRun {
    get {
      switch storage {
      case .one(let run): run
      case .many(let runs): runs[position]
      }
    }
    set {
      guard case .many(var runs) = storage else { return storage = .one(newValue) }
      runs[position] = newValue
      storage = .many(runs)
    }
  }
}

/// A line of text in one colour.
public struct TextRun: Sendable {
  public let string: String
  public let glyphs: GlyphRun
  /// The left end of the line's baseline, in the layer's coordinates.
  public let baseline: Point
  public let color: Color

  public init(_ line: TextLine, at baseline: Point, color: Color) {
    self.init(line.string, line.run, at: baseline, color: color)
  }

  private init(_ string: String, _ glyphs: GlyphRun, at baseline: Point, color: Color) {
    (self.string, self.glyphs, self.baseline, self.color) = (string, glyphs, baseline, color)
  }

  /// The same without the glyphs that cannot be seen in `area`: a line may be far longer than its layer.
  fileprivate func cut(to area: Rect) -> TextRun {
    // Antialiasing and the grid of pixels move the ink by less than a pixel, whatever that is in points.
    let seen = area.insetBy(dx: -area.width, dy: -area.height)
    return TextRun(string, glyphs.cut(to: seen.offsetBy(dx: -baseline.x, dy: -baseline.y)), at: baseline, color: color)
  }

  /// The pixels of the glyphs that are not the same in both. Those are the ones between a common beginning and a common end.
  fileprivate func changedPixels(_ map: Affine, from old: TextRun, _ oldMap: Affine) -> IntRect {
    let (grid, oldGrid) = (GlyphGrid(glyphs, at: baseline, map), GlyphGrid(old.glyphs, at: old.baseline, oldMap))
    let (glyphs, oldGlyphs) = (glyphs.glyphs, old.glyphs.glyphs)
    var (start, end) = (0, 0)
    if color == old.color, grid.paintsGlyphs(like: oldGrid) {
      let shared = min(glyphs.count, oldGlyphs.count)
      while start < shared, grid.spot(of: glyphs[start]) == oldGrid.spot(of: oldGlyphs[start]) { start += 1 }
      while end < shared - start,
        grid.spot(of: glyphs[glyphs.count - 1 - end]) == oldGrid.spot(of: oldGlyphs[oldGlyphs.count - 1 - end])
      { end += 1 }
    }
    var changed = IntRect.zero
    for index in start..<glyphs.count - end { changed = changed.union(grid.pixels(of: glyphs[index])) }
    for index in start..<oldGlyphs.count - end { changed = changed.union(oldGrid.pixels(of: oldGlyphs[index])) }
    return changed
  }
}
