import Glibc
import LinuxSystem
import RunLoops

/// A server on the loopback, whose answers are scripts. It has a loop of its own.
final class ScriptedServer: Sendable {
  enum Step: Sendable {
    case send([UInt8])
    /// Sends one byte in each pass of the loop.
    case drip([UInt8])
    /// Sends a byte in each pass for as long as the client takes them.
    case dripForEver
    /// Goes on when `release()` is called.
    case hold
    case close
    /// Ends the connection with a reset.
    case reset
  }

  struct Request: Sendable {
    var path: String
    var head: String
    /// How many requests for this path came before.
    var earlier: Int
    /// How many requests came on this connection before.
    var earlierOnConnection: Int
  }

  let port: UInt16
  let thread: LoopThread
  private let server: Server

  init(_ answer: @escaping @Sendable (Request) -> [Step]) throws {
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    let listening = OwnedDescriptor(owning: number)
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let status = withUnsafeMutableBytes(of: &name) { bytes -> Int32 in
      guard let address = bytes.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return -1 }
      return bind(number, address, size) == 0 ? getsockname(number, address, &size) : -1
    }
    guard status == 0 else { throw SystemError.last(call: "bind") }
    port = UInt16(bigEndian: name.sin_port)
    thread = try LoopThread(name: "server")
    server = Server(try ListeningSocket(listeningOn: listening, subject: "loopback"), thread.loop, answer)
    server.begin()
  }

  deinit {
    let (server, thread) = (server, thread)
    try? thread.loop.performAndWait { server.end() }
    thread.stop()
    thread.waitUntilEnded()
  }

  func address(_ path: String) -> String { "http://127.0.0.1:\(port)\(path)" }

  /// Lets all connections that are held go on.
  func release() { try? thread.loop.performLater { [server] in server.release() } }

  /// The paths of all requests in the order in which they came.
  var paths: [String] { server.log.withLock { $0.requests.map(\.path) } }
  var requests: [Request] { server.log.withLock { $0.requests } }
  func count(_ path: String) -> Int { paths.count { $0 == path } }
  /// The number of connections that were ever made, that are open, and the most that were held at a time.
  var made: Int { server.log.withLock { $0.made } }
  var open: Int { server.log.withLock { $0.open } }
  var held: Int { server.log.withLock { $0.held } }
  var mostHeld: Int { server.log.withLock { $0.mostHeld } }

  /// An answer with a body and its length.
  static func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: some StringProtocol) -> Step {
    answer(status, fields, Array(body.utf8))
  }

  static func answer(_ status: String = "200 OK", _ fields: [String] = [], _ body: [UInt8]) -> Step {
    let head = (["HTTP/1.1 \(status)", "Content-Length: \(body.count)"] + fields).joined(separator: "\r\n")
    return .send(Array((head + "\r\n\r\n").utf8) + body)
  }

  static func text(_ text: String) -> Step { .send(Array(text.utf8)) }
}

/// The server's part on its loop's thread.
///
/// Safe although unchecked: all but the log is used on the loop's thread.
private final class Server: @unchecked Sendable {
  struct Log {
    var requests: [ScriptedServer.Request] = []
    var made = 0
    var open = 0
    var held = 0
    var mostHeld = 0
  }

  let log = Lock(Log())
  private let listening: ListeningSocket
  private let loop: FrameLoop
  private let answer: @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]
  private var connections: [ObjectIdentifier: Connection] = [:]
  private var listener: FrameLoop.DescriptorSource?

  init(
    _ listening: ListeningSocket, _ loop: FrameLoop,
    _ answer: @escaping @Sendable (ScriptedServer.Request) -> [ScriptedServer.Step]
  ) {
    (self.listening, self.loop, self.answer) = (listening, loop, answer)
  }

  func begin() {
    let source = FrameLoop.DescriptorSource(
      descriptor: listening.number,
      .onLoop { [weak self] _, _ in
        while let self, let socket = self.listening.accept() { self.accept(socket) }
      })
    listener = source
    loop.add(source, to: .default)
  }

  func end() {
    listener?.invalidate()
    for connection in connections.values { connection.source?.invalidate() }
    connections = [:]
  }

  func release() { for connection in Array(connections.values) where connection.isHeld { goOn(connection) } }

  private func accept(_ socket: consuming OwnedDescriptor) {
    let connection = Connection(socket)
    connections[ObjectIdentifier(connection)] = connection
    let source = FrameLoop.DescriptorSource(
      descriptor: connection.number,
      .onLoop { [weak self, weak connection] _, _ in if let connection { self?.read(connection) } })
    connection.source = source
    loop.add(source, to: .default)
    log.withLock {
      $0.made += 1
      $0.open += 1
    }
  }

  private func read(_ connection: Connection) {
    var buffer = [UInt8](repeating: 0, count: 16_384)
    let count = recv(connection.number, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    if count <= 0 {
      if count == 0 || errno != EAGAIN { close(connection) }
      return
    }
    connection.input += buffer[..<count]
    while let end = connection.endOfHead {
      let head = String(decoding: connection.input[..<end], as: UTF8.self)
      connection.input.removeFirst(end)
      let path = String(head.split(separator: " ").dropFirst().first ?? "")
      let request = log.withLock { log in
        let request = ScriptedServer.Request(
          path: path, head: head, earlier: log.requests.count { $0.path == path }, earlierOnConnection: connection.count)
        log.requests.append(request)
        return request
      }
      connection.count += 1
      connection.steps += answer(request)
    }
    if !connection.isHeld { goOn(connection, from: false) }
  }

  private func goOn(_ connection: Connection, from held: Bool = true) {
    if connection.isHeld {
      guard held else { return }
      connection.isHeld = false
      log.withLock { $0.held -= 1 }
    }
    while !connection.steps.isEmpty {
      switch connection.steps.removeFirst() {
      case .send(let bytes): guard send(bytes, connection) else { return close(connection) }
      case .drip(let bytes):
        guard let first = bytes.first else { continue }
        guard send([first], connection) else { return close(connection) }
        connection.steps.insert(.drip(Array(bytes.dropFirst())), at: 0)
        return later(connection)
      case .dripForEver:
        guard send([UInt8(ascii: "x")], connection) else { return close(connection) }
        connection.steps.insert(.dripForEver, at: 0)
        return later(connection)
      case .hold:
        connection.isHeld = true
        return log.withLock {
          $0.held += 1
          $0.mostHeld = max($0.mostHeld, $0.held)
        }
      case .close: return close(connection)
      case .reset:
        var end = linger(l_onoff: 1, l_linger: 0)
        setsockopt(connection.number, SOL_SOCKET, SO_LINGER, &end, socklen_t(MemoryLayout<linger>.size))
        return close(connection)
      }
    }
  }

  private func later(_ connection: Connection) {
    try? loop.performLater { [weak self, weak connection] in
      if let self, let connection, self.connections[ObjectIdentifier(connection)] === connection { self.goOn(connection) }
    }
  }

  private func send(_ bytes: [UInt8], _ connection: Connection) -> Bool {
    var sent = 0
    while sent < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.send(connection.number, $0.baseAddress.map { $0 + sent }, $0.count - sent, Int32(MSG_NOSIGNAL))
      }
      if count <= 0 { return false }
      sent += count
    }
    return true
  }

  private func close(_ connection: Connection) {
    guard connections.removeValue(forKey: ObjectIdentifier(connection)) != nil else { return }
    connection.source?.invalidate()
    connection.source = nil
    log.withLock {
      $0.open -= 1
      if connection.isHeld { $0.held -= 1 }
    }
  }
}

/// Safe although unchecked: used on the server's thread alone.
private final class Connection: @unchecked Sendable {
  private let socket: OwnedDescriptor
  var source: FrameLoop.DescriptorSource?
  var input: [UInt8] = []
  var steps: [ScriptedServer.Step] = []
  var isHeld = false
  var count = 0

  init(_ socket: consuming OwnedDescriptor) {
    self.socket = socket
    var one: Int32 = 1
    setsockopt(number, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
  }

  var number: Int32 { socket.number }

  /// The place behind the empty line.
  var endOfHead: Int? {
    guard input.count >= 4 else { return nil }
    return (4...input.count).first { input[($0 - 4)..<$0].elementsEqual("\r\n\r\n".utf8) }
  }
}
