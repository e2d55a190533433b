import RenderTree

/// The committed tree, and its copies for those who render it.
///
/// A copy that somebody else still holds is not touched. A free one is brought up to date by the records that have changed
/// since it was current: each copy has its own list of them. Only when layers came, went or changed their order is a copy
/// written as a whole.
@MainActor
struct SnapshotPool {
  /// The committed tree, without animations: changed by commits only.
  private(set) var records: [RenderRecord] = []
  private(set) var sides: [SideValues] = []
  /// The summaries of the committed records; nil for a block of which one was changed since.
  private var blocks: [RecordBlock?] = []
  /// For each record, the bits of the copies in which it is out of date.
  private var staleIn: [UInt8] = []
  private var structure = 0
  private var copies: [Copy] = []
  private var newest: Copy?
  private var requests = 0

  /// Free copies are given up after so many requests that did not need them.
  private static let idleLimit = 240

  private final class Copy {
    var tree = TreeSnapshot()
    var stale: [Int] = []
    var structure = -1
    var bit: UInt8
    var lastUse = 0
    /// The evaluation of the animations for which it is right; nil when there were none.
    var evaluation: Int64?

    init(bit: UInt8) {
      self.bit = bit
      tree.lease = TreeSnapshot.Lease()
    }

    /// True while the pool alone holds the tree.
    var isFree: Bool { isKnownUniquelyReferenced(&tree.lease) }
  }

  var count: Int { copies.count }

  // MARK: Commit

  /// Begins a new structure; records follow by `append`.
  mutating func removeAll() {
    records.removeAll(keepingCapacity: true)
    sides.removeAll(keepingCapacity: true)
    staleIn.removeAll(keepingCapacity: true)
    blocks.removeAll(keepingCapacity: true)
    for copy in copies { copy.stale.removeAll(keepingCapacity: true) }
    structure += 1
  }

  mutating func append(_ record: RenderRecord, _ side: SideValues) {
    records.append(record)
    sides.append(side)
    staleIn.append(0)
    if records.count > blocks.count * RecordBlock.length { blocks.append(nil) }
  }

  mutating func setSubtreeEnd(_ end: Int, at index: Int) {
    records[index].subtreeEnd = UInt32(end)
  }

  /// Replaces a record, its place in the structure left alone.
  ///
  /// - Returns: true if it is another one.
  mutating func replace(_ record: RenderRecord, _ side: SideValues, at index: Int) -> Bool {
    var record = record
    record.subtreeEnd = records[index].subtreeEnd
    guard record != records[index] else { return false }
    if !record.hasSides(of: records[index]) { sides[index] = side }
    records[index] = record
    blocks[index / RecordBlock.length] = nil
    markStale(index)
    return true
  }

  /// A record is out of date in every copy: it was changed, or is no longer animated.
  mutating func markStale(_ index: Int) {
    for copy in copies where copy.structure == structure && staleIn[index] & copy.bit == 0 {
      staleIn[index] |= copy.bit
      copy.stale.append(index)
    }
  }

  // MARK: Render

  /// The committed tree with `animated` as they are at an evaluation.
  ///
  /// - Parameter evaluation: the same number only for the same values; nil without animations.
  mutating func tree(
    evaluation: Int64?, animated: [CommittedAnimations],
    write: (CommittedAnimations, inout RenderRecord, inout SideValues) -> Void
  ) -> TreeSnapshot {
    requests += 1
    if let newest, newest.structure == structure, newest.stale.isEmpty, newest.evaluation == evaluation {
      newest.lastUse = requests
      return newest.tree
    }
    let copy = freeCopy()
    bringUpToDate(copy)
    if !animated.isEmpty {
      copy.tree.withLayers { records, sides, blocks in
        for animations in animated {
          write(animations, &records[animations.recordIndex], &sides[animations.recordIndex])
          blocks[animations.recordIndex / RecordBlock.length] = nil
        }
      }
    }
    copy.evaluation = evaluation
    copy.lastUse = requests
    newest = copy
    return copy.tree
  }

  private mutating func bringUpToDate(_ copy: Copy) {
    if copy.structure != structure {
      copy.tree.recordStorage.removeAll(keepingCapacity: true)
      copy.tree.sides.removeAll(keepingCapacity: true)
      copy.tree.blocks.removeAll(keepingCapacity: true)
      copy.tree.recordStorage.append(contentsOf: records)
      copy.tree.sides.append(contentsOf: sides)
      for number in blocks.indices { copy.tree.blocks.append(block(number)) }
      copy.structure = structure
      return
    }
    copy.tree.withLayers { newRecords, newSides, newBlocks in
      for index in copy.stale {
        staleIn[index] &= ~copy.bit
        if !newRecords[index].hasSides(of: records[index]) { newSides[index] = sides[index] }
        newRecords[index] = records[index]
        newBlocks[index / RecordBlock.length] = block(index / RecordBlock.length)
      }
    }
    copy.stale.removeAll(keepingCapacity: true)
  }

  /// The summary of a block of the committed records.
  private mutating func block(_ number: Int) -> RecordBlock {
    if let block = blocks[number] { return block }
    let block = RecordBlock(number, of: records)
    blocks[number] = block
    return block
  }

  /// The newest copy if it is free, else another free one, else a new one.
  private mutating func freeCopy() -> Copy {
    dropIdleCopy()
    if let newest, newest.isFree { return newest }
    for copy in copies where copy.isFree { return copy }
    if copies.count < UInt8.bitWidth {
      let taken = copies.reduce(0) { $0 | $1.bit }
      let copy = Copy(bit: 1 << UInt8((~taken).trailingZeroBitCount))
      copies.append(copy)
      return copy
    }
    // So many are held that the one unused for longest is left to its holder.
    let oldest = copies.indices.min { copies[$0].lastUse < copies[$1].lastUse } ?? 0
    let replacement = Copy(bit: copies[oldest].bit)
    forgetStale(of: copies[oldest])
    copies[oldest] = replacement
    return replacement
  }

  /// Gives up a copy that is not needed any more: it would keep images alive.
  private mutating func dropIdleCopy() {
    // A loop: a closure of the main actor asks in each call which actor it runs on.
    for (index, copy) in copies.enumerated() where requests - copy.lastUse > Self.idleLimit && copy.isFree {
      copies.remove(at: index)
      forgetStale(of: copy)
      if newest === copy { newest = nil }
      return
    }
  }

  private mutating func forgetStale(of copy: Copy) {
    guard copy.structure == structure else { return }
    for index in copy.stale { staleIn[index] &= ~copy.bit }
  }
}

extension RenderRecord {
  /// True when both have the same content and effects.
  fileprivate func hasSides(of other: RenderRecord) -> Bool { content == other.content && effects == other.effects }
}

extension TreeSnapshot {
  /// Gives `body` the memory of records, side values and blocks.
  fileprivate mutating func withLayers(
    _ body: (
      UnsafeMutableBufferPointer<RenderRecord>, UnsafeMutableBufferPointer<SideValues>,
      UnsafeMutableBufferPointer<RecordBlock?>
    ) -> Void
  ) {
    recordStorage.withUnsafeMutableBufferPointer { records in
      sides.withUnsafeMutableBufferPointer { sides in
        blocks.withUnsafeMutableBufferPointer { blocks in body(records, sides, blocks) }
      }
    }
  }
}
