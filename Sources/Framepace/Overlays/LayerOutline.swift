import Compositing
import Geometry
import RenderTree

/// The bounds of a layer on the output.
struct LayerOutline {
  enum Kind {
    case plain
    case content
    /// The layer with its descendants becomes a picture of its own before it is blended.
    case picture
  }

  /// The corners in pixels, one after the other.
  var corners: [Point]
  /// The pixels that the masks around the layer leave to it.
  var clip: IntRect
  var kind: Kind

  /// The outlines of all layers that are shown on an output, from back to front.
  static func all(of tree: TreeSnapshot, in output: IntRect) -> [LayerOutline] {
    var result: [LayerOutline] = []
    tree.withTreeLayers { layers in
      var parents: [Parent] = []
      var parent = Parent(
        end: layers.records.count, map: Homography(tree.viewport?.transform ?? .identity),
        clip: tree.viewport.map { $0.clip.intersection(output) } ?? output)
      var index = 0
      while true {
        while index >= parent.end {
          guard let outer = parents.popLast() else { return }
          parent = outer
        }
        let record = layers.records[index]
        let end = record.end(at: index, in: parent.end)
        let homography = layers.effects(at: index)?.parts.homography
        let map = (homography ?? Homography(record.transform)).concatenating(parent.map)
        let isTurnedAway = record.flags.contains(.singleSided) && map.determinant < 0
        guard record.isShown, !parent.clip.isEmpty, !isTurnedAway else {
          index = end
          continue
        }
        let isGroup = record.opacityByte < 255 && end > index + 1
        // In perspective a layer is painted in the measure of a picture around it, for which its own stands.
        let isPicture = layers.needsPicture(index, end: end, map.affine ?? .identity, depth: parent.pictureDepth)
        let kind: Kind = isPicture || isGroup ? .picture : record.content != nil ? .content : .plain
        if let corners = corners(of: record.bounds, map) {
          result.append(LayerOutline(corners: corners, clip: parent.clip, kind: kind))
        }
        var clip = parent.clip
        if record.flags.contains(.masksToBounds) {
          clip = clip.intersection(map.boundingBox(of: record.bounds).map(IntRect.init(covering:)) ?? .zero)
        }
        parents.append(parent)
        parent = Parent(
          end: end, map: map, clip: clip, pictureDepth: parent.pictureDepth + (record.isIsolated ? 1 : 0))
        index += 1
      }
    }
    return result
  }

  /// The layer whose children are gone through.
  private struct Parent {
    /// One past its last descendant.
    var end: Int
    /// Maps its coordinates to the output's pixels.
    var map: Homography
    var clip: IntRect
    /// The number of layers around its children whose effects ask for a picture.
    var pictureDepth = 0
  }

  /// The corners of what can be seen; nil if nothing can, or if a corner lies too far away to be drawn.
  private static func corners(of bounds: Rect, _ map: Homography) -> [Point]? {
    guard !bounds.isEmpty else { return nil }
    let corners = bounds.corners.compactMap(map.apply)
    return corners.count == 4 && corners.allSatisfy { abs($0.x) < 1e6 && abs($0.y) < 1e6 } ? corners : nil
  }
}
