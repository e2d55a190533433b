import Framepace
import FramepaceTesting
import KMSTesting
import XCTest

@testable import KMS

/// Copies of what a screen shows.
@preconcurrency @MainActor final class ScreenCaptureTests: XCTestCase {
  /// By the display itself, and by reading back what the card shows, whose rows are longer than their pixels.
  func testACopyIsWhatTheScreenShows() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    for (number, color) in [0xFF00_FF00, 0xFFFF_0000, 0xFF12_3456].enumerated() as EnumeratedSequence<[UInt32]> {
      let rect = IntRect(x: number, y: 3, width: 40, height: 30)
      XCTAssertNotNil(try stage.show(color, in: rect, on: display))
      let shown = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"))
      let copies = [
        try display.capture(), try ScreenCapture.image(of: nil, on: try XCTUnwrap(display.device)).get(),
      ]
      for copy in copies {
        XCTAssertEqual([copy.width, copy.height], [64, 48])
        XCTAssertEqual(copy.pixel(20, 20), color)
        for x in 0..<64 { XCTAssertEqual(copy.pixel(x, 10) & 0xFF_FFFF, shown.pixel(x, 10) & 0xFF_FFFF) }
      }
    }
    display.invalidate()
    XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
  }

  /// A picture in tiles would be copied wrongly, and many drivers do not say whether it is.
  func testALayoutThatIsNotRowsIsRefused() throws {
    let connector = "HDMI-A-1"
    for (driver, layout, expected) in [
      ("radeon", .untold, .untoldLayout(connector: connector, driver: "radeon")), ("bochs-drm", .untold, nil),
      ("virtio_gpu", .untold, .untoldLayout(connector: connector, driver: "virtio_gpu")),
      ("radeon", .rows, nil), ("bochs-drm", .other, .unknownLayout(connector: connector)),
    ] as [(String, DRMFramebuffer.Layout, CaptureError?)] {
      let stage = CardStage()
      stage.card.setDriver(driver, layout: layout)
      let result = try ScreenCapture.image(of: nil, on: try stage.card.open())
      if let expected {
        XCTAssertThrowsError(try result.get()) { XCTAssertEqual($0 as? CaptureError, expected) }
        XCTAssertTrue("\(expected)".contains("use a screen shot of the program"), "\(expected)")
      } else {
        XCTAssertEqual(try result.get().width, 64, "\(driver), \(layout)")
      }
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  /// Another program's picture, without its rights: nothing is copied, and the error says who may.
  func testAnotherProgramsPictureTakesRights() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    XCTAssertNotNil(try stage.show(0xFFFF_FFFF, in: IntRect(x: 0, y: 0, width: 64, height: 48), on: display))
    let other = try stage.card.open()
    let result = try ScreenCapture.image(of: "HDMI-A-1", on: other)
    XCTAssertThrowsError(try result.get()) { error in
      XCTAssertEqual(error as? CaptureError, .noRights(connector: "HDMI-A-1"))
      XCTAssertTrue("\(error)".contains("only root"), "\(error)")
    }
    XCTAssertThrowsError(try ScreenCapture.image(of: "DP-9", on: other))
    display.invalidate()
  }
}
