import Glibc
import LinuxSystem

/// The connectors that a card's displays show on, by their CRTCs.
final class ScreenClaims {
  var connectors: [UInt32: UInt32] = [:]

  /// The connectors of a screen that displays on other CRTCs use.
  func taken(from screen: SavedScreen) -> [UInt32] {
    screen.connectors.filter { wanted in
      connectors.contains { crtc, connector in crtc != screen.crtc && connector == wanted }
    }
  }
}

/// The picture that a screen showed before it was ours. It is restored once: at the display's end or when the process
/// exits.
final class PreviousScreen {
  private(set) var screen: SavedScreen
  private let interface: any DRMInterface
  private let claims: ScreenClaims
  /// Its number in `ScreensAtExit`; nil while nothing was changed, and once it is restored.
  private var number: UInt64?

  init(_ screen: SavedScreen, on interface: any DRMInterface, claims: ScreenClaims) {
    self.screen = screen
    self.interface = interface
    self.claims = claims
  }

  /// The legacy calls show a cursor of ours from now on, which must be hidden.
  func willShowCursor() {
    guard !screen.hidesCursor else { return }
    screen.hidesCursor = true
    if number != nil { willChange() }
  }

  /// The screen is changed from now on.
  func willChange() { number = ScreensAtExit.remember(screen, on: interface, as: number) }

  /// The plane has this rotation from now on.
  func willTurn(_ rotation: UInt64) {
    if let found = screen.rotation, found.value != rotation { screen.isTurned = true }
  }

  /// Restores the picture, except on connectors that another display uses by now.
  func restore() throws(SystemError) {
    guard number != nil else { return }
    forget()
    let taken = claims.taken(from: screen)
    do throws(SystemError) {
      try screen.restore(on: interface, without: taken)
    } catch {
      // Nothing comes later that could do it, and what was busy may not be any more.
      try screen.restore(on: interface, without: taken)
    }
  }

  /// There is nothing to restore any more.
  func forget() {
    if let number { ScreensAtExit.forget(number) }
    number = nil
  }
}

/// Screens that are restored when the process calls `exit` with displays still in use. When a signal ends the process, the
/// kernel restores its own console as the card is closed, and no other program's picture.
///
/// The newest screen is restored first: where displays have used a CRTC one after the other, the picture from before all
/// of them comes last, and stays.
enum ScreensAtExit {
  private struct Entry {
    let interface: any DRMInterface
    let screen: SavedScreen
    let process: pid_t
  }
  private struct State {
    var entries: [UInt64: Entry] = [:]
    var last: UInt64 = 0
    var isRegistered = false
  }
  private static let state = Lock(State())

  /// Remembers a screen, and keeps its card open, until `forget`.
  ///
  /// - Parameter number: the number of the entry to replace; nil for a new one.
  static func remember(_ screen: SavedScreen, on interface: any DRMInterface, as number: UInt64? = nil) -> UInt64 {
    state.withLock { state in
      if !state.isRegistered { state.isRegistered = atexit { ScreensAtExit.restoreAll() } == 0 }
      state.last += number == nil ? 1 : 0
      let number = number ?? state.last
      state.entries[number] = Entry(interface: interface, screen: screen, process: getpid())
      return number
    }
  }

  static func forget(_ number: UInt64) {
    // The entry may hold the card's last reference: it goes outside the lock.
    _ = state.withLock { $0.entries.removeValue(forKey: number) }
  }

  /// - Parameter process: the one that exits. A forked child has a copy of the entries, but the screens are its parent's.
  static func restoreAll(by process: pid_t = getpid()) {
    let entries = state.withLock { $0.entries.sorted { $0.key > $1.key }.map(\.value) }
    // Nobody is left to hear of an error.
    for entry in entries where entry.process == process { try? entry.screen.restore(on: entry.interface) }
  }
}
