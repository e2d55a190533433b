import Geometry
import RenderTree

/// The moves that pay.
struct WorthwhileMove {
  /// The least number of pixels.
  var pixels: Int
  /// The least share of layers that are not just an opaque colour, whose pixels are filled faster than copied.
  var slowShare: Double

  /// By the benchmark `scroll`.
  static let measured = WorthwhileMove(pixels: 1 << 16, slowShare: 0.25)
}

/// Finds the pixels that a scroll only moved, so that they can be copied, byte for byte what painting them gives.
///
/// Such a pixel shows the same bytes of the layers that moved as the pixel from where it came did; both have the same colour behind
/// them, and nothing in front. A layer that breaks the rule costs its pixels, not the move.
struct ScrollSurvey {
  struct Result {
    var move: PixelMove
    /// The pixels around all that moved, in both trees.
    var oldExtent: IntRect
    var newExtent: IntRect
  }

  /// The pixels of the move that are to be painted all the same.
  private(set) var repaints: ContiguousArray<IntRect> = []
  private var walk = LayerWalk()
  private var frames: ContiguousArray<Frame> = []

  /// Nil where a move does not pay.
  ///
  /// - Parameter outside: the place of the root's parent.
  mutating func find(
    _ scroll: Scroll, _ old: TreeLayers, _ new: TreeLayers, outside: Placement, _ worthwhile: WorthwhileMove
  ) -> Result? {
    repaints.removeAll(keepingCapacity: true)
    let (dx, dy) = (scroll.dx, scroll.dy)
    let oldRecord = old.records[scroll.old.lowerBound]
    let (oldPlace, newPlace) = (scroll.place(oldRecord), scroll.place(new.records[scroll.new.lowerBound]))
    guard oldPlace.clip == newPlace.clip, let wasSeen = Self.seenPixels(around: scroll.oldMoved, old, outside),
      let seen = Self.seenPixels(around: scroll.newMoved, new, outside),
      let formerPlace = scroll.formerPlace(new.records[scroll.new.lowerBound], oldRecord)
    else { return nil }
    let oldExtent = extent(of: scroll.oldMoved, old, in: oldPlace)
    let newExtent = extent(of: scroll.newMoved, new, in: newPlace)
    // Between layers in a list its background is moved too; around a layer that moves there may be much more.
    let reach = scroll.movesItself ? (old: oldExtent.pixels, new: newExtent.pixels) : (old: wasSeen, new: seen)
    var rect = reach.new.intersection(seen).intersection(reach.old.intersection(wasSeen).offsetBy(dx: dx, dy: dy))
    guard rect.area >= worthwhile.pixels, newExtent.slowPixels >= worthwhile.slowShare * Double(rect.area) else {
      return nil
    }

    let source = rect.offsetBy(dx: -dx, dy: -dy)
    let area = rect.union(source)
    let isUniform = lookAround(scroll.newMoved, new, outside, Surroundings(background: area, front: rect))
    let wasUniform = lookAround(
      scroll.oldMoved, old, outside, Surroundings(background: area, front: source, dx: dx, dy: dy))
    if !(isUniform && wasUniform) { rect = rect.intersection(opaquePixels(of: scroll.newMoved, new, in: newPlace)) }
    findChanges(scroll, new, in: newPlace, formerPlace, rect, frame: outside.clip)

    var painted = 0
    for index in repaints.indices {
      repaints[index] = repaints[index].intersection(rect)
      painted += repaints[index].area
    }
    guard rect.area - painted >= max(worthwhile.pixels, rect.area / 2) else { return nil }
    return Result(move: PixelMove(rect, dx: dx, dy: dy), oldExtent: oldExtent.pixels, newExtent: newExtent.pixels)
  }

  // MARK: Around the layers that moved

  /// The pixels that no round corner or fraction of a mask around these layers cuts, and no border covers; nil in a group that is not
  /// opaque, and in a layer with a shadow, which stays where it is.
  private static func seenPixels(around moved: Range<Int>, _ layers: TreeLayers, _ outside: Placement) -> IntRect? {
    var (placement, limit, index) = (outside, layers.records.count, 0)
    var seen = placement.clip
    while index < moved.lowerBound {
      let record = layers.records[index]
      let end = record.end(at: index, in: limit)
      guard end >= moved.upperBound else {
        index = end
        continue
      }
      guard record.opacityByte == 255, !layers.hasShadow(index) else { return nil }
      let transform = placement.transform(of: record)
      if record.flags.contains(.masksToBounds) {
        let mask = LayerShape(record, layers.effects(at: index), transform)
        seen = seen.intersection(mask.coveredRect(record.bounds, transform))
      }
      if let border = BorderShape(record, layers.effects(at: index), transform) {
        seen = seen.intersection(border.inner.coveredRect(border.hole, transform))
      }
      placement = placement.entering(record, transform: transform)
      (limit, index) = (end, index + 1)
    }
    return seen
  }

  /// The layers behind and in front of those that moved, in one of the trees.
  fileprivate struct Surroundings {
    /// The pixels before and after the move.
    var background: IntRect
    /// Those before, or those after.
    var front: IntRect
    /// From these to those after the move.
    var dx: Int32 = 0
    var dy: Int32 = 0
    /// True while all pixels of `background` have one colour.
    var isUniform = true
    /// Layers before this one are blended through a group's opacity, or cut by a mask.
    var groupEnd = 0
    var inFront: ContiguousArray<IntRect> = []
  }

  /// Adds the pixels of the layers in front to `repaints`.
  ///
  /// - Returns: true if there is one colour behind.
  private mutating func lookAround(
    _ moved: Range<Int>, _ layers: TreeLayers, _ outside: Placement, _ surroundings: Surroundings
  ) -> Bool {
    var surroundings = surroundings
    swap(&surroundings.inFront, &repaints)
    walk.visit(layers, from: 0, to: layers.records.count, in: outside, &surroundings) { surroundings, step in
      if moved.contains(step.index) { return false }
      if step.index >= moved.upperBound {
        let pixels = step.pixels(layers).intersection(surroundings.front)
        if !pixels.isEmpty { surroundings.inFront.append(pixels.offsetBy(dx: surroundings.dx, dy: surroundings.dy)) }
      } else {
        surroundings.addBehind(step, layers, isAround: step.end >= moved.upperBound)
      }
      return !layers.records[step.index].isIsolated
    }
    swap(&surroundings.inFront, &repaints)
    return surroundings.isUniform
  }

  // MARK: The layers that moved

  private struct Extent {
    /// The pixels around the layers.
    var pixels = IntRect.zero
    /// The pixels that they paint in all, but for those of opaque colours.
    var slowPixels = 0.0
  }

  private mutating func extent(of moved: Range<Int>, _ layers: TreeLayers, in placement: Placement) -> Extent {
    var extent = Extent()
    walk.visit(layers, from: moved.lowerBound, to: moved.upperBound, in: placement, &extent) { extent, step in
      let pixels = step.pixels(layers)
      extent.pixels = extent.pixels.union(pixels)
      let record = layers.records[step.index]
      if record.content != nil || record.isIsolated || (1..<255).contains(record.backgroundColor >> 24) {
        extent.slowPixels += Double(pixels.area)
      }
      return !record.isIsolated
    }
    return extent
  }

  /// The largest rectangle that one of the layers hides wholly.
  private mutating func opaquePixels(of moved: Range<Int>, _ layers: TreeLayers, in placement: Placement) -> IntRect {
    var state = (largest: IntRect.zero, groupEnd: 0)
    walk.visit(layers, from: moved.lowerBound, to: moved.upperBound, in: placement, &state) { state, step in
      let record = layers.records[step.index]
      if record.isIsolated { return false }
      let (mask, effects) = (record.flags.contains(.masksToBounds), layers.effects(at: step.index))
      if record.opacityByte < 255 { state.groupEnd = max(state.groupEnd, step.end) }
      if step.index >= state.groupEnd {
        if record.backgroundColor >> 24 == 255 {
          let shape = LayerShape(record, effects, step.transform)
          let pixels = shape.coveredRect(record.bounds, step.transform).intersection(step.clip)
          if pixels.area > state.largest.area { state.largest = pixels }
        }
        if !mask, let content = layers.content(at: step.index) as? any PaintableContent {
          let pixels = content.opaquePixels(of: record, effects, step.transform).intersection(step.clip)
          if pixels.area > state.largest.area { state.largest = pixels }
        }
      }
      // Its corners cut what is in it.
      if mask { state.groupEnd = max(state.groupEnd, step.end) }
      return true
    }
    return state.largest
  }

  private struct Frame {
    var end: Int
    var placement: Placement
    var former: Placement
    /// See `PictureSpace.depth`.
    var pictureDepth = 0
  }

  /// Adds to `repaints` the pixels in `rect` of the layers that look different since they moved, although they did not change.
  private mutating func findChanges(
    _ scroll: Scroll, _ layers: TreeLayers, in placement: Placement, _ former: Placement, _ rect: IntRect, frame: IntRect
  ) {
    var current = Frame(end: scroll.newMoved.upperBound, placement: placement, former: former)
    var index = scroll.newMoved.lowerBound
    while index < scroll.newMoved.upperBound {
      while index >= current.end, let outer = frames.popLast() { current = outer }
      let record = layers.records[index]
      let end = record.end(at: index, in: current.end)
      let transform = current.placement.transform(of: record)
      guard record.isShown, !layers.isTurnedAway(index, transform) else {
        index = end
        continue
      }
      let step = LayerWalk.Step(index: index, end: end, transform: transform, clip: current.placement.clip)
      let depth = current.pictureDepth
      let pixels = step.pixels(layers, depth: depth)
      let layer = MovedLayer(
        record: record, effects: layers.effects(at: index), old: current.former.transform(of: record), new: transform,
        dx: scroll.dx, dy: scroll.dy)
      if record.isIsolated {
        let throwsShadow = layer.throwsShadowOfShape(layers, index, end: end, depth: depth)
        guard throwsShadow == (true, true), depth + 1 < TreeLayers.maximumPictureDepth else {
          if pixels.intersects(rect),
            throwsShadow != (false, false) || !layer.pictureIsSame(layers, of: index, end: end, depth: depth, frame: frame)
          {
            repaints.append(pixels)
          }
          index = end
          continue
        }
      }
      let inner = current.placement.entering(record, transform: transform)
      let isMask = record.flags.contains(.masksToBounds)
      if isMask, inner.clip.intersects(rect), !layer.boundsAreSame {
        repaints.append(pixels.union(inner.clip))
        index = end
        continue
      }
      if pixels.intersects(rect), !layer.isSame(with: layers.content(at: index)) {
        repaints.append(pixels)
      }
      guard end > index + 1, inner.clip.intersects(rect) else {
        index = end
        continue
      }
      frames.append(current)
      current = Frame(
        end: end, placement: inner, former: Placement(transform: layer.old, clip: current.former.clip),
        pictureDepth: depth + (record.isIsolated ? 1 : 0))
      index += 1
    }
    if !frames.isEmpty { frames.removeAll(keepingCapacity: true) }
  }
}

extension ScrollSurvey.Surroundings {
  /// - Parameter isAround: true for a layer in which the layers that moved are.
  fileprivate mutating func addBehind(_ step: LayerWalk.Step, _ layers: TreeLayers, isAround: Bool) {
    let record = layers.records[step.index]
    if !isAround, record.opacityByte < 255 || record.flags.contains(.masksToBounds) {
      groupEnd = max(groupEnd, step.end)
    }
    guard step.pixels(layers).intersects(background) else { return }
    guard record.content == nil, !record.isIsolated, !record.flags.contains(.filtersBackdrop),
      !layers.hasShadow(step.index), isAround || layers.effects(at: step.index)?.parts.border == nil,
      step.index >= groupEnd
    else { return isUniform = false }
    let shape = LayerShape(record, layers.effects(at: step.index), step.transform)
    if !shape.coveredRect(record.bounds, step.transform).intersection(step.clip).contains(background) {
      isUniform = false
    } else if record.backgroundColor >> 24 == 255 {
      isUniform = true
    }
  }
}

extension TreeLayers {
  fileprivate func hasShadow(_ index: Int) -> Bool {
    guard let parts = effects(at: index)?.parts else { return false }
    return parts.shadow != nil || parts.innerShadow != nil
  }
}
