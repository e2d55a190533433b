import CKernels
import Geometry
import RenderTree

extension BandPainter {
  /// Paints the border of a layer, if it has one, above its descendants.
  func paintBorder(of node: CompositeNode, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32) {
    guard let border = BorderShape(node, records[Int(node.record)]) else { return }
    let pixels = border.outer.pixels.intersection(node.own).intersection(clip)
    if pixels.isEmpty { return }
    let color = opacity == 255 ? border.color : multiplyPixel(border.color, opacity)
    let (coverage, inside) = (scratch.coverage(pixels.width), scratch.secondCoverage(pixels.width))
    var sides = (left: pixels.minX..<pixels.minX, right: pixels.minX..<pixels.minX)
    var row: Int32?
    for y in pixels.minY..<pixels.maxY {
      let like = border.straightRows.contains(y) ? border.straightRows.lowerBound : y
      if like != row {
        row = like
        sides = border.sides(row: like, pixels.minX..<pixels.maxX)
        border.coverage(row: like, sides.left, kernels, coverage, inside)
        border.coverage(row: like, sides.right, kernels, coverage + Int(sides.right.lowerBound - pixels.minX), inside)
      }
      scratch.counts.layerPixels += sides.left.count + sides.right.count
      paint(color, sides.left, y, coverage, target)
      paint(color, sides.right, y, coverage + Int(sides.right.lowerBound - pixels.minX), target)
    }
  }

  /// Visits the runs of a border.
  func visitBorder(of node: CompositeNode, _ clip: IntRect, _ visit: Visit) {
    guard let border = BorderShape(node, records[Int(node.record)]) else { return }
    let pixels = border.outer.pixels.intersection(node.own).intersection(clip)
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      let spans = border.outer.spans(row: y, from: pixels.minX, to: pixels.maxX)
      let sides = border.sides(row: y, spans.touched_start..<spans.touched_end)
      if !sides.left.isEmpty { visit(y, sides.left) }
      if !sides.right.isEmpty { visit(y, sides.right) }
    }
  }
}

/// The border of a layer on the output: the pixels between the layer's edges and the inner edges of the border.
struct BorderShape {
  let outer: LayerShape
  let inner: LayerShape
  let color: UInt32
  /// The rectangle inside of it, in the layer's coordinates.
  let hole: Rect
  /// Rows that look like the first of them.
  let straightRows: Range<Int32>

  /// Nil for a layer without a border.
  init?(_ node: CompositeNode, _ record: RenderRecord) {
    guard node.flags.contains(.bordered) else { return nil }
    self.init(record, node.effects, node.transform)
  }

  init?(_ record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) {
    guard let parts = effects?.parts, let border = parts.border else { return nil }
    let width = border.width(in: record.bounds, transform)
    hole = record.bounds.insetBy(dx: width.width, dy: width.height)
    outer = LayerShape(record, effects, transform)
    inner = LayerShape(
      hole, radius: max(Double(record.cornerRadius) - max(width.width, width.height), 0), corners: parts.corners,
      transform: transform)
    color = border.color
    straightRows = outer.straightRows(record.bounds, transform).clamped(to: inner.straightRows(hole, transform))
  }

  /// The columns of a row to both sides of the pixels that lie wholly inside; all to the right where there are none.
  func sides(row y: Int32, _ columns: Range<Int32>) -> (left: Range<Int32>, right: Range<Int32>) {
    let touched = columns.clamped(to: inner.pixels.minX..<max(inner.pixels.maxX, inner.pixels.minX))
    guard y >= inner.pixels.minY, y < inner.pixels.maxY, !touched.isEmpty else {
      return (columns.lowerBound..<columns.lowerBound, columns)
    }
    let spans = inner.spans(row: y, from: touched.lowerBound, to: touched.upperBound)
    guard spans.covered_start < spans.covered_end else { return (columns.lowerBound..<columns.lowerBound, columns) }
    return (columns.lowerBound..<spans.covered_start, spans.covered_end..<columns.upperBound)
  }

  /// Writes how much of the pixels of a row the border covers.
  func coverage(
    row y: Int32, _ columns: Range<Int32>, _ kernels: UnsafePointer<ckernels_table>, _ row: UnsafeMutablePointer<UInt8>,
    _ inside: UnsafeMutablePointer<UInt8>
  ) {
    if columns.isEmpty { return }
    outer.coverage(y, columns, kernels, row)
    inner.coverage(y, columns, kernels, inside)
    for x in 0..<columns.count { row[x] -= min(inside[x], row[x]) }
  }
}

extension Border {
  /// The width of its sides in the layer's units. The thinnest line has one pixel, and where the edges of the layer lie between
  /// pixels, so do those of the border.
  fileprivate func width(in bounds: Rect, _ transform: Affine) -> Size {
    let isSharp = transform.wholePixels(of: bounds) != nil
    func side(_ p: Double, _ q: Double) -> Double {
      let scale = (p * p + q * q).squareRoot()
      let pixels = isSharp ? (width * scale).rounded() : width * scale
      return scale > 0 ? max(pixels, 1) / scale : width
    }
    return Size(side(transform.a, transform.b), side(transform.c, transform.d))
  }
}

extension LayerShape {
  /// Writes how much of each of the pixels of a row the shape covers.
  func coverage(
    _ y: Int32, _ columns: Range<Int32>, _ kernels: UnsafePointer<ckernels_table>, _ row: UnsafeMutablePointer<UInt8>
  ) {
    let touched = columns.clamped(to: pixels.minX..<max(pixels.maxX, pixels.minX))
    row.update(repeating: 0, count: columns.count)
    guard y >= pixels.minY, y < pixels.maxY, !touched.isEmpty else { return }
    let spans = spans(row: y, from: touched.lowerBound, to: touched.upperBound)
    (row + Int(spans.covered_start - columns.lowerBound)).update(
      repeating: 255, count: Int(spans.covered_end - spans.covered_start))
    edgeCoverage(
      y, spans.touched_start..<spans.covered_start, kernels, row + Int(spans.touched_start - columns.lowerBound))
    edgeCoverage(y, spans.covered_end..<spans.touched_end, kernels, row + Int(spans.covered_end - columns.lowerBound))
  }

  /// Writes how much of each of the pixels on one side of a row's spans the shape covers: those that are touched and may not be covered
  /// wholly.
  @inline(__always)
  func edgeCoverage(
    _ y: Int32, _ columns: Range<Int32>, _ kernels: UnsafePointer<ckernels_table>, _ row: UnsafeMutablePointer<UInt8>
  ) {
    if columns.isEmpty { return }
    withUnsafePointer(to: kernel) { kernels.pointee.coverage(row, Int64(columns.count), columns.lowerBound, y, $0) }
  }
}
