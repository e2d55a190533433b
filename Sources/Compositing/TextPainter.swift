import CKernels
import Geometry
import Raster
import RenderTree

extension TextContent: PaintableContent {
  func opaquePart(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> Rect { .zero }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    let (bounds, effects) = (layer.record.bounds, layer.node.effects)
    guard let map = map(in: bounds, effects, layer.node.transform) else {
      image?.paint(layer, with: painter)
      return
    }
    guard let edges = ContentEdges(effects.contentRect(in: bounds), layer) else { return }
    for run in runs { painter.paint(run, GlyphGrid(run.line, at: run.baseline, map), edges, layer) }
  }
}

extension BandPainter {
  /// Paints a line of text: in each row the coverage of all its glyphs, added up and cut by the layer's edges, is tinted.
  fileprivate func paint(_ run: TextRun, _ grid: GlyphGrid, _ edges: ContentEdges, _ layer: PaintedLayer) {
    let text = scratch.text
    var ink = IntRect.zero
    switch grid.source {
    case .bitmaps(let size):
      text.place(run.line, on: grid, within: edges.pixels)
      GlyphCache.shared.resolve(&text.placed, face: run.line.font.face, size: size)
      for glyph in text.placed { ink = ink.union(glyph.box) }
    case .outlines:
      for glyph in run.line.glyphs { ink = ink.union(grid.pixels(of: glyph)) }
    }
    ink = ink.intersection(edges.pixels)
    if ink.isEmpty { return }
    var mask: CoverageMask?
    if case .outlines = grid.source {
      mask = text.mask(ink)
      mask.map(grid.addOutlines)
    }
    let own = run.color.premultipliedBGRA
    let color = layer.opacity == 255 ? own : multiplyPixel(own, layer.opacity)
    for y in ink.minY..<ink.maxY {
      let row = mask?.row(y) ?? text.row(y, of: ink)
      edges.cut(row, y, ink.minX..<ink.maxX, with: self)
      kernels.pointee.over_color_coverage(
        layer.target.pointer(x: ink.minX, y: y), Int64(ink.width), color, row)
    }
    text.placed.removeAll(keepingCapacity: true)
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
  /// Bytes before and behind a row, into which the rest of eight pixels is added.
  private static let margin = 8

  init() { memory = .allocate(capacity: capacity) }
  deinit { memory.deallocate() }

  private func reserve(_ count: Int) {
    guard count > capacity else { return }
    memory.deallocate()
    memory = .allocate(capacity: count)
    capacity = count
  }

  func place(_ line: TextLine, on grid: GlyphGrid, within pixels: IntRect) {
    placed.removeAll(keepingCapacity: true)
    for glyph in line.glyphs where grid.pixels(of: glyph).intersects(pixels) { placed.append(grid.place(glyph)) }
  }

  /// The sum of the coverage of all placed glyphs in a row of `ink`.
  func row(_ y: Int32, of ink: IntRect) -> UnsafeMutablePointer<UInt8> {
    reserve(ink.width + 2 * Self.margin)
    memory.update(repeating: 0, count: ink.width + 2 * Self.margin)
    let row = memory + Self.margin
    placed.withUnsafeBufferPointer { placed in
      for glyph in placed {
        guard let bitmap = glyph.bitmap else { continue }
        let box = glyph.box
        let seen = box.intersection(ink)
        guard !seen.isEmpty, y >= seen.minY, y < seen.maxY else { continue }
        let start = Int(seen.minX - box.minX) & ~7
        let end = Int(seen.maxX - box.minX)
        bitmap.coverage.withUnsafeBytes { coverage in
          guard let base = coverage.baseAddress else { return }
          let source = base + Int(y - box.minY) * bitmap.bytesPerRow
          let target = UnsafeMutableRawPointer(row) + Int(box.minX - ink.minX)
          for x in stride(from: start, to: end, by: 8) { Self.add(source + x, to: target + x) }
        }
      }
    }
    return row
  }

  /// Adds eight bytes to eight others, each up to 255.
  @inline(__always)
  private static func add(_ source: UnsafeRawPointer, to target: UnsafeMutableRawPointer) {
    let a = source.loadUnaligned(as: UInt64.self)
    if a == 0 { return }
    let b = target.loadUnaligned(as: UInt64.self)
    let (low, high): (UInt64, UInt64) = (0x7F7F_7F7F_7F7F_7F7F, 0x8080_8080_8080_8080)
    let sum = (a & low) &+ (b & low) ^ (a ^ b) & high
    // A byte overflows if the highest bits of both are set, or one of them is and the sum's is not.
    let overflow = (a & b | (a | b) & ~sum) & high
    target.storeBytes(of: sum | (overflow >> 7) &* 255, as: UInt64.self)
  }

  /// Memory for the coverage of these pixels, all 0.
  func mask(_ pixels: IntRect) -> CoverageMask {
    reserve(pixels.area)
    memory.update(repeating: 0, count: pixels.area)
    return CoverageMask(base: memory, pixels: pixels)
  }
}
