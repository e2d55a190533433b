import Framepace
import FramepaceTesting
import Glibc
import KMSTesting
import RenderTree
import TestLength
import XCTest

@testable import KMS

/// Displays on a simulated card: nothing leaks, each has its own ticks and flips, and the screen shows what was composited.
@preconcurrency @MainActor final class CardDisplayTests: XCTestCase {
  /// Opened, shown on or not, and invalidated, many times: no descriptor leaks.
  func testManyDisplaysLeaveNoDescriptorBehind() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      var descriptors = 0
      for round in 1...(isLongRun ? 300 : 40) {
        do {
          let display = try stage.openDisplay()
          XCTAssertEqual(stage.card.holdings.framebuffers, 2)
          if round % 4 != 0 { XCTAssertNotNil(try stage.show(UInt32(round), on: display)) }
          display.invalidate()
          stage.expectNothingLeft()
          XCTAssertFalse(stage.card.hasMaster)
        }
        XCTAssertEqual(stage.card.openCount, 0)
        // The loop opens its own descriptors for the second round's frame.
        if round == 2 { descriptors = openDescriptors() }
      }
      XCTAssertEqual(openDescriptors(), descriptors)
    }
  }

  /// Frames without damage, or with damage outside the screen, are shown like others.
  func testAFrameWithoutDamageIsTaken() throws {
    let stage = CardStage()
    let display = try stage.openDisplay()
    for rect in [IntRect.all, IntRect.zero, IntRect(x: 100, y: 100, width: 5, height: 5)] {
      guard let buffer = display.presenter.acquireBuffer() else { return XCTFail("no buffer is free") }
      try display.presenter.present(buffer, damage: DamageRegion(rect), target: nil)
      stage.run(for: .milliseconds(50))
    }
    XCTAssertEqual(display.kmsPresenter?.takesDamage, true)
    display.invalidate()
  }

  /// An animation that nobody sees: the screen ticks, and is not flipped.
  func testAnAnimationOutOfSightTicksWithoutFlips() throws {
    try onEachDriver { isAtomic, hasVBlanks, place in
      let stage = CardStage(hasVBlanks: hasVBlanks, isAtomic: isAtomic)
      let display = try stage.openDisplay()
      let root = Layer()
      let layer = Layer()
      layer.frame = Rect(x: 1000, y: 0, width: 8, height: 8)
      layer.backgroundColor = .white
      root.addSublayer(layer)
      let engine = Engine(display: display, root: root, loop: stage.loop)
      var ticks = 0
      engine.output.observe { if case .tick = $0 { ticks += 1 } }.keep()
      stage.run(for: .milliseconds(200))
      let start = FrameLoop.Timer(
        fireTime: stage.clock.now,
        .onMain { _ in layer.add(BasicAnimation(.cornerRadius, from: 0, to: 4, duration: .seconds(3)), forKey: "turn") })
      stage.loop.add(start, to: .default)
      stage.run(for: .milliseconds(200))
      let flips = stage.card.callCount(of: .commit) + stage.card.callCount(of: .pageFlip)
      ticks = 0
      stage.run(for: .seconds(2))
      XCTAssertEqual(Double(ticks), 120, accuracy: 1, place)
      XCTAssertEqual(stage.card.callCount(of: .commit) + stage.card.callCount(of: .pageFlip), flips, place)
      stage.run(for: .seconds(2))
      ticks = 0
      stage.run(for: .seconds(5))
      XCTAssertEqual(ticks, 0, "\(place): it ticks at rest")
      engine.invalidate()
    }
  }

  func testABufferOfAnotherScreenIsNeverShown() throws {
    try onEachInterface { isAtomic in
      // Larger, where its rows would be read beyond its end; and as large.
      for mode in [DisplayMode.simulated(80, 60), .simulated(64, 48, hertz: 75)] {
        let place = "atomic \(isAtomic), \(mode)"
        let stage = CardStage(isAtomic: isAtomic)
        let display = try stage.openDisplay()
        XCTAssertNotNil(try stage.show(1, on: display))
        let old = try XCTUnwrap(display.presenter.acquireBuffer())
        stage.card.setModes([mode], of: "HDMI-A-1")
        display.card.lookForScreens()
        XCTAssertEqual(display.mode.description, mode.description, place)
        let whole = IntRect(x: 0, y: 0, width: mode.width, height: mode.height)
        XCTAssertThrowsError(try display.presenter.present(old, damage: DamageRegion(whole), target: nil), place)
        // The new one's own are shown.
        XCTAssertNotNil(try stage.show(2, in: whole, on: display), place)
        display.invalidate()
      }
    }
  }

  /// A screen that was off has another source of vblanks: no tick tells by what a flip's 32 bits of sequence are widened.
  func testAFrameAfterAnAbsenceHasItsWholeSequence() throws {
    try onEachInterface { isAtomic in
      let stage = CardStage(isAtomic: isAtomic)
      stage.card.setSequence(1 << 33, of: "HDMI-A-1")
      let display = try stage.openDisplay()
      let link = DisplayLink(ticker: display.ticker) { _ in }
      link.add(to: stage.loop, mode: .default)
      XCTAssertGreaterThan(try XCTUnwrap(try stage.show(1, on: display)).sequence, 1 << 33)
      stage.run(for: .milliseconds(100))
      XCTAssertGreaterThan(try XCTUnwrap(display.ticker.lastVBlank).sequence, 1 << 33)
      link.invalidate()
      display.isPowered = false
      stage.run(for: .milliseconds(100))
      display.isPowered = true
      XCTAssertEqual(display.ticker.lastVBlank?.sequence, 0)
      XCTAssertGreaterThan(try XCTUnwrap(try stage.show(2, on: display)).sequence, 1 << 33)
      display.invalidate()
    }
  }
}
