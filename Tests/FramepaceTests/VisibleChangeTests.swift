import Framepace
import FramepaceTesting
import Simulation
import TestLength
import XCTest

/// Changes that layers make are seen, and soon, whatever the load and the display.
@preconcurrency @MainActor final class VisibleChangeTests: XCTestCase {
  /// Changes come at any time and in bursts, after work of up to one and a half intervals, on displays that lose, delay and
  /// repeat events: each is seen within so many intervals of its turn, or a newer one is; the last one always.
  func testEveryChangeIsSeen() throws {
    for seed in some(20, of: 0..<200 as Range<UInt64>) {
      var random = SplitMix64(seed: seed)
      let rate = try XCTUnwrap(RefreshRate(hertz: Double.random(in: 23.976...500, using: &random)))
      let (interval, buffering) = (rate.interval, random.chance(0.5) ? Buffering.double : .triple)
      var faults = DisplayFaults()
      if random.chance(0.7) {
        faults.noise = interval / 100
        faults.lostEvents = 0.1
        faults.duplicateEvents = 0.1
        faults.latestDelivery = interval / 2
        faults.zeroSequences = random.chance(0.5) ? 1 : 0
      }
      let stage = try ManualStage(root: Layer()) { clock in
        let vblanks = SimulatedVBlankSource(refreshRate: rate, clock: .manual(clock), seed: seed)
        vblanks.faults = faults
        let screen = try SimulatedScreen(
          width: 8, height: 8, vblanks: vblanks, buffering: buffering, clock: .manual(clock))
        return FaultyDisplay(screen, clock: clock)
      }
      stage.engine.output.policy = random.chance(0.5) ? .vblank : .lateStart
      var changes: [(color: UInt32, time: MonotonicTime)] = []
      for _ in 0..<120 {
        let work = random.chance(0.5) ? .zero : interval * Int64.random(in: 0...150, using: &random) / 100
        let timer = FrameLoop.Timer(
          fireTime: stage.clock.now + interval * Int64.random(in: 0...100, using: &random) / 100,
          .onMain { _ in
            stage.clock.advance(by: work)
            let number = UInt32(changes.count + 1)
            Transaction.withoutActions { stage.root.backgroundColor = Color(hex: number) }
            changes.append((number, stage.clock.now))
          })
        stage.loop.add(timer, to: .default)
        // Sometimes not at all, or for a pause.
        stage.run(for: interval * Int64.random(in: 0...(random.chance(0.1) ? 60 : 2), using: &random))
      }
      stage.run(for: interval * 20)
      let name = "seed \(seed), \(rate), \(buffering), \(stage.engine.output.policy)"
      XCTAssertEqual(changes.count, 120, name)
      XCTAssertEqual(stage.display.shown.last.map { $0.pixel & 0xFF_FFFF }, changes.last?.color, name)
      var shown = stage.display.shown[...]
      for change in changes {
        while let first = shown.first, first.pixel & 0xFF_FFFF < change.color { shown.removeFirst() }
        guard let first = shown.first else { return XCTFail("\(name): \(change) was never seen") }
        XCTAssertLessThanOrEqual((first.feedback.timestamp - change.time).seconds / interval.seconds, 8, name)
      }
      stage.engine.invalidate()
    }
  }
}
