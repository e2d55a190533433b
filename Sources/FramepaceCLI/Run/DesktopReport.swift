import Framepace
import KMS
import Seats
import Wayland

/// The Wayland desktop that the environment names, as it is known without a window on it.
struct DesktopReport {
  /// The desktop's socket.
  var socket: String
  var screens: [DesktopScreen] = []
  /// Why there can be no window; nil if there can be one.
  var problem: WaylandError?

  /// Asks the desktop; nil if the environment names none.
  @MainActor
  static func current() -> DesktopReport? {
    guard let name = WaylandConnection.nameInEnvironment else { return nil }
    do throws(WaylandError) {
      let connection = try WaylandConnection.open()
      defer { connection.close() }
      do throws(WaylandError) { try connection.waitForScreens() } catch {
        // A window needs no screens that are told.
        guard case .noAnswer = error else { throw error }
      }
      return DesktopReport(socket: connection.name, screens: connection.screens)
    } catch {
      return DesktopReport(socket: name.withoutControlCharacters, problem: error)
    }
  }

  /// The way to use the command without a screen.
  static let window = "use --display wayland or auto, and no --mode, for a window on the desktop of this session"
  /// The same where the desktop holds the screens.
  static let way = "the desktop of this session holds the screens: use --display wayland or auto for a window on it"
}

extension KMSError {
  /// True if another program or session, such as a desktop, holds the screens.
  var isHeldByAnother: Bool {
    switch self {
    case .notMaster, .seat(.noSeat), .seat(.inactive): true
    case .noUsableDevice(let reasons): reasons.contains(where: \.isHeldByAnother)
    default: false
    }
  }
}
