import CKernels
import Geometry
import Raster
import RenderTree

extension TextContent: PaintableContent {
  /// Glyphs on their background, and lines through them.
  var coversItself: Bool { parts.count > 1 }

  /// Glyphs leave pixels between them.
  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect { .zero }

  func isSame(in layer: MovedLayer) -> Bool {
    let (bounds, effects) = (layer.record.bounds, layer.effects)
    let (place, frame) = edges(in: layer.record, effects)
    guard let old = map(in: bounds, effects, layer.old), let new = map(in: bounds, effects, layer.new),
      layer.edgesAreSame(of: place, in: frame)
    else { return false }
    return parts.allSatisfy { part in
      switch part {
      case .glyphs(let run):
        GlyphGrid(run.glyphs, at: run.baseline, new)
          .isMoved(from: GlyphGrid(run.glyphs, at: run.baseline, old), dx: Int(layer.dx), dy: Int(layer.dy))
      case .fill(let fill): LayerShape(fill, new).isMoved(from: LayerShape(fill, old), dx: layer.dx, dy: layer.dy)
      }
    }
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    let (bounds, effects) = (layer.record.bounds, layer.node.effects)
    let (place, frame) = edges(in: layer.record, effects)
    guard let map = map(in: bounds, effects, layer.node.transform) else {
      image?.paint(layer, with: painter)
      return
    }
    guard let edges = ContentEdges(place, in: frame, layer) else { return }
    for part in parts {
      switch part {
      case .glyphs(let run): painter.paint(run, GlyphGrid(run.glyphs, at: run.baseline, map), edges, layer)
      case .fill(let fill): painter.paint(fill.color, LayerShape(fill, map), edges, layer)
      }
    }
  }

  /// The rectangles that cut the text: its own, and one that takes the place of the layer's bounds.
  private func edges(in record: RenderRecord, _ effects: RenderEffects?) -> (place: Rect, frame: Rect) {
    if record.flags.contains(.masksToBounds) { return (effects.contentRect(in: record.bounds), record.bounds) }
    let seen = seenRect(in: record.bounds, effects)
    return (seen, seen)
  }
}

extension LayerShape {
  fileprivate init(_ fill: TextFill, _ map: Affine) {
    if let pixels = fill.wholePixels(map) {
      self = .empty
      self.pixels = pixels
    } else {
      self.init(fill.rect, radius: 0, transform: map)
    }
  }
}

extension BandPainter {
  /// Paints a rectangle of a text, cut by the layer's edges.
  fileprivate func paint(_ color: Color, _ shape: LayerShape, _ edges: ContentEdges, _ layer: PaintedLayer) {
    let pixels = shape.pixels.intersection(edges.pixels)
    let color = layer.color(color)
    if pixels.isEmpty { return }
    for y in pixels.minY..<pixels.maxY {
      let mask = scratch.text.mask(IntRect(minX: pixels.minX, minY: y, maxX: pixels.maxX, maxY: y + 1))
      shape.coverage(y, pixels.minX..<pixels.maxX, kernels, mask.row(y))
      edges.cut(mask, with: self)
      paint(color, pixels.minX..<pixels.maxX, y, mask.row(y), layer.target)
    }
  }

  /// Paints glyphs of one font: the coverage of all its glyphs is added up, cut by the layer's edges, and tinted.
  fileprivate func paint(_ run: TextRun, _ grid: GlyphGrid, _ edges: ContentEdges, _ layer: PaintedLayer) {
    let text = scratch.text
    let mask: CoverageMask
    switch grid.source {
    case .bitmaps(let size):
      grid.place(in: edges.pixels, &text.placed)
      let resolved = GlyphCache.shared.resolve(&text.placed, face: run.glyphs.font.face, size: size)
      mask = text.mask(text.placed.inkBox.intersection(edges.pixels))
      withExtendedLifetime(resolved) { mask.add(text.placed) }
    case .outlines:
      mask = text.mask(run.glyphs.glyphs.reduce(IntRect.zero) { $0.union(grid.pixels(of: $1)) }.intersection(edges.pixels))
      grid.addOutlines(to: mask)
    }
    let color = layer.color(run.color)
    let pixels = mask.pixels
    edges.cut(mask, with: self)
    for y in pixels.minY..<pixels.maxY {
      kernels.pointee.over_color_coverage(
        layer.target.pointer(x: pixels.minX, y: y), Int64(pixels.width), color, mask.row(y))
    }
  }
}

extension PaintedLayer {
  /// A colour at the layer's opacity, with its alpha multiplied in.
  fileprivate func color(_ color: Color) -> UInt32 {
    let own = color.premultipliedBGRA
    return opacity == 255 ? own : multiplyPixel(own, opacity)
  }
}

/// The memory for the coverage of text. It grows, and is used again.
///
/// A thread that paints has it alone, as it has the `CompositeScratch` that it belongs to.
final class TextScratch {
  /// The glyphs of a line that may be seen, as bitmaps.
  var placed: ContiguousArray<PlacedGlyph> = []
  private var memory: UnsafeMutablePointer<UInt8>
  private var capacity = 64

  init() { memory = .allocate(capacity: capacity) }
  deinit { memory.deallocate() }

  /// A mask of these pixels, all 0.
  func mask(_ pixels: IntRect) -> CoverageMask {
    let count = CoverageMask.byteCount(of: pixels)
    if capacity < count {
      memory.deallocate()
      memory = .allocate(capacity: count)
      capacity = count
    }
    return CoverageMask(memory, pixels: pixels)
  }
}
