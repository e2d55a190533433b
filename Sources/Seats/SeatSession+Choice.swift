import Glibc
import LinuxSystem

extension SeatSession {
  /// Opens a session on the seat that libseat finds: seatd's, logind's or a builtin one. `LIBSEAT_BACKEND` selects one of
  /// them.
  ///
  /// The call waits for the daemon. The session is `inactive` until the daemon's first event is handled, and while another
  /// session has the seat.
  ///
  /// - Throws: `noSeat`, also if a builtin seat has no right to the machine's consoles.
  public static func libseat() throws(SeatError) -> SeatSession {
    let provider = try LibseatProvider()
    let session = SeatSession(
      provider: provider, reason: "\(provider.seatName) of \(provider.backend), by libseat")
    if provider.backend == "builtin" { try session.requireBuiltinSeat() }
    return session
  }

  /// Ends the session of a builtin seat that will never be active. Such a seat is a child process of this program with the
  /// same user and a single client. It enables the session at once, or never if it cannot open its console; libseat reports
  /// success in both cases.
  ///
  /// - Parameters:
  ///   - console: the node that the child opens first, to learn which console is in front.
  ///   - limit: the time that the child may take.
  func requireBuiltinSeat(console: String = "/dev/tty0", within limit: Nanoseconds = .seconds(1)) throws(SeatError) {
    processEvents()
    guard state != .active else { return }
    var failure = SystemError(call: "libseat_open_seat", errno: ETIMEDOUT)
    let number = open(console, O_RDWR | O_NOCTTY | O_CLOEXEC)
    if number < 0 {
      failure = .last(call: "open", subject: console)
    } else {
      Glibc.close(number)
      if waitUntilActive(for: limit) { return }
      // The child has ended, so this is not a timeout.
      if case .lost(let cause)? = error { failure = cause }
    }
    close()
    throw .noSeat(failure, reasons: ["the builtin seat needs the right to this machine's consoles: \(failure)"])
  }

  /// Makes a session without a seat. It is active at once and until it is closed; devices are opened with the user's own
  /// rights.
  ///
  /// - Parameter why: the reason why there is no seat, for `reason`.
  public static func direct(why: String) -> SeatSession {
    SeatSession(provider: DirectProvider(), reason: "devices opened directly: \(why)")
  }

  /// Opens a session on a seat if there is one, otherwise a session without a seat. `reason` says which, and why.
  ///
  /// On a seat with consoles, an active session takes the console's keyboard from the kernel: see <doc:Sessions>.
  public static func automatic() -> SeatSession {
    do throws(SeatError) {
      return try libseat()
    } catch {
      return direct(why: error.description)
    }
  }
}
