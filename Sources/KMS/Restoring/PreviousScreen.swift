import LinuxSystem

/// What a screen showed before it was ours: brought back once, at the end or when the process exits, if it was changed.
final class PreviousScreen {
  private(set) var screen: SavedScreen
  private let interface: any DRMInterface
  private let claims: ScreenClaims
  /// Under which it is brought back at exit; nil while nothing was changed, and afterwards.
  private var number: UInt64?
  /// Whether a part is to follow.
  private var isOwed = false

  init(_ screen: SavedScreen, on interface: any DRMInterface, claims: ScreenClaims) {
    self.screen = screen
    self.interface = interface
    self.claims = claims
  }

  /// From now on there is a cursor of ours, by the legacy calls, to be put away.
  func willShowCursor() {
    guard !screen.hidesCursor else { return }
    screen.hidesCursor = true
    if let number { ScreensAtExit.hideCursor(number) }
  }

  /// From now on there is something to bring back.
  func willChange() {
    if number == nil { number = ScreensAtExit.remember(screen, on: interface) }
  }

  /// Without connectors that another display has taken meanwhile: these follow when it ends.
  func restore() throws(SystemError) {
    guard number != nil, !isOwed else { return }
    let taken = claims.taken(from: screen)
    if taken.isEmpty {
      forget()
    } else {
      isOwed = true
      claims.owe(self)
    }
    try restore(without: taken)
  }

  /// Brings back whole what was brought back in part.
  func settle() throws(SystemError) {
    if forget() { try restore(without: []) }
  }

  private func restore(without connectors: [UInt32]) throws(SystemError) {
    do throws(SystemError) {
      try screen.restore(on: interface, without: connectors)
    } catch {
      // Nothing comes after this that could set it right, and what was busy may not be any more.
      try screen.restore(on: interface, without: connectors)
    }
  }

  /// Nothing is to be brought back any more.
  ///
  /// - Returns: whether there was.
  @discardableResult
  func forget() -> Bool {
    guard let number else { return false }
    self.number = nil
    ScreensAtExit.forget(number)
    return true
  }
}
