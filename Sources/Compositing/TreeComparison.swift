import Geometry
import Glibc
import RenderTree

/// The pixels that only moved.
struct ScrolledPixels {
  var move: PixelMove
  var cause: DamageCause
}

/// Walks two trees in step and gives the rectangles that look different to `damage`, each with its cause.
///
/// The compiler makes one walk for each kind of damage, so that the one that wants no causes spends nothing on them.
struct TreeComparison<Damage: DamageSink> {
  /// Children, still to be compared, of one layer that places them the same in both trees.
  private struct Pair {
    var old: Int
    var oldEnd: Int
    var new: Int
    var newEnd: Int
    var placement: Placement
    /// See `PictureSpace.depth`.
    var pictureDepth = 0
  }

  private var pairs: ContiguousArray<Pair> = []
  private var walk = LayerWalk()
  private var siblings = SiblingTable()
  private var survey = ScrollSurvey()
  private var search = ScrollSearch.over
  var damage: Damage

  private enum ScrollSearch {
    case on(largest: Scroll?, WorthwhileMove)
    /// A scroll inside of one that is followed is no other.
    case over
  }

  init(_ damage: Damage) {
    self.damage = damage
  }

  /// Adds the pixels of `output` that `new` may show differently from `old` to `damage`, but for those that it returns: they only
  /// moved.
  mutating func compare(
    _ old: TreeSnapshot, _ new: TreeSnapshot, on output: IntRect, _ worthwhile: WorthwhileMove
  ) -> ScrolledPixels? {
    if old.backdrop != new.backdrop || old.viewport != new.viewport {
      damage.add(output, from: .output)
      return nil
    }
    let placement = Placement(outside: new, on: output)
    return old.withTreeLayers { old in
      new.withTreeLayers { new in
        pairs.append(
          Pair(old: 0, oldEnd: old.records.count, new: 0, newEnd: new.records.count, placement: placement))
        search = .on(largest: nil, worthwhile)
        while let pair = pairs.popLast() { compareChildren(pair, old, new) }
        guard case .on(let scroll?, _) = search else { return nil }
        search = .over
        return follow(scroll, old, new, outside: placement, worthwhile)
      }
    }
  }

  /// Compares the layers of a scroll as if they had always been where they are now, and finds the pixels that only moved.
  private mutating func follow(
    _ scroll: Scroll, _ old: TreeLayers, _ new: TreeLayers, outside placement: Placement, _ worthwhile: WorthwhileMove
  ) -> ScrolledPixels? {
    guard let found = survey.find(scroll, old, new, outside: placement, worthwhile) else {
      damageBoth(scroll, old, new)
      return nil
    }
    for rect in survey.repaints where !rect.isEmpty { damage.add(rect, from: scroll.cause) }
    found.oldExtent.forEachPart(outside: found.move.rect) { damage.add($0, from: scroll.cause) }
    found.newExtent.forEachPart(outside: found.move.rect) { damage.add($0, from: scroll.cause) }
    pairs.append(
      Pair(
        old: scroll.old.lowerBound + 1, oldEnd: scroll.old.upperBound, new: scroll.new.lowerBound + 1,
        newEnd: scroll.new.upperBound, placement: scroll.inside(new.records[scroll.new.lowerBound])))
    while let pair = pairs.popLast() { compareChildren(pair, old, new) }
    return ScrolledPixels(move: found.move, cause: scroll.cause)
  }

  private mutating func damageBoth(_ scroll: Scroll, _ old: TreeLayers, _ new: TreeLayers) {
    damageSubtree(old, scroll.old.lowerBound, scroll.old.upperBound, scroll.placement, scroll.cause, 0)
    damageSubtree(new, scroll.new.lowerBound, scroll.new.upperBound, scroll.placement, scroll.cause, 0)
  }

  private mutating func compareChildren(_ pair: Pair, _ oldLayers: TreeLayers, _ newLayers: TreeLayers) {
    let (old, new) = (oldLayers.records, newLayers.records)
    let depth = pair.pictureDepth
    var oldIndex = pair.old
    var newIndex = pair.new
    var isIndexed = false
    // A block of records that is the same in both trees at the same index, as most are from frame to frame, is passed over at once.
    var nextRun = newIndex
    while oldIndex < pair.oldEnd, newIndex < pair.newEnd {
      if oldIndex == newIndex, newIndex >= nextRun {
        nextRun = min((newIndex / RecordBlock.length + 1) * RecordBlock.length, pair.oldEnd, pair.newEnd)
        let next = newLayers.endOfSameSiblings(from: newIndex, to: nextRun, as: oldLayers)
        if next > newIndex {
          (oldIndex, newIndex) = (next, next)
          continue
        }
      }
      let oldEnd = old[oldIndex].end(at: oldIndex, in: pair.oldEnd)
      let newEnd = new[newIndex].end(at: newIndex, in: pair.newEnd)
      if old[oldIndex].id == new[newIndex].id {
        compare(oldLayers, oldIndex, oldEnd, newLayers, newIndex, newEnd, pair)
        oldIndex = oldEnd
        newIndex = newEnd
        continue
      }
      if !isIndexed {
        siblings.index(old, from: oldIndex, to: pair.oldEnd, new, from: newIndex, to: pair.newEnd)
        isIndexed = true
      }
      // A sibling whose counterpart lies behind has been dealt with there.
      let aheadInNew = siblings.newIndex(of: old[oldIndex].id) - newIndex
      let aheadInOld = siblings.oldIndex(of: new[newIndex].id) - oldIndex
      if aheadInNew < 0 || (aheadInOld >= 0 && aheadInNew > aheadInOld) {
        damageSubtree(oldLayers, oldIndex, oldEnd, pair.placement, .removed(oldIndex), depth)
        oldIndex = oldEnd
      } else {
        damageSubtree(newLayers, newIndex, newEnd, pair.placement, .inserted(newIndex), depth)
        newIndex = newEnd
      }
    }
    while oldIndex < pair.oldEnd {
      let end = old[oldIndex].end(at: oldIndex, in: pair.oldEnd)
      damageSubtree(oldLayers, oldIndex, end, pair.placement, .removed(oldIndex), depth)
      oldIndex = end
    }
    while newIndex < pair.newEnd {
      let end = new[newIndex].end(at: newIndex, in: pair.newEnd)
      damageSubtree(newLayers, newIndex, end, pair.placement, .inserted(newIndex), depth)
      newIndex = end
    }
  }

  /// Compares two records of one layer, children of a pair.
  private mutating func compare(
    _ oldLayers: TreeLayers, _ oldIndex: Int, _ oldEnd: Int, _ newLayers: TreeLayers, _ newIndex: Int, _ newEnd: Int,
    _ pair: Pair
  ) {
    let (old, new) = (oldLayers.records, newLayers.records)
    let (placement, depth) = (pair.placement, pair.pictureDepth)
    let cause = DamageCause.changed(oldIndex, newIndex)
    let wasLeaf = oldEnd == oldIndex + 1
    let isLeaf = newEnd == newIndex + 1
    let isSame = old.baseAddress.isSameRecord(at: oldIndex, as: new.baseAddress, at: newIndex)
    if isSame, wasLeaf, isLeaf { return }
    let isIsolated = old[oldIndex].isIsolated || new[newIndex].isIsolated
    if isIsolated, isSame, old.holdsSameLayers(from: oldIndex, to: oldEnd, as: new, from: newIndex, to: newEnd) { return }
    guard isSame || old[oldIndex].holdsLike(new[newIndex]),
      !isIsolated || keepsShadow(oldLayers, oldIndex, oldEnd, newLayers, newIndex, newEnd, placement, depth)
    else {
      // A shadow may lie around a layer that is deeper.
      if depth == 0, case .on(let largest, let worthwhile) = search,
        let scroll = Scroll(
          oldLayers, oldIndex..<oldEnd, newLayers, newIndex..<newEnd, in: placement,
          atLeast: max(worthwhile.pixels, largest?.area ?? 0))
      {
        search = .on(largest: scroll, worthwhile)
        if let largest { damageBoth(largest, oldLayers, newLayers) }
      } else {
        damageSubtree(oldLayers, oldIndex, oldEnd, placement, cause, depth)
        damageSubtree(newLayers, newIndex, newEnd, placement, cause, depth)
      }
      return
    }
    guard new[newIndex].isShown else { return }
    let paintsSame = old[oldIndex].paintsLike(new[newIndex]) && (wasLeaf == isLeaf || !new[newIndex].isGroupWithLayers)
    if paintsSame, wasLeaf, isLeaf { return }
    let transform = placement.transform(of: new[newIndex])
    if newLayers.isTurnedAway(newIndex, transform) { return }
    if !paintsSame {
      if wasLeaf == isLeaf, let changed = changedContent(oldLayers, oldIndex, newLayers, newIndex, transform) {
        let painted = transform.pixels(of: new[newIndex], new[newIndex].drawnBounds)
          .union(transform.pixels(of: old[oldIndex], old[oldIndex].drawnBounds))
        let seen = painted.intersection(placement.clip)
        for rect in changed.rects where rect.intersects(seen) { damage.add(rect.intersection(seen), from: cause) }
      } else {
        add(oldLayers, oldIndex, transform, placement.clip, cause)
        add(newLayers, newIndex, transform, placement.clip, cause)
      }
    }
    if wasLeaf, isLeaf { return }
    pairs.append(
      Pair(
        old: oldIndex + 1, oldEnd: oldEnd, new: newIndex + 1, newEnd: newEnd,
        placement: placement.entering(new[newIndex], transform: transform),
        pictureDepth: depth + (isIsolated ? 1 : 0)))
  }

  /// True if an isolated layer is painted straight into the target in both trees, with the same shadow below it. Then what changes in
  /// it changes nothing around it.
  private func keepsShadow(
    _ oldLayers: TreeLayers, _ oldIndex: Int, _ oldEnd: Int, _ newLayers: TreeLayers, _ newIndex: Int, _ newEnd: Int,
    _ placement: Placement, _ depth: Int
  ) -> Bool {
    let (old, new) = (oldLayers.records[oldIndex], newLayers.records[newIndex])
    // In a scroll the old layer may have been a picture where it was.
    guard case .on = search, depth + 1 < TreeLayers.maximumPictureDepth, old.hasShapeLike(new) else { return false }
    let transform = placement.transform(of: new)
    return oldLayers.throwsShadowOfShape(oldIndex, end: oldEnd, transform, depth: depth)
      && newLayers.throwsShadowOfShape(newIndex, end: newEnd, transform, depth: depth)
  }

  /// The pixels in which two records of one layer differ by their content, if nothing else differs in what they paint and the
  /// content can tell.
  private func changedContent(
    _ oldLayers: TreeLayers, _ oldIndex: Int, _ newLayers: TreeLayers, _ newIndex: Int, _ transform: Affine
  ) -> DamageRegion? {
    let (old, new) = (oldLayers.records[oldIndex], newLayers.records[newIndex])
    guard old.paintsBesideContentLike(new), let oldContent = oldLayers.content(at: oldIndex) else { return nil }
    return newLayers.content(at: newIndex)?
      .changedPixels(from: oldContent, in: new.bounds, newLayers.effects(at: newIndex), transform)
  }

  /// Adds the pixels of the layers from `start` up to `end`, which lie in a parent with that placement.
  private mutating func damageSubtree(
    _ layers: TreeLayers, _ start: Int, _ end: Int, _ placement: Placement, _ cause: DamageCause, _ depth: Int
  ) {
    walk.visit(layers, from: start, to: end, in: placement, &damage) { damage, step in
      let pixels = step.pixels(layers, depth: depth)
      if !pixels.isEmpty { damage.add(pixels, from: cause) }
      return !layers.records[step.index].isIsolated
    }
  }

  /// Adds the pixels that one layer paints itself, but for its shadow.
  private mutating func add(
    _ layers: TreeLayers, _ index: Int, _ transform: Affine, _ clip: IntRect, _ cause: DamageCause
  ) {
    let record = layers.records[index]
    let body = record.isIsolated ? layers.bodyBounds(of: index) : record.drawnBounds
    let pixels = transform.pixels(of: record, body).intersection(clip)
    if !pixels.isEmpty { damage.add(pixels, from: cause) }
  }
}

extension RenderRecord {
  /// True when the layer's own picture is rounded differently with layers in it than without: it is blended as a group then.
  fileprivate var isGroupWithLayers: Bool { opacityByte < 255 || flags.contains(.masksToBounds) }

  /// True when both paint the same background and content at the same place in their layers.
  fileprivate func paintsLike(_ other: RenderRecord) -> Bool {
    content == other.content && paintsBesideContentLike(other)
  }

  fileprivate func paintsBesideContentLike(_ other: RenderRecord) -> Bool {
    hasShapeLike(other) && backgroundColor == other.backgroundColor
  }

  fileprivate func hasShapeLike(_ other: RenderRecord) -> Bool {
    bounds == other.bounds && effects == other.effects && cornerRadius == other.cornerRadius
  }

  /// True when both place, fade and clip their content and descendants the same.
  fileprivate func holdsLike(_ other: RenderRecord) -> Bool {
    guard transform == other.transform, opacityByte == other.opacityByte, flags == other.flags else { return false }
    return !flags.contains(.masksToBounds)
      || (bounds == other.bounds && cornerRadius == other.cornerRadius && effects == other.effects)
  }
}

extension UnsafeBufferPointer<RenderRecord> {
  /// True when both ranges hold the same layers with the same records in the same order.
  func holdsSameLayers(
    from start: Int, to end: Int, as other: UnsafeBufferPointer<RenderRecord>, from otherStart: Int, to otherEnd: Int
  ) -> Bool {
    guard end - start == otherEnd - otherStart else { return false }
    return (0..<end - start).allSatisfy { offset in
      let (one, two) = (self[start + offset], other[otherStart + offset])
      return one.id == two.id && Int(one.subtreeEnd) - start == Int(two.subtreeEnd) - otherStart
        && baseAddress.isSameRecord(at: start + offset, as: other.baseAddress, at: otherStart + offset)
    }
  }
}

extension UnsafeBufferPointer<RenderRecord> {
  /// The last index, up to a limit, before which both trees have the same layers, each layer in the same ones. A layer there may lie in
  /// one that has more or fewer layers now, in front of it.
  func lastWithSameLayersBehind(in other: UnsafeBufferPointer<RenderRecord>, upTo limit: Int) -> Int {
    var last = Swift.min(count, other.count, limit)
    var index = 0
    while index < last {
      let (one, two) = (self[index], other[index])
      guard one.id == two.id, baseAddress.isSameRecord(at: index, as: other.baseAddress, at: index) else { return index }
      if one.subtreeEnd != two.subtreeEnd { last = Swift.min(last, Int(Swift.min(one.subtreeEnd, two.subtreeEnd)) - 1) }
      index += 1
    }
    return last
  }
}

extension TreeLayers {
  /// Passes over the layers from `start` on that lie with all their descendants in records before `end`, which are of one block; none if
  /// one of these records is another one in `other`.
  ///
  /// - Returns: the index after the last of them.
  fileprivate func endOfSameSiblings(from start: Int, to end: Int, as other: TreeLayers) -> Int {
    let number = start / RecordBlock.length
    if number < blocks.count, number < other.blocks.count, let block = blocks[number],
      block.version == other.blocks[number]?.version
    {
      if block.leafBounds != nil { return end }
    } else {
      guard Int(records[start].subtreeEnd) <= end, let base = records.baseAddress, let otherBase = other.records.baseAddress,
        memcmp(base + start, otherBase + start, (end - start) * MemoryLayout<RenderRecord>.stride) == 0
      else { return start }
    }
    var index = start
    while index < end {
      let next = Int(records[index].subtreeEnd)
      // Most are leaves: the processor guesses so, and need not wait for each to find the next.
      if next <= index + 1 {
        index += 1
      } else if next <= end {
        index = next
      } else {
        return index
      }
    }
    return index
  }
}

extension UnsafePointer<RenderRecord>? {
  /// True when two records of one layer have the same bytes, apart from the end of their subtrees. Most have, from frame to
  /// frame.
  @inline(__always)
  fileprivate func isSameRecord(at index: Int, as other: UnsafePointer<RenderRecord>?, at otherIndex: Int) -> Bool {
    guard let self, let other, let start = MemoryLayout<RenderRecord>.offset(of: \.transform) else { return false }
    return memcmp(
      UnsafeRawPointer(self + index) + start, UnsafeRawPointer(other + otherIndex) + start,
      MemoryLayout<RenderRecord>.size - start) == 0
  }
}
