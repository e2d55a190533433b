import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// The picture and settings from before are restored when a display ends.
@preconcurrency @MainActor final class RestoredScreenTests: XCTestCase {
  /// A cursor, a rotated plane, a variable rate and a blanked screen come back. Colours are neutral, and stay so.
  func testWhatWasLeftComesBack() throws {
    for (isAtomic, isBlanked) in [(true, false), (true, true), (false, false)] {
      let stage = CardStage(isAtomic: isAtomic)
      if isAtomic { stage.card.addLeftovers(on: "HDMI-A-1") }
      if isBlanked { stage.card.blank("HDMI-A-1") }
      XCTAssertEqual(stage.card.hasNeutralColors("HDMI-A-1"), !isAtomic)
      let before = stage.card.screens
      for _ in 1...3 {
        try showOne(on: stage) { display in
          display.cursor = Cursor(image: try Bitmap(width: 8, height: 8).freeze())
          display.cursorPosition = Point(12, 13)
          XCTAssertNotNil(try stage.show(2, on: display))
          stage.run(for: .milliseconds(40))
          XCTAssertEqual(try stage.card.shownCursor(of: "HDMI-A-1")?.x, 12)
          for line in stage.card.screens.split(separator: "\n") {
            XCTAssertTrue(
              line.contains("variable rate 0") || line.hasSuffix("rotation 1, alpha 65535, blend mode 0"), "\(line)")
          }
          XCTAssertTrue(stage.card.hasNeutralColors("HDMI-A-1"))
        }
        XCTAssertEqual(stage.card.screens, before)
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }

  /// Our cursors are premultiplied. A driver that cannot blend so refuses every commit that asks for it.
  func testAnUnknownBlendModeIsNotAskedFor() {
    for (names, expected) in [(["Pre-multiplied": 0, "Coverage": 1], [0]), (["Coverage": 1], [])]
      as [([String: UInt64], [UInt64])]
    {
      let property = DRMProperties.Property(id: 7, value: 1, names: names)
      let cursor = PipeReset.Object(id: 43, properties: DRMProperties(["pixel blend mode": property]))
      let other = PipeReset.Object(id: 31, properties: DRMProperties([:]))
      let reset = PipeReset(connector: other, crtc: other, plane: other, cursor: cursor, otherPlanes: [])
      XCTAssertEqual(reset.neutral, expected.map { PropertySetting(object: 43, property: 7, value: $0) })
      XCTAssertEqual(reset.found.map(\.value), expected.map { _ in 1 })
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
    let stage = CardStage()
    stage.card.addLeftovers(on: "HDMI-A-1")
    stage.card.removeCursorProperties(["CRTC_W"])
    let before = stage.card.screens
    XCTAssertNotNil(try stage.card.shownCursor(of: "HDMI-A-1"))
    try showOne(on: stage) { _ in XCTAssertNil(try stage.card.shownCursor(of: "HDMI-A-1")) }
    XCTAssertEqual(stage.card.screens, before)
  }

  /// A cursor that its owner has freed meanwhile keeps nothing else away.
  func testAFreedCursorKeepsNothingElseAway() throws {
    let stage = CardStage()
    stage.card.addLeftovers(on: "HDMI-A-1")
    let before = stage.card.screens.split(separator: "\n")
    XCTAssertEqual(before.count, 3)
    try showOne(on: stage) { _ in stage.card.freeLeftoverCursor() }
    XCTAssertEqual(stage.card.screens.split(separator: "\n"), before.dropLast())
  }
}

@MainActor
private func showOne(on stage: CardStage, meanwhile: (KMSDisplay) throws -> Void) throws {
  let display = try stage.openDisplay()
  XCTAssertNotNil(try stage.show(0x12_34_56, on: display))
  try meanwhile(display)
  display.invalidate()
}
