import LinuxSystem
import RunLoops
import XCTest

@testable import Seats

/// A session on a seat that sends the test's events. These are XCTests because a loop of the main thread must run there.
@preconcurrency @MainActor final class SeatSessionTests: XCTestCase {
  @MainActor
  private final class Stage {
    let loop = FrameLoop(clock: .manual(ManualClock()))
    let seat: FakeSeat
    let session: SeatSession

    init() throws {
      seat = try FakeSeat()
      session = SeatSession(provider: seat, reason: "a test")
      // A mode without any other item, not even the main queue.
      session.add(to: loop, mode: "seats")
    }

    /// Records the observer's calls in the same log as the seat's requests.
    func observe(_ name: String) -> SeatSession.Observer {
      let observer = SeatSession.Observer { [seat] in seat.log.append("\(name) \($0.state)") }
      session.add(observer)
      return observer
    }

    /// Runs one pass, which serves a ready descriptor once.
    @discardableResult
    func turn() -> FrameLoop.RunResult { loop.run(mode: "seats", until: loop.clock.now, returnAfterSourceHandled: true) }
  }

  private func onMain(_ body: @MainActor (Stage) throws -> Void) throws {
    try MainActor.assumeIsolated {
      let stage = try Stage()
      try body(stage)
      stage.session.close()
    }
  }

  /// libseat opens a builtin seat even if its user has no right to the consoles.
  func testABuiltinSeatThatIsNotGivenIsNoSeat() throws {
    let console = "/nowhere/tty0"
    for (console, limit, isDead, error) in [
      (console, .seconds(1), false, SystemError(call: "open", subject: console, errno: ENOENT)),
      // The console can be opened, but no event comes.
      ("/dev/null", .milliseconds(1), false, SystemError(call: "libseat_open_seat", errno: ETIMEDOUT)),
      // The child process ends: the session does not wait.
      ("/dev/null", .seconds(3600), true, SystemError(call: "fake", errno: ECONNRESET)),
    ] as [(String, Nanoseconds, Bool, SystemError)] {
      let stage = try Stage()
      if isDead { stage.seat.hangUp() }
      XCTAssertThrowsError(try stage.session.requireBuiltinSeat(console: console, within: limit)) {
        let reason = "the builtin seat needs the right to this machine's consoles: \(error)"
        XCTAssertEqual($0 as? SeatError, .noSeat(error, reasons: [reason]))
      }
      XCTAssertEqual(stage.session.state, .gone)
      XCTAssertEqual(stage.seat.log, ["closed"])
    }

    // The event has come already: the console is not opened.
    let given = try Stage()
    given.seat.send(.enable)
    try given.session.requireBuiltinSeat(console: console)
    XCTAssertEqual(given.session.state, .active)
    XCTAssertEqual(given.seat.log, [])
    given.session.close()
  }

  func testAwayAndBack() throws {
    try onMain { stage in
      _ = stage.observe("screen")
      _ = stage.observe("input")
      XCTAssertEqual(stage.session.state, .inactive)
      stage.seat.send(.enable)
      stage.turn()
      stage.seat.send(.disable)
      stage.turn()
      XCTAssertEqual(stage.session.state, .inactive)
      stage.seat.send(.enable)
      stage.turn()
      XCTAssertEqual(
        stage.seat.log,
        [
          "screen active", "input active", "input disabling", "screen disabling", "acknowledged", "input inactive",
          "screen inactive", "screen active", "input active",
        ])
      XCTAssertEqual(stage.turn(), .timedOut)
    }
  }

  /// A switch away and back whose events are read at once.
  func testAwayAndBackAtOnce() throws {
    try onMain { stage in
      let observer = stage.observe("screen")
      stage.seat.send(.enable, .disable, .enable)
      stage.turn()
      XCTAssertEqual(
        stage.seat.log, ["screen active", "screen disabling", "acknowledged", "screen inactive", "screen active"])
      stage.session.remove(observer)
      stage.seat.send(.disable)
      stage.turn()
      XCTAssertEqual(stage.seat.log.last, "acknowledged")
    }
  }

  func testDevicesAreOpenedOnlyWhileActive() throws {
    try onMain { stage in
      XCTAssertThrowsError(try stage.session.openDevice(at: "/dev/dri/card0")) {
        XCTAssertEqual($0 as? SeatError, .inactive(path: "/dev/dri/card0"))
      }
      XCTAssertThrowsError(try stage.session.switchSession(to: 2))
      stage.seat.send(.enable)
      stage.turn()
      let device = try stage.session.openDevice(at: "/dev/dri/card0")
      try stage.session.switchSession(to: 2)
      XCTAssertThrowsError(try stage.session.switchSession(to: 0))
      stage.seat.send(.disable)
      stage.turn()
      stage.session.closeDevice(device)
      XCTAssertEqual(stage.seat.log, ["open /dev/dri/card0", "switch to 2", "acknowledged", "close /dev/dri/card0"])
    }
  }

  /// Events that arrive with an answer do not make the descriptor ready: the session checks for them by itself.
  func testEventsThatComeWithAnAnswer() throws {
    try onMain { stage in
      stage.seat.send(.enable)
      stage.turn()
      stage.seat.whileOpening = { stage.seat.send(.disable, waking: false) }
      let device = try stage.session.openDevice(at: "/dev/dri/card0")
      XCTAssertEqual(stage.session.state, .active)
      stage.turn()
      XCTAssertEqual(stage.session.state, .inactive)

      stage.seat.whileOpening = nil
      stage.seat.send(.enable, waking: false)
      stage.session.closeDevice(device)
      stage.turn()
      XCTAssertEqual(stage.session.state, .active)
    }
  }

  func testALostSeatIsToldOnceAndLeavesNothingInTheLoop() throws {
    try onMain { stage in
      _ = stage.observe("screen")
      stage.seat.send(.enable)
      stage.turn()
      stage.seat.hangUp()
      stage.turn()
      XCTAssertEqual(stage.session.state, .gone)
      XCTAssertEqual(stage.session.error, .lost(SystemError(call: "fake", errno: ECONNRESET)))
      XCTAssertEqual(stage.seat.log, ["screen active", "screen gone", "closed"])
      XCTAssertEqual(stage.turn(), .finished)
      XCTAssertThrowsError(try stage.session.openDevice(at: "/dev/dri/card0"))
      stage.session.close()
      stage.session.processEvents()
      XCTAssertEqual(stage.seat.log.count, 3)
    }
  }

  func testAnAcknowledgementThatFailsLosesTheSeat() throws {
    try onMain { stage in
      _ = stage.observe("screen")
      stage.seat.send(.enable)
      stage.turn()
      stage.seat.failure = .lost(SystemError(call: "fake", errno: EPIPE))
      stage.seat.send(.disable, .enable)
      stage.turn()
      XCTAssertEqual(stage.session.error, stage.seat.failure)
      XCTAssertEqual(
        stage.seat.log, ["screen active", "screen disabling", "acknowledged", "screen gone", "closed"])
    }
  }

  /// Observers may open and close devices, remove observers, close the session and process events.
  func testObserversMayUseTheSession() throws {
    try onMain { stage in
      let last = stage.observe("last")
      var device: SeatDevice?
      stage.session.add(
        SeatSession.Observer { session in
          session.processEvents()
          switch session.state {
          case .active: device = try? session.openDevice(at: "/dev/dri/card0")
          case .disabling: session.remove(last)
          case .gone: if let device { session.closeDevice(device) }
          case .inactive: session.close()
          }
        })
      stage.seat.send(.enable, .disable, .enable)
      stage.turn()
      XCTAssertEqual(stage.session.state, .gone)
      XCTAssertNil(stage.session.error)
      XCTAssertEqual(
        stage.seat.log, ["last active", "open /dev/dri/card0", "acknowledged", "close /dev/dri/card0", "closed"])
    }
  }

  func testASessionThatNobodyKeepsClosesItsSeat() throws {
    let seat = try FakeSeat()
    var session: SeatSession? = SeatSession(provider: seat, reason: "a test")
    session?.add(SeatSession.Observer { seat.log.append("\($0.state)") })
    session?.add(to: .main, mode: "unused")
    session = nil
    XCTAssertEqual(seat.log, ["closed"])
  }

  func testWaitingUntilActive() throws {
    try onMain { stage in
      XCTAssertFalse(stage.session.waitUntilActive(for: .zero))
      stage.seat.send(.enable)
      XCTAssertTrue(stage.session.waitUntilActive(for: .seconds(60)))
      stage.seat.send(.disable)
      stage.turn()
      stage.seat.hangUp()
      XCTAssertFalse(stage.session.waitUntilActive(for: .seconds(60)))
      XCTAssertEqual(stage.session.state, .gone)
    }
  }

  // MARK: Without a seat

  func testDirect() throws {
    let session = SeatSession.direct(why: "a test")
    XCTAssertEqual(session.state, .active)
    XCTAssertTrue(session.waitUntilActive(for: .zero))
    XCTAssertEqual(session.reason, "devices opened directly: a test")
    let device = try session.openDevice(at: "/dev/null")
    XCTAssertEqual(fcntl(device.descriptor, F_GETFD), FD_CLOEXEC)
    XCTAssertEqual(fcntl(device.descriptor, F_GETFL) & (O_ACCMODE | O_NONBLOCK), O_RDWR | O_NONBLOCK)
    XCTAssertThrowsError(try session.openDevice(at: "/nowhere")) {
      XCTAssertEqual("\($0)", "/nowhere: open: No such file or directory (2)")
    }
    XCTAssertThrowsError(try session.switchSession(to: 2))
    let other = try session.openDevice(at: "/dev/null")
    session.closeDevice(device)
    XCTAssertEqual(fcntl(device.descriptor, F_GETFD), -1)
    session.close()
    XCTAssertEqual(fcntl(other.descriptor, F_GETFD), -1)
  }
}
