import Glibc
import KMS

/// The legacy calls for a cursor, which take effect at once.
extension CardState {
  /// Cursors have this size, and no other.
  static let cursorSide = 64

  mutating func setCursor(
    ofCRTC id: UInt32, handle: UInt32, width: Int, height: Int, client: Int
  ) throws(Refusal) {
    try requireMaster(client)
    guard let crtc = crtcIndex(id) else { throw Refusal(ENOENT) }
    guard let plane = cursorPlaneIndex(ofCRTC: id) else { throw Refusal(ENXIO) }
    let old = planes[plane].settings.framebuffer
    if handle == 0 {
      (planes[plane].settings.framebuffer, planes[plane].settings.crtc) = (0, 0)
    } else {
      guard let index = handleIndex(handle, client: client) else { throw Refusal(ENOENT) }
      guard width == Self.cursorSide, height == Self.cursorSide else { throw Refusal(EINVAL) }
      // The kernel makes a framebuffer of its own for the handle.
      let framebuffer = Framebuffer(
        id: newID(), client: Self.kernel, memory: handles[index].memory, width: width, height: height,
        bytesPerRow: handles[index].memory.pixels.count / height, format: .argb8888)
      framebuffers.append(framebuffer)
      let size = UInt64(Self.cursorSide)
      planes[plane].settings.framebuffer = framebuffer.id
      planes[plane].settings.crtc = id
      planes[plane].settings.source = PlaneRect(width: size << 16, height: size << 16)
      (planes[plane].settings.target.width, planes[plane].settings.target.height) = (size, size)
    }
    showPlanes(ofCRTC: crtc, kind: .cursor)
    if old != leftoverCursor { framebuffers.removeAll { $0.id == old } }
  }

  mutating func moveCursor(ofCRTC id: UInt32, x: Int32, y: Int32, client: Int) throws(Refusal) {
    try requireMaster(client)
    guard let crtc = crtcIndex(id) else { throw Refusal(ENOENT) }
    guard let plane = cursorPlaneIndex(ofCRTC: id) else { throw Refusal(EFAULT) }
    planes[plane].settings.target.x = UInt64(bitPattern: Int64(x))
    planes[plane].settings.target.y = UInt64(bitPattern: Int64(y))
    showPlanes(ofCRTC: crtc, kind: .cursor)
  }

  private func cursorPlaneIndex(ofCRTC id: UInt32) -> Int? {
    planes.firstIndex { $0.kind == .cursor && canUse(id, $0.possibleCRTCs) }
  }
}
