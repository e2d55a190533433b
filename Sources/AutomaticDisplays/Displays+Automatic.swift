public import FrameTiming
@_exported public import KMS
public import LinuxSystem
import Presentation
public import Raster
@_exported public import Wayland

extension Displays {
  /// Takes the first that can be used of a window, if the environment names a desktop, a screen, and a virtual display.
  ///
  /// ```swift
  /// let found = try Displays.automatic(window: WindowOptions(title: "Clock", applicationID: "org.example.Clock"))
  /// print(found.reason)
  /// let engine = Engine(display: found.display, root: root)
  /// engine.run()
  /// ```
  ///
  /// The same program so runs on a developer's desktop and on a device without one.
  ///
  /// - Parameters:
  ///   - window: the window's wishes. Its size is also the virtual display's; a screen has its own.
  ///   - refreshRate: the virtual display's.
  ///   - makeSession: makes the session that opens cards, when there is no window; nil for one without a seat.
  ///   - clock: the clock of the loop that the display is added to.
  ///   - folder: where the cards are.
  /// - Throws: if the virtual display cannot have the window's size.
  @MainActor
  public static func automatic(
    window: WindowOptions = WindowOptions(), refreshRate: RefreshRate = .hertz60,
    session makeSession: @MainActor () -> DisplaySession? = { nil }, clock: SystemClock = .monotonic,
    folder: String = "/dev/dri"
  ) throws(BitmapError) -> AutomaticDisplay {
    var why = ", as there is no desktop: WAYLAND_DISPLAY is not set"
    if WaylandConnection.isNamedByEnvironment {
      do throws(WaylandError) {
        let display = try WaylandDisplay.open(options: window, clock: clock)
        let reason = "a window, as there is a desktop at \(display.connection.name)"
        return AutomaticDisplay(display: display, reason: reason, session: nil)
      } catch {
        why = ": \(error)"
      }
    }
    let session = makeSession()
    do throws(KMSError) {
      let display = try kms(session: session, clock: clock, folder: folder)
      return AutomaticDisplay(display: display, reason: "a screen and no window\(why)", session: session)
    } catch {
      let display = try VirtualDisplay(
        width: window.width, height: window.height, refreshRate: refreshRate, reason: error.description, clock: clock)
      return AutomaticDisplay(display: display, reason: "no window and no screen\(why)", session: nil)
    }
  }
}
