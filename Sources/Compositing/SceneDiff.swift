import Geometry
import Glibc
public import RenderTree

/// Finds the pixels in which two trees may look different.
///
/// Both trees are walked in step. A layer is recognised by its id among the children of one parent; one that has another
/// parent, or another place among its siblings, counts as removed there and added here. Keep the value from frame to frame:
/// it uses again the memory that it allocated for the first ones.
public struct SceneDiff {
  /// Children, still to be compared, of one layer that places them the same in both trees.
  private struct Pair {
    var old: Int
    var oldEnd: Int
    var new: Int
    var newEnd: Int
    var placement: Placement
  }

  private struct Frame {
    var end: Int
    var placement: Placement
  }

  private var pairs: ContiguousArray<Pair> = []
  private var frames: ContiguousArray<Frame> = []
  private var siblings = SiblingTable()
  private var collector = DamageCollector()

  public init() {}

  /// Adds to `region` the pixels of an output of `width` × `height` that `new` may show differently from `old`.
  public mutating func damage(
    from old: TreeSnapshot, to new: TreeSnapshot, width: Int, height: Int, into region: inout DamageRegion
  ) {
    let output = IntRect(x: 0, y: 0, width: width, height: height)
    if old.backdrop != new.backdrop || old.viewport != new.viewport {
      region.add(output)
      return
    }
    let placement = Placement(outside: new, on: output)
    old.records.withUnsafeBufferPointer { old in
      new.records.withUnsafeBufferPointer { new in
        pairs.append(Pair(old: 0, oldEnd: old.count, new: 0, newEnd: new.count, placement: placement))
        while let pair = pairs.popLast() { compareChildren(pair, old, new) }
      }
    }
    collector.finish(output: output, into: &region)
  }

  private typealias Records = UnsafeBufferPointer<RenderRecord>

  private mutating func compareChildren(_ pair: Pair, _ old: Records, _ new: Records) {
    var oldIndex = pair.old
    var newIndex = pair.new
    var isIndexed = false
    while oldIndex < pair.oldEnd, newIndex < pair.newEnd {
      let oldEnd = old[oldIndex].end(at: oldIndex, in: pair.oldEnd)
      let newEnd = new[newIndex].end(at: newIndex, in: pair.newEnd)
      if old[oldIndex].id == new[newIndex].id {
        compare(old, oldIndex, oldEnd, new, newIndex, newEnd, pair.placement)
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
        damageSubtree(old, oldIndex, oldEnd, pair.placement)
        oldIndex = oldEnd
      } else {
        damageSubtree(new, newIndex, newEnd, pair.placement)
        newIndex = newEnd
      }
    }
    damageSubtree(old, oldIndex, pair.oldEnd, pair.placement)
    damageSubtree(new, newIndex, pair.newEnd, pair.placement)
  }

  /// Compares two records of one layer, in parents with that placement.
  private mutating func compare(
    _ old: Records, _ oldIndex: Int, _ oldEnd: Int, _ new: Records, _ newIndex: Int, _ newEnd: Int,
    _ placement: Placement
  ) {
    let wasLeaf = oldEnd == oldIndex + 1
    let isLeaf = newEnd == newIndex + 1
    let isSame = old.baseAddress.isSameRecord(at: oldIndex, as: new.baseAddress, at: newIndex)
    if isSame, wasLeaf, isLeaf { return }
    guard isSame || old[oldIndex].holdsLike(new[newIndex]) else {
      damageSubtree(old, oldIndex, oldEnd, placement)
      damageSubtree(new, newIndex, newEnd, placement)
      return
    }
    guard new[newIndex].isShown else { return }
    let paintsSame = old[oldIndex].paintsLike(new[newIndex]) && (wasLeaf == isLeaf || !new[newIndex].isGroupWithLayers)
    if paintsSame, wasLeaf, isLeaf { return }
    let transform = placement.transform(of: new[newIndex])
    if !paintsSame {
      add(old[oldIndex], transform, placement.clip)
      add(new[newIndex], transform, placement.clip)
    }
    if wasLeaf, isLeaf { return }
    pairs.append(
      Pair(
        old: oldIndex + 1, oldEnd: oldEnd, new: newIndex + 1, newEnd: newEnd,
        placement: placement.entering(new[newIndex], transform: transform)))
  }

  /// Adds the pixels of the layers from `start` up to `end`, which lie in a parent with that placement.
  private mutating func damageSubtree(_ records: Records, _ start: Int, _ end: Int, _ placement: Placement) {
    var placement = placement
    var limit = end
    var index = start
    while index < end {
      while index >= limit, let frame = frames.popLast() {
        placement = frame.placement
        limit = frame.end
      }
      let next = records[index].end(at: index, in: limit)
      guard records[index].isShown else {
        index = next
        continue
      }
      let transform = placement.transform(of: records[index])
      add(records[index], transform, placement.clip)
      if next > index + 1 {
        let inner = placement.entering(records[index], transform: transform)
        if inner.clip.isEmpty {
          index = next
          continue
        }
        frames.append(Frame(end: limit, placement: placement))
        placement = inner
        limit = next
      }
      index += 1
    }
    frames.removeAll(keepingCapacity: true)
  }

  /// Adds the pixels that one layer paints itself.
  private mutating func add(_ record: RenderRecord, _ transform: Affine, _ clip: IntRect) {
    let pixels = transform.pixels(of: record.drawnBounds).intersection(clip)
    if !pixels.isEmpty { collector.add(pixels) }
  }
}

extension RenderRecord {
  /// True when the layer's own picture is rounded differently with layers in it than without: it is blended as a group then.
  fileprivate var isGroupWithLayers: Bool { opacityByte < 255 || flags.contains(.masksToBounds) }

  /// True when both paint the same background and content at the same place in their layers.
  fileprivate func paintsLike(_ other: RenderRecord) -> Bool {
    bounds == other.bounds && content == other.content && effects == other.effects
      && cornerRadius == other.cornerRadius && backgroundColor == other.backgroundColor
  }

  /// True when both place, fade and clip their content and descendants the same.
  fileprivate func holdsLike(_ other: RenderRecord) -> Bool {
    guard transform == other.transform, opacityByte == other.opacityByte, flags == other.flags else { return false }
    return !flags.contains(.masksToBounds) || (bounds == other.bounds && cornerRadius == other.cornerRadius)
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
