import CLinux
import Glibc
public import LinuxSystem
import Synchronization

/// Lets other processes, or other threads, connect through a path: its handler gets a socket for each that does.
///
/// The handler is called on the thread of the loop that the listener was added to. The path is there until the listener is
/// invalidated or goes; connections that were accepted live on, those that wait to be find themselves ended. While the process
/// has no descriptor left, who connects is turned away: the other end finds the connection ended.
public final class MessageListener: FrameLoop.Item {
  public let path: String
  /// Its handler has the socket, which is closed when that goes.
  let source: FrameLoop.DescriptorSource
  private let socketFile: FileIdentity?
  private let hasPath = Atomic<Bool>(true)

  /// - Parameters:
  ///   - path: of at most 107 bytes; nothing may be there, nor a socket that was left behind.
  ///   - messageLimit: of the sockets; see `MessageSocket`.
  ///   - callback: called with the listener and the new connection; released when the listener ends.
  /// - Throws: `EADDRINUSE` when there is something at the path, and what else the system refuses.
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
