import Geometry
import RenderTree

/// The damage that each of a presenter's buffers still lacks.
///
/// A buffer that was last painted two frames ago lacks the damage of both. It is remembered by the buffer's identity, not by
/// its age, so that buffers may come back in any order.
struct BufferRing {
  private(set) var width: Int
  private(set) var height: Int
  private var missing: [DamageRegion] = []

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

  /// Adds one frame's damage to every known buffer.
  mutating func add(_ damage: DamageRegion) {
    for index in missing.indices { missing[index].add(damage) }
  }

  /// Returns the pixels that must be painted so that the buffer shows the newest tree. It counts as painted afterwards.
  mutating func takeDamage(ofBuffer index: Int) -> DamageRegion {
    while missing.count <= index {
      var all = DamageRegion()
      all.add(bounds)
      missing.append(all)
    }
    let damage = missing[index]
    missing[index].removeAll()
    return damage
  }
}
