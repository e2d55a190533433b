import Glibc
import LinuxSystem
import Metering
import RunLoops
import XCTest

@testable import Exposition

/// Real sockets on this machine's own addresses. The main thread runs the loop that is asked; a thread is the client.
final class MetricsServerTests: XCTestCase {
  /// How often the figures were taken.
  @MainActor private static var taken = 0

  private func serve(
    _ text: String = "127.0.0.1:0", size: Int = 0,
    _ client: @escaping @Sendable (MetricsAddress) throws -> Void
  ) throws {
    try onMainActor {
      Self.taken = 0
      let loop = FrameLoop.main
      let address = try XCTUnwrap(MetricsAddress(text))
      let server = try MetricsServer(address: address, loop: loop) {
        Self.taken += 1
        return Self.taken
      } page: { taken in
        var page = MetricsPage()
        page.add(.counter, "taken_total", help: String(repeating: "x", count: size), [MetricsPage.Sample(Double(taken))])
        return page
      }
      let failure = Lock<(any Error)?>(nil)
      let thread = try SystemThread(name: "client") { [address = server.address] in
        do { try client(address) } catch { failure.withLock { $0 = error } }
        // A call before the run would be lost.
        try? loop.performLater { FrameLoop.main.stop() }
      }
      let keepAlive = FrameLoop.Source(.onLoop { _ in })
      loop.add(keepAlive, to: .default)
      loop.run()
      keepAlive.invalidate()
      thread.join()
      server.invalidate()
      if let error = failure.withLock({ $0 }) { throw error }
    }
  }

  private func onMainActor<Value: Sendable>(_ body: @MainActor () throws -> Value) rethrows -> Value {
    try MainActor.assumeIsolated(body)
  }

  private static let scrape = "GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:9464\r\n\r\n"

  func testAScrapeBringsFreshFigures() throws {
    for address in ["127.0.0.1:0", "[::1]:0"] {
      try serve(address) { address in
        for count in 1...3 {
          let text = try Client(address).ask(Self.scrape)
          XCTAssertTrue(text.hasPrefix("HTTP/1.1 200 OK\r\n"), text)
          XCTAssertTrue(text.hasSuffix("\ntaken_total \(count)\n"), text)
        }
      }
    }
  }

  /// All addresses of the machine are those of both versions. There Prometheus may know it by a name.
  func testAllAddressesAreThoseOfBothVersions() throws {
    for (address, versions) in [("[::]:0", [false, true]), ("0.0.0.0:0", [false])] {
      try serve(address) { address in
        for isVersion6 in versions {
          let client = try Client(port: address.port, isVersion6: isVersion6)
          let text = try client.ask("GET /metrics HTTP/1.1\r\nHost: lobby:\(address.port)\r\n\r\n")
          XCTAssertTrue(text.hasPrefix("HTTP/1.1 200 OK\r\n"), text)
        }
      }
    }
  }

  func testANameIsRefusedOnALoopbackAddress() throws {
    for address in ["127.0.0.1:0", "127.1.2.3:0", "[::1]:0"] {
      try serve(address) { address in
        let text = try Client(address).ask("GET /metrics HTTP/1.1\r\nHost: lobby:\(address.port)\r\n\r\n")
        XCTAssertTrue(text.hasPrefix("HTTP/1.1 403 Forbidden\r\n"), text)
        XCTAssertTrue(text.hasSuffix("use 127.0.0.1, [::1] or localhost.\n"), text)
      }
    }
  }

  /// More than the sender's buffer of at most 4 MiB (`tcp_wmem`) and the client's hold.
  func testALargePageArrivesWhole() throws {
    try serve(size: 5_000_000) { address in
      let text = try Client(address).ask(Self.scrape)
      XCTAssertGreaterThan(text.utf8.count, 5_000_000)
      XCTAssertTrue(text.hasSuffix("\ntaken_total 1\n"))
    }
  }

  /// A client that sends more than it was asked for gets its answer all the same.
  func testARequestWithABodyIsAnswered() throws {
    try serve { address in
      let text = try Client(address).ask(Self.scrape + String(repeating: "x", count: 30_000))
      XCTAssertTrue(text.hasSuffix("\ntaken_total 1\n"), text)
    }
  }

  func testATooLargeRequestIsRefused() throws {
    try serve { address in
      let text = try Client(address).ask("GET /metrics HTTP/1.1\r\nX: " + String(repeating: "x", count: 20_000))
      XCTAssertTrue(text.hasPrefix("HTTP/1.1 431 "), text)
    }
  }

  /// Silent connections beyond the limit push out the oldest, and never the scraper.
  func testSilentClientsDoNotKeepTheScraperOut() throws {
    try serve { address in
      var silent: [Client] = []
      for _ in 0..<100 {
        silent.append(try Client(address))
        if silent.count % 10 == 0 {
          let text = try Client(address).ask(Self.scrape)
          XCTAssertTrue(text.hasPrefix("HTTP/1.1 200 "), text)
        }
      }
      // Those that were pushed out have heard of it.
      XCTAssertTrue(try silent[0].isClosed())
    }
  }

  /// Requests that wait together are one question to the loop.
  func testWaitingRequestsAreOneQuestion() throws {
    try serve { address in
      let go = Latch()
      try FrameLoop.main.performLater { go.wait() }
      let clients = try (0..<8).map { _ in try Client(address) }
      for client in clients { try client.send(Self.scrape) }
      // Descriptors take turns: all have been read when answers to a few wrong requests have come back.
      for _ in 0..<4 { XCTAssertTrue(try Client(address).ask("GET / HTTP/1.1\r\n\r\n").hasPrefix("HTTP/1.1 404 ")) }
      go.open()
      for client in clients { XCTAssertTrue(try client.readAll().hasSuffix("\ntaken_total 1\n")) }
    }
  }

  func testATakenPortIsAnError() throws {
    try serve { address in
      XCTAssertThrowsError(
        try MetricsServer(address: address, loop: .main, figures: { 0 }, page: { _ in MetricsPage() })
      ) { error in
        guard case MetricsServerError.addressInUse(address) = error else { return XCTFail("\(error)") }
        XCTAssertEqual(
          "\(error)", "another program listens on \(address): use another port, or 0 for one that is free")
      }
    }
    let elsewhere = try XCTUnwrap(MetricsAddress("192.0.2.1:0"))
    XCTAssertThrowsError(
      try MetricsServer(address: elsewhere, loop: .main, figures: { 0 }, page: { _ in MetricsPage() })
    ) { error in
      guard case MetricsServerError.noSuchAddress(elsewhere) = error else { return XCTFail("\(error)") }
    }
  }

  /// Its port is free again, and a client learns of the end.
  func testTheEndGivesUpThePort() throws {
    for _ in 0..<20 {
      let server = try MetricsServer(
        address: MetricsAddress(port: 0), loop: .main, figures: { 0 }, page: { _ in MetricsPage() })
      let client = try Client(server.address)
      server.invalidate()
      XCTAssertTrue(try client.isClosed())
      XCTAssertThrowsError(try Client(server.address))
    }
  }
}

/// A client with a blocking socket.
private final class Client: @unchecked Sendable {
  // Unchecked: each is used by one thread.
  private let socket: Int32

  convenience init(_ address: MetricsAddress) throws {
    let host = address.description.split(separator: ":")[0]
    let isVersion6 = host.hasPrefix("[")
    try self.init(
      port: address.port, isVersion6: isVersion6,
      version4: isVersion6 ? INADDR_LOOPBACK : UInt32(bigEndian: inet_addr(String(host))))
  }

  init(port: UInt16, isVersion6: Bool, version4: UInt32 = INADDR_LOOPBACK) throws {
    socket = Glibc.socket(isVersion6 ? AF_INET6 : AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    // Ends a test that hangs. The thread sanitizer on a busy machine makes half a minute of a second.
    var limit = timeval(tv_sec: 300, tv_usec: 0)
    setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &limit, socklen_t(MemoryLayout<timeval>.size))
    var size: Int32 = 16_384
    setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var status: Int32 = -1
    if isVersion6 {
      var name = sockaddr_in6()
      name.sin6_family = sa_family_t(AF_INET6)
      name.sin6_port = port.bigEndian
      name.sin6_addr = in6addr_loopback
      status = withUnsafeBytes(of: name) {
        connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    } else {
      var name = sockaddr_in()
      name.sin_family = sa_family_t(AF_INET)
      name.sin_port = port.bigEndian
      name.sin_addr.s_addr = version4.bigEndian
      status = withUnsafeBytes(of: name) {
        connect(socket, $0.baseAddress?.assumingMemoryBound(to: sockaddr.self), socklen_t($0.count))
      }
    }
    if status != 0 {
      let error = SystemError.last(call: "connect", subject: "\(port)")
      close(socket)
      throw error
    }
  }

  deinit { close(socket) }

  func send(_ text: String) throws {
    let bytes = Array(text.utf8)
    guard Glibc.send(socket, bytes, bytes.count, Int32(MSG_NOSIGNAL)) == bytes.count else {
      throw SystemError.last(call: "send")
    }
  }

  func readAll() throws -> String {
    var all: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 65_536)
    while true {
      let count = recv(socket, &buffer, buffer.count, 0)
      if count < 0 { throw SystemError.last(call: "recv") }
      if count == 0 { return String(decoding: all, as: UTF8.self) }
      all += buffer.prefix(count)
    }
  }

  func ask(_ request: String) throws -> String {
    try send(request)
    return try readAll()
  }

  /// True if the server has ended the connection, in whichever way; waits for it.
  func isClosed() throws -> Bool {
    var byte: UInt8 = 0
    let count = recv(socket, &byte, 1, 0)
    if count < 0, SystemError.last(call: "recv").errno == EAGAIN { return false }
    return count <= 0
  }
}
