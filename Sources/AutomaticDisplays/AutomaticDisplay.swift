public import class KMS.DisplaySession
public import protocol Presentation.Display

/// The display that `Displays.automatic` has found: a window on the desktop that the program was started on, a screen where
/// there is none, or a display of memory.
@MainActor
public struct AutomaticDisplay {
  public let display: any Display
  /// A sentence about the choice: the kind of display, and why.
  public let reason: String
  /// The session that opened the screen; nil for a window, and where there is no screen.
  public let session: DisplaySession?
}
