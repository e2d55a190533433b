import CDRM
import Compositing
import Geometry
import Glibc
import LinuxSystem
import Raster

/// Memory that a CRTC can scan out and that the CPU can write: a dumb buffer with its framebuffer and mapping.
///
/// The mapping is write-combined: writing rows in order is quick, reading is ten to a hundred times slower than from
/// ordinary memory. So frames are composited elsewhere and copied in.
final class DumbBuffer {
  private let device: DRMDevice
  private var handle: UInt32 = 0
  private var mapping: UnsafeMutableRawPointer?
  private var byteCount = 0
  private var bytesPerRow = 0
  private let bounds: IntRect
  /// The framebuffer's id.
  private(set) var framebuffer: UInt32 = 0

  /// A black buffer.
  init(device: DRMDevice, width: Int, height: Int) throws(SystemError) {
    self.device = device
    bounds = IntRect(x: 0, y: 0, width: width, height: height)
    let (width, height) = (UInt32(clamping: width), UInt32(clamping: height))

    var pitch: UInt32 = 0
    var size: UInt64 = 0
    try device.check(
      drmModeCreateDumbBuffer(device.number, width, height, 32, 0, &handle, &pitch, &size),
      "drmModeCreateDumbBuffer", "\(width)x\(height)")
    (bytesPerRow, byteCount) = (Int(pitch), Int(clamping: size))
    guard bytesPerRow >= bounds.width * 4, byteCount >= bytesPerRow * bounds.height else {
      throw SystemError(call: "drmModeCreateDumbBuffer", subject: "\(width)x\(height)", errno: ENOSPC)
    }

    let handles = (handle, UInt32(0), UInt32(0), UInt32(0))
    let pitches = (pitch, UInt32(0), UInt32(0), UInt32(0))
    let offsets = (UInt32(0), UInt32(0), UInt32(0), UInt32(0))
    let result = withUnsafeBytes(of: handles) { handles in
      withUnsafeBytes(of: pitches) { pitches in
        withUnsafeBytes(of: offsets) { offsets in
          drmModeAddFB2(
            device.number, width, height, cdrm_format_xrgb8888, handles.assumingMemoryBound(to: UInt32.self).baseAddress,
            pitches.assumingMemoryBound(to: UInt32.self).baseAddress,
            offsets.assumingMemoryBound(to: UInt32.self).baseAddress, &framebuffer, 0)
        }
      }
    }
    try device.check(result, "drmModeAddFB2", "\(width)x\(height)")

    var offset: UInt64 = 0
    try device.check(drmModeMapDumbBuffer(device.number, handle, &offset), "drmModeMapDumbBuffer")
    let mapped = mmap(nil, byteCount, PROT_READ | PROT_WRITE, MAP_SHARED, device.number, Int(clamping: offset))
    guard mapped != MAP_FAILED, let mapped else { throw .last(call: "mmap", subject: "dumb buffer of \(device.path)") }
    mapping = mapped
    memset(mapped, 0, byteCount)
  }

  // Runs after a failed `init` too: it frees what there is. Nothing can be done about a failure here, and there is none
  // but for a device that is gone, which has freed all by itself.
  deinit {
    if let mapping { munmap(mapping, byteCount) }
    if framebuffer != 0 { drmModeRmFB(device.number, framebuffer) }
    if handle != 0 { drmModeDestroyDumbBuffer(device.number, handle) }
  }

  /// Copies what `damage` covers, as far as it lies in the buffer. `bitmap` has the buffer's size.
  func copy(from bitmap: Bitmap, damage: DamageRegion) {
    guard let mapping else { return }
    for rect in damage.rects {
      let rect = rect.intersection(bounds)
      if rect.isEmpty { continue }
      let (left, length) = (Int(rect.minX) * 4, rect.width * 4)
      for y in Int(rect.minY)..<Int(rect.maxY) {
        memcpy(mapping + y * bytesPerRow + left, bitmap.row(y) + left, length)
      }
    }
  }
}
