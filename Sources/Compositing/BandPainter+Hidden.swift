import Geometry
import RenderTree

// Layers that something opaque in front of them hides in a band.

extension BandPainter {
  /// An opaque rectangle that hides the nodes before it, inside of the group or clip that starts at `scope`.
  private struct Cover {
    var pixels: IntRect
    var scope: Int32
    /// The node that paints it. It hides none of its ancestors: they hold it.
    var node: Int32
  }

  /// Goes through the layers from front to back and notes those that something opaque hides in this band.
  ///
  /// - Returns: the largest rectangle of the band in which something opaque hides the backdrop.
  @discardableResult
  func findHidden() -> IntRect {
    let visibility = scratch.reserveVisibility(nodes.count)
    let none = Cover(pixels: .zero, scope: -1, node: -1)
    var covers = InlineArray<4, Cover>(repeating: none)
    var hasCovers = false
    for index in nodes.indices.reversed() {
      guard nodes[index].extent.intersects(band) else {
        visibility[index] = .hidden
        continue
      }
      visibility[index] = .visible
      if hasCovers {
        let extent = nodes[index].extent.intersection(band)
        let own = nodes[index].own.intersection(band)
        for slot in 0..<4 {
          if covers[slot].scope == Int32(index) { covers[slot] = outside(of: index, covers[slot]) }
          if covers[slot].node >= nodes[index].end, covers[slot].pixels.contains(extent) {
            visibility[index] = .hidden
            break
          }
          // The border lies above the descendants.
          if covers[slot].pixels.contains(own),
            covers[slot].node >= nodes[index].end || !nodes[index].flags.contains(.bordered)
          {
            visibility[index] = .ownHidden
          }
        }
      }
      if visibility[index] == .visible, !nodes[index].opaque.isEmpty {
        let opaque = nodes[index].opaque.intersection(band)
        var smallest = 0
        for slot in 1..<4 where covers[slot].pixels.area < covers[smallest].pixels.area { smallest = slot }
        if opaque.area > covers[smallest].pixels.area {
          covers[smallest] = Cover(pixels: opaque, scope: nodes[index].group, node: Int32(index))
          hasCovers = true
        }
      }
      // The blur mixes pixels around those that are seen: layers in front hide none of these.
      if visibility[index] == .visible, nodes[index].flags.contains(.filtersBackdrop) {
        covers = InlineArray(repeating: none)
      }
    }
    var hidden = IntRect.zero
    for slot in 0..<4 where covers[slot].scope < 0 && covers[slot].pixels.area > hidden.area {
      hidden = covers[slot].pixels
    }
    return hidden
  }

  /// The part of a cover in a group or clip that hides layers outside of it: under a clip, the pixels that this covers wholly.
  private func outside(of index: Int, _ cover: Cover) -> Cover {
    let node = nodes[index]
    guard !node.flags.contains(.opacityGroup) else { return Cover(pixels: .zero, scope: -1, node: -1) }
    let record = records[Int(node.record)]
    var pixels = cover.pixels
    if node.flags.contains(.antialiasedClip) {
      pixels = pixels.intersection(LayerShape(node, record).coveredRect(record.bounds, node.transform))
    }
    if node.flags.contains(.shapeMask) { pixels = pixels.intersection(mask(of: node)?.coveredRect ?? .zero) }
    return Cover(pixels: pixels, scope: node.group, node: cover.node)
  }
}
