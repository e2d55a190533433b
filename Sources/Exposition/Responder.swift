import CLinux
import Glibc
import LinuxSystem
import RunLoops

/// Answers the requests of a server, on the server's thread.
actor Responder {
  /// The most connections at once.
  static let connectionLimit = 16

  /// Asks the program for its page, which comes on the server's thread, or never.
  typealias Ask = @Sendable (_ answer: @escaping @Sendable (String) -> Void) throws -> Void

  nonisolated let thread: LoopThread
  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }

  /// Nil after the end.
  private var listener: ListeningSocket?
  private let stepLimit: Nanoseconds
  private let ask: Ask
  /// Waits for connections.
  private var listening: FrameLoop.DescriptorSource?
  /// The oldest first.
  private var connections: [Connection] = []
  private var lastNumber = 0
  /// True until the program has answered. All requests that wait get that answer.
  private var isAsking = false
  /// Rings when the time of the first connection is up.
  private var alarm: FrameLoop.Alarm?

  init(listener: ListeningSocket, thread: LoopThread, stepLimit: Nanoseconds, ask: @escaping Ask) {
    (self.listener, self.thread, self.stepLimit, self.ask) = (listener, thread, stepLimit, ask)
  }

  /// Begins to accept connections.
  nonisolated func begin() {
    // A thread that was stopped at once takes no work, and has none.
    try? thread.loop.performLater { [weak self] in self?.assumeIsolated { $0.start() } }
  }

  private func start() {
    let alarm = FrameLoop.Alarm(
      tolerance: .milliseconds(50), .onLoop { [weak self] _ in self?.assumeIsolated { $0.timeIsUp() } })
    thread.loop.add(alarm, to: .default)
    self.alarm = alarm
    guard let listener else { return }
    listening = source(listener.number, .readable) { $0.accept() }
  }

  /// Ends all connections and gives up the port.
  func end() {
    listening?.invalidate()
    alarm?.invalidate()
    connections.removeAll()
    listener = nil
  }

  private func source(
    _ descriptor: Int32, _ events: FrameLoop.DescriptorSource.Events,
    _ body: @escaping @Sendable (isolated Responder) -> Void
  ) -> FrameLoop.DescriptorSource {
    let source = FrameLoop.DescriptorSource(
      descriptor: descriptor, events: events, .onLoop { [weak self] _, _ in self?.assumeIsolated { body($0) } })
    thread.loop.add(source, to: .default)
    return source
  }

  private func accept() {
    guard let socket = listener?.accept() else { return }
    do { try socket.setBlocking(false) } catch { return }
    lastNumber += 1
    connections.append(Connection(number: lastNumber, socket: socket, deadline: now + stepLimit))
    wait(for: .readable, lastNumber)
    if connections.count > Self.connectionLimit {
      // A client that has finished its request keeps its place; if all have, the new one goes.
      let oldest = connections.first { $0.exchange.step == .receiving || $0.exchange.step == .draining }
      if let oldest { close(oldest.number) }
    }
    setAlarm()
  }

  // MARK: - One connection

  private func connection(_ number: Int) -> Connection? { connections.first { $0.number == number } }

  private func wait(for events: FrameLoop.DescriptorSource.Events, _ number: Int) {
    guard let connection = connection(number) else { return }
    if let source = connection.source, source.events == events, source.isValid { return }
    connection.source?.invalidate()
    connection.source = source(connection.socket.number, events) { responder in
      if events == .readable { responder.receive(number) } else { responder.send(number) }
    }
    // The kernel does not wait on this socket.
    if connection.source?.isValid == false { close(number) }
  }

  private func receive(_ number: Int) {
    guard let connection = connection(number) else { return }
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(connection.socket.number, &buffer, buffer.count, 0)
    if count < 0, isOnlyLater(clinux_errno()) { return }
    handle(count > 0 ? .received(Array(buffer.prefix(count))) : .ended, connection)
  }

  private func send(_ number: Int) {
    guard let connection = connection(number), case .sending(let bytes, let sent) = connection.exchange else { return }
    let count = bytes[sent...].withUnsafeBytes {
      Glibc.send(connection.socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    if count < 0, isOnlyLater(clinux_errno()) { return wait(for: .writable, number) }
    handle(count > 0 ? .sent(count) : .ended, connection)
  }

  private func handle(_ event: Exchange.Event, _ connection: Connection) {
    let step = connection.exchange.step
    guard let action = connection.exchange.handle(event) else { return }
    if connection.exchange.step != step {
      connection.deadline = now + stepLimit
      setAlarm()
    }
    switch action {
    case .receive: wait(for: .readable, connection.number)
    case .ask:
      // Its socket rests: a client that has closed its side would keep the loop awake.
      connection.source?.invalidate()
      askIfNeeded()
    case .send: send(connection.number)
    case .drain:
      shutdown(connection.socket.number, Int32(SHUT_WR))
      wait(for: .readable, connection.number)
    case .close: close(connection.number)
    }
  }

  private func close(_ number: Int) {
    connection(number)?.source?.invalidate()
    connections.removeAll { $0.number == number }
    setAlarm()
  }

  // MARK: - The program

  private func askIfNeeded() {
    guard !isAsking else { return }
    do {
      try ask { [weak self] text in self?.assumeIsolated { $0.answered(text) } }
      isAsking = true
    } catch {
      // The loop's thread has ended: the time of those who wait will be up.
    }
  }

  private func answered(_ text: String) {
    isAsking = false
    for connection in connections where connection.exchange.step == .asking { handle(.answered(text), connection) }
  }

  // MARK: - Time

  private var now: MonotonicTime { thread.loop.clock.now }

  private func setAlarm() { alarm?.fireTime = connections.map(\.deadline).min() }

  private func timeIsUp() {
    let now = now
    for connection in connections where connection.deadline <= now { handle(.timeIsUp, connection) }
    setAlarm()
  }
}

/// True for errors that say: try again when the socket is ready.
private func isOnlyLater(_ error: Int32) -> Bool { error == EAGAIN || error == EINTR }

/// A connection with a client.
private final class Connection {
  let number: Int
  let socket: OwnedDescriptor
  var exchange = Exchange.receiving(RequestHead())
  /// When the time of its step is up.
  var deadline: MonotonicTime
  /// Waits for the client; nil or invalid while it need not.
  var source: FrameLoop.DescriptorSource?

  init(number: Int, socket: consuming OwnedDescriptor, deadline: MonotonicTime) {
    (self.number, self.deadline) = (number, deadline)
    self.socket = socket
  }

  // The source goes before its descriptor is closed.
  deinit { source?.invalidate() }
}
