// One thread serves all connections. Its loop has a message port for each, and nothing blocks it. A client that does not
// read fills its own queue and delays no other client.
import LinuxSystem
import MessagePorts
import RunLoops

/// Answers each message with the same text in capitals.
actor Service {
  private let thread: LoopThread
  private var ports: [MessagePort] = []
  private(set) var refusals = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { thread.unownedExecutor }

  init() throws {
    thread = try LoopThread(name: "service")
  }

  func serve(_ socket: MessageSocket) {
    let port = MessagePort(
      socket,
      .onLoop { [weak self] port, event in
        // The port's callback runs on the actor's thread, so it needs no hop and no lock.
        self?.assumeIsolated { service in service.handle(event, of: port) }
      })
    ports.append(port)
    thread.loop.add(port, to: .default)
  }

  var clientCount: Int { ports.count }

  private func handle(_ event: MessagePort.Event, of port: MessagePort) {
    switch event {
    case .message(let bytes):
      let answer = String(decoding: bytes, as: UTF8.self).uppercased()
      // The queue is full because this client does not read. Its answer is dropped, and the others do not wait.
      do { try port.send(Array(answer.utf8)) } catch { refusals += 1 }
    case .lost, .writable: break
    case .ended: ports.removeAll { $0 === port }
    }
  }
}

@main
struct Program {
  @MainActor
  static func main() throws {
    let service = try Service()
    Task {
      do { try await talk(to: service) } catch { fatalError("\(error)") }
      FrameLoop.main.stop()
    }
    FrameLoop.main.run()
  }

  @MainActor
  static func talk(to service: Service) async throws {
    let sockets = try (0..<3).map { _ in try MessageSocket.pair() }
    for (_, theirs) in sockets { await service.serve(theirs) }
    var answers: [String] = []
    let clients = sockets.map { own, _ in
      MessagePort(
        own,
        .onMain { _, event in
          if case .message(let bytes) = event { answers.append(String(decoding: bytes, as: UTF8.self)) }
        })
    }
    // The third client keeps writing and never reads.
    repeat {
      while (try? clients[2].send([UInt8](repeating: 65, count: 60_000))) != nil {}
    } while await service.refusals == 0
    for (index, client) in clients.prefix(2).enumerated() {
      FrameLoop.main.add(client, to: .common)
      try client.send(Array("client \(index)".utf8))
    }
    while answers.count < 2 { await Task.yield() }
    print("\(answers.sorted()), \(await service.clientCount) clients on one thread")
    for client in clients { client.invalidate() }
    while await service.clientCount > 0 { await Task.yield() }
    print("all clients are gone")
  }
}
