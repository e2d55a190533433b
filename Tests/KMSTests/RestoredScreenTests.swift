import FramepaceTesting
import Geometry
import Glibc
import KMSTesting
import LinuxSystem
import Presentation
import XCTest

@testable import KMS

/// What is on a screen besides our picture: it comes back when a display ends.
final class RestoredScreenTests: XCTestCase {
  /// Colours that only the screen's properties hold, HDR, a cursor, how the plane is turned, and a variable rate.
  func testWhatWasLeftComesBack() throws {
    try onMain {
      let stage = CardStage()
      stage.card.addLeftovers(on: "HDMI-A-1")
      let before = stage.card.screens
      for _ in 1...3 {
        try showOne(on: stage) {
          XCTAssertTrue(
            stage.card.screens.contains("colours none none none, HDR none, colour space 0"), stage.card.screens)
        }
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// A screen that was away is not saved anew: what was found first comes back, not what came between.
  func testWhatWasFoundIsSavedOnce() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(isAtomic: isAtomic)
        if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
        let before = stage.card.screens
        let display = try stage.openDisplay()
        XCTAssertNotNil(try stage.show(1, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
        if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
        display.isPowered = false
        stage.card.resetCalls()
        display.isPowered = true
        XCTAssertEqual(display.state, .showing)
        XCTAssertEqual(stage.card.callCount(of: .crtc), 0)
        XCTAssertEqual(stage.card.callCount(of: .blob), 0)
        // The mode's, to ask the driver for it.
        XCTAssertEqual(stage.card.callCount(of: .createBlob), isAtomic ? 1 : 0)
        XCTAssertNotNil(try stage.show(2, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
        display.invalidate()
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// A cursor on a plane that cannot be ours, for want of a property, is out of the picture all the same.
  func testACursorOnAPlaneThatCannotBeOurs() throws {
    try onMain {
      let stage = CardStage()
      stage.card.addLeftovers(on: "HDMI-A-1")
      stage.card.removeCursorProperties(["CRTC_W"])
      let before = stage.card.screens
      XCTAssertNotNil(try stage.card.shownCursor(of: "HDMI-A-1"))
      try showOne(on: stage) { XCTAssertNil(try stage.card.shownCursor(of: "HDMI-A-1")) }
      XCTAssertEqual(stage.card.screens, before)
      XCTAssertNotNil(try stage.card.shownCursor(of: "HDMI-A-1"))
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  /// A cursor that its owner has freed meanwhile keeps nothing else away.
  func testOneThatIsFreedKeepsNothingElseAway() throws {
    try onMain {
      let stage = CardStage()
      stage.card.addLeftovers(on: "HDMI-A-1")
      let before = stage.card.screens.split(separator: "\n")
      XCTAssertEqual(before.count, 3)
      try showOne(on: stage) { stage.card.freeLeftoverCursor() }
      XCTAssertEqual(stage.card.screens.split(separator: "\n"), before.dropLast())
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  /// A console that is blanked is dark again, and has its mode.
  func testABlankedScreenIsDarkAgain() throws {
    try onMain {
      let stage = CardStage()
      stage.card.blank("HDMI-A-1")
      let before = stage.card.screens
      XCTAssertTrue(before.contains("64x48@60.00, active false"), before)
      try showOne(on: stage) { XCTAssertTrue(stage.card.screens.contains("active true")) }
      XCTAssertEqual(stage.card.screens, before)
    }
  }
}

@MainActor
private func showOne(on stage: CardStage, meanwhile: () throws -> Void) throws {
  let display = try stage.openDisplay()
  XCTAssertNotNil(try stage.show(0x12_34_56, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
  try meanwhile()
  display.invalidate()
}
