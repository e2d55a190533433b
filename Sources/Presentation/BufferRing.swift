import Geometry
import RenderTree

/// The change that each of a presenter's buffers still lacks.
///
/// A buffer that was last painted two frames ago lacks the changes of both. They are remembered by the buffer's identity, not by
/// its age, so that buffers may come back in any order.
struct BufferRing {
  private(set) var width: Int
  private(set) var height: Int
  private var missing: [FrameChange] = []

  init(width: Int, height: Int) {
    self.width = width
    self.height = height
  }

  var bounds: IntRect { IntRect(x: 0, y: 0, width: width, height: height) }

  /// Forgets all buffers: each is painted whole at its next use.
  mutating func reset(width: Int, height: Int) {
    self.width = width
    self.height = height
    missing.removeAll(keepingCapacity: true)
  }

  /// Adds one frame's change to every known buffer.
  mutating func add(_ change: FrameChange) {
    for index in missing.indices { missing[index].add(change) }
  }

  /// Returns the change that makes the buffer show the newest tree. It counts as made afterwards.
  mutating func takeChange(ofBuffer index: Int) -> FrameChange {
    while missing.count <= index { missing.append(FrameChange(DamageRegion(bounds))) }
    let change = missing[index]
    missing[index] = FrameChange()
    return change
  }
}
