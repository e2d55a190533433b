import CKernels
import Geometry
import RenderTree

/// Paints one rectangle of the output.
struct BandPainter {
  let kernels: UnsafePointer<ckernels_table>
  let layers: TreeLayers
  let nodes: UnsafeBufferPointer<CompositeNode>
  let scratch: CompositeScratch
  var band: IntRect
  var frame: PictureFrame
  /// See `PictureSpace.depth`; of the picture that is painted.
  var pictureDepth = 0
  /// The number of layers around that picture whose far shadow is painted.
  var farShadows = 0
  /// True if one of the nodes filters what lies behind it.
  var filtersBackdrop = false

  var records: UnsafeBufferPointer<RenderRecord> { layers.records }

  /// Paints the band of an output.
  func paint(backdrop: UInt32, _ target: PixelTarget) {
    guard filtersBackdrop else { return paint(over: backdrop, target) }
    var around = self
    around.band = nodes.pixelsBehind(band, in: frame.edge)
    if around.band == band { return paint(over: backdrop, target.part(band)) }
    let picture = Picture(around.band)
    around.paint(over: backdrop, picture.target)
    target.part(band).copy(picture.target)
  }

  private func paint(over backdrop: UInt32, _ target: PixelTarget) {
    scratch.reserveRow(band.width)
    band.forEachPart(outside: findHidden()) { part in
      scratch.counts.layerPixels += part.area
      for y in part.minY..<part.maxY {
        kernels.pointee.fill(target.pointer(x: part.minX, y: y), Int64(part.width), backdrop)
      }
    }
    paint(0, nodes.count, band, target, depth: 0, behind(target))
  }

  /// Paints into a clear picture.
  func paintPicture(_ target: PixelTarget) {
    scratch.reserveRow(band.width)
    findHidden()
    paint(0, nodes.count, band, target, depth: 0, behind(target))
  }

  // MARK: Layers

  func mask(of node: CompositeNode) -> ShapeMask? {
    ShapeMask(layers, at: Int(node.record) + 1, end: layers.end(of: Int(node.record)), node.transform)
  }

  /// Paints the nodes from `start` up to `end`, which share the picture `target`, in the pixels of `clip`.
  private func paint(
    _ start: Int, _ end: Int, _ clip: IntRect, _ target: PixelTarget, depth: Int, _ behind: PaintedBehind?
  ) {
    var index = start
    while index < end {
      let next = Int(nodes[index].end)
      guard scratch.visibility[index] != .hidden else {
        index = next
        continue
      }
      if nodes[index].flags.isDisjoint(with: [.opacityGroup, .antialiasedClip, .shapeMask, .isolated, .bordered]) {
        if scratch.visibility[index] == .visible {
          paintBackdrop(of: nodes[index], clip, target, nodes[index].opacity, behind)
          paintShadow(of: nodes[index], clip, target, nodes[index].opacity)
          paintOwn(index, clip, target, nodes[index].opacity)
        }
        index += 1
      } else {
        if nodes[index].flags.contains(.isolated) {
          paintIsolated(nodes[index], clip, target, behind)
        } else {
          paintGroup(index, next, clip, target, depth: depth, behind)
        }
        index = next
      }
    }
  }

  private func paintGroup(
    _ index: Int, _ end: Int, _ clip: IntRect, _ target: PixelTarget, depth: Int, _ behind: PaintedBehind?
  ) {
    let node = nodes[index]
    let pixels = node.extent.intersection(clip)
    let isVisible = scratch.visibility[index] == .visible
    let isGroup = node.flags.contains(.opacityGroup)
    let group = isGroup ? scratch.group(depth: depth, pixels: pixels) : target
    let opacity = isGroup ? 255 : node.opacity
    if isVisible {
      paintBackdrop(of: node, pixels, group, opacity, behind)
      paintShadow(of: node, pixels, group, opacity)
    }
    paintInside(
      index, end, pixels, group, opacity: opacity, depth: isGroup ? depth + 1 : depth,
      isGroup ? self.behind(group) : behind)
    if !isGroup { return }
    scratch.counts.layerPixels += pixels.area
    for y in pixels.minY..<pixels.maxY {
      kernels.pointee.over_opacity(
        target.pointer(x: pixels.minX, y: y), group.pointer(x: pixels.minX, y: y), Int64(pixels.width), node.opacity)
    }
  }

  /// Paints a layer and its descendants, cut by its mask and by its clip.
  private func paintInside(
    _ index: Int, _ end: Int, _ clip: IntRect, _ target: PixelTarget, opacity: UInt32, depth: Int,
    _ behind: PaintedBehind?
  ) {
    guard nodes[index].flags.contains(.shapeMask) else {
      paintWhole(index, end, clip, target, opacity: opacity, depth: depth, behind)
      return
    }
    guard let mask = self.mask(of: nodes[index]) else { return }
    let pixels = clip.intersection(mask.pixels)
    guard let edges = mask.edges(in: pixels) else { return }
    cut(pixels, by: edges, target, depth: depth, behind) { behind in
      paintWhole(index, end, pixels, target, opacity: opacity, depth: depth + 1, behind)
    }
  }

  /// Paints a layer and its descendants, cut by its clip, with its border above.
  private func paintWhole(
    _ index: Int, _ end: Int, _ clip: IntRect, _ target: PixelTarget, opacity: UInt32, depth: Int,
    _ behind: PaintedBehind?
  ) {
    paintUnbordered(index, end, clip, target, opacity: opacity, depth: depth, behind)
    if scratch.visibility[index] == .visible { paintBorder(of: nodes[index], clip, target, opacity) }
  }

  private func paintUnbordered(
    _ index: Int, _ end: Int, _ clip: IntRect, _ target: PixelTarget, opacity: UInt32, depth: Int,
    _ behind: PaintedBehind?
  ) {
    let node = nodes[index]
    let isVisible = scratch.visibility[index] == .visible
    guard node.flags.contains(.antialiasedClip) else {
      if isVisible { paintOwn(index, clip, target, opacity) }
      paint(index + 1, end, clip, target, depth: depth, behind)
      return
    }
    let record = records[Int(node.record)]
    if isVisible { paintBackground(node, record, clip, target, opacity) }
    let shape = LayerShape(node, record)
    let pixels = clip.intersection(shape.pixels)
    let edges = CutEdges(shape, record.bounds, node.transform, in: pixels)
    cut(pixels, by: edges, target, depth: depth, behind) { behind in
      if isVisible {
        paintContent(node, record, pixels, target, opacity)
        paintInnerShadow(of: node, pixels, target, opacity)
      }
      paint(index + 1, end, pixels, target, depth: depth + 1, behind)
    }
  }

  /// Calls `body`, which paints in `pixels`, and takes back what it paints where nothing is covered: where a part is, the others' part.
  private func cut(
    _ pixels: IntRect, by edges: CutEdges, _ target: PixelTarget, depth: Int, _ behind: PaintedBehind?,
    _ body: (_ behind: PaintedBehind?) -> Void
  ) {
    if pixels.isEmpty { return }
    let kept = scratch.keptPixels(depth: depth, pixels: pixels)
    edges.forEachRun(in: pixels) { y, columns, _ in
      kept.pointer(x: columns.lowerBound, y: y)
        .update(from: target.pointer(x: columns.lowerBound, y: y), count: columns.count)
    }
    body(behind?.cut(by: edges, over: kept))
    restore(kept, outside: edges, in: pixels, target)
  }

  /// Mixes what was painted since `kept` was, and `kept`, by the share of each pixel that lies inside of the edges.
  func restore(_ kept: PixelTarget, outside edges: CutEdges, in pixels: IntRect, _ target: PixelTarget) {
    edges.forEachRun(in: pixels) { y, columns, share in
      let painted = target.pointer(x: columns.lowerBound, y: y)
      let before = kept.pointer(x: columns.lowerBound, y: y)
      let count = Int64(columns.count)
      switch share {
      case .none: painted.update(from: before, count: columns.count)
      case .known(let coverage): kernels.pointee.keep_uncovered(painted, before, count, coverage)
      case .computed(let shape):
        withUnsafePointer(to: shape.kernel) {
          kernels.pointee.coverage(scratch.coverage, count, columns.lowerBound, y, $0)
        }
        kernels.pointee.keep_uncovered(painted, before, count, scratch.coverage)
      }
    }
  }

  private func paintOwn(_ index: Int, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32) {
    let node = nodes[index]
    let pixels = node.own.intersection(clip)
    if pixels.isEmpty { return }
    let record = records[Int(node.record)]
    paintBackground(node, record, pixels, target, opacity)
    paintContent(node, record, pixels, target, opacity)
    paintInnerShadow(of: node, pixels, target, opacity)
  }

  private func paintBackground(
    _ node: CompositeNode, _ record: RenderRecord, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32
  ) {
    if node.color == 0 { return }
    let color = opacity == 255 ? node.color : multiplyPixel(node.color, opacity)
    let shape = LayerShape(node, record)
    let pixels = shape.pixels.intersection(node.own).intersection(clip)
    if pixels.isEmpty { return }
    scratch.counts.layerPixels += pixels.area
    let straight = shape.straightRows(record.bounds, node.transform)
    let edges = (left: scratch.coverage, right: scratch.secondCoverage)
    var spans = ckernels_spans()
    var row: Int32?
    for y in pixels.minY..<pixels.maxY {
      let like = straight.contains(y) ? straight.lowerBound : y
      if like != row {
        row = like
        spans = shape.spans(row: like, from: pixels.minX, to: pixels.maxX)
        shape.edgeCoverage(like, spans.touched_start..<spans.covered_start, kernels, edges.left)
        shape.edgeCoverage(like, spans.covered_end..<spans.touched_end, kernels, edges.right)
      }
      paint(color, spans.touched_start..<spans.covered_start, y, edges.left, target)
      paint(color, spans.covered_start..<spans.covered_end, y, target)
      paint(color, spans.covered_end..<spans.touched_end, y, edges.right, target)
    }
  }

  func paint(_ color: UInt32, _ columns: Range<Int32>, _ y: Int32, _ target: PixelTarget) {
    if columns.isEmpty { return }
    let destination = target.pointer(x: columns.lowerBound, y: y)
    if color >> 24 == 255 {
      kernels.pointee.fill(destination, Int64(columns.count), color)
    } else {
      kernels.pointee.over_color(destination, Int64(columns.count), color)
    }
  }

  func paint(
    _ color: UInt32, _ columns: Range<Int32>, _ y: Int32, _ coverage: UnsafePointer<UInt8>, _ target: PixelTarget
  ) {
    if columns.isEmpty { return }
    let pixels = target.pointer(x: columns.lowerBound, y: y)
    ckernels_prefetch_below(pixels, Int64(target.bytesPerRow))
    ckernels_prefetch_below(pixels + (columns.count - 1), Int64(target.bytesPerRow))
    kernels.pointee.over_color_coverage(pixels, Int64(columns.count), color, coverage)
  }

  private func paintContent(
    _ node: CompositeNode, _ record: RenderRecord, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32
  ) {
    guard let content = node.content else { return }
    scratch.counts.layerPixels += node.own.intersection(clip).area
    content.paint(
      PaintedLayer(node: node, record: record, clip: clip, target: target, opacity: opacity), with: self)
  }

  /// Paints the rows of a layer's content.
  func paint(_ rows: some ContentRows, of layer: PaintedLayer) {
    let (node, record) = (layer.node, layer.record)
    var mask: LayerShape?
    if node.flags.contains(.roundedContent) {
      mask = LayerShape(node, record)
    }
    let shape = rows.shape
    let pixels = shape.pixels.intersection(mask?.pixels ?? layer.clip).intersection(node.own).intersection(layer.clip)
    if pixels.isEmpty { return }
    for y in pixels.minY..<pixels.maxY {
      var spans = shape.spans(row: y, from: pixels.minX, to: pixels.maxX)
      if let mask { spans = spans.intersection(mask.spans(row: y, from: pixels.minX, to: pixels.maxX)) }
      let count = spans.touched_end - spans.touched_start
      if count == 0 { continue }
      // Opaque pixels may be made where they are seen.
      let isCopied = rows.isOpaque && layer.opacity == 255 && count == spans.covered_end - spans.covered_start
      let place = layer.target.pointer(x: spans.touched_start, y: y)
      let row = rows.row(y, from: spans.touched_start, count: count, in: isCopied ? place : scratch.samples, with: self)
      if row == place { continue }
      blend(row, y, spans, shape, mask, layer.target, opacity: layer.opacity, isOpaque: rows.isOpaque)
    }
  }

  /// Blends a row of pixels, the first of which is at the start of `spans`, through one shape or two.
  func blend(
    _ source: UnsafePointer<UInt32>, _ y: Int32, _ spans: ckernels_spans, _ shape: LayerShape, _ mask: LayerShape?,
    _ target: PixelTarget, opacity: UInt32, isOpaque: Bool
  ) {
    let start = spans.touched_start
    blend(source, start..<spans.covered_start, y, through: shape, mask, target, opacity)
    let count = Int(spans.covered_end - spans.covered_start)
    if count > 0 {
      let destination = target.pointer(x: spans.covered_start, y: y)
      let first = source + Int(spans.covered_start - start)
      if opacity < 255 {
        kernels.pointee.over_opacity(destination, first, Int64(count), opacity)
      } else if isOpaque {
        destination.update(from: first, count: count)
      } else {
        kernels.pointee.over(destination, first, Int64(count))
      }
    }
    blend(
      source + Int(spans.covered_end - start), spans.covered_end..<spans.touched_end, y, through: shape, mask, target,
      opacity)
  }

  private func blend(
    _ source: UnsafePointer<UInt32>, _ columns: Range<Int32>, _ y: Int32, through shape: LayerShape,
    _ mask: LayerShape?, _ target: PixelTarget, _ opacity: UInt32
  ) {
    if columns.isEmpty { return }
    let count = Int64(columns.count)
    let coverage = scratch.coverage
    // A whole shape, beside a mask that is not, covers all.
    if shape.isWhole {
      coverage.update(repeating: 255, count: columns.count)
    } else {
      withUnsafePointer(to: shape.kernel) { kernels.pointee.coverage(coverage, count, columns.lowerBound, y, $0) }
    }
    if let mask, !mask.isWhole {
      let second = scratch.secondCoverage
      withUnsafePointer(to: mask.kernel) { kernels.pointee.coverage(second, count, columns.lowerBound, y, $0) }
      ckernels_multiply_coverage(coverage, second, count)
    }
    kernels.pointee.over_coverage(target.pointer(x: columns.lowerBound, y: y), source, count, coverage, opacity)
  }
}

extension ckernels_spans {
  /// The part of a row that two shapes, one behind the other, let through.
  func intersection(_ other: ckernels_spans) -> ckernels_spans {
    let start = max(touched_start, other.touched_start)
    let end = max(start, min(touched_end, other.touched_end))
    let coveredStart = max(covered_start, other.covered_start, start)
    let coveredEnd = min(covered_end, other.covered_end, end)
    guard coveredStart < coveredEnd else {
      return ckernels_spans(touched_start: start, covered_start: end, covered_end: end, touched_end: end)
    }
    return ckernels_spans(
      touched_start: start, covered_start: coveredStart, covered_end: coveredEnd, touched_end: end)
  }
}

/// All four bytes of a pixel times a/255, as the row kernels multiply.
func multiplyPixel(_ pixel: UInt32, _ a: UInt32) -> UInt32 {
  multiply255(pixel >> 24, a) << 24 | multiply255(pixel >> 16 & 255, a) << 16 | multiply255(pixel >> 8 & 255, a) << 8
    | multiply255(pixel & 255, a)
}
