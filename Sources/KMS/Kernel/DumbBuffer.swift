import Geometry
import Glibc
import LinuxSystem
import Raster
import RenderTree

/// Memory that a CRTC can scan out and that the CPU can write: a dumb buffer with its framebuffer and mapping.
///
/// The mapping is write-combined: writing rows in order is fast, reading is ten to a hundred times slower than from ordinary
/// memory. So frames are composited elsewhere and copied in.
final class DumbBuffer {
  private let interface: any DRMInterface
  private var allocation: DRMDumbBuffer?
  private var mapping: UnsafeMutableRawBufferPointer?
  private let bytesPerRow: Int
  private let bounds: IntRect
  /// The framebuffer's id; 0 without one.
  private(set) var framebuffer: UInt32 = 0
  var width: Int { bounds.width }
  var height: Int { bounds.height }
  /// The memory's handle on this device.
  var handle: UInt32 { allocation?.handle ?? 0 }

  /// Makes a buffer filled with 0.
  ///
  /// - Parameter format: the framebuffer's format; nil for memory without a framebuffer.
  init(
    interface: any DRMInterface, width: Int, height: Int, format: DRMPixelFormat? = .xrgb8888
  ) throws(SystemError) {
    self.interface = interface
    bounds = IntRect(x: 0, y: 0, width: width, height: height)
    let allocation = try interface.createDumbBuffer(width: width, height: height)
    self.allocation = allocation
    bytesPerRow = allocation.bytesPerRow
    guard bytesPerRow >= width * 4, allocation.byteCount >= bytesPerRow * height else {
      throw SystemError(call: "drmModeCreateDumbBuffer", subject: "\(width)x\(height)", errno: ENOSPC)
    }
    if let format {
      framebuffer = try interface.addFramebuffer(allocation, width: width, height: height, format: format)
    }
    let mapping = try interface.mapDumbBuffer(allocation)
    self.mapping = mapping
    mapping.initializeMemory(as: UInt8.self, repeating: 0)
  }

  // Runs after a failed `init` too. Freeing fails only when the device is gone, which has freed everything itself.
  deinit {
    if let mapping { interface.unmapDumbBuffer(mapping) }
    if framebuffer != 0 { try? interface.removeFramebuffer(framebuffer) }
    if let allocation { try? interface.destroyDumbBuffer(allocation.handle) }
  }

  /// Puts an image into the upper left corner, as far as it fits; the rest becomes 0.
  func replace(with image: Image) {
    guard let mapping, let pixels = mapping.baseAddress else { return }
    mapping.initializeMemory(as: UInt8.self, repeating: 0)
    for y in 0..<min(image.height, height) { memcpy(pixels + y * bytesPerRow, image.row(y), min(image.width, width) * 4) }
  }

  /// Copies the pixels of `damage` that are in the buffer. `bitmap` has the buffer's size.
  func copy(from bitmap: Bitmap, damage: DamageRegion) {
    guard let pixels = mapping?.baseAddress else { return }
    for rect in damage.rects {
      let rect = rect.intersection(bounds)
      if rect.isEmpty { continue }
      let (left, length) = (Int(rect.minX) * 4, rect.width * 4)
      for y in Int(rect.minY)..<Int(rect.maxY) {
        memcpy(pixels + y * bytesPerRow + left, bitmap.row(y) + left, length)
      }
    }
  }
}
