import CKernels
import Geometry
import RenderTree

// The way of the painter through the layers of a band, once more without painting: it counts how often each pixel is painted. It
// is walked only where somebody asks for overdraw.

extension BandPainter {
  typealias Visit = (_ row: Int32, _ columns: Range<Int32>) -> Void

  /// Visits the runs that `paint` paints on an output.
  func visitRuns(_ visit: Visit) {
    band.forEachPart(outside: findHidden()) { self.visit($0, visit) }
    visitNodes(0, nodes.count, band, visit)
  }

  private func visitNodes(_ start: Int, _ end: Int, _ clip: IntRect, _ visit: Visit) {
    var index = start
    while index < end {
      let node = nodes[index]
      let next = Int(node.end)
      guard scratch.visibility[index] != .hidden else {
        index = next
        continue
      }
      if node.flags.contains(.isolated) {
        visitPicture(node, node.extent.intersection(clip), visit)
        index = next
        continue
      }
      if scratch.visibility[index] == .visible { visitOwn(node, clip, visit) }
      guard !node.flags.isDisjoint(with: [.opacityGroup, .antialiasedClip, .shapeMask]) else {
        index += 1
        continue
      }
      let pixels = node.extent.intersection(clip)
      visitNodes(index + 1, next, pixels, visit)
      let record = records[Int(node.record)]
      if node.flags.contains(.antialiasedClip) {
        let shape = LayerShape(node, record)
        let inside = pixels.intersection(shape.pixels)
        visitEdges(CutEdges(shape, record.bounds, node.transform, in: inside), inside, visit)
      }
      if node.flags.contains(.shapeMask), let mask = self.mask(of: node), let edges = mask.edges(in: pixels) {
        visitEdges(edges, pixels.intersection(mask.pixels), visit)
      }
      if node.flags.contains(.opacityGroup) { self.visit(pixels, visit) }
      index = next
    }
  }

  /// Visits the background, the content, the border and the shadows of one layer.
  private func visitOwn(_ node: CompositeNode, _ clip: IntRect, _ visit: Visit) {
    let record = records[Int(node.record)]
    let pixels = node.own.intersection(clip)
    let bounds = LayerShape(node, record)
    if node.flags.contains(.filtersBackdrop) { self.visit(bounds, pixels, visit) }
    for (mask, hidden) in [(node.outerShadow(records), node.opaque), (node.innerShadow(records), .zero)] {
      guard let mask else { continue }
      let place = mask.place(node.transform)
      mask.extent.offsetBy(dx: place.dx, dy: place.dy).intersection(pixels).forEachPart(outside: hidden) {
        self.visit($0, visit)
      }
    }
    visitBorder(of: node, pixels, visit)
    if node.color != 0 { self.visit(bounds, pixels, visit) }
    guard let content = node.content else { return }
    if record.reachInPixels > 0 { return self.visit(pixels, visit) }
    let rect = content.drawnBounds(in: record.bounds, node.effects)
    let isMasked = !node.flags.isDisjoint(with: [.roundedContent, .antialiasedClip])
    self.visit(
      LayerShape(rect, radius: 0, transform: node.transform), isMasked ? pixels.intersection(bounds.pixels) : pixels, visit)
  }

  /// Visits the picture of an isolated layer: everything in it where it is painted pixel by pixel, its shadow and its blending.
  private func visitPicture(_ node: CompositeNode, _ pixels: IntRect, _ visit: Visit) {
    if pixels.isEmpty { return }
    let parts = node.effects?.parts
    if node.flags.contains(.filtersBackdrop) { self.visit(LayerShape(node, records[Int(node.record)]), pixels, visit) }
    if parts?.homography == nil, parts?.rasterizationScale == nil, parts?.transition == nil {
      let index = Int(node.record)
      var list = CompositeList()
      list.build(
        layers, of: index, end: records[index].end(at: index, in: records.count), node.transform, pixels: pixels,
        pictureDepth: Int(node.pictureDepth) + 1)
      list.nodes.withUnsafeBufferPointer { nodes in
        let inside = BandPainter(
          kernels: kernels, layers: layers, nodes: nodes, scratch: CompositeScratch(), band: pixels, frame: frame,
          pictureDepth: Int(node.pictureDepth) + 1, farShadows: farShadows)
        inside.findHidden()
        inside.visitNodes(0, nodes.count, pixels, visit)
      }
      if parts?.shadow != nil { self.visit(pixels, visit) }
    }
    self.visit(pixels, visit)
  }

  /// Visits the pixels of which a part is painted once more, as it was.
  private func visitEdges(_ edges: CutEdges, _ pixels: IntRect, _ visit: Visit) {
    edges.forEachRun(in: pixels) { y, columns, share in
      if case .none = share { return }
      visit(y, columns)
    }
  }

  private func visit(_ shape: LayerShape, _ clip: IntRect, _ visit: Visit) {
    let pixels = shape.pixels.intersection(clip)
    if pixels.isEmpty { return }
    for y in pixels.minY..<pixels.maxY {
      let spans = shape.spans(row: y, from: pixels.minX, to: pixels.maxX)
      if spans.touched_start < spans.touched_end { visit(y, spans.touched_start..<spans.touched_end) }
    }
  }

  private func visit(_ pixels: IntRect, _ visit: Visit) {
    if pixels.isEmpty { return }
    for y in pixels.minY..<pixels.maxY { visit(y, pixels.minX..<pixels.maxX) }
  }
}
