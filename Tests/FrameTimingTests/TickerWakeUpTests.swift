import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// The wake-ups and requests of a ticker on bad displays.
final class TickerWakeUpTests: ManualLoopCase {
  /// However bad the display: as many requests as events, each wake-up brings one, and none comes while nobody asks.
  func testNothingWakesTheLoopButVBlanksThatWereAskedFor() {
    for profile in DisplayProfile.all {
      for seed: UInt64 in 0..<4 {
        onMain { stage in
          let display = SimulatedVBlankSource(profile, clock: stage.clock, seed: seed)
          let ticker = DisplayTicker(source: display)
          var wakeUps: UInt64 = 0
          let observer = FrameLoop.Observer([.afterWaiting], .onMain { _, _ in wakeUps += 1 })
          stage.loop.add(observer, to: .default)
          var random = SplitMix64(seed: seed)
          var ticks: UInt64 = 0
          var last: DisplayLink.Tick?
          let link = DisplayLink(ticker: ticker) { link in
            guard let tick = link.tick else { return }
            ticks += 1
            XCTAssertGreaterThan(tick.targetTimestamp, tick.timestamp)
            if let last {
              XCTAssertGreaterThan(tick.timestamp, last.timestamp)
              if tick.missed > 0 { XCTAssertEqual(tick.frameNumber, last.frameNumber + 1 + tick.missed) }
            }
            last = tick
            if random.chance(0.05) { stage.time.advance(by: Nanoseconds(Int64.random(in: 0...60_000_000, using: &random))) }
          }
          link.add(to: stage.loop, mode: .default)
          for _ in 0..<20 {
            stage.run(.milliseconds(500))
            link.isPaused = true
            // The vblank that was requested before the pause may still come.
            stage.run(.milliseconds(200))
            let (events, before) = (display.deliveredEvents, wakeUps)
            stage.run(.seconds(10))
            XCTAssertEqual(display.deliveredEvents, events, "\(profile.name), seed \(seed)")
            XCTAssertLessThanOrEqual(wakeUps - before, 1, "the end of the run itself")
            link.isPaused = false
          }
          XCTAssertGreaterThan(ticks, 200, "\(profile.name), seed \(seed)")
          XCTAssertLessThanOrEqual(ticks, display.deliveredEvents)
          XCTAssertLessThanOrEqual(wakeUps, display.deliveredEvents + 60, "\(profile.name), seed \(seed)")
          link.invalidate()
          observer.invalidate()
        }
      }
    }
  }
}
