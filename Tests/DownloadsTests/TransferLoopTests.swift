import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops
import TestLength
import XCTest

@testable import Downloads

/// Transfers from a server on the loopback. No test waits for a time, but for what happens.
final class TransferLoopTests: XCTestCase {
  private typealias Server = ScriptedServer
  private let completions = Completions()

  func testAnAnswerArrivesWhole() throws {
    let body = [UInt8]((0..<1_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31) })
    let server = try Server { request in
      request.path == "/moved"
        ? [Server.answer("302 Found", ["Location: /photo"], "gone")]
        : [Server.answer("200 OK", ["Content-Type: image/png; q=1", "ETag: \"a\"", "X-Two: 1", "X-Two: 2"], body)]
    }
    let transfers = try TransferLoop(.local())
    var request = try TransferRequest(server.address("/moved"))
    request.progressStep = 100_000
    request.fields = ["X-Mine": "yes", "Accept-Language": "de"]
    _ = transfers.start(request, completions.handler("a"), beginnings: completions.beginnings("a", first: 100_000))
    completions.wait(for: 1)
    let answer = try XCTUnwrap(completions.answer("a"))
    XCTAssertEqual(answer.bytes, body)
    XCTAssertEqual(answer.status, 200)
    XCTAssertEqual(answer.attempts, 1)
    XCTAssertEqual(answer.finalAddress, server.address("/photo"))
    XCTAssertEqual(answer.head.contentType, "image/png")
    XCTAssertEqual(answer.head["etag"], "\"a\"")
    XCTAssertEqual(answer.head["x-two"], "1, 2")
    let progress = completions.progress("a")
    XCTAssertEqual(progress, progress.sorted())
    XCTAssertTrue((5...10).contains(progress.count), "\(progress)")
    let beginnings = completions.beginnings("a")
    XCTAssertEqual(beginnings.count, 4)
    for (bytes, least) in zip(beginnings, [100_000, 200_000, 400_000, 800_000]) {
      XCTAssertTrue((least..<2 * least).contains(bytes.count), "\(bytes.count)")
      XCTAssertTrue(body.starts(with: bytes))
    }
    XCTAssertTrue(
      server.requests.allSatisfy { $0.head.contains("X-Mine: yes\r\n") && $0.head.contains("Accept-Language: de\r\n") })
    // The connection is used again.
    XCTAssertEqual(server.made, 1)
  }

  /// Each answer with the error that it is to give, and true if another attempt may help.
  func testWrongAnswersAreRefused() throws {
    typealias Check = (TransferError) -> Bool
    let lost: Check = { if case .connectionLost = $0 { $0.isTransient } else { false } }
    let malformed: Check = { if case .malformed = $0 { !$0.isTransient } else { false } }
    let tooLarge: Check = { if case .tooLarge(_, 1_000) = $0 { true } else { false } }
    let forbidden: Check = { if case .forbiddenRedirect = $0 { true } else { false } }
    func status(_ code: Int) -> Check { { if case .status(_, code, _) = $0 { true } else { false } } }
    let many = String(repeating: "X-Long: \(String(repeating: "y", count: 1_000))\r\n", count: 80)
    let cases: [(name: String, steps: [Server.Step], check: Check)] = [
      ("cut", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), .close], lost),
      ("cut head", [Server.text("HTTP/1.1 200 OK\r\nContent-Le"), .close], { lost($0) || malformed($0) }),
      ("silent", [.close], lost),
      ("reset", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 10\r\n\r\n12345"), .reset], lost),
      ("cut chunk", [Server.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n123"), .close], lost),
      ("no end", [Server.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n123\r\n"), .close], lost),
      ("no chunk", [Server.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nzzz\r\n123\r\n"), .close], malformed),
      ("not HTTP", [Server.text("220 mail.example.org ESMTP\r\n"), .close], malformed),
      ("no status", [Server.text("HTTP/1.1 OK\r\n\r\n"), .close], malformed),
      (
        "two lengths", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\nabcd"), .close],
        malformed
      ),
      ("minus", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: -3\r\n\r\nabcd"), .close], malformed),
      (
        "huge length", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 99999999999999999999999\r\n\r\na"), .close],
        malformed
      ),
      ("nameless", [Server.text("HTTP/1.1 200 OK\r\nwords only\r\nContent-Length: 1\r\n\r\na"), .close], malformed),
      ("bell", [Server.text("HTTP/1.1 200 OK\r\nX-Bell: \u{7}\r\nContent-Length: 1\r\n\r\na"), .close], malformed),
      ("huge head", [Server.text("HTTP/1.1 200 OK\r\n\(many)Content-Length: 1\r\n\r\na"), .close], malformed),
      ("packed", [Server.answer("200 OK", ["Content-Encoding: gzip"], "xx")], malformed),
      ("long", [Server.answer("200 OK", [], String(repeating: "x", count: 1_001))], tooLarge),
      (
        "long chunk",
        [
          Server.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n7d0\r\n" + String(repeating: "x", count: 2_000)),
          .close,
        ],
        tooLarge
      ),
      (
        "type", [Server.answer("200 OK", ["Content-Type: text/html"], "x")],
        {
          if case .unexpectedType(_, "text/html", ["image/"]) = $0 { true } else { false }
        }
      ),
      (
        "circle", [Server.answer("301 Moved", ["Location: /circle"], "")],
        {
          if case .tooManyRedirects(_, 5) = $0 { true } else { false }
        }
      ),
      ("file", [Server.answer("302 Found", ["Location: file:///etc/passwd"], "")], forbidden),
      ("ftp", [Server.answer("302 Found", ["Location: ftp://127.0.0.1/x"], "")], forbidden),
      ("odd", [Server.answer("302 Found", ["Location: http://:::::/"], "")], forbidden),
      ("missing", [Server.answer("404 Not Found", [], String(repeating: "x", count: 2_000))], status(404)),
      ("empty", [Server.text("HTTP/1.1 204 No Content\r\n\r\n")], status(204)),
      ("part", [Server.answer("206 Partial Content", ["Content-Range: bytes 0-1/9"], "ab")], status(206)),
      ("unchanged", [Server.text("HTTP/1.1 304 Not Modified\r\n\r\n")], status(304)),
      ("busy", [Server.answer("503 Busy", [], "")], status(503)),
    ]
    let scripts = Dictionary(uniqueKeysWithValues: cases.map { ("/" + $0.name.replacing(" ", with: "-"), $0.steps) })
    let server = try Server { scripts[$0.path] ?? [.close] }
    let transfers = try TransferLoop(.local())
    for item in cases {
      var request = try TransferRequest(server.address("/" + item.name.replacing(" ", with: "-")))
      request.sizeLimit = 1_000
      request.acceptedTypes = ["image/"]
      transfers.start(request, completions.handler(item.name))
    }
    completions.wait(for: cases.count)
    XCTAssertTrue(completions.areSingle)
    for item in cases {
      let error = completions.error(item.name)
      XCTAssertTrue(error.map(item.check) ?? false, "\(item.name): \(String(describing: completions.result(item.name)))")
      // It says which address, and is one line.
      XCTAssertTrue("\(error.map(String.init(describing:)) ?? "")".contains("http://127.0.0.1:\(server.port)/"), item.name)
    }
    XCTAssertEqual(server.count("/circle"), 6)
  }

  func testUnusualAnswersAreTaken() throws {
    let cases: [(path: String, steps: [Server.Step], body: String)] = [
      (
        "/chunks",
        [Server.text("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-T: 1\r\n\r\n")],
        "abcde"
      ),
      ("/end", [Server.text("HTTP/1.0 200 OK\r\n\r\nuntil the end"), .close], "until the end"),
      ("/empty", [Server.answer("200 OK", [], "")], ""),
      ("/early", [Server.text("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n"), Server.answer("200 OK", [], "late")], "late"),
      ("/drip", [.drip(Array("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nslow".utf8))], "slow"),
      ("/same", [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 2\r\nContent-Length: 2\r\n\r\nok")], "ok"),
    ]
    let scripts = Dictionary(uniqueKeysWithValues: cases.map { ($0.path, $0.steps) })
    let server = try Server { scripts[$0.path] ?? [.close] }
    let transfers = try TransferLoop(.local())
    for item in cases { transfers.start(try TransferRequest(server.address(item.path)), completions.handler(item.path)) }
    completions.wait(for: cases.count)
    for item in cases {
      XCTAssertEqual(completions.answer(item.path).map { String(decoding: $0.bytes, as: UTF8.self) }, item.body, item.path)
    }
  }

  func testAServerThatDoesNotAnswerIsGivenUp() throws {
    let server = try Server { request in
      switch request.path {
      case "/hang": [.hold]
      case "/stop": [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"), .hold]
      default: [Server.text("HTTP/1.1 200 OK\r\n\r\n"), .dripForEver]
      }
    }
    // A full queue of connections that nobody accepts: the next one hangs while it connects.
    let full = try FullSocket()
    let closed = try FullSocket(closed: true)
    let transfers = try TransferLoop(.local())
    for path in ["/hang", "/stop"] {
      var request = try TransferRequest(server.address(path))
      request.stallLimit = .milliseconds(30)
      transfers.start(request, completions.handler(path))
    }
    var endless = try TransferRequest(server.address("/endless"))
    endless.durationLimit = .milliseconds(60)
    transfers.start(endless, completions.handler("/endless"))
    var unconnected = try TransferRequest("http://127.0.0.1:\(full.port)/")
    unconnected.connectLimit = .milliseconds(30)
    transfers.start(unconnected, completions.handler("full"))
    transfers.start(try TransferRequest("http://127.0.0.1:\(closed.port)/"), completions.handler("closed"))
    completions.wait(for: 5)
    for path in ["/hang", "/stop"] {
      guard case .timedOut(_, .receiving, .milliseconds(30)) = completions.error(path) else {
        return XCTFail("\(path): \(String(describing: completions.result(path)))")
      }
    }
    guard case .timedOut(_, .whole, .milliseconds(60)) = completions.error("/endless") else {
      return XCTFail("\(String(describing: completions.result("/endless")))")
    }
    guard case .timedOut(_, .connecting, .milliseconds(30)) = completions.error("full") else {
      return XCTFail("\(String(describing: completions.result("full")))")
    }
    guard case .cannotConnect = completions.error("closed") else {
      return XCTFail("\(String(describing: completions.result("closed")))")
    }
    // The connections of those that were given up are closed.
    spin { server.open == 0 }
  }

  func testTransientErrorsAreTriedAgain() throws {
    let server = try Server { request in
      switch (request.path, request.earlier) {
      case ("/busy", 0...1): [Server.answer("503 Busy", [], "")]
      case ("/cut", 0): [Server.text("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab"), .close]
      case ("/asks", 0): [Server.answer("429 Slow Down", ["Retry-After: 0"], "")]
      case ("/past", 0): [Server.answer("408 Time", ["Retry-After: Wed, 21 Oct 2015 07:28:00 GMT"], "")]
      case ("/later", _): [Server.answer("503 Busy", ["Retry-After: 100000"], "")]
      case ("/no", _): [Server.answer("404 Not Found", [], "")]
      default: [Server.answer("200 OK", [], "fine")]
      }
    }
    // No connection is kept there, on which libcurl itself would send a request again.
    let losing = try Server { request in
      request.path == "/reset" && request.earlier > 0
        ? [Server.answer("200 OK", ["Connection: close"], "fine"), .close] : [.reset]
    }
    let transfers = try TransferLoop(.local())
    for path in ["/lost", "/reset"] {
      transfers.start(try TransferRequest(losing.address(path), attempts: 4), completions.handler(path))
    }
    let expected: [(path: String, requests: Int, retries: Int, succeeds: Bool)] = [
      ("/busy", 3, 2, true), ("/cut", 2, 1, true), ("/asks", 2, 1, true), ("/past", 2, 1, true),
      ("/later", 1, 0, false), ("/no", 1, 0, false),
    ]
    for item in expected {
      transfers.start(try TransferRequest(server.address(item.path), attempts: 4), completions.handler(item.path))
    }
    completions.wait(for: expected.count + 2)
    XCTAssertEqual(losing.count("/reset"), 2)
    XCTAssertEqual(completions.answer("/reset")?.attempts, 2)
    XCTAssertEqual(losing.count("/lost"), 4)
    XCTAssertEqual(completions.retries("/lost"), 3)
    guard case .connectionLost = completions.error("/lost") else { return XCTFail("/lost") }
    for item in expected {
      XCTAssertEqual(completions.retries(item.path), item.retries, item.path)
      XCTAssertEqual(completions.answer(item.path) != nil, item.succeeds, item.path)
      XCTAssertEqual(server.count(item.path), item.requests, item.path)
      if item.succeeds { XCTAssertEqual(completions.answer(item.path)?.attempts, item.retries + 1) }
    }
    XCTAssertTrue(completions.areSingle)
    guard case .status(_, 503, retryAfter: 100_000) = completions.error("/later") else { return XCTFail("/later") }
  }

  func testEachEndsOnceHoweverItIsCancelled() throws {
    let server = try Server { _ in [.hold, Server.answer("200 OK", [], "late")] }
    let transfers = try TransferLoop(.local(limit: 2))
    let started = try (0..<6).map { number in
      transfers.start(try TransferRequest(server.address("/\(number)")), completions.handler("\(number)"))
    }
    spin { server.held == 2 }
    started[5].cancel()
    completions.wait(for: 1)
    started[0].cancel()
    completions.wait(for: 2)
    // The next one begins in its place.
    spin { server.count("/2") == 1 && server.held == 2 }
    started[0].cancel()
    server.release()
    spin { server.count("/3") == 1 }
    spin { server.held == 2 || server.count("/4") == 1 }
    transfers.close()
    completions.wait(for: 6)
    transfers.start(try TransferRequest(server.address("/6")), completions.handler("6"))
    // On this thread, as there is no other.
    XCTAssertEqual(completions.count, 7)
    for number in [0, 5, 6] { XCTAssertEqual(completions.error("\(number)"), .cancelled) }
    for number in [1, 2] { XCTAssertNotNil(completions.answer("\(number)"), "\(number)") }
    transfers.waitUntilEnded()
    spin { server.open == 0 }
    XCTAssertTrue(completions.areSingle)
  }

  /// Closing races with starting: none is lost.
  func testNoneIsLostWhileTheLoopIsClosed() throws {
    let server = try Server { _ in [Server.answer("200 OK", [], "x")] }
    for round in 0..<20 {
      let completions = Completions()
      let transfers = try TransferLoop(.local())
      let address = server.address("/")
      let go = Latch()
      let threads = try (0..<2).map { thread in
        try SystemThread(name: "starter") {
          go.wait()
          for number in 0..<50 {
            guard let request = try? TransferRequest(address) else { return }
            transfers.start(request, completions.handler("\(thread) \(number)"))
          }
        }
      }
      go.open()
      spin { round == 0 || completions.count >= round }
      transfers.close()
      for thread in threads { thread.join() }
      completions.wait(for: 100)
      XCTAssertTrue(completions.areSingle)
    }
  }

  func testTheEndOfTheObjectEndsItsTransfers() throws {
    let server = try Server { _ in [.hold] }
    var transfers: TransferLoop? = try TransferLoop(.local())
    transfers?.start(try TransferRequest(server.address("/")), completions.handler("a"))
    spin { server.held == 1 }
    transfers = nil
    completions.wait(for: 1)
    XCTAssertEqual(completions.error("a"), .cancelled)
    spin { server.open == 0 }
  }

  func testLimitsAndOrderAreKept() throws {
    let server = try Server { request in [.hold, Server.answer("200 OK", [], request.path)] }
    let transfers = try TransferLoop(.local(limit: 50, perHost: 3))
    var started: [Transfer] = []
    for number in 0..<12 {
      var request = try TransferRequest(server.address("/\(number)"))
      request.order = 100 - number
      started.append(transfers.start(request, completions.handler("/\(number)")))
      // The first ones begin as they come.
      if number < 3 { spin { server.held == number + 1 } }
    }
    // The last one waits longest, and the first that waits comes next.
    started[11].move(to: 1_000)
    started[3].move(to: -1)
    try transfers.loop.performAndWait {}
    for count in stride(from: 3, through: 12, by: 3) {
      completions.wait(for: count - 3)
      spin { server.held == 3 }
      XCTAssertEqual(server.paths.count, count)
      server.release()
    }
    completions.wait(for: 12)
    XCTAssertEqual(server.mostHeld, 3)
    XCTAssertEqual(Set(server.paths.prefix(3)), ["/0", "/1", "/2"])
    // Within three that begin together the network decides.
    XCTAssertTrue(server.paths[3..<6].contains("/3"))
    XCTAssertEqual(Set(server.paths[3..<6]), ["/3", "/10", "/9"])
    XCTAssertTrue(server.paths.suffix(3).contains("/11"))
  }

  func testMainHearsOfIt() throws {
    try MainActor.assumeIsolated {
      let server = try Server { request in [Server.answer("200 OK", [], String(repeating: "x", count: 100_000))] }
      let transfers = try TransferLoop(.local())
      var ended: [String] = []
      for number in 0..<100 {
        var request = try TransferRequest(server.address("/\(number)"))
        request.progressStep = 10_000
        transfers.start(
          request,
          .onMain { transfer, event in
            guard case .finished(let result) = event else { return }
            XCTAssertEqual(try? result.get().bytes.count, 100_000)
            ended.append(transfer.address.text)
            if ended.count == 100 { FrameLoop.main.stop() }
          })
      }
      // The main loop sleeps until something has come for it.
      XCTAssertEqual(FrameLoop.main.run(mode: .default, until: SystemClock.monotonic.now + .seconds(60)), .stopped)
      XCTAssertEqual(Set(ended).count, 100)
    }
  }
}

/// A socket on the loopback to which nobody can connect.
private final class FullSocket {
  let port: UInt16
  private var sockets: [Int32] = []

  /// - Parameter closed: true for a port on which nobody listens.
  init(closed: Bool = false) throws {
    var name = sockaddr_in()
    name.sin_family = sa_family_t(AF_INET)
    name.sin_addr.s_addr = UInt32(INADDR_LOOPBACK).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    func withName<Result>(_ body: (UnsafeMutablePointer<sockaddr>) -> Result) -> Result? {
      withUnsafeMutableBytes(of: &name) { $0.baseAddress.map { body($0.assumingMemoryBound(to: sockaddr.self)) } }
    }
    let number = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    sockets.append(number)
    guard withName({ bind(number, $0, size) }) == 0, withName({ getsockname(number, $0, &size) }) == 0 else {
      throw SystemError.last(call: "bind")
    }
    port = UInt16(bigEndian: name.sin_port)
    if closed { return }
    listen(number, 0)
    for _ in 0..<4 {
      let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
      sockets.append(client)
      _ = withName { connect(client, $0, size) }
    }
  }

  deinit { for number in sockets { close(number) } }
}
