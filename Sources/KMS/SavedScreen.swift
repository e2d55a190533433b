import CDRM
import Glibc
import LinuxSystem

/// What a CRTC showed before it was ours.
struct SavedScreen: Sendable {
  let crtc: UInt32
  let framebuffer: UInt32
  let x: UInt32
  let y: UInt32
  /// Nil when the CRTC was off.
  let mode: drmModeModeInfo?
  /// The connectors that showed it.
  let connectors: [UInt32]
  /// What else was on it and has been put out of the way.
  var settings: [PropertySetting] = []

  /// Whether there is a picture to bring back; otherwise the CRTC is switched off.
  var hasPicture: Bool { mode != nil && framebuffer != 0 && !connectors.isEmpty }

  /// Brings back what was there. Needs the card's master. The legacy call serves atomic drivers too, in one step; what else
  /// was there follows, unless its owner has freed it meanwhile.
  func restore(on descriptor: Int32) throws(SystemError) {
    var result: Int32
    if hasPicture, var mode {
      var connectors = connectors
      result = drmModeSetCrtc(
        descriptor, crtc, framebuffer, x, y, &connectors, Int32(clamping: connectors.count), &mode)
    } else {
      result = drmModeSetCrtc(descriptor, crtc, 0, 0, 0, nil, 0, nil)
    }
    // The picture's owner may have freed it meanwhile. Off is then the nearest to what there was.
    if result == -ENOENT, hasPicture { result = drmModeSetCrtc(descriptor, crtc, 0, 0, 0, nil, 0, nil) }
    guard result >= 0 else { throw SystemError(call: "drmModeSetCrtc", subject: "CRTC \(crtc)", errno: -result) }
    guard hasPicture, !settings.isEmpty else { return }
    let request = try AtomicRequest()
    request.add(settings)
    try request.commit(to: descriptor, flags: DRM_MODE_ATOMIC_ALLOW_MODESET, subject: "restore")
  }
}

extension DRMDevice {
  /// What a CRTC shows now.
  func screen(ofCRTC crtc: UInt32, connectors: [DRMConnector]) throws(SystemError) -> SavedScreen {
    guard let answer = drmModeGetCrtc(number, crtc) else { throw .last(call: "drmModeGetCrtc", subject: "\(crtc)") }
    defer { drmModeFreeCrtc(answer) }
    return SavedScreen(
      crtc: crtc, framebuffer: answer.pointee.buffer_id, x: answer.pointee.x, y: answer.pointee.y,
      mode: answer.pointee.mode_valid != 0 ? answer.pointee.mode : nil,
      connectors: connectors.filter { $0.currentCRTC == crtc }.map(\.id))
  }
}

/// Screens that are to be brought back when the process calls `exit` with displays still in use.
///
/// (When the last user of a card closes it, the kernel brings its own console back, but not another program's picture.)
enum ScreensAtExit {
  private struct Entry {
    let descriptor: Int32
    let screen: SavedScreen
  }
  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
    var isRegistered = false
  }
  private static let state = Lock(State())

  /// Remembers a screen. `descriptor` must stay open until `forget`.
  static func remember(_ screen: SavedScreen, descriptor: Int32) -> UInt64 {
    state.withLock { state in
      if !state.isRegistered { state.isRegistered = atexit { ScreensAtExit.restoreAll() } == 0 }
      state.next += 1
      state.entries[state.next] = Entry(descriptor: descriptor, screen: screen)
      return state.next
    }
  }

  static func forget(_ number: UInt64) {
    state.withLock { state in _ = state.entries.removeValue(forKey: number) }
  }

  private static func restoreAll() {
    let entries = state.withLock { state in
      defer { state.entries = [:] }
      return Array(state.entries.values)
    }
    // Nobody is left to tell of a failure.
    for entry in entries { try? entry.screen.restore(on: entry.descriptor) }
  }
}
