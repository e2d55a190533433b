import Glibc
import LinuxSystem

extension SeatSession {
  /// A session on the seat that libseat finds: seatd's, logind's or a builtin one; `LIBSEAT_BACKEND` names one of them.
  ///
  /// Waits for the daemon. It is `inactive` until the daemon's first event is handled, and stays so while another session
  /// has the seat.
  ///
  /// - Throws: `noSeat`, also where the builtin one has no right to the machine's consoles.
  public static func libseat() throws(SeatError) -> SeatSession {
    let provider = try LibseatProvider()
    let session = SeatSession(
      provider: provider, reason: "\(provider.seatName) of \(provider.backend), by libseat")
    if provider.backend == "builtin" { try session.requireBuiltinSeat() }
    return session
  }

  /// Ends the session of a builtin seat that will never be active. Such a seat is a child process of this program with this
  /// user's rights, and has one client: it is given at once, or not at all where its console cannot be opened. libseat
  /// reports it as opened all the same.
  ///
  /// - Parameters:
  ///   - console: what the child has to open before all else, to learn which console is in front.
  ///   - limit: how long the child may take.
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
      // The child has gone, which is no matter of time.
      if case .lost(let cause)? = error { failure = cause }
    }
    close()
    throw .noSeat(failure, reasons: ["the builtin seat needs the right to this machine's consoles: \(failure)"])
  }

  /// A session without a seat: active at once and for ever, devices are opened with the user's own rights.
  ///
  /// - Parameter why: why there is no seat.
  public static func direct(why: String) -> SeatSession {
    SeatSession(provider: DirectProvider(), reason: "devices opened directly: \(why)")
  }

  /// A session on a seat where there is one, otherwise one without; `reason` says which and why.
  ///
  /// On a seat with consoles, an active session has taken the console's keyboard from the kernel: see the article.
  public static func automatic() -> SeatSession {
    do throws(SeatError) {
      return try libseat()
    } catch {
      return direct(why: error.description)
    }
  }
}
