import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import XCTest

@testable import KMS

/// Two connectors that were found on one CRTC, as a console has them: restoring the picture for one display takes nothing
/// from the other.
@preconcurrency @MainActor final class ClonedScreenTests: XCTestCase {
  func testAnEndTakesNothingFromTheOtherDisplay() throws {
    try onEachInterface { isAtomic in
      for isFirstToEnd in [true, false] {
        let stage = try ClonedStage(isAtomic: isAtomic)
        let place = "atomic \(isAtomic), the first ends first \(isFirstToEnd)"
        let (ending, staying) = isFirstToEnd ? (stage.first, stage.second) : (stage.second, stage.first)
        ending.invalidate()
        XCTAssertTrue(try stage.isShowing(staying), place)
        staying.invalidate()
        stage.expectEnd(isCloneBack: !isFirstToEnd, place)
      }
    }
  }

  /// The clone shows first, and the other display sets its mode twice, after a lost flip: neither loses its screen.
  func testAModeSetTakesNothingFromTheOtherDisplay() throws {
    try onEachInterface { isAtomic in
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
      stage.second.invalidate()
      stage.first.invalidate()
      stage.expectEnd(isCloneBack: true, place)
    }
  }

  /// A clone is removed with its dock.
  func testACloneThatIsGone() throws {
    let stage = try ClonedStage(isAtomic: true, isSecondShownFirst: true)
    stage.second.invalidate()
    stage.removeConnector("DP-1")
    XCTAssertTrue(try stage.isShowing(stage.first))
    XCTAssertNil(stage.first.lastError)
    stage.first.invalidate()
  }

  /// A third display has used what the first has left: the picture from before both comes back as the process exits.
  func testAnExitRestoresWhatWasThereFirst() throws {
    try onEachInterface { isAtomic in
      let stage = try ClonedStage(isAtomic: isAtomic)
      stage.second.invalidate()
      XCTAssertTrue(try stage.isShowing(stage.first))
      let ours = stage.screens
      ScreensAtExit.restoreAll(by: getpid() + 1)
      XCTAssertEqual(stage.screens, ours, "a forked child has restored its parent's screen")
      ScreensAtExit.restoreAll()
      stage.expectScreensAsFound("atomic \(isAtomic)")
      stage.first.invalidate()
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

  /// - Parameter isSecondShownFirst: true if the first display shows nothing yet.
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
      XCTAssertNotNil(try stage.show(1, on: first))
    }
    second = try card.display(connector: "DP-1", clock: stage.loop.clock)
    second.add(to: stage.loop, mode: .default)
    XCTAssertTrue(try isShowing(second))
  }

  /// Shows a frame, and checks that no mode had to be set for it.
  func isShowing(_ display: KMSDisplay) throws -> Bool {
    let isSet = display.kmsPresenter?.isModeSet ?? false
    let seen = try stage.show(2, on: display) != nil
    return seen && display.state == .showing && (!isSet || display.lastError == nil)
  }

  /// Shows a frame whose event is lost.
  func loseFlip(of display: KMSDisplay) {
    stage.card.loseFlipEvents(1)
    try? display.present()
    stage.run(for: .seconds(2))
  }

  var screens: String { stage.card.screens }

  func removeConnector(_ name: String) { stage.card.removeConnector(name) }

  func expectScreensAsFound(_ place: String) { XCTAssertEqual(stage.card.screens, before, place) }

  /// Nothing is held any more, and the picture from before is back: on the clone as well, if its display has ended first.
  func expectEnd(isCloneBack: Bool, _ place: String) {
    if isCloneBack {
      expectScreensAsFound(place)
    } else {
      XCTAssertTrue(stage.card.screens.contains("DP-1: off"), "\(place): \(stage.card.screens)")
    }
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings(), place)
    XCTAssertFalse(stage.card.hasMaster, place)
  }
}
