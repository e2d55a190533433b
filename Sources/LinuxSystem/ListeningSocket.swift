import CLinux
import Glibc

/// A socket that accepts connections. Those that wait end when it is deallocated.
package final class ListeningSocket: Sendable {
  private let socket: OwnedDescriptor
  /// A spare descriptor, for use when no other is left: a connection that is not accepted would keep the loop awake.
  private let spare: Lock<Int32>

  /// Listens on a socket that is bound to an address.
  ///
  /// - Parameter subject: the address, for errors.
  package init(listeningOn socket: consuming OwnedDescriptor, subject: String) throws(SystemError) {
    // A client that has disconnected before it is accepted must not block the loop.
    try socket.setBlocking(false)
    guard listen(socket.number, SOMAXCONN) == 0 else { throw .last(call: "listen", subject: subject) }
    spare = Lock(Self.openSpare())
    self.socket = socket
  }

  deinit { spare.withLock { spare in if spare >= 0 { close(spare) } } }

  package var number: Int32 { socket.number }

  /// Accepts the next waiting connection; nil without one, or without a descriptor for it.
  package func accept() -> OwnedDescriptor? {
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

extension OwnedDescriptor {
  package borrowing func setBlocking(_ blocks: Bool) throws(SystemError) {
    guard fcntl(number, F_SETFL, blocks ? 0 : O_NONBLOCK) == 0 else { throw .last(call: "fcntl") }
  }
}
