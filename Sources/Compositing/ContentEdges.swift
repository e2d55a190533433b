import CKernels
import Geometry
import Raster
import RenderTree

/// The edges that cut the content of a layer on the output: those of the rectangle that it fills and, in a layer whose corners are
/// round, those of the bounds.
struct ContentEdges {
  private let shape: LayerShape
  private let mask: LayerShape?
  /// The pixels that may be painted.
  let pixels: IntRect
  /// Pixels of which nothing is cut.
  private let whole: IntRect

  /// Nil when no pixel is seen.
  ///
  /// - Parameter bounds: those of the layer, or what a content that leans over them has instead.
  init?(_ place: Rect, in bounds: Rect, _ layer: PaintedLayer) {
    guard let visible = ImageRows.visibleRect(of: place, in: bounds, layer.node.transform, isMasked: layer.isMasked)
    else { return nil }
    shape = LayerShape(visible, radius: 0, transform: layer.node.transform)
    mask = layer.node.flags.contains(.roundedContent) ? LayerShape(layer.node, layer.record) : nil
    pixels = shape.pixels.intersection(mask?.pixels ?? layer.clip).intersection(layer.node.own).intersection(layer.clip)
    if pixels.isEmpty { return nil }
    whole = mask == nil ? shape.coveredRect(visible, layer.node.transform) : .zero
  }

  /// Cuts coverage by what the edges leave of each pixel.
  func cut(_ coverage: CoverageMask, with painter: BandPainter) {
    let pixels = coverage.pixels
    if whole.contains(pixels) { return }
    for y in pixels.minY..<pixels.maxY { cut(coverage.row(y), y, pixels.minX..<pixels.maxX, with: painter) }
  }

  /// Multiplies coverage of the pixels `columns` of row `y` by what the edges leave of each.
  private func cut(
    _ row: UnsafeMutablePointer<UInt8>, _ y: Int32, _ columns: Range<Int32>, with painter: BandPainter
  ) {
    var spans = shape.spans(row: y, from: columns.lowerBound, to: columns.upperBound)
    if let mask {
      spans = spans.intersection(mask.spans(row: y, from: columns.lowerBound, to: columns.upperBound))
    }
    clear(row, columns.lowerBound..<spans.touched_start, from: columns.lowerBound)
    clear(row, spans.touched_end..<columns.upperBound, from: columns.lowerBound)
    for edge in 0..<2 {
      guard let edge = edge == 0 ? shape : mask, !edge.isWhole else { continue }
      multiply(row, spans.touched_start..<spans.covered_start, y, by: edge, from: columns.lowerBound, with: painter)
      multiply(row, spans.covered_end..<spans.touched_end, y, by: edge, from: columns.lowerBound, with: painter)
    }
  }

  private func multiply(
    _ row: UnsafeMutablePointer<UInt8>, _ columns: Range<Int32>, _ y: Int32, by edge: LayerShape, from start: Int32,
    with painter: BandPainter
  ) {
    if columns.isEmpty { return }
    let coverage = painter.scratch.coverage
    withUnsafePointer(to: edge.kernel) {
      painter.kernels.pointee.coverage(coverage, Int64(columns.count), columns.lowerBound, y, $0)
    }
    ckernels_multiply_coverage(row + Int(columns.lowerBound - start), coverage, Int64(columns.count))
  }

  private func clear(_ row: UnsafeMutablePointer<UInt8>, _ columns: Range<Int32>, from start: Int32) {
    (row + Int(columns.lowerBound - start)).update(repeating: 0, count: columns.count)
  }
}
