import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// How a ticker puts its ticks off, on manual time. The grid is 10 ms; work of 2 ms is known, so that ticks are put off.
final class LateStartTests: ManualLoopCase {
  /// All the time from the vblank on: with it, a wake-up would come for nothing.
  func testTheNextVBlankIsAskedForAfterTheDelivery() throws {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (link, _) = stage.link(to: ticker) { _ in XCTAssertEqual(source.isRequested, false) }
    try Self.settle(ticker, source, stage)
    XCTAssertFalse(source.isRequested)
    let tick = try XCTUnwrap(ticker.delayedTick)
    // A link that comes meanwhile causes no request, and gets the tick too.
    let (other, _) = stage.link(to: ticker)
    XCTAssertFalse(source.isRequested)
    stage.loop.run(mode: .default, until: tick.start - TickMachine.sharedWakeUp - Nanoseconds(1))
    XCTAssertFalse(source.isRequested)
    stage.loop.run(mode: .default, until: tick.start)
    XCTAssertTrue(source.isRequested)
    XCTAssertEqual(link.tick?.timestamp, tick.timestamp)
    XCTAssertEqual(other.tick?.timestamp, tick.timestamp)
    ticker.invalidate()
  }

  func testATickThatNobodyWantsAnyMoreIsDropped() throws {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (link, log) = stage.link(to: ticker)
    let (other, _) = stage.link(to: ticker)
    try Self.settle(ticker, source, stage)
    log.ticks = []
    let dropped = try XCTUnwrap(ticker.delayedTick)

    // Somebody still wants it.
    other.isPaused = true
    XCTAssertTrue(ticker.forecast.isTickDue(at: stage.time.now))
    link.isPaused = true
    XCTAssertFalse(ticker.forecast.isTickDue(at: stage.time.now))
    let requests = source.requests
    stage.run(.milliseconds(50))
    XCTAssertEqual(log.ticks, [])
    XCTAssertEqual(source.requests, requests)

    // Wanted again, the next vblank is the next tick, at once; the dropped one was an interval.
    link.isPaused = false
    XCTAssertEqual(source.requests, requests + 1)
    let vblank = ticker.forecast.vblank(after: stage.time.now)
    stage.send(source, at: vblank, 0)
    XCTAssertEqual(log.ticks.map(\.delivered), [vblank])
    let passed = UInt64((vblank - dropped.timestamp).count / 10_000_000)
    XCTAssertEqual(log.ticks.first?.frameNumber, dropped.frameNumber + passed)
    XCTAssertEqual(log.ticks.first?.missed, 0)
    ticker.invalidate()
  }

  /// The machine sleeps while a tick waits for its deadline: the display was off meanwhile, and its vblank is none any more.
  func testASleepDropsIt() throws {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (_, log) = stage.link(to: ticker)
    try Self.settle(ticker, source, stage)
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))
    log.ticks = []
    let requests = source.requests
    stage.time.machineSlept(for: .seconds(3600))
    // The clock counts only the time of going to sleep and waking up.
    stage.time.advance(by: .milliseconds(300))
    stage.run(.milliseconds(1))
    XCTAssertEqual(log.ticks, [])
    XCTAssertNil(ticker.delayedTick)
    XCTAssertFalse(ticker.forecast.isKnown(at: stage.time.now))
    XCTAssertEqual(source.requests, requests + 1)
    let vblank = stage.time.now + .milliseconds(3)
    stage.send(source, at: vblank, 0)
    XCTAssertEqual(log.ticks.map(\.timestamp), [vblank])
    ticker.invalidate()
  }

  /// Beyond the deadline the tick is late, and says so. Beyond its target the latest vblank takes its place.
  func testABusyLoop() throws {
    let stage = Stage()
    let (ticker, _) = Self.ticker(stage)
    let (_, log) = stage.link(to: ticker)
    stage.run(.milliseconds(52))
    let before = try XCTUnwrap(log.ticks.last)
    // From 2 ms after the vblank at 50 ms to 1 ms before the next one.
    stage.time.advance(by: .milliseconds(7))
    stage.run(Nanoseconds(1))
    let late = try XCTUnwrap(log.ticks.last)
    XCTAssertEqual(late.timestamp, before.timestamp + .milliseconds(10))
    XCTAssertEqual(late.delivered, late.timestamp + .milliseconds(9))
    XCTAssertTrue((.milliseconds(2)...(.milliseconds(3))).contains(late.delivered - late.start))

    stage.run(.milliseconds(3))
    // From 2 ms after the vblank at 60 ms over two vblanks and 1 ms.
    stage.time.advance(by: .milliseconds(19))
    stage.run(Nanoseconds(1))
    let renewed = try XCTUnwrap(log.ticks.last)
    XCTAssertEqual(renewed.timestamp, late.timestamp + .milliseconds(30))
    XCTAssertEqual(renewed.missed, 2)
    XCTAssertEqual(renewed.delivered, renewed.timestamp + .milliseconds(1) + Nanoseconds(1))
    XCTAssertEqual(renewed.targetTimestamp, renewed.timestamp + .milliseconds(10))
    ticker.invalidate()
  }

  /// A link at half the rate: vblanks that it leaves out wake the loop once, the others twice.
  func testNobodyWakesForATickThatIsLeftOut() {
    let stage = Stage()
    let (ticker, source) = Self.ticker(stage)
    let (link, log) = stage.link(to: ticker)
    link.preferredFrameRateRange = FrameRateRange(minimum: 40, maximum: 60, preferred: 50)
    XCTAssertEqual(link.intervalsPerTick, 2)
    var wakeUps = 0
    let observer = FrameLoop.Observer(.afterWaiting, .onMain { _, _ in wakeUps += 1 })
    stage.loop.add(observer, to: .default)
    stage.run(.milliseconds(999))
    XCTAssertEqual(source.deliveredEvents, 99)
    XCTAssertEqual(log.ticks.count, 50, accuracy: 1)
    XCTAssertTrue(log.ticks.dropFirst().allSatisfy { $0.start > $0.timestamp })
    // The last wake-up is the end of the run.
    XCTAssertLessThanOrEqual(wakeUps, 99 + log.ticks.count + 1)
    ticker.invalidate()
  }

  // MARK: - Parts

  private static func ticker(_ stage: Stage) -> (DisplayTicker, SimulatedVBlankSource) {
    let source = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
    let ticker = DisplayTicker(source: source)
    ticker.learnShortFrames()
    return (ticker, source)
  }

  /// Learns short frames, and delivers vblanks 10 ms apart until one of them is put off.
  private static func settle(_ ticker: DisplayTicker, _ source: CountingSource, _ stage: Stage) throws {
    ticker.learnShortFrames()
    for _ in 0..<5 {
      stage.time.advance(by: .milliseconds(1))
      while let tick = ticker.delayedTick {
        if tick.start > stage.time.now { stage.time.advance(to: tick.start) }
        stage.loop.run(mode: .default, until: stage.time.now)
      }
      let vblank = MonotonicTime(nanoseconds: (stage.time.now.nanoseconds / 10_000_000 + 1) * 10_000_000)
      stage.send(source, at: vblank, 0)
    }
    _ = try XCTUnwrap(ticker.delayedTick, "no tick was put off")
  }
}
