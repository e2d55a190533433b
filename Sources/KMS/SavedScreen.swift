import Glibc
import LinuxSystem

/// What a CRTC showed before it was ours.
struct SavedScreen: Sendable {
  let crtc: UInt32
  let framebuffer: UInt32
  let x: UInt32
  let y: UInt32
  /// Nil when the CRTC was off.
  let mode: DisplayMode?
  /// The connectors that showed it.
  let connectors: [UInt32]
  /// What else was on it and has been put out of the way.
  var settings: [PropertySetting] = []

  /// Whether there is a picture to bring back; otherwise the CRTC is switched off.
  var hasPicture: Bool { mode != nil && framebuffer != 0 && !connectors.isEmpty }

  /// Brings back what was there. Needs the card's master. The legacy call serves atomic drivers too, in one step; what else
  /// was there follows, unless its owner has freed it meanwhile.
  func restore(on interface: any DRMInterface) throws(SystemError) {
    guard hasPicture else { return try switchOff(on: interface) }
    do throws(SystemError) {
      try interface.setCRTC(crtc, framebuffer: framebuffer, x: x, y: y, connectors: connectors, mode: mode)
    } catch {
      // The picture's owner may have freed it meanwhile. Off is then the nearest to what there was.
      guard error.errno == ENOENT else { throw error }
      try switchOff(on: interface)
    }
    if settings.isEmpty { return }
    try interface.commit(settings, flags: .allowModeSet, token: 0, subject: "restore")
  }

  private func switchOff(on interface: any DRMInterface) throws(SystemError) {
    try interface.setCRTC(crtc, framebuffer: 0, x: 0, y: 0, connectors: [], mode: nil)
  }
}

extension SavedScreen {
  /// What a CRTC shows now.
  ///
  /// - Parameter connectors: the card's.
  init(of crtc: UInt32, connectors: [DRMConnector], on interface: any DRMInterface) throws(SystemError) {
    let state = try interface.crtc(crtc)
    self.init(
      crtc: crtc, framebuffer: state.framebuffer, x: state.x, y: state.y, mode: state.mode,
      connectors: connectors.filter { $0.currentCRTC == crtc }.map(\.id))
  }
}
