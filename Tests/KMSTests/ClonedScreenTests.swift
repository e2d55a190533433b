import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import XCTest

@testable import KMS
import RenderTree

/// Two connectors that were found on one CRTC, as a console has them: what one display brings back takes nothing from the
/// other, and in the end all is as it was.
final class ClonedScreenTests: XCTestCase {
  func testAnEndTakesNothingFromTheOtherDisplay() throws {
    try onMain {
      for isAtomic in [true, false] {
        for isFirstToEnd in [true, false] {
          let stage = try ClonedStage(isAtomic: isAtomic)
          let place = "atomic \(isAtomic), the first ends first \(isFirstToEnd)"
          let (ending, staying) = isFirstToEnd ? (stage.first, stage.second) : (stage.second, stage.first)
          ending.invalidate()
          XCTAssertTrue(try stage.isShowing(staying), place)
          staying.invalidate()
          stage.expectAsFound(place)
        }
      }
    }
  }

  /// The clone shows first, and the other display sets its mode twice, the second time after a lost flip: neither loses its
  /// screen.
  func testAModeSetTakesNothingFromTheOtherDisplay() throws {
    try onMain {
      for isAtomic in [true, false] {
        let place = "atomic \(isAtomic)"
        let stage = try ClonedStage(isAtomic: isAtomic, isSecondShownFirst: true)
        for display in [stage.first, stage.second] {
          XCTAssertTrue(try stage.isShowing(display), place)
          XCTAssertNil(display.lastError, place)
        }
        let presenter = stage.first.kmsPresenter
        stage.loseFlip(of: stage.first)
        XCTAssertEqual(presenter?.lostFlips, 1, place)
        for display in [stage.first, stage.second, stage.first] {
          XCTAssertTrue(try stage.isShowing(display), place)
          XCTAssertNil(display.lastError, place)
        }
        XCTAssertTrue(stage.first.kmsPresenter === presenter, place)
        stage.first.invalidate()
        stage.second.invalidate()
        stage.expectAsFound(place)
      }
    }
  }

  /// With a dock a clone goes for good.
  func testACloneThatIsGone() throws {
    try onMain {
      let stage = try ClonedStage(isAtomic: true, isSecondShownFirst: true)
      stage.second.invalidate()
      stage.removeConnector("DP-1")
      XCTAssertTrue(try stage.isShowing(stage.first))
      XCTAssertNil(stage.first.lastError)
      stage.first.invalidate()
    }
  }

  /// A third display on what the first has left; the clone comes back when both are gone, whoever ends first.
  func testWhatIsOwedWaitsForWhoComesInBetween() throws {
    try onMain {
      for isThirdFirst in [true, false] {
        let stage = try ClonedStage(isAtomic: true)
        stage.first.invalidate()
        let third = try stage.card.display(connector: "HDMI-A-1", clock: stage.loop.clock)
        third.add(to: stage.loop, mode: .default)
        XCTAssertTrue(try stage.isShowing(third))
        let (ending, staying) = isThirdFirst ? (third, stage.second) : (stage.second, third)
        ending.invalidate()
        XCTAssertTrue(try stage.isShowing(staying))
        staying.invalidate()
        stage.expectAsFound("the third ends first: \(isThirdFirst)")
      }
    }
  }

  /// As the process exits, with a screen that is owed and a third display on it: what comes back is from before all of them.
  func testAnExitBringsBackWhatWasThereFirst() throws {
    try onMain {
      // The order must not be a matter of luck.
      for round in 0..<20 {
        let stage = try ClonedStage(isAtomic: round % 2 == 0)
        stage.first.invalidate()
        let third = try stage.card.display(connector: "HDMI-A-1", clock: stage.loop.clock)
        third.add(to: stage.loop, mode: .default)
        XCTAssertTrue(try stage.isShowing(third))
        ScreensAtExit.restoreAll()
        stage.expectScreensAsFound("round \(round)")
        third.invalidate()
        stage.second.invalidate()
      }
    }
  }
}

/// A console on two screens, and a display on each of them.
@MainActor
private final class ClonedStage {
  let card: KMSCard
  let first: KMSDisplay
  let second: KMSDisplay
  var loop: FrameLoop { stage.loop }
  private let stage: CardStage
  private let before: String

  /// - Parameter isSecondShownFirst: then the first display shows nothing yet.
  init(isAtomic: Bool, isSecondShownFirst: Bool = false) throws {
    stage = CardStage(
      connectors: [.init("HDMI-A-1", modes: [.simulated(64, 48)]), .init("DP-1", modes: [.simulated(64, 48)])],
      isAtomic: isAtomic)
    stage.card.clone("DP-1", of: "HDMI-A-1")
    if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
    before = stage.card.screens
    card = try stage.open()
    first = try card.display(connector: "HDMI-A-1", clock: stage.loop.clock)
    XCTAssertEqual(first.connectorName, "HDMI-A-1")
    first.add(to: stage.loop, mode: .default)
    if !isSecondShownFirst {
      XCTAssertNotNil(try stage.show(1, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: first))
    }
    second = try card.display(connector: "DP-1", clock: stage.loop.clock)
    second.add(to: stage.loop, mode: .default)
    XCTAssertTrue(try isShowing(second))
  }

  /// Whether a frame is seen: no mode has to be set for it.
  func isShowing(_ display: KMSDisplay) throws -> Bool {
    let isSet = display.kmsPresenter?.isModeSet ?? false
    let seen = try stage.show(2, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display) != nil
    return seen && display.state == .showing && (!isSet || display.lastError == nil)
  }

  /// A frame of a display is shown, and nobody is told.
  func loseFlip(of display: KMSDisplay) {
    stage.card.loseFlipEvents(1)
    if let buffer = display.presenter.acquireBuffer() { try? display.presenter.present(buffer, damage: DamageRegion()) }
    stage.run(for: .seconds(2))
  }

  func removeConnector(_ name: String) { stage.card.removeConnector(name) }

  func expectScreensAsFound(_ place: String) { XCTAssertEqual(stage.card.screens, before, place) }

  func expectAsFound(_ place: String) {
    expectScreensAsFound(place)
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), place)
    XCTAssertFalse(stage.card.hasMaster, place)
  }
}
