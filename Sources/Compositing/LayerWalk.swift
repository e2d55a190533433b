import Geometry
import RenderTree

/// A way through the shown layers of a part of a tree, back to front. It keeps its memory for the next one.
struct LayerWalk {
  /// A layer on the way.
  struct Step {
    var index: Int
    /// One past its last descendant.
    var end: Int
    /// From the layer's coordinates to the output's pixels.
    var transform: Affine
    /// The pixels that the masks around the layer leave to it.
    var clip: IntRect

    /// The pixels that the layer paints itself, or those of all in it where that becomes one picture.
    ///
    /// - Parameter depth: see `PictureSpace.depth`.
    func pixels(_ layers: TreeLayers, depth: Int = 0) -> IntRect {
      let pixels =
        layers.records[index].isIsolated
        ? layers.picturePixels(of: index, end: end, transform, depth: depth)
        : transform.pixels(of: layers.records[index], layers.records[index].drawnBounds)
      return pixels.intersection(clip)
    }
  }

  private struct Frame {
    var end: Int
    var placement: Placement
  }

  private var frames: ContiguousArray<Frame> = []

  /// Visits the layers from `start` up to `end`, which lie in a parent with that placement, but for what masks hide.
  ///
  /// - Parameter visit: returns true to go on inside the layer.
  @inline(__always)
  mutating func visit<State>(
    _ layers: TreeLayers, from start: Int, to end: Int, in placement: Placement, _ state: inout State,
    _ visit: (inout State, Step) -> Bool
  ) {
    var placement = placement
    var limit = end
    var index = start
    while index < end {
      while index >= limit, let frame = frames.popLast() {
        placement = frame.placement
        limit = frame.end
      }
      let next = layers.records[index].end(at: index, in: limit)
      guard layers.records[index].isShown else {
        index = next
        continue
      }
      let transform = placement.transform(of: layers.records[index])
      if layers.isTurnedAway(index, transform) {
        index = next
        continue
      }
      let goesOn = visit(&state, Step(index: index, end: next, transform: transform, clip: placement.clip))
      if goesOn, next > index + 1 {
        let inner = placement.entering(layers.records[index], transform: transform)
        if !inner.clip.isEmpty {
          frames.append(Frame(end: limit, placement: placement))
          placement = inner
          limit = next
          index += 1
          continue
        }
      }
      index = next
    }
    if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
  }
}
