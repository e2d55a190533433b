package import FrameTiming
package import Geometry
import Metering
import Presentation
import RenderTree

/// The damage of one frame, and the layers that took longest in its commit.
package struct FrameDetail: Equatable, Sendable {
  package var frameNumber: UInt64
  /// The `submitted` of its record, which with its number tells it from all others.
  package var submitted: MonotonicTime
  /// The size of the display's buffers, in pixels.
  package var width: Int
  package var height: Int
  /// The rectangles of its damage: the pixels that may differ from the frame before and did not only move.
  package var damage: [IntRect]
  package var layers: [FrameRecord.LayerTime]

  package init(of frame: FrameRecord, width: Int, height: Int, damage: [IntRect], layers: [FrameRecord.LayerTime]) {
    (frameNumber, submitted) = (frame.frameNumber, frame.submitted)
    (self.width, self.height, self.damage, self.layers) = (width, height, damage, layers)
  }

  package func isOf(_ frame: FrameRecord) -> Bool { frameNumber == frame.frameNumber && submitted == frame.submitted }
}

/// The damage of the last frames of an output: rectangles in a ring beside those of the records, in memory that is allocated once.
@MainActor
package struct DamageLog {
  private struct Entry {
    var frameNumber: UInt64
    var submitted: MonotonicTime
    var width: Int32
    var height: Int32
    /// The number of its first rectangle, counted from the first of all.
    var first: Int
    var count: Int
  }

  /// The most that a `DamageRegion` has.
  private static let rectsPerFrame = 32

  private var entries: RecentValues<Entry>
  private var rects: RecentValues<IntRect>

  /// - Parameter frames: the number of frames that are kept, of 512 bytes each.
  package init(frames: Int) {
    entries = RecentValues(capacity: frames)
    rects = RecentValues(capacity: frames * Self.rectsPerFrame)
  }

  /// Adds a frame that its output has just handed over, when it tells of that.
  package mutating func add(_ frame: FrameRecord, of output: Output) {
    let (damage, size) = (output.handedOverDamage, output.bufferSize)
    entries.append(
      Entry(
        frameNumber: frame.frameNumber, submitted: frame.submitted, width: Int32(clamping: size.width),
        height: Int32(clamping: size.height), first: rects.dropped + rects.count, count: damage.rects.count))
    for index in damage.rects.indices { rects.append(damage.rects[index]) }
  }

  /// The detail of a frame; nil for one whose damage is not kept.
  package func detail(of frame: FrameRecord) -> FrameDetail? {
    guard let entry = entries.last(where: { $0.submitted == frame.submitted && $0.frameNumber == frame.frameNumber })
    else { return nil }
    let place = entry.first - rects.dropped
    return FrameDetail(
      of: frame, width: Int(entry.width), height: Int(entry.height), damage: Array(rects[place..<place + entry.count]),
      layers: Array(frame.layerTimes))
  }
}
