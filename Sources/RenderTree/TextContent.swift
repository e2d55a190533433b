public import Geometry
public import Raster
import Synchronization

/// Text as content: glyphs and rectangles that the compositor paints where they stand on the output, instead of an image of them.
///
/// It takes the place of an image that a layer would have drawn: everything that places, cuts or stretches contents holds for it as
/// for that image, but for `ImageFilter`: glyphs of outlines are sharp in every size and direction.
public final class TextContent: RenderContent {
  /// Back to front.
  public let parts: TextParts
  /// The rectangle, in the layer's coordinates, that the text was set in.
  public let area: Rect
  /// The edges of `area` at which the text is cut off. Over the others its ink may lean.
  public let cutEdges: Edges
  /// The distances by which ink leans over the edges, rounded up to quarters of the font's size.
  let lean: Insets
  /// The pixels, and the pixels for each of the layer's units, of an image of it.
  public let width: Int
  public let height: Int
  public let scale: Double
  /// True where a glyph is a picture, which only an image shows.
  private let hasPictures: Bool

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
  ///   - cutEdges: the edges of `area` beyond which lines go on.
  public init(_ parts: TextParts, area: Rect, width: Int, height: Int, scale: Double, cutEdges: Edges = []) {
    self.parts = parts.cut(to: area, at: cutEdges)
    (self.area, self.width, self.height, self.scale) = (area, width, height, scale)
    hasPictures = self.parts.contains { part in
      if case .glyphs(let run) = part { run.glyphs.font.face.hasPictures } else { false }
    }
    self.cutEdges = cutEdges
    lean = self.parts.lean(over: Edges.all.subtracting(cutEdges), of: area)
  }

  public var pixelSize: Size { Size(Double(width), Double(height)) }

  /// An image of the text, for what only images can do: glyphs that are pictures, nine parts, fades, and edges that go on. Ink that
  /// leans out is seen around it. Drawn when it is first asked for, and then kept. Where there was no memory for it then, it is nil
  /// from then on: all parts of a picture, which threads may paint at once, show the same.
  public var image: Image? {
    if let drawing = drawing.load() { return drawing.image }
    let own = IntRect(x: 0, y: 0, width: width, height: height)
    return drawing.storeIfNil(Drawing(drawWithLeaningInk(around: own) ?? draw(own))).image
  }

  /// The middle of a larger image that has all ink; nil where none leans out, or where the larger image would be more than a
  /// megapixel above twice the size of its middle: letters far larger than their layer do not take memory without bound.
  private func drawWithLeaningInk(around own: IntRect) -> Image? {
    if lean == Insets() { return nil }
    // Each by itself: an edge at which the text is cut off stays where it is.
    func pixels(_ lean: Double) -> Int { Int(min(lean * scale, 1e6).rounded(.up)) }
    let (left, top) = (pixels(lean.left), pixels(lean.top))
    let all = IntRect(
      x: -left, y: -top, width: left + width + pixels(lean.right), height: top + height + pixels(lean.bottom))
    guard all.area <= 2 * own.area + 1 << 20 else { return nil }
    return draw(all)?.middle(x: left, y: top, width: width, height: height)
  }

  /// An image of some pixels, counted from the corner of `area`.
  private func draw(_ pixels: IntRect) -> Image? {
    guard let bitmap = try? Bitmap(width: pixels.width, height: pixels.height) else { return nil }
    let context = DrawingContext(bitmap: bitmap, scale: scale)
    context.translate(x: -area.minX - Double(pixels.minX) / scale, y: -area.minY - Double(pixels.minY) / scale)
    for part in parts {
      switch part {
      case .glyphs(let run): context.draw(run.glyphs, at: run.baseline, color: run.color)
      case .fill(let fill): context.draw(fill)
      }
    }
    context.flush()
    return bitmap.freeze()
  }

  public func drawnBounds(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    parts.isEmpty ? .zero : seenRect(in: bounds, effects)
  }

  /// The part of the layer's plane in which the text is seen, with the ink that leans out, where the layer does not mask to its bounds.
  package func seenRect(in bounds: Rect, _ effects: RenderEffects?) -> Rect {
    let place = effects.contentRect(in: bounds)
    let seen = place.intersection(bounds)
    guard !seen.isEmpty, leans(effects) else { return seen }
    let (x, y) = (place.width * scale / Double(width), place.height * scale / Double(height))
    return Rect(
      x: seen.minX - lean.left * x, y: seen.minY - lean.top * y, width: seen.width + (lean.left + lean.right) * x,
      height: seen.height + (lean.top + lean.bottom) * y)
  }

  /// True if ink leans out, and no part of the text is cut out of it.
  private func leans(_ effects: RenderEffects?) -> Bool {
    lean != Insets() && effects?.parts.cut.showsAll ?? true
  }

  /// From the coordinates in which the text was set to pixels; nil where only an image can be shown.
  package func map(in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine) -> Affine? {
    let cut = effects?.parts.cut ?? ContentCut()
    if hasPictures || cut.hasNineParts || cut.reachesBeyondContent { return nil }
    let place = cut.place(ofAllIn: effects.contentRect(in: bounds))
    let (x, y) = (place.width * scale / Double(width), place.height * scale / Double(height))
    return Affine(a: x, b: 0, c: 0, d: y, tx: place.minX - area.minX * x, ty: place.minY - area.minY * y)
      .concatenating(transform)
  }

  /// A line of text that ticks changes in the boxes of its new and old digits.
  public func changedPixels(
    from old: any RenderContent, in bounds: Rect, _ effects: RenderEffects?, _ transform: Affine
  ) -> DamageRegion? {
    guard let old = old as? TextContent, let map = map(in: bounds, effects, transform),
      let oldMap = old.map(in: bounds, effects, transform)
    else { return nil }
    var changed = DamageRegion()
    parts.addChanges(to: &changed, map, from: old.parts, oldMap)
    for strip in seenRect(in: bounds, effects).strips(beside: old.seenRect(in: bounds, effects)) {
      changed.add(transform.touchedPixels(of: strip))
    }
    return changed
  }

  public var description: String {
    "text " + parts.map(\.description).joined(separator: " ")
  }
}

extension Rect {
  /// The strips at the edges that are not the same in two rectangles, from one to the other.
  fileprivate func strips(beside other: Rect) -> [Rect] {
    if self == other { return [] }
    let all = union(other)
    func strip(from first: Double, to last: Double, isColumn: Bool) -> Rect? {
      if first == last { return nil }
      let (start, length) = (min(first, last), abs(last - first))
      return isColumn
        ? Rect(x: start, y: all.minY, width: length, height: all.height)
        : Rect(x: all.minX, y: start, width: all.width, height: length)
    }
    return [
      strip(from: minX, to: other.minX, isColumn: true), strip(from: maxX, to: other.maxX, isColumn: true),
      strip(from: minY, to: other.minY, isColumn: false), strip(from: maxY, to: other.maxY, isColumn: false),
    ].compactMap(\.self)
  }
}
