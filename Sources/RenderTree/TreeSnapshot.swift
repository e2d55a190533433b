/// A picture of the layer tree at one moment: records in pre-order, children back to front, with their side values.
///
/// A snapshot is a value on copy-on-write arrays: it is patched in place while it has one owner, and frozen as soon as
/// somebody does.
///
/// ```swift
/// var tree = TreeSnapshot(records: [
///   RenderRecord(id: 1, subtreeEnd: 1, bounds: Rect(x: 0, y: 0, width: 64, height: 48), backgroundColor: 0xFF1E_90FF)
/// ])
/// Compositor().render(tree, damage: DamageRegion(screen), into: bitmap)
/// ```
public struct TreeSnapshot: Sendable {
  /// Empty, or the root with all its descendants: `records[0].subtreeEnd == records.count`.
  public var records: [RenderRecord] {
    get { recordStorage }
    _modify {
      blocks.removeAll()
      yield &recordStorage
    }
  }
  /// The records, for a maker of snapshots that keeps `blocks` right.
  @usableFromInline
  package var recordStorage: [RenderRecord]
  /// The summaries of all blocks of the records, nil for an unknown one; empty where the maker of the snapshot does not keep them.
  @usableFromInline
  package var blocks: [RecordBlock?] = []
  /// The content and effects of the record at the same index.
  public var sides: [SideValues]
  /// The colour behind the root: 0xAARRGGBB, alpha multiplied in; opaque on an output.
  public var backdrop: UInt32
  /// The place of the tree on the output; nil for pixel by pixel from the output's corner on.
  public var viewport: Viewport?
  /// Lets the maker of the snapshot see whether another value of it is alive.
  package var lease: Lease?

  package final class Lease: Sendable {
    package init() {}
  }

  /// A tree of layers without side values.
  public init(records: [RenderRecord] = [], backdrop: UInt32 = 0xFF00_0000, viewport: Viewport? = nil) {
    recordStorage = records
    sides = Array(repeating: SideValues(), count: records.count)
    self.backdrop = backdrop
    self.viewport = viewport
  }

  /// Appends a layer with its side values, and settles its record.
  public mutating func append(_ record: RenderRecord, _ sides: SideValues) {
    var record = record
    record.settle(sides)
    records.append(record)
    self.sides.append(sides)
  }
}

extension TreeSnapshot {
  /// The first fault in the records; nil for a tree that every reader understands the same.
  ///
  /// The ranges of descendants must nest, ids must differ and not be 0, and every record must be settled with its side
  /// values.
  package var inconsistency: String? {
    guard sides.count == records.count else {
      return "\(records.count) records, but \(sides.count) side values"
    }
    if let root = records.first, Int(root.subtreeEnd) != records.count {
      return "the root, layer \(root.id), ends at \(root.subtreeEnd) and not at the last of \(records.count) records"
    }
    var ids: Set<UInt32> = [0]
    var ends: [UInt32] = []
    for (index, record) in records.enumerated() {
      while let end = ends.last, index >= end { ends.removeLast() }
      guard ids.insert(record.id).inserted else { return "id \(record.id) at \(index) is 0 or has been used before" }
      guard record.subtreeEnd > index, record.subtreeEnd <= ends.last ?? record.subtreeEnd else {
        return "layer \(record.id) at \(index) ends at \(record.subtreeEnd), outside of its parent's range"
      }
      var settled = record
      settled.settle(sides[index])
      guard settled == record else {
        return "layer \(record.id) at \(index) has not been settled with its side values"
      }
      ends.append(record.subtreeEnd)
    }
    return nil
  }
}
