import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// Screens whose modes the driver does not take or that list nothing of use, failing links, and drivers that refuse.
@preconcurrency @MainActor final class BadScreenTests: XCTestCase {
  private static let modes: [DisplayMode] = [
    .simulated(64, 48, isPreferred: true), .simulated(32, 24, hertz: 75), .simulated(40, 30), .simulated(40, 30, hertz: 50),
  ]

  /// The driver cannot do the preferred mode: the next best is used, named in the reason, and kept at a probe.
  func testARefusedModeIsReplacedByTheNextBest() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(connectors: [.init("DP-1", modes: Self.modes)], showsConsole: false, isAtomic: isAtomic)
      stage.card.refuseModes(["64x48@60.00", "40x30@60.00"])
      let card = try stage.open(hearsEvents: true)
      let display = try card.display(clock: stage.loop.clock)
      display.add(to: stage.loop, mode: .default)
      XCTAssertEqual(display.mode.description, "40x30@50.00")
      XCTAssertTrue(display.reason.contains("instead of DP-1 64x48@60.00: "), display.reason)
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
      stage.expectNothingLeft()
    }
  }

  /// A requested mode is used or refused. If the driver takes no mode, the error names the best one.
  func testARefusalNamesConnectorModeAndNumber() throws {
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

  /// A screen without a usable mode, and another one.
  func testAnotherScreenIsTakenWhereTheFirstIsOfNoUse() throws {
    let broken: [[DisplayMode]] = [[], [.mode(64, 48, clock: 0)], [.simulated(9000, 48)]]
    for modes in broken {
      let good = SimulatedCard.Connector("DP-2", modes: [.simulated(64, 48)])
      let stage = CardStage(connectors: [.init("DP-1", modes: modes, edid: [1, 2, 3]), good], showsConsole: false)
      let display = try stage.openDisplay()
      XCTAssertEqual(display.connectorName, "DP-2")
      XCTAssertTrue(display.reason.contains("instead of DP-1 "), display.reason)
      display.invalidate()
      XCTAssertThrowsError(try stage.openDisplay("DP-1")) { XCTAssertEqual($0 as? KMSError, .noMode(connector: "DP-1")) }
      let alone = CardStage(connectors: [.init("DP-1", modes: modes)], showsConsole: false)
      XCTAssertThrowsError(try alone.openDisplay()) { XCTAssertEqual($0 as? KMSError, .noMode(connector: "DP-1")) }
      XCTAssertEqual(try alone.card.open().report().problem, .noMode(connector: "DP-1"))
      // A mode that is too large for the card's buffers cannot be requested either.
      if modes.first?.width != 9000 { continue }
      XCTAssertThrowsError(try alone.open().display(mode: ModeRequest(width: 9000, height: 48))) {
        let missing = "framebuffer as large as 9000x48 (8192x8192 at most)"
        XCTAssertEqual($0 as? KMSError, .noPipe(connector: "DP-1", missing: missing))
      }
    }
  }

  /// A refusal of the first picture is reported with connector, mode and number, and tried again.
  func testAFirstPictureThatIsRefusedIsTriedAgain() throws {
    for number in [EBUSY, EINVAL, EACCES] {
      let stage = CardStage()
      let display = try stage.openDisplay()
      stage.card.fail(next: .commit, errno: number)
      XCTAssertThrowsError(try stage.show(1, on: display)) { error in
        let reason = SystemError(call: "drmModeAtomicCommit", subject: "mode-set", errno: number)
        let (connector, mode) = ("HDMI-A-1", "64x48@60.00")
        let refused = KMSError.refused(connector: connector, mode: mode, reason)
        let lost = KMSError.lost(connector: connector, mode: mode, reason)
        XCTAssertEqual(error as? KMSError, number == EACCES ? lost : refused)
      }
      XCTAssertNotEqual(display.state, .showing)
      stage.run(for: .seconds(1))
      XCTAssertEqual(display.state, .showing, "errno \(number)")
      XCTAssertNotNil(try stage.show(1, on: display))
      display.invalidate()
    }
  }

  func testTheModeIsSetAnew() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      let display = try stage.openDisplay()
      let card = display.card
      XCTAssertNotNil(try stage.show(1, on: display))
      for round in 0..<3 {
        let place = "atomic \(isAtomic), round \(round)"
        stage.card.breakLink(of: "HDMI-A-1")
        XCTAssertNil(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
        // Frames alone do not help.
        XCTAssertNotNil(try stage.show(2, on: display), place)
        XCTAssertNil(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
        let presenter = display.kmsPresenter
        card.lookForScreens()
        XCTAssertFalse(display.kmsPresenter === presenter, place)
        // Asked again before there was a frame: it is about to be mended.
        let next = display.kmsPresenter
        card.lookForScreens()
        XCTAssertTrue(display.kmsPresenter === next, place)
        XCTAssertNotNil(try stage.show(3, on: display), place)
        let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"), "\(place): still dark")
        XCTAssertEqual(image.row(9).load(as: UInt32.self) & 0xFF_FFFF, 3, place)
        // A repaired link is left alone.
        card.lookForScreens()
        XCTAssertTrue(display.kmsPresenter === next, place)
        // A link that fails soon after its repair is repaired after a pause.
        stage.run(for: .seconds(11))
      }
      display.invalidate()
      XCTAssertNotNil(try stage.card.copyShownImage(of: "HDMI-A-1"))
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  func testItStaysWhateverIsAsked() throws {
    for (isAtomic, showsConsole) in [(true, true), (true, false), (false, true), (false, false)] {
      let place = "atomic \(isAtomic), console \(showsConsole)"
      let stage = CardStage(connectors: [.absent, .uncertain], showsConsole: showsConsole, isAtomic: isAtomic)
      // Nobody tells of anything: it is asked every 5 s.
      let card = try stage.open(checkInterval: .seconds(5))
      let display = try card.display(clock: stage.loop.clock)
      XCTAssertEqual(display.connectorName, "VGA-1", place)
      display.add(to: stage.loop, mode: .default)
      var states: [DisplayState] = []
      display.observe { if case .stateChanged(let state) = $0 { states.append(state) } }.keep()
      XCTAssertNotNil(try stage.show(1, on: display), place)
      let asked = stage.card.callCount(of: .connector)
      card.lookForScreens()
      stage.run(for: .seconds(16))
      XCTAssertEqual(
        stage.card.callCount(of: .connector), asked + 4, "\(place): asked once a time, and no other connector")
      XCTAssertEqual(states, [], place)
      XCTAssertNotNil(try stage.show(2, on: display), place)
      // The driver has no modes for it any more: now there is nothing to show.
      stage.card.setModes([], of: "VGA-1")
      card.lookForScreens()
      XCTAssertEqual(states, [.waiting(.unplugged)], place)
      stage.card.setModes([.simulated(64, 48)], of: "VGA-1")
      card.lookForScreens()
      XCTAssertEqual(display.state, .showing, place)
      display.invalidate()
    }
  }
}

extension SimulatedCard.Connector {
  fileprivate static var absent: Self { Self("DP-1", modes: [.simulated(64, 48)], isConnected: false) }

  fileprivate static var uncertain: Self { Self("VGA-1", modes: [.simulated(64, 48)], isUncertain: true) }
}
