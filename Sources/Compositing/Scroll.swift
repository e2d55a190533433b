import Geometry
import RenderTree

/// A layer that moved by whole pixels from one tree to the next, or whose sublayers did as the origin of its bounds changed.
struct Scroll {
  /// The layer with its descendants, in both trees.
  let old: Range<Int>
  let new: Range<Int>
  /// The place of its parent, in both.
  let placement: Placement
  /// True if the layer moved, false if only its sublayers did.
  let movesItself: Bool
  let dx: Int32
  let dy: Int32
  /// The pixels of its bounds. More may move only if sublayers reach beyond them.
  let area: Int

  /// A move that is longer leaves nothing on an output.
  private static let longest: UInt32 = 1 << 15

  /// Nil if anything else of the layer itself changed, or if it has fewer than `least` pixels.
  init?(
    _ oldLayers: TreeLayers, _ old: Range<Int>, _ newLayers: TreeLayers, _ new: Range<Int>, in placement: Placement,
    atLeast least: Int
  ) {
    let (oldIndex, newIndex) = (old.lowerBound, new.lowerBound)
    // Most layers that move are small: no more than a pixel is touched beyond each edge.
    let newTransform = placement.transform(of: newLayers.records[newIndex])
    let size = newLayers.records[newIndex].bounds.size
    if newTransform.isScaleAndTranslation,
      (abs(newTransform.a) * size.width + 2) * (abs(newTransform.d) * size.height + 2) < Double(least)
    {
      return nil
    }
    area = newTransform.pixels(of: newLayers.records[newIndex].bounds).intersection(placement.clip).area
    guard area >= least else { return nil }
    let (was, isNow) = (oldLayers.records[oldIndex], newLayers.records[newIndex])
    let oldTransform = placement.transform(of: was)
    guard was.looksLike(isNow), (old.count > 1) == (new.count > 1), !newLayers.isTurnedAway(newIndex, newTransform),
      let (dx, dy) = newTransform.wholePixels(from: oldTransform), max(dx.magnitude, dy.magnitude) <= Self.longest
    else { return nil }
    if was.bounds.origin == isNow.bounds.origin {
      movesItself = true
    } else {
      // The background and the clip must have stayed where they were.
      let effects = newLayers.effects(at: newIndex)
      guard isNow.content == nil, new.count > 1,
        LayerShape(was, effects, oldTransform).isMoved(from: LayerShape(isNow, effects, newTransform), dx: 0, dy: 0)
      else { return nil }
      movesItself = false
    }
    (self.old, self.new, self.placement, self.dx, self.dy) = (old, new, placement, dx, dy)
  }

  var cause: DamageCause { .changed(old.lowerBound, new.lowerBound) }

  /// The layers that moved.
  var oldMoved: Range<Int> { movesItself ? old : old.lowerBound + 1..<old.upperBound }
  var newMoved: Range<Int> { movesItself ? new : new.lowerBound + 1..<new.upperBound }

  /// The place of the layer's children.
  func inside(_ record: RenderRecord) -> Placement {
    placement.entering(record, transform: placement.transform(of: record))
  }

  /// The place of the layers that moved; `record` is the layer's, from either tree.
  func place(_ record: RenderRecord) -> Placement { movesItself ? placement : inside(record) }

  /// The place in which the new records of layers that did not change lie where they were before; nil if they do not, to the last bit.
  func formerPlace(_ new: RenderRecord, _ old: RenderRecord) -> Placement? {
    guard movesItself else { return inside(old) }
    var former = placement
    former.transform.tx -= Double(dx)
    former.transform.ty -= Double(dy)
    return former.transform(of: new) == placement.transform(of: old) ? former : nil
  }
}

extension RenderRecord {
  /// True if both differ in nothing but their place and the origin of their bounds, are shown, and show only pixels of their own.
  fileprivate func looksLike(_ other: RenderRecord) -> Bool {
    let (one, two) = (transform, other.transform)
    return one.a == two.a && one.b == two.b && one.c == two.c && one.d == two.d && bounds.size == other.bounds.size
      && opacityByte == other.opacityByte && flags == other.flags && cornerRadius == other.cornerRadius
      && backgroundColor == other.backgroundColor && content == other.content && effects == other.effects
      && !isIsolated && !flags.contains(.filtersBackdrop) && isShown
  }
}

extension Affine {
  /// The whole pixels by which this map moves what `old` showed; nil if it does anything else.
  fileprivate func wholePixels(from old: Affine) -> (dx: Int32, dy: Int32)? {
    guard a == old.a, b == old.b, c == old.c, d == old.d, let dx = Int32(exactly: tx - old.tx),
      let dy = Int32(exactly: ty - old.ty), old.tx + Double(dx) == tx, old.ty + Double(dy) == ty
    else { return nil }
    return (dx, dy)
  }
}
