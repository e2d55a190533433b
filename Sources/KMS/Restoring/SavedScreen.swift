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
  /// What else was on it and has been put out of the way, object by object.
  var settings: [PropertySetting] = []
  /// Whether a cursor that the legacy calls have shown is to go.
  var hidesCursor = false
  /// Hold the blobs among `settings`.
  var copies: BlobCopies?

  /// Whether there is a picture to bring back; otherwise the CRTC is switched off.
  var hasPicture: Bool { hasPicture(on: connectors) }

  private func hasPicture(on connectors: [UInt32]) -> Bool { mode != nil && framebuffer != 0 && !connectors.isEmpty }

  /// Remembers what a mode-set puts out of the way. To be called before it. A blob that is gone already is left out.
  mutating func keep(_ reset: PipeReset, on interface: any DRMInterface) throws(SystemError) {
    let copies = BlobCopies(interface: interface)
    for (place, setting) in reset.found.enumerated() {
      guard reset.blobs.contains(place) else {
        settings.append(setting)
        continue
      }
      guard let copy = try copies.copy(UInt32(clamping: setting.value)) else { continue }
      settings.append(PropertySetting(object: setting.object, property: setting.property, value: UInt64(copy)))
    }
    self.copies = copies
  }

  /// Brings back what was there. Needs the card's master. The legacy call serves atomic drivers too, in one step; what else
  /// was there follows. Each object by itself: a cursor whose owner has freed it keeps nothing else away.
  ///
  /// - Parameter taken: connectors to be left alone; nothing that is held for the screen is freed then.
  func restore(on interface: any DRMInterface, without taken: [UInt32] = []) throws(SystemError) {
    try restorePicture(on: interface, connectors.filter { !taken.contains($0) })
    var failure: SystemError?
    if hidesCursor {
      do throws(SystemError) {
        try interface.setCursor(ofCRTC: crtc, handle: 0, width: 0, height: 0, hotSpotX: 0, hotSpotY: 0)
      } catch {
        failure = error
      }
    }
    var rest = settings[...]
    while let first = rest.first {
      let object = rest.prefix { $0.object == first.object }
      rest = rest.dropFirst(object.count)
      do throws(SystemError) {
        try interface.commit(Array(object), flags: .allowModeSet, token: 0, subject: "restore")
      } catch {
        failure = failure ?? error
      }
    }
    if let failure { throw failure }
    if taken.isEmpty { copies?.free() }
  }

  private func restorePicture(on interface: any DRMInterface, _ connectors: [UInt32]) throws(SystemError) {
    guard hasPicture(on: connectors) else { return try switchOff(on: interface) }
    do throws(SystemError) {
      try interface.setCRTC(crtc, framebuffer: framebuffer, x: x, y: y, connectors: connectors, mode: mode)
    } catch {
      // The picture's owner may have freed it meanwhile. Off is then the nearest to what there was.
      guard error.errno == ENOENT else { throw error }
      try switchOff(on: interface)
    }
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
