public import FrameTiming
public import KMS
public import LinuxSystem
public import Presentation
public import Raster
public import Wayland

/// The display that a program has found: a window on the desktop that it was started on, or a screen where there is none.
///
/// ```swift
/// let found = try AutomaticDisplay.find(window: WindowOptions(title: "Clock", applicationID: "org.example.Clock"))
/// print(found.reason)
/// let engine = Engine(display: found.display, root: root)
/// engine.run()
/// ```
///
/// The same program so runs on a developer's desktop and on a device without one.
@MainActor
public struct AutomaticDisplay {
  public let display: any Display
  /// A sentence about the choice: the kind of display, and why.
  public let reason: String
  /// The session that opened the screen; nil for a window, and where there is no screen.
  public let session: DisplaySession?

  /// Takes the first that can be used of a window, if the environment names a desktop, a screen, and a virtual display.
  ///
  /// - Parameters:
  ///   - window: the window's wishes. Its size is also the virtual display's; a screen has its own.
  ///   - refreshRate: the virtual display's.
  ///   - makeSession: makes the session that opens cards, when there is no window; nil for one without a seat.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  public static func find(
    window: WindowOptions = WindowOptions(), refreshRate: RefreshRate = .hertz60,
    session makeSession: @MainActor () -> DisplaySession? = { nil }, clock: SystemClock = .monotonic,
    folder: String = "/dev/dri"
  ) throws(BitmapError) -> AutomaticDisplay {
    var why = "as there is no desktop: WAYLAND_DISPLAY is not set"
    if WaylandConnection.isNamedByEnvironment {
      do throws(WaylandError) {
        let display = try WaylandDisplay.open(options: window, clock: clock)
        let reason = "a window, as there is a desktop at \(display.connection.name)"
        return AutomaticDisplay(display: display, reason: reason, session: nil)
      } catch {
        why = "as there is no window: \(error)"
      }
    }
    let session = makeSession()
    do throws(KMSError) {
      let display = try Displays.kms(session: session, clock: clock, folder: folder)
      return AutomaticDisplay(display: display, reason: "a screen, \(why)", session: session)
    } catch {
      let display = try VirtualDisplay(
        width: window.width, height: window.height, refreshRate: refreshRate, reason: error.description, clock: clock)
      return AutomaticDisplay(display: display, reason: "no window and no screen, \(why)", session: nil)
    }
  }
}
