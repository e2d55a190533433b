public import Geometry

/// The place of a layer on an output, through the perspective of all layers around it.
///
/// ```swift
/// let placement = tree.placement(ofRecordAt: index, width: 1920, height: 1080)
/// let point = placement.layerPoint(at: Point(x: 960, y: 540))
/// ```
public struct LayerPlacement: Hashable, BitwiseCopyable, Sendable {
  /// Maps the layer's coordinates to the output's pixels.
  public var homography: Homography
  /// The pixels that the masks around the layer leave to it. A pixel that a mask covers in part belongs to them.
  public var clip: IntRect

  /// The point of the layer that is seen at a point of the output; nil when the layer is seen from the edge, or the point is none
  /// of its plane in front of the viewer.
  public func layerPoint(at point: Point) -> Point? { homography.inverted?.apply(point) }
}

extension TreeSnapshot {
  /// The place of the layer at `index` on an output of this size.
  public func placement(ofRecordAt index: Int, width: Int, height: Int) -> LayerPlacement {
    let outside = Placement(outside: self, on: IntRect(x: 0, y: 0, width: width, height: height))
    var placement = LayerPlacement(homography: Homography(outside.transform), clip: outside.clip)
    var next = 0
    var limit = records.count
    while next < index {
      let end = records[next].end(at: next, in: limit)
      if end > index {
        placement.homography = map(ofRecordAt: next).concatenating(placement.homography)
        if records[next].flags.contains(.masksToBounds) {
          placement.clip = placement.clip.intersection(placement.homography.pixels(of: records[next].bounds))
        }
        limit = end
        next += 1
      } else {
        next = end
      }
    }
    placement.homography = map(ofRecordAt: index).concatenating(placement.homography)
    return placement
  }

  /// Maps a layer's coordinates to its parent's.
  private func map(ofRecordAt index: Int) -> Homography {
    withTreeLayers { $0.effects(at: index) }?.parts.homography ?? Homography(records[index].transform)
  }
}

extension Homography {
  /// The pixels of which a rectangle may cover any part.
  fileprivate func pixels(of rect: Rect) -> IntRect {
    if let affine { return affine.pixels(of: rect) }
    return boundingBox(of: rect).map(IntRect.init(covering:)) ?? .zero
  }
}
