import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

/// A ticker whose display goes and comes: links go on, on another source.
final class SourceChangeTests: ManualLoopCase {
  func testTheSourceThatTakesOverOwesWhatWasAskedFor() {
    let stage = Stage()
    let (old, new) = (CountingSource(refreshRate: .hundred), CountingSource(refreshRate: .hundred))
    let ticker = DisplayTicker(source: old)
    var ticks: [UInt64] = []
    let link = DisplayLink(ticker: ticker) { ticks.append($0.frameNumber) }
    link.add(to: stage.loop, mode: "one")
    link.add(to: stage.loop, mode: "two")
    let start = stage.time.now
    old.send(VBlank(timestamp: start, sequence: 5), on: stage.loop, mode: "one")
    let outdated = old.onVBlank
    ticker.change(to: new)
    XCTAssertTrue(ticker.source === new)
    XCTAssertNil(old.onVBlank, "the old source was not invalidated")
    for mode: FrameLoop.Mode in ["one", "two"] { XCTAssertTrue(stage.loop.contains(new.loopItem, in: mode)) }
    XCTAssertEqual(new.requests, 1)

    stage.time.advance(by: .milliseconds(10))
    let late = FrameLoop.Timer(
      fireTime: start, .onMain { _ in outdated?(VBlank(timestamp: start + .milliseconds(10), sequence: 6)) })
    stage.loop.add(late, to: "one")
    stage.run(Nanoseconds(1), mode: "one")
    XCTAssertEqual(ticks, [1], "a source that is no more has ticked")
    new.send(VBlank(timestamp: start + .milliseconds(10), sequence: 900), on: stage.loop, mode: "two")
    XCTAssertEqual(ticks, [1, 2])
    XCTAssertEqual(new.requests, 2)
  }

  func testWhoWantsNothingIsAskedForNothing() {
    let stage = Stage()
    let ticker = DisplayTicker(source: CountingSource(refreshRate: .hundred))
    let link = DisplayLink(ticker: ticker) { _ in }
    link.isPaused = true
    link.add(to: stage.loop, mode: .default)
    let new = CountingSource(refreshRate: .hundred)
    ticker.change(to: new)
    XCTAssertEqual(new.requests, 0)
    link.isPaused = false
    XCTAssertEqual(new.requests, 1)
    ticker.invalidate()
    let last = CountingSource(refreshRate: .hundred)
    ticker.change(to: last)
    XCTAssertTrue(ticker.source === new, "a ticker that ended has begun again")
  }

  /// A clock that takes over from the last vblank goes on in its phase: no interval is ticked twice, and none is left out.
  func testAClockGoesOnFromTheLastVBlank() {
    let stage = Stage()
    let (hardware, ticker) = stage.countingTicker()
    let (_, log) = stage.link(to: ticker)
    let start = stage.time.now
    hardware.send(VBlank(timestamp: start, sequence: 77), on: stage.loop)
    stage.time.advance(by: .milliseconds(4))
    let clock = FallbackClock(
      refreshRate: .hundred, reason: "the display is gone", start: ticker.lastVBlank?.timestamp, clock: stage.clock)
    ticker.change(to: clock)
    ticker.refresh()
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))
    XCTAssertEqual(ticker.forecast.vblank(after: stage.time.now), start + .milliseconds(10))
    XCTAssertEqual(ticker.forecast.frameNumber(at: stage.time.now), 1)
    stage.run(.milliseconds(40))
    XCTAssertEqual(log.ticks.map(\.timestamp), (0...4).map { start + .milliseconds(10) * Int64($0) })
    XCTAssertEqual(log.ticks.map(\.frameNumber), [1, 2, 3, 4, 5])
    XCTAssertEqual(log.ticks.map(\.missed), [0, 0, 0, 0, 0])
  }

  /// Nothing is known of another source before its third vblank; frame numbers go on all the same.
  func testPredictionsOfAnotherSourceAreGuessesAtFirst() {
    let stage = Stage()
    let (old, ticker) = stage.countingTicker()
    stage.link(to: ticker)
    let start = stage.time.now
    old.send(VBlank(timestamp: start, sequence: 1), on: stage.loop)
    let new = CountingSource(refreshRate: .hundred)
    ticker.change(to: new)
    var later = start + .milliseconds(25)
    XCTAssertFalse(ticker.forecast.isKnown(at: later))
    XCTAssertEqual(ticker.forecast.frameNumber(at: later), 3)
    // The sequence would say 999 intervals, and the stamps do not contradict it enough.
    for sequence: Int64 in 1...2 {
      new.newest = VBlank(timestamp: start + .milliseconds(3) + .milliseconds(10) * sequence, sequence: UInt64(sequence))
      stage.time.advance(to: later)
      ticker.refresh()
      XCTAssertFalse(ticker.forecast.isKnown(at: later))
      later += .milliseconds(10)
      XCTAssertEqual(ticker.forecast.frameNumber(at: later), UInt64(3 + sequence))
    }
    new.newest = VBlank(timestamp: start + .milliseconds(43), sequence: 4)
    later = start + .milliseconds(45)
    stage.time.advance(to: later)
    ticker.refresh()
    XCTAssertTrue(ticker.forecast.isKnown(at: later))
    XCTAssertEqual(ticker.forecast.vblank(after: later), start + .milliseconds(53))
  }
}
