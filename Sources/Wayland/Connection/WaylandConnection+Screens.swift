public import FrameTiming
public import LinuxSystem

/// A screen of the desktop, as the desktop tells it.
public struct DesktopScreen: Hashable, Sendable {
  /// Its name: "eDP-1"; empty where the desktop does not say.
  public var name: String
  /// The pixels of its mode, as `height` is.
  public var width: Int
  public var height: Int
  /// The rate of its mode; nil if the desktop does not say.
  public var refreshRate: RefreshRate?
  /// The whole number of pixels of a point; the next one above a fraction.
  public var scale: Int

  public init(name: String, width: Int, height: Int, refreshRate: RefreshRate?, scale: Int) {
    (self.name, self.width, self.height, self.refreshRate, self.scale) = (name, width, height, refreshRate, scale)
  }
}

extension WaylandConnection {
  /// The desktop's screens that have been told so far.
  public var screens: [DesktopScreen] { globals.outputs.compactMap(\.screen) }

  /// Waits until all is told of the screens that the desktop has now, as right after `open`. Before a loop serves the connection.
  ///
  /// - Parameter limit: the longest wait.
  /// - Throws: `WaylandError.noAnswer` after the limit: `screens` has those that were told, and a window can be made all the same.
  ///   Otherwise why the connection was lost.
  public func waitForScreens(upTo limit: Nanoseconds = .seconds(2)) throws(WaylandError) {
    try wait(upTo: limit) { globals.outputs.allSatisfy(\.isTold) }
  }
}
