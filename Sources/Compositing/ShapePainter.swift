import CKernels
import Geometry
import Raster
import RenderTree

extension ShapeContent: PaintableContent {
  var coversItself: Bool { parts.paintsFill && parts.paintsStroke }

  func opaquePixels(of record: RenderRecord, _ effects: RenderEffects?, _ transform: Affine) -> IntRect {
    guard let color = parts.fillColor?.premultipliedBGRA, color >> 24 == 255,
      let fill = StripCache.shared.strips(of: self, .fill, transform, frame: nil)
    else { return .zero }
    let covered = fill.strips.coveredRect.offsetBy(dx: fill.x, dy: fill.y)
    guard record.flags.contains(.masksToBounds) else { return covered }
    let mask = LayerShape(record.bounds, radius: 0, transform: transform)
    return covered.intersection(mask.coveredRect(record.bounds, transform))
  }

  func isSame(in layer: MovedLayer) -> Bool {
    StripCache.hasSameStrips(self, layer.new, as: layer.old, dx: layer.dx, dy: layer.dy)
  }

  func paint(_ layer: PaintedLayer, with painter: BandPainter) {
    // An antialiased clip cuts all that is painted in it.
    let isMasked = layer.record.flags.contains(.masksToBounds) && !layer.node.flags.contains(.antialiasedClip)
    let mask = isMasked ? LayerShape(layer.node, layer.record) : nil
    let pixels = layer.node.own.intersection(layer.clip).intersection(mask?.pixels ?? layer.clip)
    if pixels.isEmpty { return }
    if parts.paintsFill { paint(.fill, parts.fillColor, layer, pixels, mask, with: painter) }
    if parts.paintsStroke { paint(.stroke, parts.strokeColor, layer, pixels, mask, with: painter) }
  }

  private func paint(
    _ part: StripCache.Part, _ color: Color?, _ layer: PaintedLayer, _ pixels: IntRect, _ mask: LayerShape?,
    with painter: BandPainter
  ) {
    guard let own = color?.premultipliedBGRA,
      let shape = StripCache.shared.strips(
        of: self, part, layer.node.transform, frame: painter.frame.all.union(painter.band))
    else { return }
    let color = layer.opacity == 255 ? own : multiplyPixel(own, layer.opacity)
    if let mask, !mask.isWhole {
      painter.paint(color, shape, through: mask, pixels, layer.target)
    } else {
      painter.paint(color, shape, pixels, layer.target)
    }
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
}
