import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import RenderTree
import XCTest

@testable import KMS

/// Vblank events that never come.
@preconcurrency @MainActor final class LostVBlankTests: XCTestCase {
  /// Changes are shown meanwhile, and within 1.1 s the ticks go on.
  func testFramesDoNotWaitForALostTick() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      let display = try stage.openDisplay()
      let root = Layer()
      let engine = Engine(display: display, root: root, loop: stage.loop)
      var ticks = 0
      let link = DisplayLink(ticker: display.ticker) { _ in ticks += 1 }
      link.add(to: stage.loop, mode: .default)
      stage.run(for: .milliseconds(500))

      stage.card.loseVBlankEvents(1)
      // The one on its way comes yet.
      stage.run(for: .milliseconds(20))
      ticks = 0
      for hex: UInt32 in [0x11_22_33, 0x44_55_66, 0x77_88_99] {
        let change = FrameLoop.Timer(
          fireTime: stage.clock.now + .milliseconds(103),
          .onMain { _ in Transaction.withoutActions { root.backgroundColor = Color(hex: hex) } })
        stage.loop.add(change, to: .default)
        stage.run(for: .milliseconds(160))
        let image = try XCTUnwrap(try stage.card.copyShownImage(of: "HDMI-A-1"))
        XCTAssertEqual(image.row(5).load(as: UInt32.self) & 0xFF_FFFF, hex, "atomic \(isAtomic)")
      }
      XCTAssertEqual(ticks, 0)
      stage.run(for: .milliseconds(620))
      let resumed = ticks
      stage.run(for: .seconds(1))
      XCTAssertEqual(ticks - resumed, 60, "atomic \(isAtomic)")
      XCTAssertGreaterThan(resumed, 0)

      // At rest nothing is looked after.
      link.invalidate()
      stage.run(for: .seconds(3))
      let next = stage.loop.nextTimerFireTime(in: .default) ?? .distantFuture
      XCTAssertGreaterThan(next, stage.clock.now + .seconds(100_000))
      engine.invalidate()
      XCTAssertEqual(stage.card.holdings, SimulatedCard.Holdings())
    }
  }

  /// The hardware's vblanks end: the screen is given up, with a report.
  func testVBlanksThatEndAreALoss() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    var lost: [KMSError] = []
    display.observe { [unowned display] event in
      guard case .stateChanged(let state) = event else { return }
      if state != .showing, let error = display.lastError { lost.append(error) }
    }.keep()
    let link = DisplayLink(ticker: display.ticker) { _ in }
    link.add(to: stage.loop, mode: .default)
    stage.run(for: .milliseconds(500))
    stage.card.stopVBlanks()
    stage.run(for: .milliseconds(900))
    XCTAssertEqual(lost, [])
    stage.run(for: .milliseconds(200))
    let reason = SystemError(call: "drmCrtcQueueSequence", subject: "CRTC 31", errno: ETIME)
    XCTAssertEqual(lost, [.refused(connector: "HDMI-A-1", mode: "64x48@60.00", reason)])
    display.invalidate()
  }

  /// The sequence tells whether vblanks go by, whatever clock their stamps are of.
  func testStampsOfAnotherClock() throws {
    for hasSequences in [true, false] {
      for offset in [Nanoseconds.seconds(-100), .seconds(100)] {
        let name = "sequences \(hasSequences), \(offset.seconds) s"
        let stage = CardStage(hasSequences: hasSequences)
        stage.card.setStampOffset(offset)
        let display = try stage.openDisplay()
        var (losses, ticks) = (0, 0)
        display.observe { if case .stateChanged(.waiting) = $0 { losses += 1 } }.keep()
        let link = DisplayLink(ticker: display.ticker) { _ in ticks += 1 }
        link.add(to: stage.loop, mode: .default)
        stage.run(for: .seconds(1))

        stage.card.loseVBlankEvents(1)
        stage.run(for: .milliseconds(1100))
        ticks = 0
        stage.run(for: .seconds(1))
        XCTAssertEqual(ticks, 60, name)
        XCTAssertEqual(losses, 0, name)

        stage.card.stopVBlanks()
        stage.run(for: .milliseconds(1100))
        XCTAssertEqual(losses, 1, name)
        link.invalidate()
        display.invalidate()
      }
    }
  }

  /// Vblanks end while nobody asks for one. The first request is queued once more: the count has gone on since the last event.
  func testVBlanksThatEndAtRestAreALoss() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    var losses = 0
    display.observe { if case .stateChanged(.waiting) = $0 { losses += 1 } }.keep()
    let link = DisplayLink(ticker: display.ticker) { _ in }
    link.add(to: stage.loop, mode: .default)
    stage.run(for: .milliseconds(500))
    link.isPaused = true
    stage.run(for: .seconds(3))
    stage.card.stopVBlanks()
    link.isPaused = false
    stage.run(for: .milliseconds(1900))
    XCTAssertEqual(losses, 0)
    stage.run(for: .milliseconds(200))
    XCTAssertEqual(losses, 1)
    link.invalidate()
    display.invalidate()
  }

  /// A pause of the program itself loses nothing.
  func testAPauseOfTheProgramIsNoLoss() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    var stamps: [MonotonicTime] = []
    let link = DisplayLink(ticker: display.ticker) { stamps.append($0.timestamp) }
    link.add(to: stage.loop, mode: .default)
    stage.run(for: .milliseconds(500))
    let requests = stage.card.callCount(of: .queueSequence)
    let count = stamps.count
    stage.card.advance(to: stage.clock.now + .milliseconds(20))
    stage.clock.advance(by: .seconds(5))
    stage.run(for: .milliseconds(100))
    XCTAssertEqual(stage.card.callCount(of: .queueSequence) - requests, stamps.count - count)
    link.invalidate()
    display.invalidate()
  }

  /// After each mode-set the grid of vblanks is unknown until some have come.
  func testAModeSetBeginsTheGridAnew() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    let link = DisplayLink(ticker: display.ticker) { _ in }
    link.add(to: stage.loop, mode: .default)
    XCTAssertNotNil(try stage.show(0xFF11_2233, on: display))
    stage.run(for: .seconds(1))
    XCTAssertTrue(display.ticker.forecast.isKnown(at: stage.clock.now))

    // A flip whose event is lost is given up after a second, and the next frame sets the mode.
    stage.card.loseFlipEvents(1)
    XCTAssertNil(try stage.show(0xFF44_5566, on: display))
    stage.run(for: .seconds(1))
    XCTAssertTrue(display.ticker.forecast.isKnown(at: stage.clock.now))
    try display.present()
    XCTAssertFalse(display.ticker.forecast.isKnown(at: stage.clock.now))
    stage.run(for: .milliseconds(60))
    XCTAssertTrue(display.ticker.forecast.isKnown(at: stage.clock.now))
    display.invalidate()
  }
}
