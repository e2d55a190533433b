public import LinuxSystem

/// Why there is no window, or not any more. Its description says what failed and what to do.
public enum WaylandError: Error, Sendable, Equatable, CustomStringConvertible {
  /// `WAYLAND_DISPLAY` names no compositor.
  case noDesktop
  /// The desktop's socket has a name, and `XDG_RUNTIME_DIR`, the folder that it is in, is not set.
  case noFolder(socket: String)
  /// The compositor's socket cannot be connected to.
  case cannotConnect(socket: String, SystemError)
  /// The compositor has not answered within this time.
  case noAnswer(within: Nanoseconds)
  /// The compositor lacks a protocol without which there is no window; with the version that is needed.
  case missing(interface: String, version: UInt32)
  /// The compositor has ended the connection as it was used wrongly: a mistake of this library, or of the compositor.
  case protocolError(interface: String, code: UInt32, message: String)
  /// The connection is gone: the compositor has ended, or has thrown the program out.
  case lost(SystemError)
  /// There is no memory for the pictures of a window.
  case memory(width: Int, height: Int, SystemError)

  public var description: String {
    switch self {
    case .noDesktop: "no Wayland desktop: WAYLAND_DISPLAY is not set"
    case .noFolder(let socket):
      "the desktop's socket '\(socket)' is not found, as XDG_RUNTIME_DIR, the folder that it is in, is not set: start the program in "
        + "the desktop's session, or set it (mostly to /run/user/ and the user's number)"
    case .cannotConnect(let socket, let error):
      "no Wayland desktop at \(socket): \(error.reason) (\(error.errno))"
    case .noAnswer(let time): "the desktop has not answered within \(Int(time.milliseconds)) ms"
    case .missing(let interface, let version):
      "the desktop has no \(interface) of version \(version) or later, without which it shows no window"
    case .protocolError(let interface, let code, let message):
      "the desktop has ended the connection: error \(code) of \(interface)\(message.isEmpty ? "" : ": \(message)")"
    case .lost(let error): "the connection to the desktop is lost: \(error.reason) (\(error.errno))"
    case .memory(let width, let height, let error):
      "no memory for a window of \(width)x\(height) pixels: \(error.call): \(error.reason) (\(error.errno))"
    }
  }
}
