import CLinux
import Glibc
import LinuxSystem
import RunLoops

/// Answers the requests of a server, on a loop of its own.
actor Responder {
  /// The most connections at once.
  static let connectionLimit = 16
  /// The time for each step of a connection.
  static let stepLimit = Nanoseconds.seconds(5)

  /// Asks the program for its page, which comes on the responder's loop, or never.
  typealias Ask = @Sendable (_ answer: @escaping @Sendable (String) -> Void) throws -> Void

  nonisolated let loop: FrameLoop
  nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

  /// Nil after the end.
  private var listener: ListeningSocket?
  private let allowsNames: Bool
  private let ask: Ask
  /// Waits for connections.
  private var listening: FrameLoop.DescriptorSource?
  /// By their numbers: the oldest has the smallest.
  private var connections: [Int: Connection] = [:]
  private var lastNumber = 0
  /// True until the program has answered. All requests that wait get that answer.
  private var isAsking = false
  /// Rings when the time of the first connection is up.
  private var alarm: FrameLoop.Alarm?

  /// - Parameter allowsNames: false to refuse requests that were sent to a name; see `RequestHead`.
  init(listener: ListeningSocket, loop: FrameLoop, allowsNames: Bool, ask: @escaping Ask) {
    (self.listener, self.loop, self.allowsNames, self.ask) = (listener, loop, allowsNames, ask)
  }

  /// Begins to accept connections.
  nonisolated func begin() {
    // A thread that was stopped at once takes no work, and has none.
    try? loop.performLater { [weak self] in self?.assumeIsolated { $0.start() } }
  }

  private func start() {
    let alarm = FrameLoop.Alarm(
      tolerance: .milliseconds(50), .onLoop { [weak self] _ in self?.assumeIsolated { $0.timeIsUp() } })
    loop.add(alarm, to: .default)
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
    loop.add(source, to: .default)
    return source
  }

  private func accept() {
    guard let socket = listener?.accept() else { return }
    do { try socket.setBlocking(false) } catch { return }
    lastNumber += 1
    let connection = Connection(
      number: lastNumber, socket: socket, head: RequestHead(allowsNames: allowsNames),
      deadline: loop.clock.now + Self.stepLimit)
    connections[lastNumber] = connection
    wait(for: .readable, connection)
    if connections.count > Self.connectionLimit {
      // A client that has finished its request keeps its place; if all have, the new one goes.
      let unfinished = connections.values.filter { [.receive, .drain].contains($0.exchange.step) }
      if let oldest = unfinished.min(by: { $0.number < $1.number }) { close(oldest) }
    }
    setAlarm()
  }

  // MARK: - One connection

  private func wait(for events: FrameLoop.DescriptorSource.Events, _ connection: Connection) {
    if let source = connection.source, source.events == events, source.isValid { return }
    connection.source?.invalidate()
    connection.source = source(connection.socket.number, events) { [number = connection.number] responder in
      guard let connection = responder.connections[number] else { return }
      if let event = events == .readable ? connection.receive() : connection.send() { responder.handle(event, connection) }
    }
  }

  /// Handles an event, and those that follow from it at once.
  private func handle(_ event: Exchange.Event, _ connection: Connection) {
    var next: Exchange.Event? = event
    while let event = next {
      next = nil
      let step = connection.exchange.step
      guard connection.exchange.handle(event) else { return }
      if connection.exchange.step != step {
        connection.deadline = loop.clock.now + Self.stepLimit
        setAlarm()
      }
      switch connection.exchange.step {
      case .receive: wait(for: .readable, connection)
      case .ask:
        // Its socket rests: a client that has closed its side would keep the loop awake.
        connection.source?.invalidate()
        askIfNeeded()
      case .send:
        next = connection.send()
        if next == nil { wait(for: .writable, connection) }
      case .drain:
        shutdown(connection.socket.number, Int32(SHUT_WR))
        wait(for: .readable, connection)
      case .close: close(connection)
      }
    }
  }

  private func close(_ connection: Connection) {
    connection.source?.invalidate()
    connections[connection.number] = nil
    setAlarm()
  }

  // MARK: - The program

  private func askIfNeeded() {
    guard !isAsking else { return }
    // If the program's thread has ended, the time of those who wait will be up.
    isAsking = (try? ask { [weak self] text in self?.assumeIsolated { $0.answered(text) } }) != nil
  }

  private func answered(_ text: String) {
    isAsking = false
    for connection in connections.values where connection.exchange.step == .ask { handle(.answered(text), connection) }
  }

  // MARK: - Time

  private func setAlarm() { alarm?.fireTime = connections.values.map(\.deadline).min() }

  private func timeIsUp() {
    let now = loop.clock.now
    for connection in connections.values where connection.deadline <= now { handle(.timeIsUp, connection) }
    setAlarm()
  }
}

/// A connection with a client.
private final class Connection {
  let number: Int
  let socket: OwnedDescriptor
  var exchange: Exchange
  /// When the time of its step is up.
  var deadline: MonotonicTime
  /// Waits for the client; nil or invalid while it need not.
  var source: FrameLoop.DescriptorSource?

  init(number: Int, socket: consuming OwnedDescriptor, head: RequestHead, deadline: MonotonicTime) {
    (self.number, self.deadline) = (number, deadline)
    exchange = .receiving(head)
    self.socket = socket
  }

  // The source goes before its descriptor is closed.
  deinit { source?.invalidate() }

  /// Reads what has come; nil if nothing has.
  func receive() -> Exchange.Event? {
    var buffer = [UInt8](repeating: 0, count: 4096)
    let count = recv(socket.number, &buffer, buffer.count, 0)
    return count > 0 ? .received(Array(buffer.prefix(count))) : Self.end(count)
  }

  /// Sends what the socket takes of the rest of the answer; nil if it takes nothing now.
  func send() -> Exchange.Event? {
    guard case .sending(let bytes, let sent) = exchange else { return nil }
    let count = bytes[sent...].withUnsafeBytes {
      Glibc.send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL))
    }
    return count > 0 ? .sent(count) : Self.end(count)
  }

  /// Nil for errors that say: try again when the socket is ready.
  private static func end(_ count: Int) -> Exchange.Event? {
    count < 0 && [EAGAIN, EINTR].contains(clinux_errno()) ? nil : .ended
  }
}
