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
    guard let number else { return }
    self.number = nil
    try ScreensAtExit.restore(number, without: claims.taken(from: screen))
  }

  /// There is nothing to restore any more.
  func forget() {
    if let number { ScreensAtExit.forget(number) }
    number = nil
  }
}
