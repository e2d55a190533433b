import Glibc
import LinuxSystem
import MessagePorts
import RunLoops

/// Sends every message back reversed, until the other end is closed. Without a path the connection is descriptor 3, which
/// the parent process opened.
enum EchoProgram {
  @MainActor
  private final class Echo {
    private var unsent: [[UInt8]] = []

    func handle(_ event: MessagePort.Event, of port: MessagePort) {
      switch event {
      case .message(let bytes): unsent.append(bytes.reversed())
      case .writable: break
      case .lost(let size): fatalError("a message of \(size) bytes was lost")
      case .ended: return FrameLoop.main.stop()
      }
      while let next = unsent.first, (try? port.send(next)) != nil { unsent.removeFirst() }
    }
  }

  static func run(path: String?) {
    do {
      let socket =
        try path.map { path throws(SystemError) in try MessageSocket(connectingTo: path) }
        ?? MessageSocket(owning: 3)
      MainActor.assumeIsolated {
        let echo = Echo()
        let port = MessagePort(socket, .onMain { port, event in echo.handle(event, of: port) })
        FrameLoop.main.add(port, to: .common)
        FrameLoop.main.run()
        port.invalidate()
      }
    } catch {
      print("loop-programs echo: \(error)")
      exit(1)
    }
  }
}
