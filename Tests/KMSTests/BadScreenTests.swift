import FrameTiming
import FramepaceTesting
import Geometry
import Glibc
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import XCTest

@testable import KMS

/// Screens that promise what the driver does not take, or say nothing of use; and drivers that refuse.
final class BadScreenTests: XCTestCase {
  private static let modes: [DisplayMode] = [
    .simulated(64, 48, isPreferred: true), .simulated(32, 24, hertz: 75), .simulated(40, 30), .simulated(40, 30, hertz: 50),
  ]

  /// The preferred mode takes more than the driver can do: the next best is shown, and said. It stays when somebody asks.
  func testARefusedModeIsReplacedByTheNextBest() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(connectors: [.init("DP-1", modes: Self.modes)], showsConsole: false, isAtomic: isAtomic)
        let before = stage.card.screens
        stage.card.refuseModes(["64x48@60.00", "40x30@60.00"])
        let card = KMSCard(
          device: try stage.card.open(),
          access: CardAccess(open: { () throws(KMSError) in throw .noDevice }, hearsEvents: true))
        let display = try card.display(clock: stage.loop.clock)
        display.add(to: stage.loop, mode: .default)
        XCTAssertEqual(display.mode.description, "40x30@50.00")
        let call = isAtomic ? "drmModeAtomicCommit mode-set" : "drmModeSetCrtc CRTC 31"
        XCTAssertEqual(
          display.reason,
          "vblank events of simulated; instead of DP-1 64x48@60.00: \(call): Invalid argument (22); the driver does not take "
            + "this mode, or the screen is off")
        XCTAssertNotNil(try stage.show(7, in: IntRect(x: 0, y: 0, width: 40, height: 30), on: display))
        XCTAssertTrue(stage.card.screens.contains("40x30@50.00"), stage.card.screens)

        var states: [DisplayState] = []
        display.observe { if case .stateChanged(let state) = $0 { states.append(state) } }.keep()
        card.tell(.hotplug)
        stage.run(for: .seconds(1))
        XCTAssertEqual(states, [])
        // Once it is plugged in anew it is tried again, and takes what it can.
        stage.card.setConnected(false, "DP-1")
        card.tell(.hotplug)
        stage.card.refuseModes(["64x48@60.00"])
        stage.card.setConnected(true, "DP-1")
        card.tell(.hotplug)
        XCTAssertEqual(states, [.waiting(.unplugged), .showing])
        XCTAssertEqual(display.mode.description, "40x30@60.00")
        stage.card.refuseModes([])
        display.invalidate()
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// Who asks for a mode gets that or none. Where the driver takes none, the best one is named.
  func testARefusalNamesConnectorModeAndNumber() throws {
    try onMain {
      let stage = CardStage(connectors: [.init("DP-1", modes: Self.modes)], showsConsole: false)
      let all = Set(Self.modes.map(\.description))
      for (refused, request, mode) in [
        (["32x24@75.00"], ModeRequest(width: 32, height: 24), "32x24@75.00"), (all, nil, "64x48@60.00"),
      ] as [(Set<String>, ModeRequest?, String)] {
        stage.card.refuseModes(refused)
        XCTAssertThrowsError(try stage.open().display(mode: request, clock: stage.loop.clock)) { error in
          let reason = SystemError(call: "drmModeAtomicCommit", subject: "mode-set", errno: EINVAL)
          XCTAssertEqual(error as? KMSError, .refused(connector: "DP-1", mode: mode, reason))
        }
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
        XCTAssertFalse(stage.card.hasMaster)
      }
    }
  }

  /// A screen of which nothing can be used, and one beside it.
  func testAnotherScreenIsTakenWhereTheFirstIsOfNoUse() throws {
    try onMain {
      let broken: [[DisplayMode]] = [[], [.mode(64, 48, clock: 0)], [.simulated(9000, 48)]]
      for modes in broken {
        let good = SimulatedCard.Connector("DP-2", modes: [.simulated(64, 48)])
        let stage = CardStage(connectors: [.init("DP-1", modes: modes, edid: [1, 2, 3]), good], showsConsole: false)
        let display = try stage.openDisplay()
        XCTAssertEqual(display.connectorName, "DP-2")
        XCTAssertEqual(
          display.reason,
          "vblank events of simulated; instead of DP-1 reports no usable mode: check cable and EDID")
        display.invalidate()
        XCTAssertThrowsError(try stage.openDisplay("DP-1")) { XCTAssertEqual($0 as? KMSError, .noMode(connector: "DP-1")) }
        let alone = CardStage(connectors: [.init("DP-1", modes: modes)], showsConsole: false)
        XCTAssertThrowsError(try alone.openDisplay()) { XCTAssertEqual($0 as? KMSError, .noMode(connector: "DP-1")) }
        XCTAssertEqual(try alone.card.open().report().problem, .noMode(connector: "DP-1"))
        // What is too large for the card's buffers is not to be had by its name either.
        if modes.first?.width != 9000 { continue }
        XCTAssertThrowsError(try alone.open().display(mode: ModeRequest(width: 9000, height: 48))) {
          let missing = "framebuffer as large as 9000x48 (8192x8192 at most)"
          XCTAssertEqual($0 as? KMSError, .noPipe(connector: "DP-1", missing: missing))
        }
      }
    }
  }

  /// The first picture is refused: it is told with connector, mode and number, and what passes is tried again.
  func testAFirstPictureThatIsRefusedIsTriedAgain() throws {
    try onMain {
      for (number, advice) in [
        (EBUSY, "a flip is pending or the screen is off"),
        (ENOSPC, "the card has no room or bandwidth left for this mode: a smaller or slower one may do"),
        (EINVAL, "the driver does not take this mode, or the screen is off"),
        (EACCES, "another program has become master of the card"),
      ] {
        let stage = CardStage()
        let display = try stage.openDisplay()
        stage.card.fail(next: .commit, errno: number)
        let all = IntRect(x: 0, y: 0, width: 64, height: 48)
        XCTAssertThrowsError(try stage.show(1, in: all, on: display)) { error in
          let words = SystemError(call: "drmModeAtomicCommit", subject: "mode-set", errno: number)
          let isGone = number == EACCES ? " is gone" : ""
          XCTAssertEqual("\(error)", "HDMI-A-1 64x48@60.00\(isGone): \(words); \(advice)")
        }
        XCTAssertNotEqual(display.state, .showing)
        stage.run(for: .seconds(1))
        XCTAssertEqual(display.state, .showing, "errno \(number)")
        XCTAssertNotNil(try stage.show(1, in: all, on: display))
        display.invalidate()
      }
    }
  }
}
