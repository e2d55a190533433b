import Glibc
public import LinuxSystem
public import RunLoops
import Synchronization

/// Accepts connections of other processes or threads through a path: its callback gets a socket for each.
///
///     let listener = try MessageListener(path: "/run/service", .onMain { _, socket in serve(socket) })
///     FrameLoop.main.add(listener, to: .common)
///
/// Keep the listener: the path exists until it is invalidated or deallocated. Accepted connections live on then, waiting ones
/// are ended. While the process has no descriptor left, new connections are ended too.
public final class MessageListener: FrameLoop.Item {
  public let path: String
  /// Its callback owns the listening socket.
  let source: FrameLoop.DescriptorSource
  private let socketFile: FileIdentity?
  private let hasPath = Atomic<Bool>(true)

  /// - Parameters:
  ///   - path: at most 107 bytes. No file may exist there, nor an old socket.
  ///   - messageLimit: the limit of the sockets; see `MessageSocket`.
  ///   - callback: called with the listener and the new connection; released when the listener ends.
  /// - Throws: `EADDRINUSE` if the path exists; other errors of the system.
  public init(
    path: String, messageLimit: Int = 65_536, _ callback: LoopCallback<MessageListener, MessageSocket>
  ) throws(SystemError) {
    let socket = try ListeningSocket(path)
    self.path = path
    socketFile = FileIdentity(of: path)
    let listener = WeakListener()
    source = FrameLoop.DescriptorSource(
      descriptor: socket.number,
      LoopCallback(
        body: { _, _ in
          guard let listener = listener.value, let client = socket.accept() else { return }
          guard let client = try? MessageSocket(owning: client, messageLimit: messageLimit) else { return }
          callback.body(listener, client)
        }, isOnMain: callback.isOnMain))
    listener.set(self)
  }

  deinit { invalidate() }

  public var isValid: Bool { source.isValid }
  public var anyItem: FrameLoop.AnyItem { source.anyItem }

  /// Ends the listener: it leaves its modes, its path is removed, and it is never called again. From any thread.
  public func invalidate() {
    // The path goes before the socket is closed, so that no program connects in vain. It may belong to another program by now.
    if hasPath.exchange(false, ordering: .acquiringAndReleasing), let socketFile, socketFile == FileIdentity(of: path) {
      unlink(path)
    }
    source.invalidate()
  }
}

/// A weak reference to the listener, for its source's callback: the listener owns the source.
private final class WeakListener: Sendable {
  private struct State { weak var listener: MessageListener? }
  private let state = Lock(State())

  func set(_ listener: MessageListener) { state.withLock { $0.listener = listener } }
  var value: MessageListener? { state.withLock { $0.listener } }
}

/// The identity of the file at a path.
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

extension ListeningSocket {
  /// Makes a socket file at `path` and listens to it.
  convenience init(_ path: String) throws(SystemError) {
    let socket = try OwnedDescriptor.messageSocket()
    let status = try withSocketAddress(path) { address, size in bind(socket.number, address, size) }
    guard status == 0 else { throw .last(call: "bind", subject: path) }
    do throws(SystemError) {
      try self.init(listeningOn: socket, subject: path)
    } catch {
      unlink(path)
      throw error
    }
  }
}
