import Testing

@testable import Exposition

/// One request and its answer, without sockets.
@Suite struct ExchangeTests {
  private func begin(allowsNames: Bool = true) -> Exchange { .receiving(RequestHead(allowsNames: allowsNames)) }

  private func answer(to request: String, allowsNames: Bool = true) -> String {
    var exchange = begin(allowsNames: allowsNames)
    _ = exchange.handle(.received(Array(request.utf8)))
    if exchange.step == .ask { _ = exchange.handle(.answered("page\n")) }
    return begun(exchange)
  }

  /// The answer that an exchange begins to send.
  private func begun(_ exchange: Exchange) -> String {
    guard case .sending(let bytes, 0) = exchange else { return "none" }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test func aScrapeIsAnsweredWithThePage() {
    let text = answer(to: "GET /metrics HTTP/1.1\r\nHost: a\r\nAccept: application/openmetrics-text\r\n\r\n")
    #expect(
      text == "HTTP/1.1 200 OK\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: 5\r\n"
        + "Cache-Control: no-store\r\nConnection: close\r\n\r\npage\n")
    #expect(answer(to: "GET /metrics?a=b HTTP/1.0\n\n").hasSuffix("\r\n\r\npage\n"))
  }

  /// The length is that of the page which a GET would bring.
  @Test func aHeadHasNoBody() {
    let text = answer(to: "HEAD /metrics HTTP/1.1\r\n\r\n")
    #expect(text.contains("Content-Length: 5\r\n"))
    #expect(text.hasSuffix("\r\n\r\n"))
  }

  @Test(arguments: [
    ("GET / HTTP/1.1\r\n\r\n", 404), ("GET /metrics/x HTTP/1.1\r\n\r\n", 404), ("POST /metrics HTTP/1.1\r\n\r\n", 405),
    ("get /metrics HTTP/1.1\r\n\r\n", 405), ("GET /metrics HTTP/2.0\r\n\r\n", 505), ("PRI * HTTP/2.0\r\n\r\n", 505),
    ("GET /metrics\r\n\r\n", 400), ("GET  /metrics HTTP/1.1\r\n\r\n", 400), ("\r\n\r\n", 400), ("\n\n", 400),
    ("GET /metrics SMTP/1.1\r\n\r\n", 400), ("GET /m\u{1}etrics HTTP/1.1\r\n\r\n", 400), ("GET /é HTTP/1.1\r\n\r\n", 400),
    ("\u{16}\u{3}\u{1}\u{2}\n\n", 400),
  ]) func otherRequestsAreRefused(request: String, status: Int) {
    #expect(answer(to: request).hasPrefix("HTTP/1.1 \(status) "))
  }

  /// A name that its owner lets lead to 127.0.0.1 is not answered there; an address is, and localhost.
  @Test(arguments: [
    "evil.example", "evil.example:9464", "127.0.0.1.evil.example", "localhost.evil.example:80", "9464", "", "[evil]",
    "127.0.0.1@evil",
  ])
  func aNameIsRefusedWhereOnlyThisMachineReads(host: String) {
    for line in ["Host: \(host)", "hOST:\(host)\t", "Host: 127.0.0.1\r\nHost: \(host)"] {
      let request = "GET /metrics HTTP/1.1\r\nAccept: */*\r\n\(line)\r\n\r\n"
      #expect(answer(to: request, allowsNames: false).hasPrefix("HTTP/1.1 403 Forbidden\r\n"), "\(line)")
      #expect(answer(to: request).hasPrefix("HTTP/1.1 200 "), "\(line)")
    }
    #expect(answer(to: "GET /metrics HTTP/1.1\nHost: \(host)\n\n", allowsNames: false).hasPrefix("HTTP/1.1 403 "))
  }

  @Test(arguments: [
    "127.0.0.1", "127.0.0.1:9464", "192.0.2.7:80", "localhost", "LocalHost:9464", "[::1]", "[::1]:9464", "[2001:db8::1]",
  ]) func anAddressIsAnsweredEverywhere(host: String) {
    let request = "GET /metrics HTTP/1.1\r\nX-Host: evil.example\r\nHost: \(host)\r\nHostess: evil.example\r\n\r\n"
    #expect(answer(to: request, allowsNames: false).hasPrefix("HTTP/1.1 200 "))
    #expect(answer(to: "GET /metrics HTTP/1.0\r\n\r\n", allowsNames: false).hasPrefix("HTTP/1.1 200 "))
  }

  @Test func aRefusedMethodNamesThoseThatAreAllowed() {
    #expect(answer(to: "DELETE /metrics HTTP/1.1\r\n\r\n").contains("\r\nAllow: GET, HEAD\r\n"))
  }

  /// However it is cut into pieces, the request is the same.
  @Test func aRequestMayComeInPieces() throws {
    for request in ["GET /metrics HTTP/1.1\r\nHost: x\r\n\r\n", "GET /metrics HTTP/1.1\nHost: x\n\n"] {
      let bytes = Array(request.utf8)
      for first in 0...bytes.count {
        for second in first...bytes.count {
          var head = RequestHead(allowsNames: true)
          var request: RequestHead.Request?
          for piece in [bytes[..<first], bytes[first..<second], bytes[second...]] where request == nil {
            request = try head.receive(piece)
          }
          #expect(request == RequestHead.Request(method: .get, path: "/metrics"))
        }
      }
    }
  }

  @Test func aHeadIsBounded() throws {
    func request(length: Int) -> [UInt8] {
      let start = "GET /metrics HTTP/1.1\r\nX: "
      return Array(start.utf8) + [UInt8](repeating: 120, count: length - start.utf8.count - 4) + Array("\r\n\r\n".utf8)
    }
    var head = RequestHead(allowsNames: true)
    #expect(try head.receive(request(length: RequestHead.limit)) != nil)
    #expect(throws: RequestHead.Refusal.tooLarge) {
      var head = RequestHead(allowsNames: true)
      _ = try head.receive(request(length: RequestHead.limit + 1))
    }
    // One byte at a time, without an end.
    var exchange = begin()
    var count = 0
    while exchange.step == .receive, count < 10_000 {
      _ = exchange.handle(.received([120]))
      count += 1
    }
    #expect(count == RequestHead.limit + 1)
    #expect(begun(exchange).hasPrefix("HTTP/1.1 431 "))
  }

  @Test func eachStepEndsInTime() {
    var exchange = begin()
    #expect(exchange.step(after: .timeIsUp) == .send)
    #expect(begun(exchange).hasPrefix("HTTP/1.1 408 "))
    // A client that takes nothing.
    #expect(exchange.step(after: .sent(3)) == .send)
    #expect(exchange.step(after: .timeIsUp) == .close)

    exchange = begin()
    #expect(exchange.step(after: .received(Array("GET /metrics HTTP/1.1\r\n\r\n".utf8))) == .ask)
    #expect(exchange.step(after: .timeIsUp) == .send)
    let busy = begun(exchange)
    #expect(busy.hasPrefix("HTTP/1.1 503 "))
    // The loop's answer comes too late.
    #expect(exchange.step(after: .answered("page")) == nil)
    #expect(begun(exchange) == busy)
    #expect(exchange.step(after: .sent(busy.utf8.count)) == .drain)
    #expect(exchange.step(after: .timeIsUp) == .close)
  }

  @Test func aClientThatCloses() {
    for var exchange in [begin(), .sending([1, 2, 3], sent: 1), .draining(left: 10)] {
      #expect(exchange.step(after: .ended) == .close)
    }
  }

  /// Bytes after a request are thrown away, but not for ever.
  @Test func drainingIsBounded() {
    var exchange = Exchange.draining(left: Exchange.drainLimit)
    #expect(exchange.step(after: .received([UInt8](repeating: 0, count: Exchange.drainLimit - 1))) == .drain)
    #expect(exchange.step(after: .received([0])) == .close)
    #expect(exchange.step(after: .received([0])) == nil)
  }
}

extension Exchange {
  /// The step that an event leads to; nil if it is not expected.
  fileprivate mutating func step(after event: Event) -> Step? { handle(event) ? step : nil }
}
