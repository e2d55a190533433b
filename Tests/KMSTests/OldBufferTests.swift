import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import XCTest

@testable import KMS
import RenderTree

/// A buffer that was acquired before the screen was replaced by another one, and is presented after that.
final class OldBufferTests: XCTestCase {
  func testItIsNeverShown() throws {
    try onMain {
      for isAtomic in [true, false] {
        // Larger, where its rows would be read beyond its end; and as large.
        for mode in [DisplayMode.simulated(80, 60), .simulated(64, 48, hertz: 75)] {
          let place = "atomic \(isAtomic), \(mode)"
          let stage = CardStage(isAtomic: isAtomic)
          let display = try stage.openDisplay()
          XCTAssertNotNil(try stage.show(1, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
          let old = try XCTUnwrap(display.presenter.acquireBuffer())
          stage.card.setModes([mode], of: "HDMI-A-1")
          display.card.lookForScreens()
          XCTAssertEqual(display.mode.description, mode.description, place)
          let all = DamageRegion(IntRect(x: 0, y: 0, width: mode.width, height: mode.height))
          XCTAssertThrowsError(try display.presenter.present(old, damage: all), place)
          // The new one's own are shown.
          let whole = IntRect(x: 0, y: 0, width: mode.width, height: mode.height)
          XCTAssertNotNil(try stage.show(2, in: whole, on: display), place)
          display.invalidate()
        }
      }
    }
  }
}
