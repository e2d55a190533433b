import CKernels
import Geometry
import RenderTree

// Layers that filter what lies behind them. What a target shows when such a layer's turn comes is just that: a band is painted
// together with the pixels around it that the blurs mix, into a picture of which the band is copied.

/// The pixels that have been painted behind a layer in its group.
final class PaintedBehind {
  private let target: PixelTarget
  /// The innermost bounds or mask that will cut what is being painted, the pixels from before, and what cuts these.
  private let cut: (edges: CutEdges, kept: PixelTarget, outer: PaintedBehind)?

  init(_ target: PixelTarget) { (self.target, cut) = (target, nil) }

  private init(_ outer: PaintedBehind, cutBy edges: CutEdges, over kept: PixelTarget) {
    (target, cut) = (outer.target, (edges, kept, outer))
  }

  /// The same while what is painted will be cut.
  func cut(by edges: CutEdges, over kept: PixelTarget) -> PaintedBehind {
    PaintedBehind(self, cutBy: edges, over: kept)
  }

  /// A copy of these pixels; clear where nothing has been painted.
  func picture(of pixels: IntRect, with painter: BandPainter) -> Picture {
    let picture = Picture(pixels)
    picture.target.copy(target)
    var scope = self
    while let cut = scope.cut {
      painter.restore(
        cut.kept, outside: cut.edges, in: cut.kept.pixels.intersection(pixels), picture.target)
      scope = cut.outer
    }
    return picture
  }
}

extension BandPainter {
  /// The pixels of a target as layers that filter them find them; nil where no layer does.
  func behind(_ target: PixelTarget) -> PaintedBehind? { filtersBackdrop ? PaintedBehind(target) : nil }

  /// Paints what lies behind a layer, filtered, within its bounds.
  func paintBackdrop(
    of node: CompositeNode, _ clip: IntRect, _ target: PixelTarget, _ opacity: UInt32, _ behind: PaintedBehind?
  ) {
    guard node.flags.contains(.filtersBackdrop), let parts = node.effects?.parts else { return }
    let shape = LayerShape(node, records[Int(node.record)])
    let pixels = shape.pixels.intersection(node.own).intersection(clip)
    if pixels.isEmpty { return }
    guard let picture = node.backdrop?.picture ?? behind.map({ filtered($0, parts, node.transform, pixels) }) else { return }
    node.backdrop?.take(picture)
    scratch.counts.layerPixels += pixels.area
    for y in pixels.minY..<pixels.maxY {
      let spans = shape.spans(row: y, from: pixels.minX, to: pixels.maxX)
      if spans.touched_start == spans.touched_end { continue }
      blend(
        picture.target.pointer(x: spans.touched_start, y: y), y, spans, shape, nil, target, opacity: opacity,
        isOpaque: false)
    }
  }

  private func filtered(
    _ behind: PaintedBehind, _ parts: RenderEffects.Parts, _ transform: Affine, _ pixels: IntRect
  ) -> Picture {
    let picture: Picture
    if let blur = parts.backdropBlur(transform) {
      picture = behind.picture(of: blur.source(of: pixels).moved(into: frame.edge), with: self)
        .blurred(by: blur, to: pixels, isExtended: true, kernels)
    } else {
      picture = behind.picture(of: pixels, with: self)
    }
    parts.backdropColorMatrix?.apply(to: picture)
    return picture
  }
}

extension UnsafeBufferPointer<CompositeNode> {
  /// The pixels that must be painted so that `pixels` are right: those that the blurs of what lies behind layers mix as well. Beyond
  /// `edge` its outermost pixels go on.
  func pixelsBehind(_ pixels: IntRect, in edge: IntRect) -> IntRect {
    var result = pixels
    // By index: the iterator of nodes ends nowhere, since unmanaged references leave no pattern of bits for nil.
    for index in indices.reversed() where self[index].flags.contains(.filtersBackdrop) {
      let shown = self[index].own.intersection(result)
      guard !shown.isEmpty, self[index].backdrop?.picture == nil,
        let blur = self[index].effects?.parts.backdropBlur(self[index].transform)
      else { continue }
      result = result.union(blur.source(of: shown).moved(into: edge))
    }
    return result
  }
}

extension CompositeList {
  func pixelsBehind(_ pixels: IntRect, in edge: IntRect) -> IntRect {
    nodes.withUnsafeBufferPointer { $0.pixelsBehind(pixels, in: edge) }
  }

  /// Makes the list of what an output shows in `damage`, and of what lies around it as far as layers that filter it mix it.
  ///
  /// - Parameter kept: finds the kept backdrop of a layer that filters it.
  mutating func build(
    _ tree: TreeSnapshot, damage: DamageRegion, output: IntRect, edge: IntRect, kept: (CompositeNode) -> KeptBackdrop?
  ) {
    var painted = damage
    build(tree, damage: painted, output: output)
    while filtersBackdrop {
      filtersBackdrop = false
      for index in nodes.indices where nodes[index].flags.contains(.filtersBackdrop) {
        nodes[index].backdrop = kept(nodes[index])
        if nodes[index].backdrop?.picture == nil { filtersBackdrop = true }
      }
      var needed = painted
      for rect in damage.rects { needed.add(pixelsBehind(rect, in: edge)) }
      if needed.area == painted.area { return }
      painted = needed
      build(tree, damage: painted, output: output)
    }
  }

  /// The same for the picture of one layer with its descendants.
  ///
  /// - Returns: the pixels that are to be painted.
  mutating func build(
    _ layers: TreeLayers, of root: Int, end: Int, _ transform: Affine, pixels: IntRect, edge: IntRect, pictureDepth: Int
  ) -> IntRect {
    var painted = pixels
    build(layers, of: root, end: end, transform, pixels: painted, pictureDepth: pictureDepth)
    while filtersBackdrop {
      let needed = painted.union(pixelsBehind(pixels, in: edge))
      if needed == painted { break }
      painted = needed
      build(layers, of: root, end: end, transform, pixels: painted, pictureDepth: pictureDepth)
    }
    return painted
  }
}

extension IntRect {
  /// The pixels of `frame` that are nearest to these.
  fileprivate func moved(into frame: IntRect) -> IntRect {
    if isEmpty || frame.isEmpty { return .zero }
    return IntRect(
      minX: min(max(minX, frame.minX), frame.maxX - 1), minY: min(max(minY, frame.minY), frame.maxY - 1),
      maxX: min(max(maxX, frame.minX + 1), frame.maxX), maxY: min(max(maxY, frame.minY + 1), frame.maxY))
  }
}
