import CDRM
import Glibc
import KMS

extension CardState {
  /// The bytes of each event that a card sends.
  static let eventSize = 32

  func handleIndex(_ id: UInt32, client: Int) -> Int? {
    handles.firstIndex { $0.id == id && $0.client == client }
  }

  mutating func createDumbBuffer(width: Int, height: Int, client: Int) throws(Refusal) -> DRMDumbBuffer {
    guard width > 0, height > 0, width <= 8192, height <= 8192 else { throw Refusal(EINVAL) }
    // Rows are longer than their pixels, as much hardware wants it: who counts on the width is seen.
    let bytesPerRow = (width * 4 + 64 + 63) / 64 * 64
    let memory = BufferMemory(byteCount: bytesPerRow * height)
    let handle = Handle(id: newID(), client: client, memory: memory)
    handles.append(handle)
    return DRMDumbBuffer(handle: handle.id, bytesPerRow: bytesPerRow, byteCount: memory.pixels.count)
  }

  mutating func addFramebuffer(
    _ buffer: DRMDumbBuffer, width: Int, height: Int, format: DRMPixelFormat, client: Int
  ) throws(Refusal) -> UInt32 {
    guard let index = handleIndex(buffer.handle, client: client) else { throw Refusal(ENOENT) }
    let memory = handles[index].memory
    guard width > 0, height > 0, width <= 8192, height <= 8192, buffer.bytesPerRow >= width * 4,
      buffer.bytesPerRow * height <= memory.pixels.count
    else { throw Refusal(EINVAL) }
    let framebuffer = Framebuffer(
      id: newID(), client: client, memory: memory, width: width, height: height, bytesPerRow: buffer.bytesPerRow,
      format: format)
    framebuffers.append(framebuffer)
    return framebuffer.id
  }

  /// A screen that shows the framebuffer goes off; other planes lose their picture.
  mutating func removeFramebuffer(_ id: UInt32) {
    for plane in planes where plane.settings.framebuffer == id {
      guard let index = planeIndex(plane.id), let crtc = crtcIndex(plane.settings.crtc) else { continue }
      if plane.kind == .primary {
        switchOff(crtc: crtc)
      } else {
        planes[index].settings.turnOff()
        showPlanes(ofCRTC: crtc)
      }
    }
    framebuffers.removeAll { $0.id == id }
  }
}
