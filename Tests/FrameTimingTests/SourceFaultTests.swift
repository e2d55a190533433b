import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// Sources that tell what cannot be: the ticker goes on, says so, and does not keep the loop awake.
final class SourceFaultTests: ManualLoopCase {
  func testASourceThatAnswersAtOnceIsNotAskedInALoop() {
    let stage = Stage()
    let source = EagerSource(clock: stage.clock)
    let ticker = DisplayTicker(source: source)
    var wakeUps = 0
    let observer = FrameLoop.Observer([.afterWaiting], .onMain { _, _ in wakeUps += 1 })
    stage.loop.add(observer, to: .default)
    let (link, log) = stage.link(to: ticker)
    let start = stage.time.now
    // It answers with the newest vblank, which is the last one again until there is another.
    stage.run(.seconds(1))
    XCTAssertLessThanOrEqual(source.requests, 100 * 4 + 4)
    // An answer each, and the time of two that wait.
    XCTAssertLessThanOrEqual(wakeUps, 100 * 6 + 6)
    XCTAssertEqual(
      log.ticks.map(\.timestamp), (0..<log.ticks.count).map { start + .milliseconds(10) * Int64($0) })
    XCTAssertGreaterThanOrEqual(log.ticks.count, 100)
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
    XCTAssertGreaterThanOrEqual(log.ticks.count, 109)
    link.invalidate()
    observer.invalidate()
  }

  /// A display that runs at more than twice the rate that its mode says: once that is seen each vblank ticks, for the next one.
  func testADisplayThatIsMuchFasterThanItSays() {
    for (hertz, hasSequences) in [(121, true), (144, true), (165, true), (240, true), (121, false), (240, false)] {
      let stage = Stage()
      let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
      source.setRate(.hertz60, actual: .hertz(Int64(hertz)))
      if !hasSequences { source.faults.zeroSequences = 1 }
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      let half = DisplayLink(ticker: ticker) { _ in }
      half.preferredFrameRateRange = FrameRateRange(minimum: 0, maximum: Double(hertz) / 2)
      half.add(to: stage.loop, mode: .default)
      stage.run(.seconds(1))
      log.ticks = []
      stage.run(.seconds(1))
      let name = "\(hertz) Hz, sequences \(hasSequences)"
      XCTAssertEqual(log.ticks.count, hertz, accuracy: 1, name)
      for tick in log.ticks {
        let next = source.grid.time(ofVBlank: source.grid.vblank(after: tick.timestamp))
        XCTAssertEqual(Double((tick.targetTimestamp - next).count), 0, accuracy: 10_000, name)
        XCTAssertEqual(tick.missed, 0, name)
      }
      // A link at every second vblank is promised the second next one.
      XCTAssertEqual(half.tick?.intervalsPerTick, 2, name)
      XCTAssertEqual((half.targetTimestamp - half.timestamp).seconds, 2 / Double(hertz), accuracy: 1e-5, name)
      half.invalidate()
      link.invalidate()
    }
  }

  /// In a time namespace the stamps of the kernel may be hours ahead of the clock.
  func testStampsOfAnotherClockCostNoTick() {
    let stage = Stage()
    let (source, ticker) = stage.countingTicker()
    let (link, log) = stage.link(to: ticker)
    let start = stage.time.now
    func send(_ numbers: ClosedRange<Int64>, ahead: Nanoseconds) {
      for k in numbers {
        stage.time.advance(to: start + .milliseconds(10) * k)
        source.send(VBlank(timestamp: stage.time.now + ahead, sequence: UInt64(k)), on: stage.loop)
        stage.run(.milliseconds(6))
        XCTAssertTrue(source.isRequested, "the chain of requests broke at \(k)")
      }
    }
    send(1...7, ahead: .seconds(3600))
    XCTAssertNil(ticker.sourceFault)
    send(8...50, ahead: .seconds(3600))
    XCTAssertEqual(log.ticks.map(\.timestamp), (1...50).map { start + .milliseconds(10) * Int64($0) })
    XCTAssertEqual(log.ticks.map(\.frameNumber), (1...50).map { $0 })
    XCTAssertEqual(ticker.sourceFault, .stampsAhead(.seconds(3600)))
    XCTAssertTrue(ticker.name.contains("3600.0 s ahead"), ticker.name)
    XCTAssertEqual(ticker.forecast.vblank(after: stage.time.now), start + .milliseconds(510))

    // One without a stamp does not end it, and has come.
    stage.time.advance(to: start + .milliseconds(510))
    source.send(VBlank(timestamp: .zero, sequence: 51), on: stage.loop)
    XCTAssertEqual(ticker.sourceFault, .stampsAhead(.seconds(3600)))
    XCTAssertEqual(log.ticks.last?.timestamp, start + .milliseconds(510))
    send(52...60, ahead: .seconds(3600))
    XCTAssertEqual(log.ticks.count, 60)

    // Stamps that are right end it.
    send(61...70, ahead: .zero)
    XCTAssertEqual(log.ticks.count, 70)
    XCTAssertEqual(log.ticks.last?.frameNumber, 70)
    XCTAssertNil(ticker.sourceFault)
    XCTAssertEqual(ticker.name, "counting source")
    // Now and then a wild one is nothing.
    for k in stride(from: Int64(72), to: 100, by: 2) {
      send(k...k, ahead: .seconds(9))
      send(k + 1...k + 1, ahead: .zero)
    }
    XCTAssertNil(ticker.sourceFault)
    XCTAssertEqual(log.ticks.count, 70 + 28)
    link.invalidate()
  }
}

/// Answers each request at once, with the newest vblank.
@MainActor
private final class EagerSource: AnsweringSource {
  /// True while it answers with the same vblank for ever.
  var isStuck = false
  private let start: MonotonicTime
  private var last: VBlank?

  override init(name: String = "eager", clock: SystemClock) {
    start = clock.now
    super.init(name: name, clock: clock)
  }

  override func answerTime() -> MonotonicTime? { clock.now }

  override func answer() {
    let k = refreshRate.intervals(in: clock.now - start)
    let vblank = VBlank(timestamp: start + refreshRate.offset(ofInterval: k), sequence: UInt64(k + 1))
    if !isStuck { last = vblank }
    onVBlank?(last ?? vblank)
  }
}
