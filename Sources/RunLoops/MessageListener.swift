import CLinux
import Glibc
public import LinuxSystem

/// Lets other processes, or other threads, connect through a path: its handler gets a socket for each that does.
///
/// The handler is called on the thread of the loop that the listener was added to. The path is there until the listener is
/// invalidated or goes; connections that were made live on. While the process has no descriptor left, who connects is turned
/// away: the other end finds the connection ended.
public final class MessageListener: Sendable {
  public typealias Handler = @Sendable (MessageListener, MessageSocket) -> Void

  public let path: String
  private let messageLimit: Int
  private let socket: OwnedDescriptor
  private let handler: Handler
  private let source: Lock<FrameLoop.DescriptorSource?> = Lock(nil)
  /// A descriptor for nothing, to have one left when there is none: whoever is not accepted keeps the loop awake.
  private let spare: Lock<Int32>

  /// - Parameters:
  ///   - path: of at most 107 bytes; nothing may be there, nor a socket that was left behind.
  ///   - messageLimit: of the sockets; see `MessageSocket`.
  ///   - handler: is called on the thread of the loop.
  /// - Throws: `EADDRINUSE` when there is something at the path, and what else the system refuses.
  public convenience init(
    path: String, messageLimit: Int = 65_536, handler: @escaping @Sendable (MessageListener, MessageSocket) -> Void
  ) throws(SystemError) {
    try self.init(path, messageLimit, false, handler)
  }

  /// For the main thread's loops only: adding it to another loop is a programmer's error.
  public convenience init(
    path: String, messageLimit: Int = 65_536, onMain handler: @escaping @MainActor (MessageListener, MessageSocket) -> Void
  ) throws(SystemError) {
    // Safe: the item can only be added to a loop of the main thread, which every run of that loop checks that it is on.
    try self.init(path, messageLimit, true, unsafeBitCast(handler, to: Handler.self))
  }

  private init(_ path: String, _ messageLimit: Int, _ onMain: Bool, _ handler: @escaping Handler) throws(SystemError) {
    let socket = try OwnedDescriptor.messageSocket()
    // A client that is gone by the time that it is accepted must not hold up the loop.
    guard fcntl(socket.number, F_SETFL, O_NONBLOCK) == 0 else { throw .last(call: "fcntl", subject: path) }
    let status = try withSocketAddress(path) { address, size in bind(socket.number, address, size) }
    guard status == 0 else { throw .last(call: "bind", subject: path) }
    guard listen(socket.number, SOMAXCONN) == 0 else {
      let error = SystemError.last(call: "listen", subject: path)
      unlink(path)
      throw error
    }
    spare = Lock(open("/dev/null", O_RDONLY | O_CLOEXEC))
    self.path = path
    self.messageLimit = messageLimit
    self.socket = socket
    self.handler = handler
    let source = FrameLoop.DescriptorSource(
      descriptor: self.socket.number, events: .readable, onMain: onMain, handler: { [weak self] _, _ in self?.accept() })
    self.source.withLock { $0 = source }
  }

  deinit {
    invalidate()
    spare.withLock { spare in if spare >= 0 { close(spare) } }
  }

  public var isValid: Bool { source.withLock { $0 != nil } }

  /// Removes the path, and the listener from its modes; its handler is never called again. From any thread.
  public func invalidate() {
    let source = source.withLock { source in
      defer { source = nil }
      return source
    }
    guard let source else { return }
    source.invalidate()
    unlink(path)
  }

  private func accept() {
    let number = Glibc.accept(socket.number, nil, nil)
    guard number >= 0 else {
      if clinux_errno() == EMFILE || clinux_errno() == ENFILE { turnAway() }
      return
    }
    _ = fcntl(number, F_SETFD, FD_CLOEXEC)
    guard let socket = try? MessageSocket(owning: OwnedDescriptor(owning: number), messageLimit: messageLimit) else {
      return
    }
    handler(self, socket)
  }

  private func turnAway() {
    spare.withLock { spare in
      if spare >= 0 { close(spare) }
      let client = Glibc.accept(socket.number, nil, nil)
      if client >= 0 { close(client) }
      spare = open("/dev/null", O_RDONLY | O_CLOEXEC)
    }
  }

  fileprivate func with(_ body: (FrameLoop.DescriptorSource) -> Bool) -> Bool {
    source.withLock { $0 }.map(body) ?? false
  }
}

extension FrameLoop {
  /// Adds a listener to a mode, or with `.common` to all common modes. Nothing happens if it is there already or is invalid.
  public func add(_ listener: MessageListener, to mode: Mode) {
    _ = listener.with { source in
      add(source, to: mode)
      return true
    }
  }

  /// Removes a listener from a mode, or with `.common` from all common modes. Those that connect then wait.
  public func remove(_ listener: MessageListener, from mode: Mode) {
    _ = listener.with { source in
      remove(source, from: mode)
      return true
    }
  }

  /// Whether a listener is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ listener: MessageListener, in mode: Mode) -> Bool {
    listener.with { contains($0, in: mode) }
  }
}
