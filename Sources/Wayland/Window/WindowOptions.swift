/// The wishes of an application for its window.
public struct WindowOptions: Hashable, Sendable {
  /// The title, in the window's frame and in lists of windows.
  public var title: String
  /// The application's name for the desktop, that of its `.desktop` file: "org.example.Clock".
  public var applicationID: String
  /// The size in points that the window has where the desktop leaves it the choice; the buffer has as many pixels as the scale makes of
  /// it. Both sides are at least 1.
  public var width: Int
  public var height: Int
  /// True to begin with the whole screen.
  public var isFullScreen: Bool
  /// True to keep the screen from going dark while the window is seen, where the desktop offers that.
  public var inhibitsIdle: Bool

  public init(
    title: String = "", applicationID: String = "", width: Int = 1280, height: Int = 720, isFullScreen: Bool = false,
    inhibitsIdle: Bool = false
  ) {
    (self.title, self.applicationID) = (title, applicationID)
    (self.width, self.height) = (max(width, 1), max(height, 1))
    (self.isFullScreen, self.inhibitsIdle) = (isFullScreen, inhibitsIdle)
  }
}
