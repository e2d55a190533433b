import CKernels
import Geometry
import Raster
import RenderTree

extension ShapeContent: PaintableContent {
  var coversItself: Bool { fill != nil && stroke != nil }

  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    guard let fill, fill.isOpaque, isSeen(fill, transform),
      let fill = StripCache.shared.strips(of: self, .fill, transform, frame: nil)
    else { return .zero }
    let covered = fill.strips.coveredRect.offsetBy(dx: fill.x, dy: fill.y)
    guard record.flags.contains(.masksToBounds) else { return covered }
    let mask = LayerShape(record.bounds, radius: 0, transform: transform)
    return covered.intersection(mask.coveredRect(record.bounds, transform))
  }

  func isSame(in layer: MovedLayer) -> Bool {
    StripCache.hasSameStrips(self, layer.new, as: layer.old, dx: layer.dx, dy: layer.dy)
      && (fill.map { isSame($0, in: layer) } ?? true) && (stroke.map { isSame($0, in: layer) } ?? true)
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    // An antialiased clip cuts all that is painted in it.
    let isMasked = layer.record.flags.contains(.masksToBounds) && !layer.node.flags.contains(.antialiasedClip)
    let mask = isMasked ? LayerShape(layer.node, layer.record) : nil
    let pixels = layer.node.own.intersection(layer.clip).intersection(mask?.pixels ?? layer.clip)
    if pixels.isEmpty { return }
    let cut = mask?.isWhole == true ? nil : mask
    if let fill { paint(.fill, fill, layer, pixels, cut, with: painter) }
    if let stroke { paint(.stroke, stroke, layer, pixels, cut, with: painter) }
  }

  private func paint(
    _ part: StripCache.Part, _ paint: ShapePaint, _ layer: PaintedLayer, _ pixels: IntRect, _ mask: LayerShape?,
    with painter: BandPainter
  ) {
    let frame = painter.frame.all.union(painter.band)
    guard let shape = StripCache.shared.strips(of: self, part, layer.node.transform, frame: frame) else { return }
    switch paint {
    case .color(let own):
      let color = layer.opacity == 255 ? own : multiplyPixel(own, layer.opacity)
      if let mask {
        painter.paint(color, shape, through: mask, pixels, layer.target)
      } else {
        painter.paint(color, shape, pixels, layer.target)
      }
    case .gradient(let gradient):
      guard let place = GradientPlace(gradient, of: self, layer.node.transform) else { return }
      painter.paint(gradient, place, shape, through: mask, pixels, layer)
    }
  }

  /// False for a gradient that has no place on the output.
  private func isSeen(_ paint: ShapePaint, _ transform: Affine) -> Bool {
    guard case .gradient(let gradient) = paint else { return true }
    return GradientPlace(gradient, of: self, transform) != nil
  }

  private func isSame(_ paint: ShapePaint, in layer: MovedLayer) -> Bool {
    guard case .gradient(let gradient) = paint else { return true }
    guard let old = GradientPlace(gradient, of: self, layer.old), let new = GradientPlace(gradient, of: self, layer.new)
    else { return false }
    return new.isSame(as: old, dx: layer.dx, dy: layer.dy)
  }
}

extension BandPainter {
  /// Paints the strips in the pixels of the output.
  fileprivate func paint(_ color: UInt32, _ shape: StripCache.Placed, _ pixels: IntRect, _ target: PixelTarget) {
    shape.strips.forEachStrip(in: pixels.offsetBy(dx: -shape.x, dy: -shape.y)) { top, runs, coverage, part in
      guard let first = runs.baseAddress else { return }
      kernels.pointee.over_color_strip(
        target.pointer(x: part.min_x + shape.x, y: top + part.min_y + shape.y), Int64(target.bytesPerRow), color,
        first, Int64(runs.count), coverage, &part)
    }
  }

  fileprivate func paint(
    _ color: UInt32, _ shape: StripCache.Placed, through mask: LayerShape, _ pixels: IntRect, _ target: PixelTarget
  ) {
    let rows = (shape: scratch.coverage(pixels.width), mask: scratch.secondCoverage(pixels.width))
    for y in pixels.minY..<pixels.maxY {
      shape.strips.coverage(y - shape.y, pixels.minX - shape.x..<pixels.maxX - shape.x, rows.shape)
      mask.coverage(y, pixels.minX..<pixels.maxX, kernels, rows.mask)
      ckernels_multiply_coverage(rows.shape, rows.mask, Int64(pixels.width))
      kernels.pointee.over_color_coverage(target.pointer(x: pixels.minX, y: y), Int64(pixels.width), color, rows.shape)
    }
  }

  /// Paints a gradient where the strips are, through a mask where there is one.
  fileprivate func paint(
    _ gradient: GradientContent, _ place: GradientPlace, _ shape: StripCache.Placed, through mask: LayerShape?,
    _ pixels: IntRect, _ layer: PaintedLayer
  ) {
    let maskRow = mask.map { _ in scratch.secondCoverage(pixels.width) }
    shape.strips.forEachStrip(in: pixels.offsetBy(dx: -shape.x, dy: -shape.y)) { top, runs, coverage, part in
      for run in runs {
        let columns = max(run.start, part.min_x)..<max(min(run.end, part.max_x), max(run.start, part.min_x))
        if columns.isEmpty { continue }
        let (x, count) = (columns.lowerBound + shape.x, Int64(columns.count))
        for row in part.min_y..<part.max_y {
          let y = top + row + shape.y
          gradient.row(y, from: x, count: Int32(count), place, in: scratch.samples, kernels)
          let target = layer.target.pointer(x: x, y: y)
          let isSolid = run.coverage == Strips.solid
          let own =
            coverage + (isSolid ? 0 : Int(run.coverage) + Int(row * (run.end - run.start) + columns.lowerBound - run.start))
          if let mask, let maskRow {
            mask.coverage(y, x..<x + Int32(count), kernels, maskRow)
            if !isSolid { ckernels_multiply_coverage(maskRow, own, count) }
            kernels.pointee.over_coverage(target, scratch.samples, count, maskRow, layer.opacity)
          } else if !isSolid {
            kernels.pointee.over_coverage(target, scratch.samples, count, own, layer.opacity)
          } else if layer.opacity == 255 {
            kernels.pointee.over(target, scratch.samples, count)
          } else {
            kernels.pointee.over_opacity(target, scratch.samples, count, layer.opacity)
          }
        }
      }
    }
  }
}
