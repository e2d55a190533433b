import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

final class VBlankSourceTests: ManualLoopCase {
  func testASourceDeliversOneVBlankForEachRequestAndNoneUnasked() {
    let stage = Stage()
    let sources: [any VBlankSource] = [
      FallbackClock(refreshRate: .hundred, reason: "a test", clock: stage.clock),
      SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock),
    ]
    for source in sources {
      let start = stage.time.now
      var stamps: [MonotonicTime] = []
      source.onVBlank = { stamps.append($0.timestamp) }
      source.add(to: stage.loop, mode: .default)
      stage.run(.milliseconds(35))
      XCTAssertEqual(stamps, [], source.name)
      source.requestVBlank()
      source.requestVBlank()
      stage.run(.milliseconds(100))
      XCTAssertEqual(stamps, [start + .milliseconds(40)], source.name)
      source.requestVBlank()
      // On the grid point itself: the next one.
      stage.run(.milliseconds(5))
      source.requestVBlank()
      XCTAssertEqual(stamps, [start + .milliseconds(40), start + .milliseconds(140)], source.name)
      source.invalidate()
      stage.run(.milliseconds(100))
      XCTAssertEqual(stamps.count, 2, source.name)
      stage.time.advance(to: MonotonicTime(nanoseconds: (stage.time.now.nanoseconds / 10_000_000 + 1) * 10_000_000))
    }
  }

  func testTheNewestVBlankIsToldUnasked() {
    let stage = Stage()
    let start = stage.time.now
    let display = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
    let sources: [any VBlankSource] = [
      FallbackClock(refreshRate: .hundred, reason: "a test", clock: stage.clock), display,
    ]
    for (passed, k) in [(0, 0), (9, 0), (10, 1), (8765, 876)] as [(Int64, Int64)] {
      stage.time.advance(to: start + .milliseconds(passed))
      for source in sources {
        let expected = VBlank(timestamp: start + .milliseconds(k * 10), sequence: UInt64(k))
        XCTAssertEqual(source.newestVBlank(), expected, "\(source.name) after \(passed) ms")
      }
    }
    display.isOn = false
    XCTAssertNil(display.newestVBlank())
  }

  /// A variable display that gets no frame for its longest interval shows the last one again: a vblank as any other. Links tick
  /// at it, count it, and claim nothing of the next one.
  func testAVariableDisplayRepeatsAFrameByItself() throws {
    let profile = DisplayProfile.vrr
    let slowest = try XCTUnwrap(profile.slowestRate)
    let stage = Stage()
    let display = SimulatedVBlankSource(profile, clock: stage.clock, seed: 4)
    let grid = display.grid
    let ticker = DisplayTicker(source: display)
    ticker.policy = .lateStart
    var ticks: [(tick: DisplayLink.Tick, vblank: UInt64)] = []
    let link = DisplayLink(ticker: ticker) { link in
      guard let tick = link.tick, let vblank = ticker.lastVBlank else { return }
      ticks.append((tick, vblank.sequence))
    }
    link.add(to: stage.loop, mode: .default)
    stage.run(.seconds(20))
    var repeats = 0
    for (first, second) in zip(ticks, ticks.dropFirst()) {
      XCTAssertEqual(second.vblank, first.vblank + 1)
      XCTAssertEqual(second.tick.frameNumber, first.tick.frameNumber + 1)
      XCTAssertEqual(second.tick.missed, 0)
      XCTAssertEqual(second.tick.timestamp, grid.timestamp(ofVBlank: second.vblank))
      XCTAssertGreaterThan(second.tick.targetTimestamp, second.tick.timestamp)
      XCTAssertEqual(second.tick.start, second.tick.timestamp, "of a variable display no deadline is known")
      let interval = grid.time(ofVBlank: second.vblank) - grid.time(ofVBlank: first.vblank)
      XCTAssertGreaterThanOrEqual(interval, profile.actualRate.interval)
      XCTAssertLessThanOrEqual(interval, slowest.interval)
      guard grid.repeatsFrame(atVBlank: second.vblank) else { continue }
      repeats += 1
      let frame = grid.time(ofVBlank: second.vblank + 1) - grid.time(ofVBlank: first.vblank)
      XCTAssertGreaterThan(frame, slowest.interval, "a frame that could have waited")
      XCTAssertEqual(frame.seconds / 2, interval.seconds, accuracy: 1e-8)
    }
    XCTAssertGreaterThan(ticks.count, 1_200)
    XCTAssertGreaterThan(repeats, 100)
    ticker.invalidate()
  }

  func testADisplayThatIsOffDoesNotTickAndGoesOnWhenOn() {
    let stage = Stage()
    let display = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
    let ticker = DisplayTicker(source: display)
    let (link, log) = stage.link(to: ticker)
    stage.run(.milliseconds(25))
    display.isOn = false
    stage.run(.milliseconds(100))
    XCTAssertEqual(log.ticks.count, 2)
    display.isOn = true
    stage.run(.milliseconds(10))
    XCTAssertEqual(log.ticks.map(\.frameNumber), [1, 2, 13])
    XCTAssertEqual(link.tick?.missed, 10)
  }

  func testAChangeBetweenVBlanksGoesOnFromTheLastOne() {
    let stage = Stage()
    let start = stage.time.now
    let display = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
    stage.run(.milliseconds(23))
    display.refreshRate = .hertz(200)
    XCTAssertEqual(display.grid.vblank(after: stage.time.now), 3)
    XCTAssertEqual(display.grid.time(ofVBlank: 3), start + .milliseconds(25))
    stage.run(.milliseconds(4))
    display.refreshRate = .hundred
    XCTAssertEqual(display.grid.vblank(after: stage.time.now), 4)
    XCTAssertEqual(display.grid.time(ofVBlank: 4), start + .milliseconds(35))
  }
}
