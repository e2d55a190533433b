import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import Raster
import RunLoops
import XCTest

@testable import KMS

/// A link that fails while the screen is used. The kernel reports it and leaves the repair to programs.
final class BadLinkTests: XCTestCase {
  func testTheModeIsSetAnew() throws {
    try onMain {
      for isAtomic in [true, false] {
        let stage = CardStage(isAtomic: isAtomic)
        let display = try stage.openDisplay()
        let card = display.card
        XCTAssertNotNil(try stage.show(1, in: .all, on: display))
        for round in 0..<3 {
          let place = "atomic \(isAtomic), round \(round)"
          stage.card.breakLink(of: "HDMI-A-1")
          XCTAssertNil(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
          // Further frames do not repair it.
          XCTAssertNotNil(try stage.show(2, in: .all, on: display), place)
          XCTAssertNil(try stage.card.copyShownImage(of: "HDMI-A-1"), place)
          let presenter = display.kmsPresenter
          card.lookForScreens()
          XCTAssertFalse(display.kmsPresenter === presenter, place)
          // Another report before the next frame changes nothing: the repair is under way.
          let next = display.kmsPresenter
          card.lookForScreens()
          XCTAssertTrue(display.kmsPresenter === next, place)
          XCTAssertNotNil(try stage.show(3, in: .all, on: display), place)
          let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"), "\(place): still dark")
          XCTAssertEqual(image.row(9).load(as: UInt32.self) & 0xFF_FFFF, 3, place)
          // The link works now and needs no repair.
          card.lookForScreens()
          XCTAssertTrue(display.kmsPresenter === next, place)
          // If the link fails again soon after a repair, the next repair waits.
          stage.run(for: .seconds(11))
        }
        display.invalidate()
        XCTAssertNotNil(try stage.card.copyShownImage(of: "HDMI-A-1"))
        XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
      }
    }
  }
}

extension IntRect {
  fileprivate static var all: IntRect { IntRect(x: 0, y: 0, width: 64, height: 48) }
}
