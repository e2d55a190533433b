package import Geometry
import Synchronization

/// A summary of 64 records of a snapshot, by which a search for changes, or for what lies in some pixels, passes over all of them at once.
@usableFromInline
package struct RecordBlock: BitwiseCopyable, Sendable {
  /// The number of records; the last block of a snapshot may have fewer.
  package static var length: Int { 64 }

  /// Blocks with the same number, in whatever snapshots, have the same records.
  package let version: UInt64
  /// If all records are leaves that lie in their parent upright and at their own size, and need no picture nor a pixel beyond: the
  /// rectangle around all that they paint, in the coordinates of that parent.
  package let leafBounds: Rect?
  /// True if one of the layers filters what lies behind it.
  package let filtersBackdrop: Bool

  private static let lastVersion = Atomic<UInt64>(0)

  package init(_ number: Int, of records: [RenderRecord]) {
    version = Self.lastVersion.wrappingAdd(1, ordering: .relaxed).newValue
    let start = number * Self.length
    let range = start..<min(start + Self.length, records.count)
    leafBounds = Self.leafBounds(records, range)
    filtersBackdrop = range.contains { records[$0].flags.contains(.filtersBackdrop) }
  }

  private static func leafBounds(_ records: [RenderRecord], _ range: Range<Int>) -> Rect? {
    var bounds = Rect.zero
    for index in range {
      guard records[index].subtreeEnd <= index + 1, records[index].transform.isTranslation, !records[index].isIsolated,
        records[index].reachInPixels == 0
      else { return nil }
      let drawn = records[index].drawnBounds
      let (x, y) = (records[index].transform.tx, records[index].transform.ty)
      // A sum of larger numbers would be rounded by more than those who use it allow for.
      guard
        abs(x) < 0x1p30, abs(y) < 0x1p30, abs(drawn.minX) < 0x1p30, abs(drawn.minY) < 0x1p30, drawn.width < 0x1p30,
        drawn.height < 0x1p30
      else { return nil }
      bounds = bounds.union(drawn.offsetBy(dx: x, dy: y))
    }
    return bounds
  }
}
