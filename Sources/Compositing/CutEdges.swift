import CKernels
import Geometry
import RenderTree

/// The outline that cuts a layer with its descendants, and covers some pixels in part: the layer's bounds, or a mask that is one shape.
enum CutEdges {
  /// Bounds, and rows in which they cover all pixels that are asked for.
  case bounds(LayerShape, coveredRows: Range<Int32>)
  case strips(StripCache.Placed)

  /// The bounds of a layer, as far as they concern `pixels`.
  init(_ bounds: LayerShape, _ rect: Rect, _ transform: Affine, in pixels: IntRect) {
    self = .bounds(bounds, coveredRows: bounds.coveredRows(of: pixels, rect, transform))
  }

  /// How much of some pixels is covered.
  enum Share {
    case none
    /// As much as the shape's arithmetic says.
    case computed(LayerShape)
    case known(UnsafePointer<UInt8>)
  }

  /// Gives `body` all pixels that are not covered wholly, in runs: the row, the columns, and how much of them is covered.
  @inline(__always)
  func forEachRun(in pixels: IntRect, _ body: (_ y: Int32, _ columns: Range<Int32>, Share) -> Void) {
    switch self {
    case .bounds(let shape, let coveredRows):
      var y = pixels.minY
      while y < pixels.maxY {
        if coveredRows.contains(y) {
          y = coveredRows.upperBound
          continue
        }
        let spans = shape.spans(row: y, from: pixels.minX, to: pixels.maxX)
        if pixels.minX < spans.touched_start { body(y, pixels.minX..<spans.touched_start, .none) }
        if spans.touched_start < spans.covered_start {
          body(y, spans.touched_start..<spans.covered_start, .computed(shape))
        }
        if spans.covered_end < spans.touched_end { body(y, spans.covered_end..<spans.touched_end, .computed(shape)) }
        if spans.touched_end < pixels.maxX { body(y, spans.touched_end..<pixels.maxX, .none) }
        y += 1
      }
    case .strips(let placed):
      placed.strips.forEachRest(in: pixels.offsetBy(dx: -placed.x, dy: -placed.y)) { y, columns, coverage in
        body(
          y + placed.y, columns.lowerBound + placed.x..<columns.upperBound + placed.x,
          coverage.map { .known($0) } ?? .none)
      }
    }
  }
}

/// A mask that needs no picture: an opaque interior, or an opaque background, of a layer without descendants and effects.
struct ShapeMask {
  /// The pixels of which it may cover any part.
  let pixels: IntRect
  /// Pixels that it covers wholly.
  let coveredRect: IntRect
  private let bounds: LayerShape?
  private let strips: StripCache.Placed?
  private let record: RenderRecord
  private let transform: Affine

  /// Nil where the mask of a layer needs a picture, or where the layer becomes one for other reasons: it has other effects, or in it
  /// are layers that blend with what is behind them in the picture, or filter it.
  init?(_ layers: TreeLayers, of index: Int, end: Int, _ outer: Affine) {
    guard let mask = layers.mask(of: index, end: end), layers.effects(at: index)?.isolates != true,
      !layers.looksBehind(index..<end)
    else { return nil }
    self.init(layers, at: mask, end: end, outer)
  }

  /// The mask at `index` by itself.
  init?(_ layers: TreeLayers, at index: Int, end: Int, _ outer: Affine) {
    record = layers.records[index]
    guard record.end(at: index, in: end) == index + 1, record.opacityByte == 255,
      record.flags.isDisjoint(with: [.hidden, .singleSided]), !record.isIsolated
    else { return nil }
    transform = Placement(transform: outer, clip: .zero).transform(of: record)
    pixels = transform.touchedPixels(of: record, record.drawnBounds)
    switch layers.content(at: index) {
    case nil where record.backgroundColor >> 24 == 255:
      let shape = LayerShape(record, layers.effects(at: index), transform)
      (bounds, strips, coveredRect) = (shape, nil, shape.coveredRect(record.bounds, transform))
    case let shape as ShapeContent
    where record.backgroundColor == 0 && !record.flags.contains(.masksToBounds) && shape.isOpaqueFill:
      guard let strips = StripCache.shared.strips(of: shape, .fill, transform, frame: nil) else { return nil }
      (bounds, self.strips) = (nil, strips)
      coveredRect = strips.strips.coveredRect.offsetBy(dx: strips.x, dy: strips.y)
    default: return nil
    }
  }

  func edges(in pixels: IntRect) -> CutEdges? {
    bounds.map { CutEdges($0, record.bounds, transform, in: pixels) } ?? strips.map { .strips($0) }
  }
}

extension ShapeContent {
  /// True if it paints an opaque interior and nothing else.
  fileprivate var isOpaqueFill: Bool { fill?.isOpaque == true && stroke == nil }
}

extension TreeLayers {
  /// True if one of the layers blends with what is behind it in another way than by covering it, or filters it.
  func looksBehind(_ range: Range<Int>) -> Bool {
    range.contains { index in
      guard records[index].effects != nil, let parts = effects(at: index)?.parts else { return false }
      return parts.blendMode != .normal || parts.filtersBackdrop
    }
  }
}
