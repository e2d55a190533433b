import CKernels
import Geometry
import LinuxSystem
import RenderTree

// Layers that become pictures of their own: plain and slow. Each picture is made for the pixels that are asked for and, under a
// shadow, for those around them that it mixes, so that no pixel depends on the damage.

extension BandPainter {
  /// Blends an isolated layer with its descendants and effects.
  func paintIsolated(_ node: CompositeNode, _ clip: IntRect, _ target: PixelTarget, _ behind: PaintedBehind?) {
    let pixels = node.extent.intersection(clip)
    if pixels.isEmpty { return }
    let (index, end) = (Int(node.record), layers.end(of: Int(node.record)))
    var inside = self
    inside.pictureDepth = Int(node.pictureDepth)
    guard
      let space = node.raster?.space
        ?? PictureSpace(layers, of: index, end: end, node.transform, depth: inside.pictureDepth, frame: frame.all)
    else { return }
    scratch.counts.layerPixels += pixels.area
    let picture =
      node.raster?.picture ?? timed { inside.flatPicture(of: index, end: end, in: space, space.source(of: pixels)) }
    var under: Picture?
    if node.flags.contains(.filtersBackdrop) {
      let backdrop = Picture(pixels)
      paintBackdrop(of: node, pixels, backdrop.target, 255, behind)
      if records[index].flags.contains(.masked) { inside.cut(backdrop, byMaskOf: index, end, node.transform) }
      under = backdrop
    }
    withExtendedLifetime(picture) {
      let (shown, mode) = (space.shown(picture), node.effects?.parts.blendMode ?? .normal)
      let bounds = mode.actsWhereClear ? self.picture(ofBounds: node, in: space, pixels) : nil
      for y in pixels.minY..<pixels.maxY {
        var row = shown.row(y, from: pixels.minX, count: pixels.width, kernels, scratch.samples)
        if let backdrop = under?.target.pointer(x: pixels.minX, y: y) {
          kernels.pointee.over(backdrop, row, Int64(pixels.width))
          row = backdrop
        }
        mode.blend(
          row, over: target.pointer(x: pixels.minX, y: y), inside: bounds?.target.pointer(x: pixels.minX, y: y),
          count: pixels.width, opacity: node.opacity, with: kernels)
      }
    }
  }

  /// A white picture of a layer's bounds, as it is shown.
  private func picture(ofBounds node: CompositeNode, in space: PictureSpace, _ pixels: IntRect) -> Picture {
    let white = Picture(space.source(of: pixels))
    let shape = LayerShape(records[Int(node.record)], node.effects, space.transform)
    let inside = shape.pixels.intersection(white.pixels)
    let coverage = scratch.coverage(inside.width)
    for y in inside.minY..<max(inside.minY, inside.maxY) {
      let spans = shape.spans(row: y, from: inside.minX, to: inside.maxX)
      for columns in [spans.touched_start..<spans.covered_start, spans.covered_end..<spans.touched_end] {
        shape.edgeCoverage(y, columns, kernels, coverage)
        paint(.max, columns, y, coverage, white.target)
      }
      paint(.max, spans.covered_start..<spans.covered_end, y, white.target)
    }
    return shown(white, in: space, pixels)
  }

  /// The picture of a layer with its descendants and effects, but for its opacity and its blend mode.
  private func picture(of index: Int, end: Int, _ transform: Affine, _ pixels: IntRect) -> Picture {
    guard let space = PictureSpace(layers, of: index, end: end, transform, depth: pictureDepth, frame: frame.all) else {
      return Picture(pixels)
    }
    return shown(flatPicture(of: index, end: end, in: space, space.source(of: pixels)), in: space, pixels)
  }

  /// A picture of these pixels of the output, which takes over one of those in `space` that they need.
  private func shown(_ picture: Picture, in space: PictureSpace, _ pixels: IntRect) -> Picture {
    withExtendedLifetime(picture) {
      let shown = space.shown(picture)
      if case .same(let target) = shown {
        picture.target = target
        return picture
      }
      return shown.picture(of: pixels, kernels)
    }
  }

  /// Makes a picture, or coverage of a shadow, that is not kept; of the output itself it is timed.
  func timed<Made>(_ make: () -> Made) -> Made {
    guard let clock = scratch.clock else { return make() }
    let began = clock.now
    defer { scratch.counts.pictureTime += clock.now - began }
    return make()
  }

  /// The same in the picture's own pixels.
  func flatPicture(of index: Int, end: Int, in space: PictureSpace, _ pixels: IntRect) -> Picture {
    seeing(frame.map(space.source(of:))).current(index, end, space.transform, pixels, layers.effects(at: index)?.parts)
  }

  /// The same painter for a picture of which these pixels may be asked for.
  private func seeing(_ frame: PictureFrame) -> BandPainter {
    var painter = self
    painter.frame = frame
    return painter
  }

  /// The layer's picture, or one on the way to it from an older one.
  private func current(
    _ index: Int, _ end: Int, _ transform: Affine, _ pixels: IntRect, _ parts: RenderEffects.Parts?
  ) -> Picture {
    guard let transition = parts?.transition else { return decorated(index, end, transform, pixels, parts) }
    let places = transition.places(in: records[index].bounds.size)
    let new =
      transition.isNewHidden
      ? Picture(pixels) : decorated(index, end, places.new.concatenating(transform), pixels, parts)
    if transition.old.tree.records.isEmpty { return transition.mix(Picture(pixels), new, kernels) }
    return transition.old.tree.withTreeLayers { layers in
      let painter = BandPainter(
        kernels: kernels, layers: layers, nodes: nodes, scratch: CompositeScratch(), band: pixels, frame: frame,
        pictureDepth: pictureDepth, farShadows: farShadows)
      let old = painter.picture(of: 0, end: layers.records.count, places.old.concatenating(transform), pixels)
      return transition.mix(old, new, kernels)
    }
  }

  /// The pixels of a picture that a layer shares with its far shadow, however many of them neither needs: 8 MiB.
  private static let largestGap = 1 << 21
  /// Each far shadow may double what there is to paint.
  private static let maximumFarShadows = 3

  /// Shadow, background, contents, descendants and border, filtered, through the mask.
  private func decorated(
    _ index: Int, _ end: Int, _ transform: Affine, _ pixels: IntRect, _ parts: RenderEffects.Parts?
  ) -> Picture {
    var around = IntRect.zero
    var inside = self
    var shadow = parts?.shadow
    if let thrown = shadow, thrown.path == nil {
      let blur = PictureBlur(thrown, transform)
      if blur.isFar, farShadows == Self.maximumFarShadows {
        shadow = nil
      } else {
        if blur.isFar { inside.farShadows += 1 }
        inside.frame = frame.map { $0.union(blur.source(of: $0)) }
        around = layers.filteredPixels(of: index, end: end, transform, depth: pictureDepth)
          .intersection(blur.source(of: pixels))
      }
    }
    // One picture serves body and shadow, or each layer in another would be painted twice as often as that. Only a shadow that
    // falls from so far away that much too large a picture would lie between gets its own.
    let both = pixels.union(around)
    let isShared =
      inside.farShadows == farShadows || both.area <= max(2 * (pixels.area + around.area), Self.largestGap)
    var result = inside.filtered(index, end, transform, isShared ? both : pixels, parts)
    if let shadow {
      let thrower = isShared ? result : inside.filtered(index, end, transform, around, parts)
      let under = Picture(pixels)
      paint(shadow, of: thrower, records[index], transform, under, parts)
      for y in pixels.minY..<pixels.maxY {
        kernels.pointee.over(
          under.target.pointer(x: pixels.minX, y: y), result.target.pointer(x: pixels.minX, y: y), Int64(pixels.width))
      }
      result = under
    }
    if records[index].flags.contains(.masked) { cut(result, byMaskOf: index, end, transform) }
    return result
  }

  /// The layer with its descendants and its border.
  func body(
    of index: Int, _ end: Int, _ transform: Affine, _ pixels: IntRect, _ parts: RenderEffects.Parts?
  ) -> Picture {
    let picture = Picture(pixels)
    if pixels.isEmpty { return picture }
    var list = CompositeList()
    // In a shadow from far away the blurs of what lies behind layers could make the picture as large as the way.
    let isFar = farShadows > 0
    let painted = list.build(
      layers, of: index, end: end, transform, pixels: pixels, edge: isFar ? .zero : frame.edge,
      pictureDepth: pictureDepth + 1)
    let around = painted == pixels ? picture : Picture(painted)
    list.nodes.withUnsafeBufferPointer { nodes in
      BandPainter(
        kernels: kernels, layers: layers, nodes: nodes, scratch: CompositeScratch(), band: painted, frame: frame,
        pictureDepth: pictureDepth + 1, farShadows: farShadows, filtersBackdrop: list.filtersBackdrop && !isFar
      ).paintPicture(around.target)
    }
    if around !== picture { picture.target.copy(around.target) }
    return picture
  }

  // MARK: Shadow

  /// Paints the shadow of a picture, or of the shadow's path.
  private func paint(
    _ shadow: Shadow, of thrower: Picture, _ record: RenderRecord, _ transform: Affine, _ picture: Picture,
    _ parts: RenderEffects.Parts?
  ) {
    let pixels = picture.pixels
    var bounds: LayerShape?
    if record.flags.contains(.masksToBounds) {
      bounds = LayerShape(
        record.bounds, radius: Double(record.cornerRadius), corners: parts?.corners ?? .all,
        smoothEdges: parts?.smoothEdges ?? .all, transform: transform)
    }
    if shadow.path != nil {
      let mask = ShadowMask(shadow, of: record, .all, transform, isInner: false)
      let place = mask.place(transform)
      let coverage = mask.coverage(of: pixels.offsetBy(dx: -place.dx, dy: -place.dy), kernels)
      paint(coverage, at: place, shadow.color, cutBy: bounds, pixels, picture.target)
    } else {
      let blur = PictureBlur(shadow, transform)
      let alpha = ChannelPicture(blur.source(of: pixels))
      alpha.copy(thrower)
      let coverage = alpha.blurred(by: blur, to: pixels, kernels)
      paint(coverage, at: (0, 0), shadow.color, cutBy: bounds, pixels, picture.target)
    }
  }

  // MARK: Mask

  private func cut(_ picture: Picture, byMaskOf index: Int, _ end: Int, _ transform: Affine) {
    let pixels = picture.pixels
    var opacity: UInt32 = 0
    var mask: Picture?
    if let maskIndex = layers.mask(of: index, end: end), !records[maskIndex].flags.contains(.hidden) {
      let place = Placement(transform: transform, clip: pixels).transform(of: records[maskIndex])
      opacity = records[maskIndex].opacityByte
      var inside = self
      inside.pictureDepth += 1
      mask = inside.maskPicture(maskIndex, records[maskIndex].end(at: maskIndex, in: end), place, pixels)
    }
    for y in pixels.minY..<pixels.maxY {
      let row = picture.target.pointer(x: pixels.minX, y: y)
      guard let mask, opacity > 0 else {
        row.update(repeating: 0, count: pixels.width)
        continue
      }
      let alpha = mask.target.pointer(x: pixels.minX, y: y)
      kernels.pointee.mask(row, alpha, Int64(pixels.width), opacity)
    }
  }

  /// The picture of a mask. Where too many pictures are around it, its effects are left out.
  private func maskPicture(_ index: Int, _ end: Int, _ transform: Affine, _ pixels: IntRect) -> Picture {
    guard pictureDepth < TreeLayers.maximumPictureDepth else { return body(of: index, end, transform, pixels, nil) }
    return picture(of: index, end: end, transform, pixels)
  }
}

extension LayerTransition {
  /// The picture of the transition, in the memory of one of these pictures of the same pixels.
  fileprivate func mix(_ old: Picture, _ new: Picture, _ kernels: UnsafePointer<ckernels_table>) -> Picture {
    let (under, over) = type == .reveal ? (new, old) : (old, new)
    let pixels = under.pixels
    for y in pixels.minY..<max(pixels.maxY, pixels.minY) {
      let row = under.target.pointer(x: pixels.minX, y: y)
      let source = over.target.pointer(x: pixels.minX, y: y)
      if type == .fade {
        kernels.pointee.mix(row, source, Int64(pixels.width), share)
      } else {
        kernels.pointee.over(row, source, Int64(pixels.width))
      }
    }
    return under
  }
}

extension TreeLayers {
  /// The index one past the last descendant of a layer whose record is consistent.
  func end(of index: Int) -> Int { records[index].end(at: index, in: records.count) }
}
