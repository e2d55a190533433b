import CLinux
import Glibc
public import LinuxSystem

/// One end of a connection for messages: within a process, to a child process, or through a path to any process.
///
/// It is a Unix socket that preserves message boundaries (`SOCK_SEQPACKET`), so that the other end may be a program in any
/// language. The kernel holds the queue, which is bounded. Give a socket to one `MessagePort`.
///
/// ```swift
/// let (near, far) = try MessageSocket.pair()
/// let port = MessagePort(near, .onMain { _, event in print(event) })
/// FrameLoop.main.add(port, to: .common)
/// let other = MessagePort(far, .onLoop { port, event in reply(to: event, through: port) })
/// worker.loop.add(other, to: .common)  // of a LoopThread
/// ```
public final class MessageSocket: Sendable {
  /// The size of the longest message that this end sends and receives, in bytes.
  public let messageLimit: Int
  private let socket: OwnedDescriptor
  /// The buffer of the receiving port.
  private let buffer: Lock<[UInt8]>

  /// A result of `receive`.
  enum Received {
    case message([UInt8])
    /// A message of this size was too long, and is lost.
    case tooLong(Int)
    case nothing
    case ended
  }

  /// Takes over a connected socket of the type `SOCK_SEQPACKET`, such as a child process gets from its parent.
  ///
  /// - Parameters:
  ///   - number: the descriptor. It is closed with this object, and at once if this throws.
  ///   - messageLimit: in bytes; at least 0, and at most the size of the kernel's queue, 200 KiB or more.
  /// - Throws: `ENOTSOCK` if it is no socket, `EPROTOTYPE` if it is a socket of another type.
  public convenience init(owning number: Int32, messageLimit: Int = 65_536) throws(SystemError) {
    try self.init(owning: OwnedDescriptor(owning: number), messageLimit: messageLimit)
  }

  init(owning socket: consuming OwnedDescriptor, messageLimit: Int = 65_536) throws(SystemError) {
    guard try Self.get(SO_TYPE, of: socket.number) == Int32(SOCK_SEQPACKET.rawValue) else {
      throw SystemError(call: "getsockopt", subject: "type of descriptor \(socket.number)", errno: EPROTOTYPE)
    }
    try Self.set(SO_PASSCRED, of: socket.number)
    let queueSize = try Self.get(SO_SNDBUF, of: socket.number)
    // The kernel refuses a message that does not leave it 32 bytes.
    let limit = min(max(messageLimit, 0), Int(queueSize) - 32)
    self.messageLimit = limit
    self.socket = socket
    buffer = Lock([UInt8](repeating: 0, count: limit + 1))
  }

  /// Connects to the path at which a `MessageListener` or another program listens. Never waits.
  ///
  /// - Throws: `EAGAIN` if too many connections wait to be accepted, so that one may try again later; `ENOENT` and
  ///   `ECONNREFUSED` if nobody listens; other errors of the system.
  public convenience init(connectingTo path: String, messageLimit: Int = 65_536) throws(SystemError) {
    let socket = try OwnedDescriptor.messageSocket()
    try socket.setBlocking(false)
    let status = try withSocketAddress(path) { address, size in connect(socket.number, address, size) }
    guard status == 0 else { throw .last(call: "connect", subject: path) }
    // Blocking again, like other sockets, for the program that it is passed to.
    try socket.setBlocking(true)
    try self.init(owning: socket, messageLimit: messageLimit)
  }

  /// Makes two connected ends.
  public static func pair(messageLimit: Int = 65_536) throws(SystemError) -> (MessageSocket, MessageSocket) {
    var ends: [Int32] = [-1, -1]
    guard socketpair(AF_UNIX, OwnedDescriptor.messageSocketType, 0, &ends) == 0 else { throw .last(call: "socketpair") }
    let first = OwnedDescriptor(owning: ends[0])
    let second = OwnedDescriptor(owning: ends[1])
    return (
      try MessageSocket(owning: first, messageLimit: messageLimit),
      try MessageSocket(owning: second, messageLimit: messageLimit)
    )
  }

  /// The socket's descriptor number: borrowed, valid while this object lives. It is closed on exec; use `dup2` to give a child
  /// process its own.
  public var descriptor: Int32 { socket.number }

  // MARK: For MessagePort

  func send(_ bytes: UnsafeRawBufferPointer) throws(MessageError) {
    guard bytes.count <= messageLimit else { throw .tooLong(size: bytes.count, limit: messageLimit) }
    let flags = Int32(MSG_DONTWAIT) | Int32(MSG_NOSIGNAL)
    while Glibc.send(socket.number, bytes.baseAddress, bytes.count, flags) < 0 {
      let error = SystemError.last(call: "send")
      switch error.errno {
      // A reset is reported once, if the other end was closed with unread messages. Then comes the end.
      case EINTR, ECONNRESET: continue
      case EAGAIN: throw .queueFull
      case EPIPE, ENOTCONN: throw .ended
      default: throw .system(error)
      }
    }
  }

  func receive() throws(SystemError) -> Received {
    try buffer.withLock { (buffer) throws(SystemError) in
      while true {
        var received = Received.nothing
        let error = buffer.withUnsafeMutableBytes { bytes in Self.receive(from: socket.number, into: bytes, &received) }
        guard let error else { return received }
        switch error {
        case EINTR, ECONNRESET: continue
        case EAGAIN: return .nothing
        default: throw SystemError(call: "recvmsg", errno: error)
        }
      }
    }
  }

  /// - Returns: the error number, or nil.
  private static func receive(
    from socket: Int32, into bytes: UnsafeMutableRawBufferPointer, _ received: inout Received
  ) -> Int32? {
    // An empty message and the end both have no bytes, but a message brings its sender's credentials. There is room for
    // these only: descriptors are not accepted.
    withUnsafeTemporaryAllocation(byteCount: 32, alignment: 8) { control in
      var vector = iovec(iov_base: bytes.baseAddress, iov_len: bytes.count)
      return withUnsafeMutablePointer(to: &vector) { vector in
        var header = msghdr()
        header.msg_iov = vector
        header.msg_iovlen = 1
        header.msg_control = control.baseAddress
        header.msg_controllen = control.count
        let flags = Int32(MSG_DONTWAIT) | Int32(MSG_TRUNC) | Int32(MSG_CMSG_CLOEXEC)
        let size = recvmsg(socket, &header, flags)
        if size < 0 { return clinux_errno() }
        if size == 0, header.msg_controllen == 0 {
          received = .ended
        } else if size >= bytes.count {
          received = .tooLong(size)
        } else {
          received = .message([UInt8](bytes[..<size]))
        }
        return nil
      }
    }
  }

  /// Ends the connection for both sides. Messages that were sent before still arrive.
  func shutDown() { shutdown(socket.number, Int32(SHUT_RDWR)) }

  private static func get(_ option: Int32, of socket: Int32) throws(SystemError) -> Int32 {
    var value: Int32 = 0
    var size = socklen_t(MemoryLayout<Int32>.size)
    guard getsockopt(socket, SOL_SOCKET, option, &value, &size) == 0 else {
      throw .last(call: "getsockopt", subject: "option \(option) of descriptor \(socket)")
    }
    return value
  }

  private static func set(_ option: Int32, of socket: Int32) throws(SystemError) {
    var on: Int32 = 1
    guard setsockopt(socket, SOL_SOCKET, option, &on, socklen_t(MemoryLayout<Int32>.size)) == 0 else {
      throw .last(call: "setsockopt", subject: "option \(option) of descriptor \(socket)")
    }
  }
}

extension OwnedDescriptor {
  static var messageSocketType: Int32 { Int32(SOCK_SEQPACKET.rawValue | SOCK_CLOEXEC.rawValue) }

  static func messageSocket() throws(SystemError) -> OwnedDescriptor {
    let number = socket(AF_UNIX, messageSocketType, 0)
    guard number >= 0 else { throw .last(call: "socket") }
    return OwnedDescriptor(owning: number)
  }
}

/// - Throws: `ENAMETOOLONG` for a path of more than 107 bytes, `EINVAL` for an empty one.
func withSocketAddress<Result>(
  _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result
) throws(SystemError) -> Result {
  var address = sockaddr_un()
  address.sun_family = sa_family_t(AF_UNIX)
  guard !path.isEmpty else { throw SystemError(call: "bind", subject: "an empty path", errno: EINVAL) }
  let fits = withUnsafeMutableBytes(of: &address.sun_path) { room in
    let bytes = path.utf8
    guard bytes.count < room.count else { return false }
    room.copyBytes(from: bytes)
    return true
  }
  guard fits else { throw SystemError(call: "bind", subject: path, errno: ENAMETOOLONG) }
  return withUnsafePointer(to: &address) { pointer in
    pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
  }
}

/// The reason why a message was not sent.
public enum MessageError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The queue is full: the other end has not received earlier messages. `MessagePort.Event.writable` follows when there is
  /// room.
  case queueFull
  /// The message is longer than the connection carries.
  case tooLong(size: Int, limit: Int)
  /// The connection has ended: the other end was closed, or the port was invalidated.
  case ended
  /// Another error of the system.
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
