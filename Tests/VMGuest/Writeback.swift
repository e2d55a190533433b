import CDRM
import Glibc
import KMS
import LinuxSystem
import Raster

/// Makes the driver write a display's picture to memory through its writeback connector, and compares all bytes of all
/// pixels with a bitmap. Drivers without such a connector are skipped, and so are legacy calls, which cannot use it.
///
/// The screen's own connector is off during this: vkms supports only one of the two at a time.
@MainActor
func compareWriteback(_ display: KMSDisplay, with bitmap: Bitmap) {
  do {
    guard let writeback = try Writeback(display) else { return }
    let picture = try writeback.picture(width: bitmap.width, height: bitmap.height)
    defer { picture.free() }
    // The fourth byte has no meaning: the format has no alpha.
    let wrong = (0..<bitmap.height).reduce(0) { wrong, y in
      let (seen, painted) = (picture.row(y), bitmap.row(y).assumingMemoryBound(to: UInt32.self))
      return wrong + (0..<bitmap.width).filter { seen[$0] & 0xFF_FFFF != painted[$0] & 0xFF_FFFF }.count
    }
    Guest.expect(wrong == 0, "\(wrong) pixels that were scanned out are not what was composited")
    Guest.say("\(display.name): all \(bitmap.width * bitmap.height) pixels that were scanned out are what was composited")
  } catch {
    Guest.expect(false, "writeback: \(error)")
  }
}

/// A connector that writes to memory.
@MainActor
private struct Writeback {
  private let interface: any DRMInterface
  private let crtc: UInt32
  private let connector: (id: UInt32, crtc: UInt32)
  private let screen: (id: UInt32, crtc: UInt32)
  private let framebuffer: UInt32
  private let fence: UInt32

  init?(_ display: KMSDisplay) throws {
    guard display.card.isAtomic else { return nil }
    interface = display.card.interface
    crtc = display.crtc
    try interface.setClientCapability(DRM_CLIENT_CAP_WRITEBACK_CONNECTORS, to: 1)
    var found: (id: UInt32, properties: DRMProperties)?
    var screen: (id: UInt32, properties: DRMProperties)?
    for id in try interface.resources().connectors {
      let properties = try interface.properties(of: id, type: .connector)
      if properties["WRITEBACK_FB_ID"] != nil { found = (id, properties) }
      if properties["CRTC_ID"]?.value == UInt64(crtc) { screen = (id, properties) }
    }
    guard let found, let screen, let framebuffer = found.properties["WRITEBACK_FB_ID"],
      let fence = found.properties["WRITEBACK_OUT_FENCE_PTR"], let ownCRTC = found.properties["CRTC_ID"],
      let screenCRTC = screen.properties["CRTC_ID"]
    else { return nil }
    connector = (found.id, ownCRTC.id)
    self.screen = (screen.id, screenCRTC.id)
    (self.framebuffer, self.fence) = (framebuffer.id, fence.id)
  }

  struct Picture {
    let memory: UnsafeMutableRawBufferPointer
    let bytesPerRow: Int
    let interface: any DRMInterface

    func row(_ y: Int) -> UnsafeMutableBufferPointer<UInt32> {
      UnsafeMutableRawBufferPointer(rebasing: memory[(y * bytesPerRow)..<((y + 1) * bytesPerRow)]).bindMemory(
        to: UInt32.self)
    }

    func free() { interface.unmapDumbBuffer(memory) }
  }

  /// Returns the CRTC's blended picture. The screen is restored afterwards.
  func picture(width: Int, height: Int) throws -> Picture {
    let buffer = try interface.createDumbBuffer(width: width, height: height)
    let memory = try interface.mapDumbBuffer(buffer)
    let target = try interface.addFramebuffer(buffer, width: width, height: height, format: .xrgb8888)
    var done: Int32 = -1
    try withUnsafeMutablePointer(to: &done) { done in
      try commit([
        PropertySetting(object: screen.id, property: screen.crtc, value: 0),
        PropertySetting(object: connector.id, property: connector.crtc, value: UInt64(crtc)),
        PropertySetting(object: connector.id, property: framebuffer, value: UInt64(target)),
        PropertySetting(object: connector.id, property: fence, value: UInt64(UInt(bitPattern: done))),
      ])
    }
    var item = pollfd(fd: done, events: Int16(POLLIN), revents: 0)
    Guest.expect(done >= 0 && poll(&item, 1, 5000) == 1, "the driver has not written the picture")
    close(done)
    try commit([
      PropertySetting(object: connector.id, property: connector.crtc, value: 0),
      PropertySetting(object: screen.id, property: screen.crtc, value: UInt64(crtc)),
    ])
    try interface.removeFramebuffer(target)
    try interface.destroyDumbBuffer(buffer.handle)
    return Picture(memory: memory, bytesPerRow: buffer.bytesPerRow, interface: interface)
  }

  private func commit(_ settings: [PropertySetting]) throws {
    try interface.commit(settings, flags: [.allowModeSet], token: 0, subject: "writeback")
  }
}
