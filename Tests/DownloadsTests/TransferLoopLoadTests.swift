import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops
import Synchronization
import TestLength
import XCTest

@testable import Downloads

/// Many transfers at a time, and answers that nobody would write.
final class TransferLoopLoadTests: XCTestCase {
  private typealias Server = ScriptedServer
  private let completions = Completions()

  func testAThousandAtOnce() throws {
    try allowDescriptors(4_000)
    let server = try Server { request in
      [.hold, Server.answer("200 OK", [], String(repeating: request.path, count: 1_000))]
    }
    let transfers = try TransferLoop(.local(limit: 1_000, perHost: 1_000))
    for number in 0..<1_000 {
      transfers.start(try TransferRequest(server.address("/\(number)")), completions.handler("/\(number)"))
    }
    spin { server.held == 1_000 }
    server.release()
    completions.wait(for: 1_000)
    XCTAssertTrue(completions.areSingle)
    for number in 0..<1_000 {
      let expected = Array(String(repeating: "/\(number)", count: 1_000).utf8)
      XCTAssertEqual(completions.answer("/\(number)")?.bytes, expected, "\(number)")
    }
    XCTAssertEqual(server.mostHeld, 1_000)
  }

  /// A thousand connections that are kept and a thousand whose answer does not come.
  func testSocketsThatRestWakeNobody() throws {
    try allowDescriptors(6_000)
    let server = try Server { request in
      request.path == "/hang" ? [.hold, Server.answer("200 OK", [], "x")] : [.hold, Server.answer("200 OK", [], "y")]
    }
    var configuration = TransferConfiguration.local(limit: 2_000, perHost: 2_000)
    configuration.idleConnections = 4_000
    let transfers = try TransferLoop(configuration)
    for number in 0..<1_000 {
      transfers.start(try TransferRequest(server.address("/idle")), completions.handler("idle \(number)"))
    }
    spin { server.held == 1_000 }
    server.release()
    completions.wait(for: 1_000)
    // New ones must be connections of their own: a thousand hang while the others stay.
    for number in 0..<2_000 {
      var request = try TransferRequest(server.address("/hang"))
      request.stallLimit = .seconds(2_000)
      request.durationLimit = .seconds(3_000)
      transfers.start(request, completions.handler("hang \(number)"))
    }
    spin { server.held == 2_000 }
    XCTAssertEqual(server.made, 2_000)
    XCTAssertEqual(server.open, 2_000)

    let wakeUps = Atomic(0)
    let observer = FrameLoop.Observer(
      [.afterWaiting], .onLoop { _, _ in wakeUps.add(1, ordering: .relaxed) })
    transfers.loop.add(observer, to: .default)
    try transfers.loop.performAndWait {}
    spin { transfers.loop.isWaiting }
    // Once libcurl's own timers for new connections are over, nothing is left to be done before the first limit of time.
    spin {
      transfers.loop.nextTimerFireTime(in: .default).map { $0 - transfers.loop.clock.now > .seconds(1_000) } ?? false
    }
    let before = wakeUps.load(ordering: .relaxed)
    MainActor.assumeIsolated {
      let pause = FrameLoop.Timer(
        fireTime: FrameLoop.main.clock.now + .milliseconds(100), .onMain { _ in FrameLoop.main.stop() })
      FrameLoop.main.add(pause, to: .default)
      FrameLoop.main.run()
    }
    XCTAssertEqual(wakeUps.load(ordering: .relaxed), before)
    observer.invalidate()
    server.release()
    completions.wait(for: 3_000)
    XCTAssertTrue(completions.areSingle)
  }

  /// Answers with random damage: each request ends once, and the loop lives.
  func testDamagedAnswersEndOnce() throws {
    let count = isLongRun ? 20_000 : 600
    let seed = UInt64(runSeed)
    let server = try Server { request in
      Self.damagedAnswer(seed: seed, UInt64(request.path.dropFirst()) ?? 0)
    }
    let transfers = try TransferLoop(.local(limit: 32, perHost: 32))
    for number in 0..<count {
      var request = try TransferRequest(server.address("/\(number)"), attempts: 1 + number % 2)
      request.sizeLimit = 50_000
      request.progressStep = 1
      transfers.start(request, completions.handler("\(number)"))
    }
    // Each twentieth has its own limit of time: the sanitizer takes minutes for all of a long run.
    for part in stride(from: 0, through: count, by: count / 20) { completions.wait(for: part) }
    XCTAssertTrue(completions.areSingle)
    let good = (0..<count).count { completions.answer("\($0)") != nil }
    XCTAssertTrue((count / 50..<count).contains(good), "\(good) of \(count) were taken")
    // It still works.
    let fine = try Server { _ in [Server.answer("200 OK", [], "fine")] }
    transfers.start(try TransferRequest(fine.address("/")), completions.handler("fine"))
    completions.wait(for: count + 1)
    XCTAssertEqual(completions.answer("fine")?.bytes, Array("fine".utf8))
  }

  /// Older versions of libcurl read freed memory here, if a handle is used twice.
  func testAFoldedLineAtTheBeginningIsRefused() throws {
    let server = try Server { request in
      let field = request.earlier == 0 ? "X-Long: \(String(repeating: "x", count: 200))" : " folded"
      return [Server.text("HTTP/1.1 200 OK\r\n\(field)\r\nContent-Length: 2\r\n\r\nok")]
    }
    let transfers = try TransferLoop(.local(limit: 1))
    for number in 0..<20 {
      transfers.start(try TransferRequest(server.address("/")), completions.handler("\(number)"))
      completions.wait(for: number + 1)
      guard number > 0 else { continue }
      guard case .malformed? = completions.error("\(number)") else {
        return XCTFail("\(String(describing: completions.result("\(number)")))")
      }
    }
  }

  private static func damagedAnswer(seed: UInt64, _ number: UInt64) -> [Server.Step] {
    var random = SplitMix64(seed: SplitMix64.hash(seed: seed, index: number))
    let body = String(repeating: "b", count: Int.random(in: 0...3_000, using: &random))
    var bytes: [UInt8]
    switch Int.random(in: 0..<4, using: &random) {
    case 0:
      bytes = Array(
        "HTTP/1.1 200 OK\r\nContent-Type: image/png\r\nContent-Length: \(body.count)\r\nETag: \"x\"\r\n\r\n\(body)".utf8)
    case 1:
      bytes = Array(
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(body.count, radix: 16))\r\n\(body)\r\n0\r\n\r\n".utf8)
    case 2: bytes = Array("HTTP/1.1 302 Found\r\nLocation: /\(number)\r\nContent-Length: 0\r\n\r\n".utf8)
    default: bytes = Array("HTTP/1.1 503 Busy\r\nRetry-After: 0\r\nContent-Length: 2\r\n\r\nno".utf8)
    }
    // Most of the damage is to the head.
    for _ in 0..<Int.random(in: 0...3, using: &random) where !bytes.isEmpty {
      let reach = random.chance(0.7) ? min(bytes.count, 90) : bytes.count
      let place = Int.random(in: 0..<reach, using: &random)
      switch Int.random(in: 0..<4, using: &random) {
      case 0: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 1: bytes.remove(at: place)
      case 2: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
      default: bytes.removeSubrange(place..<min(place + Int.random(in: 1...40, using: &random), bytes.count))
      }
    }
    return [.send(bytes), random.chance(0.3) ? .reset : .close]
  }

  private func allowDescriptors(_ count: Int) throws {
    var limit = rlimit()
    getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    guard limit.rlim_cur < count else { return }
    if limit.rlim_max < count {
      throw XCTSkip("the system allows \(limit.rlim_max) descriptors, and the test needs \(count)")
    }
    limit.rlim_cur = rlim_t(count)
    setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
  }
}
