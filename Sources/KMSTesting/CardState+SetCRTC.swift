import CDRM
import Glibc
import KMS
import LinuxSystem

/// The legacy calls.
extension CardState {
  mutating func setCRTC(
    _ id: UInt32, framebuffer: UInt32, x: UInt32, y: UInt32, connectors ids: [UInt32], mode: DisplayMode?, client: Int,
    at time: MonotonicTime
  ) throws(Refusal) {
    try requireMaster(client)
    guard let index = crtcIndex(id) else { throw Refusal(ENOENT) }
    guard let mode else {
      guard ids.isEmpty else { throw Refusal(EINVAL) }
      return switchOff(crtc: index)
    }
    guard let shown = self.framebuffer(framebuffer) else { throw Refusal(ENOENT) }
    try require(mode)
    guard !ids.isEmpty, let plane = primaryPlaneIndex(ofCRTC: index) else { throw Refusal(EINVAL) }
    let size = planes[plane].settings.size(in: mode)
    guard Int(x) + size.width <= shown.width, Int(y) + size.height <= shown.height else { throw Refusal(ENOSPC) }
    for connector in ids {
      guard let place = connectorIndex(connector) else { throw Refusal(ENOENT) }
      guard canUse(id, connectors[place].possibleCRTCs) else { throw Refusal(EINVAL) }
    }

    finishFlip(ofCRTC: index)
    for place in connectors.indices {
      if ids.contains(connectors[place].id) {
        connectors[place].crtc = id
        // The legacy call always trains the link.
        connectors[place].settings.isLinkBad = false
      } else if connectors[place].crtc == id {
        connectors[place].crtc = 0
      }
    }
    // CRTCs whose connectors were taken.
    for other in crtcs.indices where other != index && crtcs[other].settings.isActive {
      if !connectors.contains(where: { $0.crtc == crtcs[other].id }) { switchOff(crtc: other) }
    }
    let isNew = !crtcs[index].settings.isActive || crtcs[index].settings.mode?.isSame(as: mode) != true
    crtcs[index].settings.isActive = true
    if isNew { crtcs[index].settings.modeBlob = addModeBlob(mode) }
    crtcs[index].settings.mode = mode
    planes[plane].settings.show(framebuffer, on: id, x: x, y: y, mode: mode)
    if isNew { turnOn(crtc: index, at: time) }
    showPlanes(ofCRTC: index)
    freeUnusedBlobs()
  }

  mutating func switchOff(crtc index: Int) {
    turnOff(crtc: index)
    let id = crtcs[index].id
    for place in connectors.indices where connectors[place].crtc == id { connectors[place].crtc = 0 }
    for plane in planes.indices where planes[plane].settings.crtc == id { planes[plane].settings.turnOff() }
    crtcs[index].settings.isActive = false
    crtcs[index].settings.mode = nil
    crtcs[index].settings.modeBlob = 0
    showPlanes(ofCRTC: index)
    freeUnusedBlobs()
  }

  mutating func pageFlip(
    crtc id: UInt32, framebuffer: UInt32, isAsynchronous: Bool, token: UInt64, client: Int, at time: MonotonicTime
  ) throws(Refusal) {
    try requireMaster(client)
    if isAsynchronous, !takesAsynchronousFlips { throw Refusal(EINVAL) }
    guard let index = crtcIndex(id), let next = self.framebuffer(framebuffer) else { throw Refusal(ENOENT) }
    guard crtcs[index].settings.isActive, let mode = crtcs[index].settings.mode else { throw Refusal(EBUSY) }
    guard let plane = primaryPlaneIndex(ofCRTC: index) else { throw Refusal(EINVAL) }
    let size = planes[plane].settings.size(in: mode)
    guard size.width <= next.width, size.height <= next.height else { throw Refusal(ENOSPC) }
    if crtcs[index].isFlipPending { throw Refusal(EBUSY) }
    try requireRoom(client)
    planes[plane].settings.framebuffer = framebuffer
    startFlip(
      ofCRTC: index, client: client, token: token, sendsEvent: true, isAsynchronous: isAsynchronous, at: time)
  }

  func requireMaster(_ client: Int) throws(Refusal) {
    if !clients[client].isMaster { throw Refusal(EACCES) }
  }

  /// Refuses modes without sensible timing, and those of `refuseModes`.
  func require(_ mode: DisplayMode) throws(Refusal) {
    guard mode.width > 0, mode.height > 0, mode.refreshRate != nil, mode.info.hdisplay <= mode.info.htotal,
      mode.info.vdisplay <= mode.info.vtotal, !refusedModes.contains(mode.description)
    else { throw Refusal(EINVAL) }
  }

  mutating func addModeBlob(_ mode: DisplayMode) -> UInt32 {
    addUnownedBlob(withUnsafeBytes(of: mode.info) { Array($0) })
  }

  /// The owner of objects that belong to no client.
  static let kernel = -1
}
