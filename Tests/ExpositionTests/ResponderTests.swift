import Glibc
import LinuxSystem
import RunLoops
import Testing

@testable import Exposition

/// A responder on manual time, in one thread with its clients: sockets of the kind `AF_UNIX` hand over at once.
@Suite struct ResponderTests {
  private static let scrape = "GET /metrics HTTP/1.1\r\n\r\n"

  @Test func aSlowClientIsTold() throws {
    let bench = try Bench()
    let client = bench.connect()
    client.send("GET /metr")
    bench.run(for: Responder.stepLimit - .milliseconds(1))
    #expect(client.received() == "")
    bench.run(for: .milliseconds(52))
    #expect(client.received().hasPrefix("HTTP/1.1 408 "))
    #expect(!client.isClosed)
    // It does not close its side either.
    bench.run(for: Responder.stepLimit + .milliseconds(51))
    #expect(client.isClosed)
  }

  /// The program is busy for longer than clients wait; afterwards it answers again.
  @Test func aBusyProgramIsToldOf() throws {
    let bench = try Bench()
    let clients = [bench.connect(), bench.connect()]
    for client in clients { client.send(Self.scrape) }
    bench.run(for: Responder.stepLimit - .milliseconds(1))
    #expect(bench.questions.count == 1)
    #expect(clients.allSatisfy { $0.received() == "" })
    bench.run(for: .milliseconds(52))
    #expect(clients.allSatisfy { $0.received().hasPrefix("HTTP/1.1 503 ") })
    bench.answer("late\n")
    bench.run(for: .milliseconds(1))
    #expect(clients.allSatisfy { $0.received() == "" })

    let later = bench.connect()
    later.send(Self.scrape)
    bench.run(for: .milliseconds(1))
    bench.answer("page\n")
    bench.run(for: .milliseconds(1))
    #expect(later.received().hasSuffix("\r\n\r\npage\n"))
  }

  /// A client that takes the answer in small pieces gets all of it; one that needs more than five seconds, a part.
  @Test func anAnswerTakesNoLongerThanAStep() throws {
    for pause in [Nanoseconds.milliseconds(1), .seconds(2)] {
      let bench = try Bench()
      let client = bench.connect()
      client.send(Self.scrape)
      bench.run(for: .milliseconds(1))
      bench.answer(String(repeating: "x", count: 20_000_000))
      var count = 0
      while !client.hasEnded {
        bench.run(for: pause)
        count += client.received().utf8.count
      }
      if pause == .milliseconds(1) { #expect(count > 20_000_000) } else { #expect(count < 20_000_000) }
    }
  }
}

/// A responder whose program is the test.
private final class Bench {
  private let loop = FrameLoop(clock: .manual(ManualClock()))
  private let responder: Responder
  private let asked = Lock<[@Sendable (String) -> Void]>([])
  private let address: sockaddr_un
  private let addressLength: socklen_t

  init() throws {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_un()
    var length = socklen_t(MemoryLayout<sockaddr_un>.size)
    address.sun_family = sa_family_t(AF_UNIX)
    let status = withUnsafeMutablePointer(to: &address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        // Without a name the system gives one.
        let status = bind(number, $0, socklen_t(MemoryLayout<sa_family_t>.size))
        return status == 0 ? getsockname(number, $0, &length) : status
      }
    }
    #expect(status == 0)
    (self.address, addressLength) = (address, length)
    let listener = try ListeningSocket(listeningOn: OwnedDescriptor(owning: number), subject: "test")
    responder = Responder(listener: listener, loop: loop, allowsNames: false) { [asked] answer in
      asked.withLock { $0.append(answer) }
    }
    responder.begin()
  }

  deinit { responder.assumeIsolated { $0.end() } }

  /// The questions to the program so far.
  var questions: [@Sendable (String) -> Void] { asked.withLock { $0 } }

  /// Answers the last question.
  func answer(_ page: String) { questions.last?(page) }

  /// Serves all that has come, and lets time pass.
  func run(for time: Nanoseconds) { loop.run(mode: .default, for: time) }

  func connect() -> Client {
    let number = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0)
    let status = withUnsafePointer(to: address) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.connect(number, $0, addressLength) }
    }
    #expect(status == 0)
    return Client(number)
  }
}

private final class Client {
  private let socket: Int32
  /// True once there is no more to receive.
  private(set) var hasEnded = false

  init(_ socket: Int32) { self.socket = socket }

  deinit { close(socket) }

  func send(_ text: String) {
    let count = Glibc.send(socket, text, text.utf8.count, Int32(MSG_NOSIGNAL))
    #expect(count == text.utf8.count)
  }

  /// True if nobody receives any more.
  var isClosed: Bool { Glibc.send(socket, "x", 1, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT)) < 0 && errno == EPIPE }

  /// The text that has come by now.
  func received() -> String {
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    let count = recv(socket, &buffer, buffer.count, Int32(MSG_DONTWAIT))
    hasEnded = count == 0 || count < 0 && errno != EAGAIN
    return String(decoding: buffer.prefix(max(0, count)), as: UTF8.self)
  }
}
