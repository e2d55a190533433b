import LinuxSystem
public import RunLoops

/// Sends messages of bytes over a connection, and calls its callback for messages that arrive and for the connection's end.
///
///     let port = MessagePort(socket, .onMain { port, event in if case .message(let bytes) = event { handle(bytes) } })
///     FrameLoop.main.add(port, to: .common)
///     try port.send(Array("hello".utf8))
///
/// Messages arrive whole, in the order in which they were sent, one per pass. Before the port is added to a loop they wait in
/// the queue. When the queue is full the other end cannot send. Add a port to one loop only: two threads would disturb the
/// order. Keep the port: its deallocation ends the connection.
public final class MessagePort: FrameLoop.Item {
  /// An event of a port, passed to its callback.
  public enum Event: Sendable, Equatable {
    case message([UInt8])
    /// A message of this size was lost, as it was longer than `MessageSocket.messageLimit`.
    case lost(size: Int)
    /// There is room in the queue again, after `send` threw `queueFull`. Comes once for any number of failed sends.
    case writable
    /// The other end was closed, and all its messages have arrived; or the system ended the connection with this error. This
    /// is the last event.
    case ended(SystemError?)
  }

  private struct State {
    /// Waits for room, while a `send` found none. Nil after the end.
    var writer: FrameLoop.DescriptorSource?
    var waitsForRoom = false
  }

  private let socket: MessageSocket
  private let state = Lock(State())
  /// The reader, and the writer while somebody waits for room.
  private let items = FrameLoop.ItemGroup()

  /// - Parameters:
  ///   - socket: no other port may have it.
  ///   - callback: called with the port and the event; released when the port ends.
  public init(_ socket: MessageSocket, _ callback: LoopCallback<MessagePort, Event>) {
    self.socket = socket
    // Weak references, as loops retain their sources: the port must end with its owner.
    let reader = FrameLoop.DescriptorSource(
      descriptor: socket.descriptor,
      LoopCallback(body: { [weak self] _, _ in self?.read(callback) }, isOnMain: callback.isOnMain))
    let writer = FrameLoop.DescriptorSource(
      descriptor: socket.descriptor, events: .writable,
      LoopCallback(body: { [weak self] _, _ in self?.becameWritable(callback) }, isOnMain: callback.isOnMain))
    items.insert(reader)
    state.withLock { $0.writer = writer }
  }

  deinit { invalidate() }

  /// False after the last event and after `invalidate()`.
  public var isValid: Bool { state.withLock { $0.writer != nil } }

  /// Sends a message; never waits. From any thread.
  ///
  /// - Throws: `queueFull`, `tooLong`, `ended`, or `system` with another error.
  public func send(_ message: [UInt8]) throws(MessageError) { try send(message.span.bytes) }

  /// Sends a message; never waits. From any thread.
  public func send(_ message: RawSpan) throws(MessageError) {
    do throws(MessageError) {
      try message.withUnsafeBytes { bytes throws(MessageError) in try socket.send(bytes) }
    } catch {
      if error == .queueFull { waitForRoom() }
      throw error
    }
  }

  /// Ends the connection: the port leaves its modes and its callback is never called again. The other end is notified after it
  /// has received all messages. From any thread.
  public func invalidate() {
    if close() { socket.shutDown() }
  }

  // MARK: Events

  private func read(_ callback: LoopCallback<MessagePort, Event>) {
    let event: Event
    do throws(SystemError) {
      switch try socket.receive() {
      case .nothing: return
      case .message(let bytes): event = .message(bytes)
      case .tooLong(let size): event = .lost(size: size)
      case .ended: event = .ended(nil)
      }
    } catch {
      event = .ended(error)
    }
    if case .ended = event, !close() { return }
    callback.body(self, event)
  }

  private func waitForRoom() {
    state.withLock { state in
      guard let writer = state.writer, !state.waitsForRoom else { return }
      state.waitsForRoom = true
      items.insert(writer)
    }
  }

  private func becameWritable(_ callback: LoopCallback<MessagePort, Event>) {
    let isAsked = state.withLock { state in
      guard let writer = state.writer, state.waitsForRoom else { return false }
      state.waitsForRoom = false
      items.remove(writer)
      return true
    }
    if isAsked { callback.body(self, .writable) }
  }

  /// - Returns: true if the port was valid.
  private func close() -> Bool {
    guard let writer = state.withLock({ exchange(&$0, with: State()).writer }) else { return false }
    writer.invalidate()
    items.invalidate()
    return true
  }

  public var anyItem: FrameLoop.AnyItem { items.anyItem }
}
