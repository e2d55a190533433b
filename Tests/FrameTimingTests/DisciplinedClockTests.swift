import LinuxSystem
import RunLoops
import Simulation
import Testing
import XCTest

@testable import FrameTiming

@Suite struct FollowingGridTests {
  /// However often and wherever the grid moves: a point is told once, none moves by more than half an interval, and time
  /// goes forward.
  @Test func pointsGoOnThroughAnyChange() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("following grid, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<100 {
      var now = MonotonicTime.zero + .seconds(7)
      var grid = FallbackGrid(rate: .hertz60, start: now)
      var last: VBlank?
      for _ in 0..<300 {
        guard var fireTime = grid.request(now: now) else { break }
        if random.chance(0.3) {
          let rate = try #require(RefreshRate(period: 1e9 / 60 * Double.random(in: 0.99...1.01, using: &random)))
          let phase = now + Nanoseconds(Int64.random(in: -1_000_000_000...1_000_000_000, using: &random))
          guard let moved = grid.follow(rate, phase: phase) else { return #expect(Bool(false), "nothing is asked for") }
          #expect(abs((moved - fireTime).count) <= rate.interval.count / 2 + 1, "seed \(seed)")
          fireTime = moved
        }
        now = max(now, fireTime)
        guard let vblank = grid.fire(now: now) else { return #expect(Bool(false), "nothing came") }
        if let last {
          #expect(vblank.timestamp > last.timestamp, "seed \(seed)")
          #expect(vblank.sequence > last.sequence && vblank.sequence <= last.sequence + 2, "seed \(seed)")
        }
        #expect(vblank.timestamp <= now)
        last = vblank
      }
    }
  }
}

/// A clock in the place of a display, at the display's own rate.
final class DisciplinedClockTests: ManualLoopCase {
  /// It stands in for a display at 59.95 Hz for a minute: nowhere is it a hundredth of an interval away from where the
  /// display's vblanks would have been. At the nominal rate it would have slipped three whole frames.
  func testItKeepsRateAndPhaseThroughAGap() {
    for isDisciplined in [true, false] {
      let stage = Stage()
      let screen = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock, seed: 5)
      screen.setRate(.hertz60, actual: .hertz5995)
      screen.faults.noise = .microseconds(5)
      let ticker = DisplayTicker(source: screen)
      var worst: Int64 = 0
      let grid = screen.grid
      let (link, log) = stage.link(to: ticker) { link in
        guard let tick = link.tick else { return }
        let next = grid.time(ofVBlank: grid.vblank(after: tick.timestamp - tick.duration / 2))
        worst = max(worst, abs((tick.timestamp - next).count))
      }
      stage.run(.seconds(60))
      let clock = FallbackClock(
        refreshRate: .hertz60, reason: "it is away", start: ticker.lastVBlank?.timestamp, clock: stage.clock)
      if isDisciplined { XCTAssertTrue(clock.discipline(by: ticker.model)) }
      ticker.change(to: clock)
      worst = 0
      let before = log.ticks.count
      stage.run(.seconds(60))
      if isDisciplined {
        XCTAssertLessThan(worst, 160_000)
        XCTAssertEqual(clock.disciplinedRate?.hertz ?? 0, 59.95, accuracy: 0.0001)
        XCTAssertEqual(Double(log.ticks.count - before), 59.95 * 60, accuracy: 1)
      } else {
        XCTAssertGreaterThan(worst, 8_000_000)
        XCTAssertNil(clock.disciplinedRate)
      }
      for (first, second) in zip(log.ticks, log.ticks.dropFirst()) {
        XCTAssertEqual(second.frameNumber, first.frameNumber + 1)
      }
      link.invalidate()
    }
  }

  /// It keeps step with another display while that ticks; its own ticks go on, each interval once.
  func testItKeepsStepWithAnotherDisplay() {
    let stage = Stage()
    let start = stage.time.now
    let clock = FallbackClock(refreshRate: .hertz60, reason: "a test", clock: stage.clock)
    let ticker = DisplayTicker(source: clock)
    let screen = SimulatedGrid(rate: .hertz5995, start: start - .milliseconds(6), seed: 1)
    var model = VBlankModel(refreshRate: .hertz60)
    let (link, log) = stage.link(to: ticker) { link in
      guard let tick = link.tick else { return }
      model.observe(screen.told(ofVBlank: screen.vblank(after: tick.timestamp) &- 1))
      clock.discipline(by: model)
    }
    stage.run(.seconds(30))
    XCTAssertEqual(clock.disciplinedRate?.hertz ?? 0, 59.95, accuracy: 0.001)
    XCTAssertTrue(clock.name.hasPrefix("fallback clock 59.95 Hz, as the display has it: "), clock.name)
    for tick in log.ticks.suffix(100) {
      let next = screen.time(ofVBlank: screen.vblank(after: tick.timestamp - .milliseconds(8)))
      XCTAssertEqual(Double((tick.timestamp - next).count), 0, accuracy: 5_000)
    }
    for (first, second) in zip(log.ticks, log.ticks.dropFirst()) {
      XCTAssertGreaterThan((second.timestamp - first.timestamp).milliseconds, 8)
      XCTAssertGreaterThanOrEqual(second.frameNumber, first.frameNumber + 1)
      XCTAssertLessThanOrEqual(second.frameNumber, first.frameNumber + 2)
    }
    link.invalidate()
  }

  /// The screen was off for long before it went away: where its vblanks lie is not known, but how far apart.
  func testTheRateIsTakenWithoutThePhase() {
    let stage = Stage()
    var model = VBlankModel(refreshRate: .hertz60)
    for k in 1...600 as ClosedRange<Int64> {
      model.observe(VBlank(timestamp: stage.time.now + RefreshRate.hertz5995.offset(ofInterval: k), sequence: UInt64(k)))
    }
    model.losePhase()
    stage.time.advance(by: .seconds(100))
    let start = stage.time.now
    let clock = FallbackClock(refreshRate: .hertz60, reason: "it is away", clock: stage.clock)
    XCTAssertTrue(clock.discipline(by: model))
    XCTAssertEqual(clock.disciplinedRate?.hertz ?? 0, 59.95, accuracy: 0.000_1)
    // The clock's own phase: it begins now.
    XCTAssertEqual(clock.newestVBlank()?.timestamp, start)
    stage.time.advance(by: .milliseconds(17))
    XCTAssertEqual(clock.newestVBlank()?.timestamp, start + RefreshRate.hertz5995.interval)
  }

  /// By a display at another rate, and one that is not known yet, it is not disciplined.
  func testWhatIsNotKnownDoesNotDisciplineIt() {
    let stage = Stage()
    let clock = FallbackClock(refreshRate: .hertz60, reason: "a test", clock: stage.clock)
    let slow = RefreshRate.hertz(50)
    var model = VBlankModel(refreshRate: slow)
    XCTAssertFalse(clock.discipline(by: model))
    for k in 1...300 as ClosedRange<Int64> {
      model.observe(VBlank(timestamp: stage.time.now + slow.offset(ofInterval: k), sequence: UInt64(k)))
    }
    XCTAssertFalse(clock.discipline(by: model))
    var young = VBlankModel(refreshRate: .hertz60)
    for k in 1...4 as ClosedRange<Int64> {
      young.observe(VBlank(timestamp: stage.time.now + .milliseconds(17) * k, sequence: UInt64(k)))
    }
    XCTAssertFalse(clock.discipline(by: young))
    XCTAssertNil(clock.disciplinedRate)
  }
}
