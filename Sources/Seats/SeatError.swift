import Glibc
public import LinuxSystem

/// The reason why a seat or one of its devices cannot be used.
public enum SeatError: Error, Sendable, Equatable, CustomStringConvertible {
  /// libseat found no provider of devices. `reasons` are the messages of its backends.
  case noSeat(SystemError, reasons: [String])
  /// A device cannot be opened; the error names path, call and errno.
  case device(path: String, SystemError)
  /// Devices can be opened only while the session is active.
  case inactive(path: String)
  /// The session cannot switch to another one.
  case noSwitch(session: Int, reason: String)
  /// The daemon behind the seat has ended, or it ended the session.
  case lost(SystemError)

  public var description: String {
    switch self {
    case .noSeat(let error, let reasons):
      return "no seat (\(reasons.isEmpty ? error.description : reasons.joined(separator: "; "))): log in on this machine's "
        + "own console with logind, or start seatd and belong to the group of its socket"
    case .device(let path, let error):
      let subject = error.subject.isEmpty || error.subject == path ? "" : " \(error.subject)"
      return "\(path): \(error.call)\(subject): \(error.reason) (\(error.errno))\(Self.advice(error))"
    case .inactive(let path):
      return "\(path) cannot be opened while another session has the seat: wait until this one is active"
    case .noSwitch(let session, let reason):
      return "cannot switch to session \(session): \(reason)"
    case .lost(let error):
      return "the seat is lost: \(error); open a new session once seatd or logind runs again"
    }
  }

  private static func advice(_ error: SystemError) -> String {
    switch (error.call, error.errno) {
    case ("libseat_open_device", ENOENT): "; a seat hands out what exists below /dev/dri and /dev/input, and nothing else"
    case ("open", EACCES), ("open", EPERM):
      "; add the user to the group that owns it (mostly video or input), then log in again"
    default: ""
    }
  }
}
