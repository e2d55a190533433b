import LinuxSystem
import RunLoops
import XCTest

@testable import Seats

/// Sessions of a real seatd without consoles. Its sessions are numbered from 0, and one waits for the other.
final class SeatDaemonTests: XCTestCase {
  /// libseat reads the environment when it opens a seat.
  private func withEnvironment(socket: String, _ body: @MainActor () throws -> Void) rethrows {
    setenv("LIBSEAT_BACKEND", "seatd", 1)
    setenv("SEATD_SOCK", socket, 1)
    defer {
      unsetenv("LIBSEAT_BACKEND")
      unsetenv("SEATD_SOCK")
    }
    try MainActor.assumeIsolated(body)
  }

  private func withDaemon(_ body: @MainActor (SeatDaemon) throws -> Void) throws {
    let daemon = try MainActor.assumeIsolated { try SeatDaemon() }
    defer { MainActor.assumeIsolated { daemon.stop() } }
    try withEnvironment(socket: MainActor.assumeIsolated { daemon.socket }) { try body(daemon) }
  }

  func testASession() throws {
    try withDaemon { _ in
      let session = try SeatSession.libseat()
      defer { session.close() }
      XCTAssertEqual(session.seatName, "seat0")
      XCTAssertEqual(session.reason, "seat0 of seatd, by libseat")
      XCTAssertTrue(session.waitUntilActive(for: .seconds(20)))
      // seatd opens neither a device that it does not manage nor one that is missing.
      for path in ["/dev/null", "/dev/dri/no-such-card"] {
        XCTAssertThrowsError(try session.openDevice(at: path)) {
          XCTAssertEqual(
            "\($0)",
            "\(path): libseat_open_device: No such file or directory (2); a seat hands out what exists below /dev/dri "
              + "and /dev/input, and nothing else")
        }
      }
      XCTAssertEqual(session.state, .active)
    }
  }

  func testAnotherSessionWaitsUntilItIsSwitchedTo() throws {
    try withDaemon { _ in
      let first = SeatSession.automatic()
      first.add(to: .main, mode: "seats")
      follow(until: .active, first)
      let second = SeatSession.automatic()
      second.add(to: .main, mode: "seats")
      defer { second.close() }
      XCTAssertFalse(second.waitUntilActive(for: .zero))

      var seen: [SessionState] = []
      first.add(
        SeatSession.Observer { session in
          seen.append(session.state)
          // The second session must wait for this session's answer.
          if session.state == .disabling { XCTAssertEqual(second.state, .inactive) }
        })
      try first.switchSession(to: 1)
      follow(until: .active, second)
      XCTAssertEqual(seen, [.disabling, .inactive])
      XCTAssertThrowsError(try first.openDevice(at: "/dev/dri/card0"))

      second.close()
      follow(until: .active, first)
      XCTAssertEqual(seen, [.disabling, .inactive, .active])
      first.close()
    }
  }

  /// The loop notices the loss, or the opening of a device does.
  func testADaemonThatEnds() throws {
    for opensDevice in [false, true] {
      try withDaemon { daemon in
        let session = try SeatSession.libseat()
        session.add(to: .main, mode: "seats")
        follow(until: .active, session)
        daemon.stop()
        if opensDevice { XCTAssertThrowsError(try session.openDevice(at: "/dev/dri/card0")) }
        follow(until: .gone, session)
        guard case .lost = session.error else { return XCTFail("\(String(describing: session.error))") }
        XCTAssertThrowsError(try session.openDevice(at: "/dev/dri/card0"))
        XCTAssertEqual(FrameLoop.main.run(mode: "seats"), .finished)
      }
    }
  }

  func testNoDaemon() throws {
    withEnvironment(socket: "/nowhere/socket") {
      let session = SeatSession.automatic()
      defer { session.close() }
      XCTAssertEqual(session.state, .active)
      XCTAssertEqual(
        session.reason,
        "devices opened directly: no seat (Could not connect to socket /nowhere/socket: No such file or directory; "
          + "Backend 'seatd' failed to open seat: No such file or directory): log in on this machine's own console with "
          + "logind, or start seatd and belong to the group of its socket")
    }
  }
}

/// Runs the main loop until the session is in `state`. The limit only serves a failing test.
@MainActor
private func follow(until state: SessionState, _ session: SeatSession, line: UInt = #line) {
  let limit = FrameLoop.main.clock.now + .seconds(20)
  while session.state != state, FrameLoop.main.clock.now < limit {
    FrameLoop.main.run(mode: "seats", until: limit, returnAfterSourceHandled: true)
  }
  XCTAssertEqual(session.state, state, line: line)
}
