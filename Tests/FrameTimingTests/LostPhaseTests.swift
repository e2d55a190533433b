import LinuxSystem
import RunLoops
import Simulation
import Testing
import XCTest

@testable import FrameTiming

/// The model of a display that was off.
@Suite struct LostPhaseModelTests {
  static let rates: [RefreshRate] = [.hertz(24), .hertz(60000, over: 1001), .hertz(60), .hertz(144), .hertz(500)]

  /// Whatever the first stamps are after such a time: once three good ones have come the grid is known, and it is the true one;
  /// nothing is promised earlier, and the period is never lost.
  @Test(arguments: rates) func threeStampsThatAgreeAreBelieved(_ nominal: RefreshRate) throws {
    let seed = UInt64.random(in: 0...999_999)
    print("lost phase at \(nominal), seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let rate = try #require(RefreshRate(hertz: nominal.hertz * Double.random(in: 0.999...1.001, using: &random)))
      var model = VBlankModel(refreshRate: nominal)
      var start = MonotonicTime(nanoseconds: 1_000_000_000)
      for k in 1...600 as ClosedRange<Int64> {
        model.observe(VBlank(timestamp: start + rate.offset(ofInterval: k), sequence: UInt64(k)))
      }
      let period = model.period
      #expect(abs(period - rate.exactInterval) < rate.exactInterval * 1e-6, "seed \(seed)")
      model.losePhase()
      start += Nanoseconds(Int64.random(in: 700 * rate.interval.count...5000 * rate.interval.count, using: &random))
      #expect(!isKnown(model, at: start), "seed \(seed)")
      // Wrong ones first, up to two and a little late each.
      var k: Int64 = 0
      for _ in 0..<Int.random(in: 0...2, using: &random) {
        k += 1
        let wrong = Nanoseconds(Int64.random(in: rate.interval.count / 5...rate.interval.count * 2 / 5, using: &random))
        model.observe(VBlank(timestamp: start + rate.offset(ofInterval: k) + wrong, sequence: UInt64(k)))
        #expect(!isKnown(model, at: start + rate.offset(ofInterval: k)), "seed \(seed)")
      }
      let hasSequence = random.chance(0.5)
      for good in 1...3 {
        k += 1
        model.observe(VBlank(timestamp: start + rate.offset(ofInterval: k), sequence: hasSequence ? UInt64(k) : 0))
        if good == 1 { #expect(!isKnown(model, at: start + rate.offset(ofInterval: k)), "seed \(seed)") }
      }
      #expect(isKnown(model, at: start + rate.offset(ofInterval: k)), "seed \(seed)")
      #expect(abs(model.period - period) < rate.exactInterval * 2e-6, "seed \(seed)")
      let next = try #require(model.prediction(after: start + rate.offset(ofInterval: k)))
      let error = next.timestamp - (start + rate.offset(ofInterval: k + 1))
      #expect(abs(error.count) < rate.interval.count / 100_000 + 1000, "seed \(seed)")
    }
  }

  /// A variable display's phase is its last vblank, whatever was before.
  @Test func aVariableDisplayIsKnownWithItsNextVBlank() {
    var model = VBlankModel(refreshRate: .hertz60, isVariable: true)
    model.observe(VBlank(timestamp: .zero + .seconds(1), sequence: 1))
    model.losePhase()
    model.observe(VBlank(timestamp: .zero + .seconds(3), sequence: 2))
    #expect(isKnown(model, at: .zero + .seconds(3)))
  }

  private func isKnown(_ model: VBlankModel, at time: MonotonicTime) -> Bool {
    model.prediction(after: time)?.isKnown ?? false
  }
}

/// The ticks when a display goes off, the machine sleeps, or a source takes over.
final class LostPhaseTests: ManualLoopCase {
  /// A kernel ends what was asked of a display that it switches off: an event with the time of that.
  func testAnEventThatCameEarlyIsNoTick() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (_, log) = stage.link(to: ticker)
    let start = stage.time.now
    source.send(VBlank(timestamp: start, sequence: 1), on: stage.loop)
    XCTAssertTrue(ticker.forecast.isKnown(at: start))
    stage.time.advance(by: .milliseconds(7))
    ticker.losePhase()
    XCTAssertFalse(ticker.forecast.isKnown(at: stage.time.now))
    let requests = source.requests
    source.send(VBlank(timestamp: start + .milliseconds(7), sequence: 2), on: stage.loop)
    XCTAssertEqual(log.ticks.count, 1)
    XCTAssertEqual(source.requests, requests + 1, "it is asked for what did not come")
    // It is on again, in another phase.
    stage.send(source, at: start + .milliseconds(104), 11)
    XCTAssertEqual(log.ticks.map(\.timestamp), [start, start + .milliseconds(104)])
  }

  /// Nobody says that the machine has slept: it is seen when the event comes that the sleep ended, and when frames are wanted
  /// again after a pause.
  func testThatTheMachineHasSleptIsNoticed() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (link, log) = stage.link(to: ticker)
    let start = stage.time.now
    for k in 0...5 as ClosedRange<Int64> {
      stage.send(source, at: start + .milliseconds(10) * k, UInt64(k) + 1)
    }
    XCTAssertEqual(log.ticks.count, 6)
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))

    stage.time.machineSlept(for: .seconds(3600))
    stage.time.advance(to: start + .milliseconds(300))
    source.send(VBlank(timestamp: start + .milliseconds(55), sequence: 7), on: stage.loop)
    XCTAssertEqual(log.ticks.count, 6, "the event that the sleep ended has ticked")
    XCTAssertFalse(ticker.forecast.isKnown(at: stage.time.now))
    for k in 31...33 as ClosedRange<Int64> {
      let stamp = start + .milliseconds(10 * k + 4)
      stage.send(source, at: stamp, UInt64(k))
      XCTAssertEqual(log.ticks.last?.timestamp, stamp)
    }
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))

    link.isPaused = true
    source.send(VBlank(timestamp: start + .milliseconds(344), sequence: 34), on: stage.loop)
    stage.time.machineSlept(for: .seconds(60))
    stage.time.advance(to: start + .milliseconds(700))
    link.isPaused = false
    XCTAssertFalse(ticker.forecast.isKnown(at: stage.time.now))

    // A pause is no sleep.
    for k in 71...74 as ClosedRange<Int64> {
      stage.send(source, at: start + .milliseconds(10 * k), UInt64(k))
    }
    link.isPaused = true
    source.send(VBlank(timestamp: start + .milliseconds(750), sequence: 75), on: stage.loop)
    stage.time.advance(to: start + .milliseconds(1000))
    link.isPaused = false
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))
  }

  /// A screen that goes and comes back has the rate that it had, whatever the clock that stood in for it said.
  func testThePeriodIsKeptThroughAnAbsence() throws {
    let stage = Stage()
    let screen = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
    screen.setRate(.hertz60, actual: .hertz5995)
    let ticker = DisplayTicker(source: screen)
    let (link, _) = stage.link(to: ticker)
    stage.run(.seconds(20))
    XCTAssertEqual(ticker.model.period, RefreshRate.hertz5995.exactInterval, accuracy: 100)
    ticker.change(to: FallbackClock(refreshRate: .hertz60, reason: "it is away", clock: stage.clock))
    stage.run(.seconds(100))
    stage.run(.milliseconds(5))
    let back = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
    back.setRate(.hertz60, actual: .hertz5995)
    let returned = stage.time.now
    ticker.change(to: back)
    XCTAssertFalse(ticker.forecast.isKnown(at: returned))
    stage.run(.milliseconds(55))
    XCTAssertTrue(ticker.forecast.isKnown(at: stage.time.now))
    XCTAssertEqual(ticker.model.period, RefreshRate.hertz5995.exactInterval, accuracy: 200)
    let second = try XCTUnwrap(ticker.model.prediction(after: stage.time.now + .seconds(1)))
    let next = back.grid.time(ofVBlank: back.grid.vblank(after: stage.time.now + .seconds(1)))
    XCTAssertEqual(Double((second.timestamp - next).count), 0, accuracy: 20_000)
    link.invalidate()
  }
}
