import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import Raster
import XCTest

@testable import KMS

/// The picture and settings from before are restored when a display ends.
final class RestoredScreenTests: XCTestCase {
  /// A cursor, a rotated plane, and a variable rate come back. Colours are neutral, and stay so.
  func testWhatWasLeftComesBack() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
      XCTAssertEqual(stage.card.hasNeutralColors("HDMI-A-1"), !isAtomic)
      let before = stage.card.screens
      for _ in 1...3 {
        try showOne(on: stage) { display in
          display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
          display.cursorPosition = Point(12, 13)
          XCTAssertNotNil(try stage.show(2, on: display))
          stage.run(for: .milliseconds(40))
          XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 12)
          XCTAssertFalse(stage.card.screens.contains("blend mode 1"), stage.card.screens)
          XCTAssertTrue(stage.card.hasNeutralColors("HDMI-A-1"))
        }
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// A screen that was away is not saved anew: the first picture comes back, not one from in between.
  func testThePictureIsSavedOnce() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      try showOne(on: stage) { display in
        if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
        display.isPowered = false
        stage.card.resetCalls()
        display.isPowered = true
        XCTAssertEqual(display.state, .showing)
        XCTAssertEqual(stage.card.callCount(of: .crtc), 0)
        // The mode's, to ask the driver for it.
        XCTAssertEqual(stage.card.callCount(of: .createBlob), isAtomic ? 1 : 0)
        XCTAssertNotNil(try stage.show(2, on: display))
      }
      stage.expectNothingLeft()
    }
  }

  /// A cursor on a plane that lacks a property for us is hidden all the same.
  func testACursorOnAPlaneThatCannotBeOurs() throws {
    try onMain {
      let stage = CardStage()
      stage.card.addLeftovers(on: "HDMI-A-1")
      stage.card.removeCursorProperties(["CRTC_W"])
      let before = stage.card.screens
      XCTAssertNotNil(try stage.card.shownCursor(of: "HDMI-A-1"))
      try showOne(on: stage) { _ in XCTAssertNil(try stage.card.shownCursor(of: "HDMI-A-1")) }
      XCTAssertEqual(stage.card.screens, before)
    }
  }

  /// A cursor that its owner has freed meanwhile keeps nothing else away.
  func testAFreedCursorKeepsNothingElseAway() throws {
    try onMain {
      let stage = CardStage()
      stage.card.addLeftovers(on: "HDMI-A-1")
      let before = stage.card.screens.split(separator: "\n")
      XCTAssertEqual(before.count, 3)
      try showOne(on: stage) { _ in stage.card.freeLeftoverCursor() }
      XCTAssertEqual(stage.card.screens.split(separator: "\n"), before.dropLast())
    }
  }
}

@MainActor
private func showOne(on stage: CardStage, meanwhile: (KMSDisplay) throws -> Void) throws {
  let display = try stage.openDisplay()
  XCTAssertNotNil(try stage.show(0x12_34_56, on: display))
  try meanwhile(display)
  display.invalidate()
}
