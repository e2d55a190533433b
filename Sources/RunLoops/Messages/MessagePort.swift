public import LinuxSystem

/// Sends messages of bytes over a connection, and tells its handler of those that arrive and of the connection's end.
///
/// Messages arrive whole, in the order in which they were sent, one a pass. The handler is called on the thread of the loop
/// that the port was added to; until then messages wait in the queue, and once that is full the other end cannot send.
/// Keep the port: when it goes, the connection ends. It is valid until its last event or `invalidate()`.
public final class MessagePort: Sendable {
  public enum Event: Sendable, Equatable {
    case message([UInt8])
    /// A message of this size was longer than `MessageSocket.messageLimit`, and is lost.
    case lost(size: Int)
    /// There is room in the queue, after a `send` that found it full. Comes once for any number of those.
    case writable
    /// The other end is gone, and all that it sent has arrived; or the system ended the connection with this error. The
    /// last event.
    case ended(SystemError?)
  }

  public typealias Handler = @Sendable (MessagePort, Event) -> Void

  private struct State {
    /// Waits for messages. Nil after the end.
    var reader: FrameLoop.DescriptorSource?
    /// Waits for room, while somebody wants to know.
    var writer: FrameLoop.DescriptorSource?
    var waitsForRoom = false
    var places: [Place] = []
  }

  /// Where the port was added to.
  private struct Place {
    weak let loop: FrameLoop?
    let mode: FrameLoop.Mode
  }

  private let socket: MessageSocket
  private let state = Lock(State())

  /// - Parameters:
  ///   - socket: one that no other port has.
  ///   - handler: is called on the thread of the loop; let go when the port ends.
  public convenience init(_ socket: MessageSocket, handler: @escaping @Sendable (MessagePort, Event) -> Void) {
    self.init(socket, false, handler)
  }

  /// For the main thread's loops only: adding it to another loop is a programmer's error.
  public convenience init(_ socket: MessageSocket, onMain handler: @escaping @MainActor (MessagePort, Event) -> Void) {
    // Safe: the item can only be added to a loop of the main thread, which every run of that loop checks that it is on.
    self.init(socket, true, unsafeBitCast(handler, to: Handler.self))
  }

  private init(_ socket: MessageSocket, _ onMain: Bool, _ handler: @escaping Handler) {
    self.socket = socket
    // Weakly: loops keep their sources, and this port ends with its owner.
    let reader = FrameLoop.DescriptorSource(
      descriptor: socket.descriptor, events: .readable, onMain: onMain, handler: { [weak self] _, _ in self?.read(handler) })
    let writer = FrameLoop.DescriptorSource(
      descriptor: socket.descriptor, events: .writable, onMain: onMain,
      handler: { [weak self] _, _ in self?.becameWritable(handler) })
    state.withLock { state in
      state.reader = reader
      state.writer = writer
    }
  }

  deinit { invalidate() }

  /// False after the last event and after `invalidate()`.
  public var isValid: Bool { state.withLock { $0.reader != nil } }

  /// Sends a message, or throws; never waits. From any thread.
  ///
  /// - Throws: `queueFull`, `tooLong`, `ended`, or `system` with another error.
  public func send(_ message: [UInt8]) throws(MessageError) { try send(message.span.bytes) }

  /// Sends a message, or throws; never waits. From any thread.
  public func send(_ message: RawSpan) throws(MessageError) {
    do throws(MessageError) {
      try message.withUnsafeBytes { bytes throws(MessageError) in try socket.send(bytes) }
    } catch {
      if error == .queueFull { waitForRoom() }
      throw error
    }
  }

  /// Ends the connection: the port is removed from its modes and its handler is never called again, and the other end is
  /// told once it has got what was sent before. From any thread.
  public func invalidate() {
    if close() { socket.shutDown() }
  }

  // MARK: Events

  private func read(_ handler: Handler) {
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
    handler(self, event)
  }

  private func waitForRoom() {
    state.withLock { state in
      guard let writer = state.writer, !state.waitsForRoom else { return }
      state.waitsForRoom = true
      for place in state.places { place.loop?.add(writer, to: place.mode) }
    }
  }

  private func becameWritable(_ handler: Handler) {
    let isAsked = state.withLock { state in
      guard let writer = state.writer, state.waitsForRoom else { return false }
      state.waitsForRoom = false
      for place in state.places { place.loop?.remove(writer, from: place.mode) }
      return true
    }
    if isAsked { handler(self, .writable) }
  }

  /// - Returns: whether the port was valid.
  private func close() -> Bool {
    let (reader, writer) = state.withLock { state in
      let former = (state.reader, state.writer)
      state = State()
      return former
    }
    reader?.invalidate()
    writer?.invalidate()
    return reader != nil
  }

  // MARK: Loops

  fileprivate func enter(_ loop: FrameLoop, _ mode: FrameLoop.Mode) {
    state.withLock { state in
      guard let reader = state.reader, let writer = state.writer else { return }
      if !state.places.contains(where: { $0.loop === loop && $0.mode == mode }) {
        state.places.append(Place(loop: loop, mode: mode))
      }
      loop.add(reader, to: mode)
      if state.waitsForRoom { loop.add(writer, to: mode) }
    }
  }

  fileprivate func leave(_ loop: FrameLoop, _ mode: FrameLoop.Mode) {
    state.withLock { state in
      guard let reader = state.reader, let writer = state.writer else { return }
      state.places.removeAll { $0.loop === loop && $0.mode == mode }
      loop.remove(reader, from: mode)
      loop.remove(writer, from: mode)
    }
  }

  fileprivate func isIn(_ loop: FrameLoop, _ mode: FrameLoop.Mode) -> Bool {
    state.withLock { $0.reader.map { loop.contains($0, in: mode) } ?? false }
  }
}

extension FrameLoop {
  /// Adds a message port to a mode, or with `.common` to all common modes. Nothing happens if it is there already or is
  /// invalid. Add a port to one loop only: two threads would tear its order.
  public func add(_ port: MessagePort, to mode: Mode) { port.enter(self, mode) }
  /// Removes a message port from a mode, or with `.common` from all common modes. Messages that come then wait.
  public func remove(_ port: MessagePort, from mode: Mode) { port.leave(self, mode) }
  /// Whether a message port is in a mode; with `.common`: whether it is one of the common items.
  public func contains(_ port: MessagePort, in mode: Mode) -> Bool { port.isIn(self, mode) }
}
