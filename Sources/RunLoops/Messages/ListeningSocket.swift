import CLinux
import Glibc
import LinuxSystem

/// The socket of a `MessageListener`. Those that wait to be accepted find themselves ended when it goes.
final class ListeningSocket: Sendable {
  private let socket: OwnedDescriptor
  /// A descriptor for nothing, to have one left when there is none: whoever is not accepted keeps the loop awake.
  private let spare: Lock<Int32>

  init(_ path: String) throws(SystemError) {
    let socket = try OwnedDescriptor.messageSocket()
    // A client that is gone by the time that it is accepted must not hold up the loop.
    try socket.setBlocking(false)
    let status = try withSocketAddress(path) { address, size in bind(socket.number, address, size) }
    guard status == 0 else { throw .last(call: "bind", subject: path) }
    guard listen(socket.number, SOMAXCONN) == 0 else {
      let error = SystemError.last(call: "listen", subject: path)
      unlink(path)
      throw error
    }
    spare = Lock(Self.openSpare())
    self.socket = socket
  }

  deinit { spare.withLock { spare in if spare >= 0 { close(spare) } } }

  var number: Int32 { socket.number }

  /// The next connection that waits; nil when there is none any more, or no descriptor for it.
  func accept() -> OwnedDescriptor? {
    let number = clinux_accept(socket.number)
    if number >= 0 { return OwnedDescriptor(owning: number) }
    if clinux_errno() == EMFILE || clinux_errno() == ENFILE { turnAway() }
    return nil
  }

  private func turnAway() {
    spare.withLock { spare in
      if spare >= 0 { close(spare) }
      let client = clinux_accept(socket.number)
      if client >= 0 { close(client) }
      spare = Self.openSpare()
    }
  }

  private static func openSpare() -> Int32 { open("/dev/null", O_RDONLY | O_CLOEXEC) }
}
