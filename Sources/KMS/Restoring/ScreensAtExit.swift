import CFatalScreens
import Glibc
import LinuxSystem

/// Screens that are to be brought back when the process ends with displays still in use: by `exit`, or of a signal, a fault
/// of its own or one that was sent, which then does what it would have done. Nothing can be done about `SIGKILL`.
///
/// The newest first: where displays have shown on a CRTC one after the other, what it showed before all of them is put back
/// last, and stays.
///
/// (When the last user of a card closes it, the kernel brings its own console back, but not another program's picture.)
enum ScreensAtExit {
  private struct Entry {
    let interface: any DRMInterface
    var screen: SavedScreen
    let process: pid_t
    /// Under which it is brought back by signals.
    let number: Int32
  }
  private struct State {
    var entries: [UInt64: Entry] = [:]
    var next: UInt64 = 0
    var isRegistered = false
  }
  private static let state = Lock(State())

  /// Remembers a screen, and keeps its card open, until `forget`.
  static func remember(_ screen: SavedScreen, on interface: any DRMInterface) -> UInt64 {
    state.withLock { state in
      if !state.isRegistered { state.isRegistered = atexit { ScreensAtExit.restoreAll() } == 0 }
      state.next += 1
      state.entries[state.next] = Entry(
        interface: interface, screen: screen, process: getpid(),
        number: screen.rememberForSignals(descriptor: interface.descriptor))
      return state.next
    }
  }

  /// With a screen, a cursor that the legacy calls have shown is to go.
  static func hideCursor(_ number: UInt64) {
    state.withLock { state in
      guard let entry = state.entries[number] else { return }
      state.entries[number]?.screen.hidesCursor = true
      cscreens_hide_cursor(entry.number)
    }
  }

  static func forget(_ number: UInt64) {
    state.withLock { state in
      if let entry = state.entries.removeValue(forKey: number) { cscreens_forget(entry.number) }
    }
  }

  static func restoreAll() {
    let entries = state.withLock { state in
      defer { state.entries = [:] }
      return state.entries.sorted { $0.key > $1.key }.map(\.value)
    }
    // A child that was forked and exits has a copy of this, but the screens are its parent's. Nobody is left to tell of a
    // failure.
    for entry in entries where entry.process == getpid() {
      cscreens_forget(entry.number)
      try? entry.screen.restore(on: entry.interface)
    }
  }
}

extension SavedScreen {
  /// Lays out for signal handlers what `restore(on:)` does.
  ///
  /// - Returns: what `cscreens_forget` takes; -1 when there are more screens, connectors or settings than there is room for.
  fileprivate func rememberForSignals(descriptor: Int32) -> Int32 {
    var plain = cscreens_screen()
    guard connectors.count <= CSCREENS_CONNECTORS, settings.count <= CSCREENS_SETTINGS else { return -1 }
    plain.descriptor = descriptor
    plain.crtc = crtc
    if hasPicture, let info = mode?.info {
      (plain.framebuffer, plain.x, plain.y) = (framebuffer, x, y)
      // libdrm's structure is the kernel's, member for member.
      withUnsafeMutableBytes(of: &plain.mode) { to in
        withUnsafeBytes(of: info) { to.copyBytes(from: $0.prefix(to.count)) }
      }
      plain.connector_count = UInt32(connectors.count)
      withUnsafeMutableBytes(of: &plain.connectors) { to in
        for (index, id) in connectors.enumerated() { to.storeBytes(of: id, toByteOffset: 4 * index, as: UInt32.self) }
      }
    }
    plain.hides_cursor = hidesCursor
    plain.setting_count = UInt32(settings.count)
    for (index, setting) in settings.enumerated() {
      withUnsafeMutableBytes(of: &plain.objects) {
        $0.storeBytes(of: setting.object, toByteOffset: 4 * index, as: UInt32.self)
      }
      withUnsafeMutableBytes(of: &plain.properties) {
        $0.storeBytes(of: setting.property, toByteOffset: 4 * index, as: UInt32.self)
      }
      withUnsafeMutableBytes(of: &plain.values) {
        $0.storeBytes(of: setting.value, toByteOffset: 8 * index, as: UInt64.self)
      }
    }
    return cscreens_remember(&plain)
  }
}
