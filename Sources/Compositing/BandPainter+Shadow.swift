import CKernels
import Geometry
import RenderTree

// Shadows that shapes throw: coverage times a colour, painted straight into the target. It is kept, see RasterCache, or made for the
// pixels that are painted.

extension BandPainter {
  /// Paints the shadow of a layer below it, if its shape throws one.
  func paintShadow(of node: CompositeNode, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32) {
    guard node.flags.contains(.shadowed), let mask = node.outerShadow(records), let shadow = node.effects?.parts.shadow
    else { return }
    paint(
      mask, node.shadowMask, shadow.color, node, clip, target, opacity, cutBy: bounds(of: node), hidden: node.opaque)
  }

  /// Paints the shadow inside of a layer's edges, if it has one.
  func paintInnerShadow(of node: CompositeNode, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32) {
    guard node.flags.contains(.innerShadowed), let mask = node.innerShadow(records),
      let shadow = node.effects?.parts.innerShadow
    else { return }
    // A shadow of the bounds' shape ends at them, and a clip cuts all that is painted in it.
    let isCut = shadow.path == nil || node.flags.contains(.antialiasedClip)
    paint(
      mask, node.innerShadowMask, shadow.color, node, clip, target, opacity, cutBy: isCut ? nil : bounds(of: node),
      hidden: .zero)
  }

  private func paint(
    _ mask: ShadowMask, _ kept: KeptShadowMask?, _ color: UInt32, _ node: CompositeNode, _ clip: IntRect,
    _ target: PixelTarget, _ opacity: UInt32, cutBy bounds: LayerShape?, hidden: IntRect
  ) {
    let place = mask.place(node.transform)
    let pixels = mask.extent.offsetBy(dx: place.dx, dy: place.dy).intersection(node.own).intersection(clip)
    if pixels.isEmpty { return }
    let coverage =
      kept?.coverage ?? timed { mask.coverage(of: pixels.offsetBy(dx: -place.dx, dy: -place.dy), kernels) }
    let color = opacity == 255 ? color : multiplyPixel(color, opacity)
    let hidden = hidden.intersection(pixels)
    scratch.counts.layerPixels += pixels.area - hidden.area
    paint(coverage, at: place, color, cutBy: bounds, pixels, hidden: hidden, target)
  }

  /// Paints a colour by coverage.
  ///
  /// - Parameters:
  ///   - place: the whole pixels from the coverage to the target.
  ///   - bounds: what cuts the coverage; nil for nothing.
  ///   - hidden: pixels that need not be painted.
  func paint(
    _ coverage: ChannelPicture, at place: (dx: Int32, dy: Int32), _ color: UInt32, cutBy bounds: LayerShape?,
    _ pixels: IntRect, hidden: IntRect = .zero, _ target: PixelTarget
  ) {
    func paint(_ columns: Range<Int32>, _ y: Int32) {
      if columns.isEmpty { return }
      var row = UnsafePointer(coverage.row(y - place.dy) + Int(columns.lowerBound - place.dx - coverage.pixels.minX))
      if let bounds {
        let cut = scratch.coverage(columns.count)
        bounds.coverage(y, columns, kernels, cut)
        ckernels_multiply_coverage(cut, row, Int64(columns.count))
        row = UnsafePointer(cut)
      }
      self.paint(color, columns, y, row, target)
    }
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      if !hidden.isEmpty, y >= hidden.minY, y < hidden.maxY {
        paint(pixels.minX..<hidden.minX, y)
        paint(hidden.maxX..<pixels.maxX, y)
      } else {
        paint(pixels.minX..<pixels.maxX, y)
      }
    }
  }

  /// The edges that cut a layer's shadows: its bounds, if it masks to them.
  func bounds(of node: CompositeNode) -> LayerShape? {
    let record = records[Int(node.record)]
    return record.flags.contains(.masksToBounds) ? LayerShape(node, record) : nil
  }
}

extension CompositeNode {
  /// The shadow that its shape throws.
  func outerShadow(_ records: UnsafeBufferPointer<RenderRecord>) -> ShadowMask? {
    guard flags.contains(.shadowed), let parts = effects?.parts, let shadow = parts.shadow else { return nil }
    return ShadowMask(shadow, of: records[Int(record)], parts.corners, transform, isInner: false)
  }

  /// The shadow inside of its edges.
  func innerShadow(_ records: UnsafeBufferPointer<RenderRecord>) -> ShadowMask? {
    guard flags.contains(.innerShadowed), let parts = effects?.parts, let shadow = parts.innerShadow else { return nil }
    return ShadowMask(shadow, of: records[Int(record)], parts.corners, transform, isInner: true)
  }
}
