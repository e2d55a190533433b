import Glibc
import LinuxSystem
import XCTest

@testable import MessagePorts
import RunLoops

/// An XCTest test has the process to itself: this one takes its descriptors away.
final class MessageListenerLimitTests: XCTestCase {
  func testWhoConnectsWhenNoDescriptorIsLeftIsTurnedAway() throws {
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
