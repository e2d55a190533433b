import Framepace
import FramepaceTesting
import Simulation
import XCTest

/// A display whose flips are told in a turn of their own, a little before the vblank at which they happened ticks.
@preconcurrency @MainActor final class FlipBeforeTickTests: XCTestCase {
  /// A change that a link's callback makes at a vblank is seen at the next one, although the turn of the flip came first and an
  /// animation wanted a frame in it.
  func testTheTickRendersAndNotTheFlipBeforeIt() throws {
    let stage = try Self.makeStage()
    stage.root.add(BasicAnimation(.cornerRadius, from: 0, to: 4, duration: .seconds(10)))
    stage.engine.makeDisplayLink { link in stage.mark(link.targetTimestamp) }
    stage.run(for: .seconds(2))
    stage.engine.invalidate()

    // The start is not in step yet.
    let shown = stage.display.shown.dropFirst(5)
    XCTAssertGreaterThan(shown.count, 190)
    for frame in shown { XCTAssertEqual(frame.pixel, pixel(for: frame.feedback.timestamp)) }
    for (earlier, later) in zip(shown, shown.dropFirst()) {
      XCTAssertEqual(later.feedback.sequence, earlier.feedback.sequence + 1)
    }
  }

  /// Out of idle, and while only another link ticks, no turn waits for a tick that is not due.
  func testAChangeBetweenVBlanksIsRenderedInItsTurn() throws {
    let stage = try Self.makeStage()
    stage.run(for: .milliseconds(100))
    for delay: Int64 in 2...9 {
      let made = stage.display.shown.count
      let change = stage.clock.now + .milliseconds(100 + delay)
      stage.run(until: change)
      stage.mark(change)
      stage.run(for: .milliseconds(100 - delay))
      let frame = try XCTUnwrap(stage.display.shown.dropFirst(made).first)
      XCTAssertEqual(stage.display.shown.count, made + 1)
      XCTAssertEqual(frame.feedback.timestamp - change, .milliseconds(10 - delay), "\(delay) ms after a vblank")
    }
    stage.engine.invalidate()
  }

  /// A screen whose flips come at the vblanks, beside a source whose events come up to a millisecond later.
  private static func makeStage() throws -> ManualStage<FaultyDisplay<SimulatedScreen>> {
    let rate = try XCTUnwrap(RefreshRate(hertz: 100))
    let stage = try ManualStage { clock in
      let (punctual, late) = (
        SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock)),
        SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock))
      )
      late.faults.latestDelivery = .milliseconds(1)
      let screen = try SimulatedScreen(width: 16, height: 16, vblanks: punctual, clock: .manual(clock))
      return FaultyDisplay(screen, ticker: DisplayTicker(source: late), clock: clock)
    }
    stage.root.cornerRadius = 1
    stage.mark(stage.clock.now)
    return stage
  }
}

private func pixel(for time: MonotonicTime) -> UInt32 {
  0xFF00_0000 | UInt32(truncatingIfNeeded: time.nanoseconds / 10_000_000) << 4 & 0xFF_FFFF
}

extension ManualStage {
  /// Paints the number of a vblank.
  fileprivate func mark(_ time: MonotonicTime) {
    Transaction.withoutActions { root.backgroundColor = Color(hex: pixel(for: time) & 0xFF_FFFF) }
  }
}
