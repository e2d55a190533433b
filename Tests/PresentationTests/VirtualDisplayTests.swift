import FrameTiming
import Geometry
import LinuxSystem
import Presentation
import Raster
import RenderTree
import RunLoops
import Simulation
import XCTest

/// XCTest, because a loop of the main thread must run on it.
final class VirtualDisplayTests: XCTestCase {
  private func onMain(_ body: @MainActor (PresenterStage<VirtualDisplay>) throws -> Void) throws {
    try MainActor.assumeIsolated {
      try body(
        PresenterStage(hertz: 60) { vblanks, clock in
          try VirtualDisplay(width: 64, height: 32, source: vblanks, reason: "test", clock: clock)
        })
    }
  }

  func testAFrameIsShownAtTheFirstVBlankAfterIt() throws {
    try onMain { stage in
      XCTAssertEqual(stage.display.name, "virtual display 64x32@60.00")
      XCTAssertNil(stage.display.shownBitmap)
      try stage.present(1)
      XCTAssertNil(stage.display.presenter.acquireBuffer())
      XCTAssertNil(stage.display.shownBitmap)
      stage.run(.milliseconds(16))
      XCTAssertEqual(stage.feedback, [])
      stage.run(.milliseconds(1))
      XCTAssertEqual(stage.feedback, [PresentationFeedback(timestamp: stage.vblanks.grid.time(ofVBlank: 1), sequence: 1)])
      XCTAssertEqual(stage.display.shownBitmap?.lastByte, 1)

      try stage.present(2)
      XCTAssertEqual(stage.display.shownBitmap?.lastByte, 1, "what is seen was painted over")
      stage.run(.milliseconds(20))
      XCTAssertEqual(stage.feedback.map(\.sequence), [1, 2])
      XCTAssertEqual(stage.display.shownBitmap?.lastByte, 2)
    }
  }

  /// The presenter's own link is older than any application's: at each tick the frame before is seen and its buffer free.
  func testALinkFindsAFreeBufferAtEachTick() throws {
    try onMain { stage in
      var blocked = 0
      var frames: UInt8 = 0
      let link = DisplayLink(ticker: stage.display.ticker) { _ in
        guard let buffer = stage.display.presenter.acquireBuffer(), let bitmap = buffer.target.bitmap else {
          blocked += 1
          return
        }
        frames += 1
        memset(bitmap.row(0), Int32(frames), 4)
        try? stage.display.presenter.present(
          buffer, damage: DamageRegion(IntRect(x: 0, y: 0, width: 1, height: 1)), target: nil)
      }
      link.add(to: stage.loop, mode: .default)
      stage.run(stage.vblanks.refreshRate.offset(ofInterval: 100) + Nanoseconds(1))
      link.invalidate()
      XCTAssertEqual(blocked, 0)
      XCTAssertEqual(frames, 100)
      // A frame that was made at a tick is seen at the next one, never at the same.
      XCTAssertEqual(stage.feedback.map(\.sequence), Array(2...100))
    }
  }

  func testNothingComesAfterInvalidate() throws {
    for invalidate: @MainActor (PresenterStage<VirtualDisplay>) -> Void in [
      { $0.display.invalidate() }, { $0.display.presenter.invalidate() },
    ] {
      try onMain { stage in
        try stage.present(1)
        invalidate(stage)
        stage.run(.seconds(1))
        XCTAssertEqual(stage.feedback, [])
        XCTAssertEqual(stage.vblanks.deliveredEvents, 0)
      }
    }
  }

  func testAnotherModeDoesNotServeIt() throws {
    try onMain { stage in
      try stage.present(1)
      stage.loop.run(mode: "other", until: stage.loop.clock.now + .seconds(1))
      XCTAssertEqual(stage.feedback, [])
      stage.run(.milliseconds(20))
      XCTAssertEqual(stage.feedback.count, 1)
    }
  }

  /// An event may come after its vblank: a frame that was handed over in between is not what that vblank showed.
  func testALateEventDoesNotShowAFrameThatCameAfterItsVBlank() throws {
    try onMain { stage in
      stage.vblanks.faults.latestDelivery = .milliseconds(5)
      let other = DisplayLink(ticker: stage.display.ticker) { _ in }
      other.add(to: stage.loop, mode: .default)
      var late = 0
      for vblank in UInt64(1)...200 {
        stage.loop.run(mode: .default, until: stage.vblanks.grid.time(ofVBlank: vblank) + .milliseconds(1))
        let before = stage.feedback.count
        if stage.display.ticker.lastVBlank?.sequence != vblank { late += 1 }
        guard stage.display.presenter.acquireBuffer() != nil else { continue }
        try stage.present(1)
        stage.run(.milliseconds(8))
        // The next vblank has not come yet.
        XCTAssertEqual(stage.feedback.count, before, "vblank \(vblank)")
      }
      XCTAssertGreaterThan(late, 20)
      other.invalidate()
    }
  }

  /// A loop that was busy hears of the latest vblank only. The frame was seen at the first one after it was handed over.
  func testABusyLoopDoesNotMakeAFrameLate() throws {
    try onMain { stage in
      for round in 1...20 as ClosedRange<Int64> {
        stage.run(.microseconds(200_000 + 777 * round))
        let vblank = stage.vblanks.grid.vblank(after: stage.loop.clock.now)
        try stage.present(1)
        stage.clock.advance(by: .milliseconds(80))
        stage.run(.milliseconds(40))
        XCTAssertEqual(
          stage.feedback.last,
          PresentationFeedback(timestamp: stage.vblanks.grid.time(ofVBlank: vblank), sequence: vblank))
      }
    }
  }
}

extension Bitmap {
  fileprivate var lastByte: UInt8 { row(height - 1).load(fromByteOffset: width * 4 - 1, as: UInt8.self) }
}
