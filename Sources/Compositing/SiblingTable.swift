import RenderTree

/// A hash table from the ids of a parent's remaining children to their indices in the old tree and in the new one, with open
/// addressing. Its memory is kept for the next parent.
struct SiblingTable {
  private struct Slot {
    /// 0: free.
    var id: UInt32 = 0
    var old: Int32 = -1
    var new: Int32 = -1
  }

  private var slots: ContiguousArray<Slot> = []
  private var mask = 0

  /// Replaces the table's contents by the children from `oldStart` up to `oldEnd` and from `newStart` up to `newEnd`.
  mutating func index(
    _ old: UnsafeBufferPointer<RenderRecord>, from oldStart: Int, to oldEnd: Int,
    _ new: UnsafeBufferPointer<RenderRecord>, from newStart: Int, to newEnd: Int
  ) {
    var count = 0
    var index = oldStart
    while index < oldEnd {
      count += 1
      index = old[index].end(at: index, in: oldEnd)
    }
    index = newStart
    while index < newEnd {
      count += 1
      index = new[index].end(at: index, in: newEnd)
    }
    var size = 16
    while size < count * 2 { size *= 2 }
    mask = size - 1
    slots.removeAll(keepingCapacity: true)
    slots.append(contentsOf: repeatElement(Slot(), count: size))

    index = oldStart
    while index < oldEnd {
      let place = slot(of: old[index].id)
      slots[place].id = old[index].id
      slots[place].old = Int32(index)
      index = old[index].end(at: index, in: oldEnd)
    }
    index = newStart
    while index < newEnd {
      let place = slot(of: new[index].id)
      slots[place].id = new[index].id
      slots[place].new = Int32(index)
      index = new[index].end(at: index, in: newEnd)
    }
  }

  /// The index in the old tree, −1 when it has no such sibling.
  func oldIndex(of id: UInt32) -> Int { Int(slots[slot(of: id)].old) }
  /// The index in the new tree, −1 when it has no such sibling.
  func newIndex(of id: UInt32) -> Int { Int(slots[slot(of: id)].new) }

  private func slot(of id: UInt32) -> Int {
    var place = Int(id &* 0x9E37_79B1) & mask
    while slots[place].id != 0, slots[place].id != id { place = (place + 1) & mask }
    return place
  }
}
