import Glibc
import LinuxSystem

/// The picture that a CRTC showed before it was ours. A value.
struct SavedScreen: Sendable {
  let crtc: UInt32
  let framebuffer: UInt32
  let x: UInt32
  let y: UInt32
  /// Nil when the CRTC was off.
  let mode: DisplayMode?
  /// The connectors that showed the picture.
  let connectors: [UInt32]
  /// The properties that a mode-set makes neutral, as they were found, object by object.
  var settings: [PropertySetting] = []
  /// True if the legacy calls have shown a cursor of ours, which must be hidden.
  var hidesCursor = false
  /// The primary plane's rotation; nil where the driver turns no picture.
  var rotation: PropertySetting?
  /// True if the plane has another rotation now.
  var isTurned = false

  /// Restores the picture. Needs the card's master. The legacy call serves atomic drivers too, in one step; the properties
  /// follow, each object by itself. A step that fails, as with a cursor that its owner has freed, keeps no other away.
  ///
  /// - Parameter taken: connectors to be left alone.
  func restore(on interface: any DRMInterface, without taken: [UInt32] = []) throws(SystemError) {
    var failure: SystemError?
    func attempt(_ step: () throws(SystemError) -> Void) {
      do throws(SystemError) { try step() } catch { failure = failure ?? error }
    }
    if isTurned, let rotation {
      // A plane that is on its side takes no framebuffer of another shape: it is turned back while it shows nothing.
      attempt { () throws(SystemError) in
        try interface.setCRTC(crtc, framebuffer: 0, x: 0, y: 0, connectors: [], mode: nil)
        try interface.commit([rotation], flags: .allowModeSet, token: 0, subject: "restore")
      }
    }
    attempt { () throws(SystemError) in
      try restorePicture(on: interface, connectors.filter { !taken.contains($0) })
    }
    if hidesCursor {
      attempt { () throws(SystemError) in
        try interface.setCursor(ofCRTC: crtc, handle: 0, width: 0, height: 0, hotSpotX: 0, hotSpotY: 0)
      }
    }
    var rest = settings[...]
    while let first = rest.first {
      let object = rest.prefix { $0.object == first.object }
      rest = rest.dropFirst(object.count)
      attempt { () throws(SystemError) in
        try interface.commit(Array(object), flags: .allowModeSet, token: 0, subject: "restore")
      }
    }
    if let failure { throw failure }
  }

  private func restorePicture(on interface: any DRMInterface, _ connectors: [UInt32]) throws(SystemError) {
    if mode != nil, framebuffer != 0, !connectors.isEmpty {
      do throws(SystemError) {
        return try interface.setCRTC(crtc, framebuffer: framebuffer, x: x, y: y, connectors: connectors, mode: mode)
      } catch {
        // The picture's owner may have freed it meanwhile: off is the nearest then.
        guard error.errno == ENOENT else { throw error }
      }
    }
    try interface.setCRTC(crtc, framebuffer: 0, x: 0, y: 0, connectors: [], mode: nil)
  }
}

extension SavedScreen {
  /// The picture that a CRTC shows now.
  ///
  /// - Parameters:
  ///   - connectors: the card's.
  ///   - settings: the properties that a mode-set will make neutral.
  ///   - rotation: the primary plane's.
  init(
    of crtc: UInt32, connectors: [DRMConnector], settings: [PropertySetting], rotation: PropertySetting?,
    on interface: any DRMInterface
  ) throws(SystemError) {
    let state = try interface.crtc(crtc)
    self.init(
      crtc: crtc, framebuffer: state.framebuffer, x: state.x, y: state.y, mode: state.mode,
      connectors: connectors.filter { $0.currentCRTC == crtc }.map(\.id), settings: settings, rotation: rotation)
  }
}
