import CDRM
import Geometry
import LinuxSystem
import RenderTree

/// A property's value that is longer than a number. The kernel keeps it for us until the end of this value, and beyond while
/// a property is set to it.
struct PropertyBlob: ~Copyable {
  let id: UInt32
  private let interface: any DRMInterface

  init(interface: any DRMInterface, _ bytes: UnsafeRawBufferPointer) throws(SystemError) {
    id = try interface.createBlob(bytes)
    self.interface = interface
  }

  deinit {
    // Fails when the device is gone, which has freed it.
    try? interface.destroyBlob(id)
  }

  /// The rectangles of a damage region in framebuffer coordinates, for `FB_DAMAGE_CLIPS`. Empty damage becomes one pixel:
  /// no rectangle would stand for everything, and an empty one is refused.
  static func damage(
    _ damage: DamageRegion, bounds: IntRect, interface: any DRMInterface
  ) throws(SystemError) -> PropertyBlob {
    try withUnsafeTemporaryAllocation(of: drm_mode_rect.self, capacity: DamageRegion.capacity) {
      rects throws(SystemError) in
      var count = 0
      for rect in damage.rects {
        let clipped = rect.intersection(bounds)
        if clipped.isEmpty { continue }
        rects[count] = drm_mode_rect(x1: clipped.minX, y1: clipped.minY, x2: clipped.maxX, y2: clipped.maxY)
        count += 1
      }
      if count == 0 {
        rects[0] = drm_mode_rect(x1: 0, y1: 0, x2: 1, y2: 1)
        count = 1
      }
      return try PropertyBlob(
        interface: interface, UnsafeRawBufferPointer(UnsafeMutableBufferPointer(rebasing: rects[..<count])))
    }
  }
}
