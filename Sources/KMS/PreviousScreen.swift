import LinuxSystem

/// What a screen showed before it was ours: brought back once, at the end or when the process exits, if it was changed.
final class PreviousScreen {
  let screen: SavedScreen
  private let interface: any DRMInterface
  /// Under which it is brought back at exit; nil while nothing was changed, and afterwards.
  private var number: UInt64?

  init(_ screen: SavedScreen, on interface: any DRMInterface) {
    self.screen = screen
    self.interface = interface
  }

  /// From now on there is something to bring back.
  func willChange() {
    if number == nil { number = ScreensAtExit.remember(screen, on: interface) }
  }

  func restore() throws(SystemError) {
    guard forget() else { return }
    do throws(SystemError) {
      try screen.restore(on: interface)
    } catch {
      // Nothing comes after this that could set it right, and what was busy may not be any more.
      try screen.restore(on: interface)
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
