public import LinuxSystem

/// Why a message was not sent.
public enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The other end has not received what was sent before. The port says when there is room: `MessagePort.Event.writable`.
  case queueFull
  /// The message is longer than the connection carries.
  case tooLong(size: Int, limit: Int)
  /// The connection has ended: the other end is gone, or the port was invalidated.
  case ended
  /// The system refused it for another reason.
  case system(SystemError)

  public var description: String {
    switch self {
    case .queueFull: "the message was not sent: the queue is full; wait until the port is writable"
    case .tooLong(let size, let limit):
      "the message was not sent: it has \(size) bytes, and the connection carries \(limit); send it in parts"
    case .ended: "the message was not sent: the connection has ended; make a new one"
    case .system(let error): "the message was not sent: \(error)"
    }
  }
}
