import LinuxSystem

extension SeatSession {
  /// A session on the seat that libseat finds: seatd's, logind's or a builtin one; `LIBSEAT_BACKEND` names one of them.
  ///
  /// Waits for the daemon. It is `inactive` until the daemon's first event is handled, and stays so while another session
  /// has the seat.
  public static func libseat() throws(SeatError) -> SeatSession {
    let provider = try LibseatProvider()
    return SeatSession(provider: provider, reason: "\(provider.seatName) of \(provider.backend), by libseat")
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
