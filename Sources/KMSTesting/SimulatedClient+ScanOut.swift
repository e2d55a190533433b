import Glibc
import KMS
import LinuxSystem

extension SimulatedClient {
  func createDumbBuffer(width: Int, height: Int) throws(SystemError) -> DRMDumbBuffer {
    try perform(.createDumbBuffer, on: "\(width)x\(height)") { state, _ throws(Refusal) in
      try state.createDumbBuffer(width: width, height: height, client: number)
    }
  }

  func destroyDumbBuffer(_ handle: UInt32) throws(SystemError) {
    try perform(.destroyDumbBuffer, on: "\(handle)") { state, _ throws(Refusal) in
      guard let index = state.handleIndex(handle, client: number) else { throw Refusal(EINVAL) }
      state.handles.remove(at: index)
    }
  }

  func mapDumbBuffer(_ buffer: DRMDumbBuffer) throws(SystemError) -> UnsafeMutableRawBufferPointer {
    let memory = try perform(.mapDumbBuffer) { state, _ throws(Refusal) in
      guard let index = state.handleIndex(buffer.handle, client: number) else { throw Refusal(ENOENT) }
      let memory = state.handles[index].memory
      guard buffer.byteCount == memory.pixels.count else { throw Refusal(EINVAL) }
      state.mappings.append(memory)
      return memory
    }
    return memory.pixels
  }

  func unmapDumbBuffer(_ memory: UnsafeMutableRawBufferPointer) {
    let start = UInt(bitPattern: memory.baseAddress)
    // Memory stays mapped when the card is gone.
    _ = try? perform(.unmapDumbBuffer, worksUnplugged: true) { state, _ throws(Refusal) in
      let index = state.mappings.firstIndex { UInt(bitPattern: $0.pixels.baseAddress) == start }
      guard let index else { throw Refusal(EINVAL) }
      state.mappings.remove(at: index)
    }
  }

  func addFramebuffer(
    _ buffer: DRMDumbBuffer, width: Int, height: Int, format: DRMPixelFormat
  ) throws(SystemError) -> UInt32 {
    try perform(.addFramebuffer, on: "\(width)x\(height)") { state, _ throws(Refusal) in
      try state.addFramebuffer(buffer, width: width, height: height, format: format, client: number)
    }
  }

  func framebuffer(_ id: UInt32) throws(SystemError) -> DRMFramebuffer {
    try perform(.framebuffer, on: "\(id)") { state, _ throws(Refusal) in
      guard let framebuffer = state.framebuffer(id) else { throw Refusal(ENOENT) }
      var buffer: DRMDumbBuffer?
      if state.clients[number].isMaster {
        let handle = CardState.Handle(id: state.newID(), client: number, memory: framebuffer.memory)
        state.handles.append(handle)
        buffer = DRMDumbBuffer(
          handle: handle.id, bytesPerRow: framebuffer.bytesPerRow, byteCount: framebuffer.memory.pixels.count)
      }
      return DRMFramebuffer(
        width: framebuffer.width, height: framebuffer.height, layout: state.layout, buffer: buffer)
    }
  }

  func setCursor(
    ofCRTC crtc: UInt32, handle: UInt32, width: Int, height: Int, hotSpotX: Int32, hotSpotY: Int32
  ) throws(SystemError) {
    try perform(.setCursor, on: "CRTC \(crtc)") { state, _ throws(Refusal) in
      try state.setCursor(ofCRTC: crtc, handle: handle, width: width, height: height, client: number)
    }
  }

  func moveCursor(ofCRTC crtc: UInt32, x: Int32, y: Int32) throws(SystemError) {
    try perform(.moveCursor, on: "CRTC \(crtc)") { state, _ throws(Refusal) in
      try state.moveCursor(ofCRTC: crtc, x: x, y: y, client: number)
    }
  }

  func removeFramebuffer(_ id: UInt32) throws(SystemError) {
    try perform(.removeFramebuffer, on: "\(id)") { state, _ throws(Refusal) in
      guard let framebuffer = state.framebuffer(id), framebuffer.client == number else { throw Refusal(ENOENT) }
      state.removeFramebuffer(id)
    }
  }

  func setCRTC(
    _ crtc: UInt32, framebuffer: UInt32, x: UInt32, y: UInt32, connectors: [UInt32], mode: DisplayMode?
  ) throws(SystemError) {
    try perform(.setCRTC, on: "CRTC \(crtc)") { state, now throws(Refusal) in
      try state.setCRTC(
        crtc, framebuffer: framebuffer, x: x, y: y, connectors: connectors, mode: mode, client: number, at: now)
    }
  }

  func pageFlip(crtc: UInt32, framebuffer: UInt32, isAsynchronous: Bool, token: UInt64) throws(SystemError) {
    try perform(.pageFlip, on: "CRTC \(crtc)") { state, now throws(Refusal) in
      try state.pageFlip(
        crtc: crtc, framebuffer: framebuffer, isAsynchronous: isAsynchronous, token: token, client: number, at: now)
    }
  }

  func commit(
    _ settings: [PropertySetting], flags: DRMCommitFlags, token: UInt64, subject: StaticString
  ) throws(SystemError) {
    try perform(.commit, on: "\(subject)") { state, now throws(Refusal) in
      try state.commit(settings, flags: flags, token: token, client: number, at: now)
    }
  }
}
