import CWaylandClient
import CWaylandProtocols
import Glibc
import LinuxSystem
import Raster

/// Memory that a frame is painted in and that the compositor reads. It is the same memory for both: nothing is copied here.
@MainActor
final class WindowBuffer {
  let bitmap: Bitmap
  /// True while the compositor may read it.
  private(set) var isHeld = false
  private var pointer: OpaquePointer?
  /// Called when the compositor has let go of it.
  var onRelease: (@MainActor () -> Void)?

  /// - Parameter isOpaque: false for pixels that have an alpha, by which the others are multiplied.
  init(width: Int, height: Int, isOpaque: Bool = true, sharedMemory: OpaquePointer) throws(SystemError) {
    let bytesPerRow = (width * 4 + 63) & ~63
    let size = bytesPerRow * height
    // A pool's size is 32 bits.
    guard size <= Int(Int32.max) else {
      throw SystemError(call: "memfd_create", subject: "\(width)x\(height)", errno: EFBIG)
    }
    guard Memory.hasRoom(for: size) else {
      throw SystemError(call: "memfd_create", subject: "\(width)x\(height)", errno: ENOMEM)
    }
    let number = cwayland_memory_file(size)
    guard number >= 0 else { throw .last(call: "memfd_create", subject: "\(width)x\(height)") }
    let file = OwnedDescriptor(owning: number)
    guard let base = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.number, 0), base != MAP_FAILED else {
      throw .last(call: "mmap", subject: "\(width)x\(height)")
    }
    bitmap = Bitmap(width: width, height: height, bytesPerRow: bytesPerRow, base: base) { munmap($0, size) }
    let pool = wl_shm_create_pool(sharedMemory, file.number, Int32(size))
    pointer = wl_shm_pool_create_buffer(
      pool, 0, Int32(width), Int32(height), Int32(bytesPerRow),
      UInt32((isOpaque ? WL_SHM_FORMAT_XRGB8888 : WL_SHM_FORMAT_ARGB8888).rawValue))
    wl_shm_pool_destroy(pool)
    wl_buffer_add_listener(pointer, Self.listener, listenerData(self))
  }

  /// Puts it on a surface. It is the compositor's until it is released.
  func attach(to surface: OpaquePointer) {
    isHeld = true
    wl_surface_attach(surface, pointer, 0, 0)
  }

  /// Destroys it. The compositor may have to go on showing it: its memory stays mapped there.
  func destroy() {
    onRelease = nil
    if let pointer { wl_buffer_destroy(pointer) }
    pointer = nil
  }

  private func released() {
    isHeld = false
    onRelease?()
  }

  private static let listener = listenerTable(
    wl_buffer_listener(release: { data, _ in onMain(data) { (buffer: WindowBuffer) in buffer.released() } }))
}
