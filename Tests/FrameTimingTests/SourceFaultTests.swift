import LinuxSystem
import RunLoops
import XCTest

@testable import FrameTiming

/// Sources that tell what cannot be: the ticker goes on, says so, and does not keep the loop awake.
final class SourceFaultTests: ManualLoopCase {
  func testASourceThatAnswersAtOnceIsNotAskedInALoop() {
    onMain { stage in
      let source = EagerSource(clock: stage.clock)
      let ticker = DisplayTicker(source: source)
      var stamps: [MonotonicTime] = []
      var wakeUps = 0
      let observer = FrameLoop.Observer([.afterWaiting], .onMain { _, _ in wakeUps += 1 })
      stage.loop.add(observer, to: .default)
      let link = DisplayLink(ticker: ticker) { stamps.append($0.timestamp) }
      link.add(to: stage.loop, mode: .default)
      let start = stage.time.now
      // It answers with the newest vblank, which is the last one again until there is another.
      stage.run(.seconds(1))
      XCTAssertLessThanOrEqual(source.requests, 100 * 4 + 4)
      // An answer each, and the time of two that wait.
      XCTAssertLessThanOrEqual(wakeUps, 100 * 6 + 6)
      XCTAssertEqual(stamps, (0..<stamps.count).map { start + .milliseconds(10) * Int64($0) })
      XCTAssertGreaterThanOrEqual(stamps.count, 100)
      XCTAssertNil(ticker.sourceFault)

      source.isStuck = true
      let requests = source.requests
      stage.run(.seconds(1))
      XCTAssertLessThanOrEqual(source.requests - requests, 100 * 2 + 2)
      XCTAssertEqual(ticker.sourceFault, .oldVBlanks)
      XCTAssertTrue(ticker.name.hasPrefix("eager, but it answers"), ticker.name)
      // Nothing is asked while nobody wants ticks.
      link.isPaused = true
      stage.run(.milliseconds(20))
      let last = source.requests
      stage.run(.seconds(1))
      XCTAssertEqual(source.requests, last)

      source.isStuck = false
      link.isPaused = false
      stage.run(.milliseconds(100))
      XCTAssertNil(ticker.sourceFault)
      XCTAssertGreaterThanOrEqual(stamps.count, 109)
      link.invalidate()
      observer.invalidate()
    }
  }

  /// In a time namespace the stamps of the kernel may be hours ahead of the clock.
  func testStampsOfAnotherClockGiveWayToArrivals() {
    onMain { stage in
      let source = CountingSource(refreshRate: .hundred)
      let ticker = DisplayTicker(source: source)
      var ticks: [DisplayLink.Tick] = []
      let link = DisplayLink(ticker: ticker) { link in if let tick = link.tick { ticks.append(tick) } }
      link.add(to: stage.loop, mode: .default)
      let start = stage.time.now
      @MainActor func send(_ numbers: ClosedRange<Int64>, ahead: Nanoseconds) {
        for k in numbers {
          stage.time.advance(to: start + .milliseconds(10) * k)
          source.send(VBlank(timestamp: stage.time.now + ahead, sequence: UInt64(k)), on: stage.loop)
          stage.run(.milliseconds(6))
          XCTAssertTrue(source.isRequested, "the chain of requests broke at \(k)")
        }
      }
      send(1...7, ahead: .seconds(3600))
      XCTAssertEqual(ticks.count, 0)
      XCTAssertNil(ticker.sourceFault)
      send(8...50, ahead: .seconds(3600))
      XCTAssertEqual(ticks.map(\.timestamp), (8...50).map { start + .milliseconds(10) * Int64($0) })
      XCTAssertEqual(ticks.map(\.frameNumber), (1...43).map { $0 })
      XCTAssertEqual(ticker.sourceFault, .stampsAhead(.seconds(3600)))
      XCTAssertTrue(ticker.name.contains("3600.0 s ahead"), ticker.name)
      XCTAssertEqual(ticker.forecast.vblank(after: stage.time.now), start + .milliseconds(510))

      // One without a stamp does not end it, and has come.
      stage.time.advance(to: start + .milliseconds(510))
      source.send(VBlank(timestamp: .zero, sequence: 51), on: stage.loop)
      XCTAssertEqual(ticker.sourceFault, .stampsAhead(.seconds(3600)))
      XCTAssertEqual(ticks.last?.timestamp, start + .milliseconds(510))
      send(52...60, ahead: .seconds(3600))
      XCTAssertEqual(ticks.count, 53)

      // One that is right ends it.
      send(61...70, ahead: .zero)
      XCTAssertEqual(ticks.count, 63)
      XCTAssertEqual(ticks.last?.frameNumber, 63)
      XCTAssertNil(ticker.sourceFault)
      XCTAssertEqual(ticker.name, "counting source")
      // Now and then a wild one is nothing.
      for k in stride(from: Int64(72), to: 100, by: 2) {
        send(k...k, ahead: .seconds(9))
        send(k + 1...k + 1, ahead: .zero)
      }
      XCTAssertNil(ticker.sourceFault)
      XCTAssertEqual(ticks.count, 63 + 14)
      link.invalidate()
    }
  }
}

/// Answers each request at once, with the newest vblank.
@MainActor
private final class EagerSource: VBlankSource {
  let name = "eager"
  let refreshRate = RefreshRate.hundred
  var onVBlank: (@MainActor (VBlank) -> Void)?
  /// Whether it answers with the same vblank for ever.
  var isStuck = false
  private(set) var requests = 0
  private let clock: SystemClock
  private let start: MonotonicTime
  private var alarm: FrameLoop.Alarm?
  private var last: VBlank?

  init(clock: SystemClock) {
    self.clock = clock
    start = clock.now
    alarm = FrameLoop.Alarm(.onMain { [weak self] in self?.answer() })
  }

  func requestVBlank() {
    requests += 1
    alarm?.fireTime = clock.now
  }

  func add(to loop: FrameLoop, mode: FrameLoop.Mode) { if let alarm { loop.add(alarm, to: mode) } }
  func remove(from loop: FrameLoop, mode: FrameLoop.Mode) { if let alarm { loop.remove(alarm, from: mode) } }
  func invalidate() { alarm?.invalidate() }

  private func answer() {
    let k = refreshRate.intervals(in: clock.now - start)
    let vblank = VBlank(timestamp: start + refreshRate.offset(ofInterval: k), sequence: UInt64(k + 1))
    if !isStuck { last = vblank }
    onVBlank?(last ?? vblank)
  }
}
