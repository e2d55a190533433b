import CLinux
import Glibc
public import LinuxSystem
import Synchronization

/// Lets other processes, or other threads, connect through a path: its handler gets a socket for each that does.
///
/// The handler is called on the thread of the loop that the listener was added to. The path is there until the listener is
/// invalidated or goes; connections that were accepted live on, those that wait to be find themselves ended. While the process
/// has no descriptor left, who connects is turned away: the other end finds the connection ended.
public final class MessageListener: Sendable {
  public typealias Handler = @Sendable (MessageListener, MessageSocket) -> Void

  public let path: String
  /// Its handler has the socket, which is closed when that goes.
  let source: FrameLoop.DescriptorSource
  private let socketFile: FileIdentity?
  private let hasPath = Atomic<Bool>(true)

  /// - Parameters:
  ///   - path: of at most 107 bytes; nothing may be there, nor a socket that was left behind.
  ///   - messageLimit: of the sockets; see `MessageSocket`.
  ///   - handler: is called on the thread of the loop; let go when the listener ends.
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
    let socket = try ListeningSocket(path)
    self.path = path
    socketFile = FileIdentity(of: path)
    let listener = WeakListener()
    source = FrameLoop.DescriptorSource(descriptor: socket.number, events: .readable, onMain: onMain) { _, _ in
      guard let listener = listener.value, let client = socket.accept() else { return }
      guard let client = try? MessageSocket(owning: client, messageLimit: messageLimit) else { return }
      handler(listener, client)
    }
    listener.set(self)
  }

  deinit { invalidate() }

  public var isValid: Bool { source.isValid }

  /// Removes the path, and the listener from its modes; its handler is never called again. From any thread.
  public func invalidate() {
    // Before the socket is closed, which may be at once: nobody shall connect who would not be heard. Somebody else may have
    // taken the path.
    if hasPath.exchange(false, ordering: .acquiringAndReleasing), let socketFile, socketFile == FileIdentity(of: path) {
      unlink(path)
    }
    source.invalidate()
  }
}

extension FrameLoop {
  /// Adds a listener to a mode, or with `.common` to all common modes. Nothing happens if it is there already or is invalid.
  public func add(_ listener: MessageListener, to mode: Mode) { add(listener.source, to: mode) }
  /// Removes a listener from a mode, or with `.common` from all common modes. Those that connect then wait.
  public func remove(_ listener: MessageListener, from mode: Mode) { remove(listener.source, from: mode) }
  /// Whether a listener is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ listener: MessageListener, in mode: Mode) -> Bool { contains(listener.source, in: mode) }
}

/// The handler of a listener's source knows the listener, which owns the source and goes with its own last reference.
private final class WeakListener: Sendable {
  private struct State { weak var listener: MessageListener? }
  private let state = Lock(State())

  func set(_ listener: MessageListener) { state.withLock { $0.listener = listener } }
  var value: MessageListener? { state.withLock { $0.listener } }
}

/// Which file is at a path.
private struct FileIdentity: Equatable {
  let device: dev_t
  let number: ino_t

  init?(of path: String) {
    var status = stat()
    guard lstat(path, &status) == 0 else { return nil }
    device = status.st_dev
    number = status.st_ino
  }
}
