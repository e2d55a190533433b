import Glibc
public import LinuxSystem
public import Presentation
public import Seats

/// Why a display cannot be used, or has gone away. Its description says what failed and what to do.
public enum KMSError: Error, Sendable, Equatable, CustomStringConvertible {
  /// The machine has no DRM card: no `/dev/dri/card*`.
  case noDevice
  /// A card cannot be opened or asked; the error names path, call and errno.
  case device(path: String, SystemError)
  /// Another program is master of the card and owns its screens.
  case notMaster(path: String)
  /// This program has opened the card twice, and shows on it through the other descriptor.
  case openTwice(path: String)
  /// The card renders but drives no screen.
  case noModeSetting(path: String)
  /// No screen is connected to the card, or none with the requested name.
  case noConnector(path: String, name: String?, available: [String])
  /// The screen is taken by another display of this program.
  case inUse(connector: String)
  /// The connector has no mode that can be used.
  case noMode(connector: String)
  /// The connector has no mode like the requested one.
  case unknownMode(connector: String, mode: String, available: [String])
  /// The screen is off, so that it has no vblanks.
  case screenOff(connector: String)
  /// No free CRTC, or no plane with a format of ours, can drive the connector.
  case noPipe(connector: String, missing: String)
  /// The driver refused a step of setting up or showing a frame.
  case refused(connector: String, mode: String, SystemError)
  /// The display went away while it was used.
  case lost(connector: String, mode: String, SystemError)
  /// The display shows nothing now.
  case away(connector: String, DisplayState.Absence)
  /// The seat does not hand out the card.
  case seat(SeatError)
  /// The session that the card was opened through has ended, and the display with it.
  case sessionEnded(connector: String)
  /// No card could be used; one reason for each.
  case noUsableDevice([KMSError])

  public var description: String {
    switch self {
    case .noDevice:
      return "no DRM device"
    // Other calls are refused to clients that are not master.
    case .device(let path, let error) where error.call == "open" && [EACCES, EPERM].contains(error.errno):
      return "permission denied on \(path): add the user to the group that owns it (mostly video), then log in again"
    case .device(let path, let error):
      let subject = error.subject.isEmpty || error.subject == path ? "" : " \(error.subject)"
      return "\(path): \(error.call)\(subject): \(error.reason) (\(error.errno))"
    case .notMaster(let path):
      return "\(path) is in use by another program (such as a desktop or a boot splash): stop it or switch to a free console"
    case .openTwice(let path):
      return "\(path) is in use by this program already: make all displays of a card from one KMSCard or DisplaySession"
    case .noModeSetting(let path):
      return "\(path) drives no screen (no mode setting)"
    case .noConnector(let path, nil, let available):
      return available.isEmpty
        ? "\(path) has no connectors" : "no connected connector on \(path) (\(available.joined(separator: ", ")))"
    case .noConnector(let path, let name?, let available):
      return "no connected connector \(name) on \(path)"
        + (available.isEmpty ? "" : " (it has \(available.joined(separator: ", ")))")
    case .inUse(let connector):
      return "\(connector) is in use by another display of this program"
    case .noMode(let connector):
      return "\(connector) reports no usable mode: check cable and EDID"
    case .unknownMode(let connector, let mode, let available):
      return "\(connector) has no mode \(mode)"
        + (available.isEmpty ? ", nor any other: check cable and EDID" : "; it has \(available.joined(separator: ", "))")
    case .screenOff(let connector):
      return "\(connector) is off and has no vblanks: name a mode to switch it on"
    case .noPipe(let connector, let missing):
      return "\(connector) cannot be driven: no \(missing)"
    case .refused(let connector, let mode, let error):
      return "\(connector) \(mode): \(error)\(Self.advice(error.errno))"
    case .lost(let connector, let mode, let error):
      return "\(connector) \(mode) is gone: \(error)\(Self.advice(error.errno))"
    case .away(let connector, let absence):
      return "\(connector) \(absence)"
    case .seat(let error):
      return error.description
    case .sessionEnded(let connector):
      return "\(connector) is lost: the session that opened its card has ended (seatd or logind): start the program again"
    case .noUsableDevice(let reasons):
      return reasons.isEmpty ? "no DRM device" : reasons.map(\.description).joined(separator: "; ")
    }
  }

  /// Advice for an error number of a mode-set or flip.
  static func advice(_ number: Int32) -> String {
    switch number {
    case EACCES, EPERM: "; another program has become master of the card"
    case ENODEV: "; the device was removed"
    case EBUSY: "; a flip is pending or the screen is off"
    case ENOSPC: "; the card has no room or bandwidth left for this mode: a smaller or slower one may do"
    case ETIMEDOUT: "; the driver has not said for a second that it shows the frame"
    case ENOMEM: "; memory is short: a smaller mode may do"
    case EINVAL: "; the driver does not take this mode, or the screen is off"
    default: ""
    }
  }
}

extension KMSError {
  /// True if the driver may take another mode.
  var isAboutMode: Bool {
    if case .refused(_, _, let error) = self { [EINVAL, ENOSPC, ERANGE, ENOMEM].contains(error.errno) } else { false }
  }

  /// True if another screen of the same card may do.
  var isAboutScreen: Bool {
    switch self {
    case .noMode, .unknownMode, .noPipe: true
    default: isAboutMode
    }
  }
}
