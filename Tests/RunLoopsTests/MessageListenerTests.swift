import Glibc
import LinuxSystem
import LoopTestSupport
import RunLoops
import Testing
import XCTest

@testable import MessagePorts

@Suite struct MessageListenerTests {
  @Test func processesConnectThroughAPath() throws {
    let path = "/tmp/framepace-messages-\(getpid())"
    let thread = try LoopThread(name: "server")
    let sockets = Box<[MessageSocket]>([])
    let listener = try MessageListener(path: path, .onLoop { _, socket in sockets.value.append(socket) })
    thread.loop.add(listener, to: .common)
    #expect(thread.loop.contains(listener, in: .default))
    #expect(throws: SystemError.self) { try MessageListener(path: path, .onLoop { _, _ in }) }
    let children = try (0..<3).map { _ in try ChildProcess(["echo", path]) }
    spin { sockets.value.count == 3 }
    let answers = Box<[MessagePort.Event]>([])
    let ports = sockets.value.map { MessagePort($0, .onLoop { _, event in answers.value.append(event) }) }
    sockets.value = []
    for (index, port) in ports.enumerated() {
      thread.loop.add(port, to: .default)
      try port.send([UInt8(index), 9])
    }
    spin { answers.value.count == 3 }
    #expect(Set(answers.value.map { "\($0)" }) == Set((0..<3).map { "message([9, \($0)])" }))
    listener.invalidate()
    #expect(access(path, F_OK) != 0 && !listener.isValid)
    #expect(throws: SystemError.self) { try MessageSocket(connectingTo: path) }
    for port in ports { port.invalidate() }
    for child in children { #expect(child.wait() == 0) }
  }

  /// A client that was not accepted yet finds its connection ended.
  @Test func aListenersEndEndsThoseThatWaitForIt() throws {
    let scenario = Scenario()
    let path = "/tmp/framepace-backlog-\(getpid())"
    let listener = try MessageListener(path: path, .onLoop { _, _ in })
    let events = Box<[MessagePort.Event]>([])
    let client = MessagePort(try MessageSocket(connectingTo: path), .onLoop { _, event in events.value.append(event) })
    scenario.loop.add(client, to: .default)
    listener.invalidate()
    // A child that another test is starting has the listener's socket until it runs its program.
    spin {
      scenario.run(until: 0)
      return !events.value.isEmpty
    }
    #expect(events.value == [.ended(nil)])
    #expect(!listener.isValid && access(path, F_OK) != 0)
  }

  @Test func aListenerRemovesItsOwnPathOnly() throws {
    let path = "/tmp/framepace-successor-\(getpid())"
    let first = try MessageListener(path: path, .onLoop { _, _ in })
    unlink(path)
    let successor = try MessageListener(path: path, .onLoop { _, _ in })
    first.invalidate()
    #expect(access(path, F_OK) == 0)
    _ = try MessageSocket(connectingTo: path)
    successor.invalidate()
    #expect(access(path, F_OK) != 0)
  }

  @Test func connectingDoesNotWaitForAListenerThatIsBusy() throws {
    let path = "/tmp/framepace-busy-\(getpid())"
    let listener = try MessageListener(path: path, .onLoop { _, _ in })
    defer { listener.invalidate() }
    // The kernel lets one connection more wait than the backlog says.
    #expect(listen(listener.source.descriptor, 0) == 0)
    let first = try MessageSocket(connectingTo: path)
    #expect(throws: SystemError(call: "connect", subject: path, errno: EAGAIN)) { try MessageSocket(connectingTo: path) }
    // The socket blocks again, like others.
    #expect(fcntl(first.descriptor, F_GETFL) & O_NONBLOCK == 0)
  }

  @Test func pathsThatCannotBeAreErrors() {
    for path in ["", String(repeating: "x", count: 108), "/nowhere/at/all"] {
      #expect(throws: SystemError.self) { try MessageListener(path: path, .onLoop { _, _ in }) }
      #expect(throws: SystemError.self) { try MessageSocket(connectingTo: path) }
    }
  }
}

/// An XCTest test, as no other runs beside it: it takes the process's descriptors away.
final class MessageListenerLimitTests: XCTestCase {
  func testAConnectionIsRefusedWhenNoDescriptorIsLeft() throws {
    let scenario = Scenario()
    let accepted = Box(0)
    let path = "/tmp/framepace-limit-\(getpid())"
    let listener = try MessageListener(path: path, .onLoop { _, _ in accepted.value += 1 })
    scenario.loop.add(listener, to: .default)
    XCTAssertEqual(scenario.loop.run(mode: .default, until: .zero), .timedOut)

    let client = try OwnedDescriptor.messageSocket()
    let descriptors = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    var limit = rlimit()
    getrlimit(descriptors, &limit)
    // The lowest number that is free, above which nothing is to be had.
    let next = dup(client.number)
    close(next)
    var none = limit
    none.rlim_cur = rlim_t(next)
    setrlimit(descriptors, &none)
    defer { setrlimit(descriptors, &limit) }

    XCTAssertEqual(try withSocketAddress(path) { connect(client.number, $0, $1) }, 0)
    XCTAssertEqual(
      scenario.loop.run(mode: .default, until: .zero, returnAfterSourceHandled: true), .handledSource)
    // It does not keep the loop busy, and finds its connection ended.
    XCTAssertEqual(scenario.loop.run(mode: .default, until: .zero, returnAfterSourceHandled: true), .timedOut)
    var byte: UInt8 = 0
    XCTAssertEqual(recv(client.number, &byte, 1, Int32(MSG_DONTWAIT)), 0)

    setrlimit(descriptors, &limit)
    let second = try OwnedDescriptor.messageSocket()
    XCTAssertEqual(try withSocketAddress(path) { connect(second.number, $0, $1) }, 0)
    XCTAssertEqual(
      scenario.loop.run(mode: .default, until: .zero, returnAfterSourceHandled: true), .handledSource)
    XCTAssertEqual(accepted.value, 1)
    listener.invalidate()
  }
}
