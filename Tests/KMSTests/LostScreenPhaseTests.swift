import FrameTiming
import FramepaceTesting
import Geometry
import KMSTesting
import LinuxSystem
import Presentation
import RunLoops
import XCTest

@testable import KMS
import RenderTree

/// After each mode-set the vblanks of a screen lie where nobody knows, until some have come.
final class LostScreenPhaseTests: XCTestCase {
  func testAModeSetBeginsTheGridAnew() throws {
    try onMain {
      let stage = CardStage()
      let display = try stage.openDisplay()
      let link = DisplayLink(ticker: display.ticker) { _ in }
      link.add(to: stage.loop, mode: .default)
      let whole = IntRect(x: 0, y: 0, width: 64, height: 48)
      XCTAssertNotNil(try stage.show(0xFF11_2233, in: whole, on: display))
      stage.run(for: .seconds(1))
      XCTAssertTrue(display.ticker.isGridKnown(at: stage.clock.now))

      // A flip whose event is lost is given up after a second, and the next frame sets the mode.
      stage.card.loseFlipEvents(1)
      XCTAssertNil(try stage.show(0xFF44_5566, in: whole, on: display))
      stage.run(for: .seconds(1))
      XCTAssertTrue(display.ticker.isGridKnown(at: stage.clock.now))
      let buffer = try XCTUnwrap(display.presenter.acquireBuffer())
      try display.presenter.present(buffer, damage: DamageRegion(whole))
      XCTAssertFalse(display.ticker.isGridKnown(at: stage.clock.now))
      stage.run(for: .milliseconds(60))
      XCTAssertTrue(display.ticker.isGridKnown(at: stage.clock.now))
      display.invalidate()
    }
  }

  func testAScreenThatComesBackIsNotTrustedAtOnce() throws {
    try onMain {
      let stage = CardStage()
      let display = try stage.openDisplay()
      var ticks: [DisplayLink.Tick] = []
      let link = DisplayLink(ticker: display.ticker) { link in if let tick = link.tick { ticks.append(tick) } }
      link.add(to: stage.loop, mode: .default)
      let whole = IntRect(x: 0, y: 0, width: 64, height: 48)
      XCTAssertNotNil(try stage.show(0xFF11_2233, in: whole, on: display))
      stage.run(for: .seconds(2))
      let period = display.ticker.model.period
      display.isPowered = false
      stage.run(for: .seconds(2))
      XCTAssertTrue(display.ticker.source is FallbackClock)
      display.isPowered = true
      XCTAssertNotNil(try stage.show(0xFF44_5566, in: whole, on: display))
      XCTAssertEqual(display.ticker.model.period, period, accuracy: 100)
      stage.run(for: .milliseconds(100))
      XCTAssertTrue(display.ticker.isGridKnown(at: stage.clock.now))
      XCTAssertEqual(display.ticker.model.period, period, accuracy: 100)
      for (first, second) in zip(ticks, ticks.dropFirst()) {
        XCTAssertGreaterThan(second.timestamp, first.timestamp)
        XCTAssertGreaterThan(second.frameNumber, first.frameNumber)
      }
      display.invalidate()
    }
  }
}
