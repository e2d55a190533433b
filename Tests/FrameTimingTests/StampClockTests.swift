import LinuxSystem
import RunLoops
import Simulation
import XCTest

@testable import FrameTiming

/// Stamps that are not of the loop's clock, and displays whose rate is not the one that they tell.
final class StampClockTests: ManualLoopCase {
  /// Each vblank ticks, whichever way its stamp is off and however far.
  func testAConstantDistanceCostsNoTick() {
    let distances: [Nanoseconds] = [
      -5000, -100, -34, -17, -10, -1, 2, 10, 17, 100, 5000,
    ].map { .milliseconds($0) }
    for distance in distances {
      onMain { stage in
        let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
        stage.run(.seconds(10))
        source.faults.stampOffset = distance
        source.faults.noise = .microseconds(20)
        source.faults.latestDelivery = .microseconds(300)
        let ticker = DisplayTicker(source: source)
        let (link, log) = stage.link(to: ticker)
        stage.run(.seconds(10))
        let name = "\(distance.count / 1_000_000) ms"
        XCTAssertEqual(log.ticks.count, 600, accuracy: 1, name)
        XCTAssertEqual(log.ticks.last?.frameNumber ?? 0, 600, accuracy: 1, name)
        XCTAssertEqual(log.ticks.reduce(0) { $0 + $1.missed }, 0, name)
        let isCorrected = distance < .milliseconds(-16) || distance > .milliseconds(9)
        XCTAssertEqual(ticker.sourceFault != nil, isCorrected, name)
        guard isCorrected else { return }
        for tick in log.ticks.dropFirst(60) {
          let next = source.grid.time(ofVBlank: source.grid.vblank(after: tick.timestamp + .milliseconds(8)))
          XCTAssertEqual(Double((tick.targetTimestamp - next).count), 0, accuracy: 400_000, name)
        }
        link.invalidate()
      }
    }
  }

  /// The source's clock is set while it ticks.
  func testAClockThatIsSet() {
    for distance in [Nanoseconds.seconds(-5), .milliseconds(-25), .milliseconds(30), .seconds(5)] {
      onMain { stage in
        let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
        let ticker = DisplayTicker(source: source)
        let (link, log) = stage.link(to: ticker)
        stage.run(.seconds(5))
        source.faults.stampOffset = distance
        stage.run(.seconds(5))
        XCTAssertNotNil(ticker.sourceFault)
        source.faults.stampOffset = .zero
        stage.run(.seconds(5))
        XCTAssertNil(ticker.sourceFault)
        let name = "\(distance.count / 1_000_000) ms"
        XCTAssertEqual(log.ticks.count, 900, accuracy: 1, name)
        XCTAssertEqual(log.ticks.last?.frameNumber ?? 0, 900, accuracy: 1, name)
        for (tick, next) in zip(log.ticks, log.ticks.dropFirst()) {
          XCTAssertEqual((next.timestamp - tick.timestamp).seconds, 1 / 60, accuracy: 0.0005, name)
        }
        link.invalidate()
      }
    }
  }

  /// Stamps become right again, and two of the first are swapped: no distance of an interval remains.
  func testSwappedStampsWhileTheClockIsSet() {
    let interval = Nanoseconds.milliseconds(10)
    var clock = StampClock()
    func read(_ k: Int64, offBy offset: Nanoseconds) -> MonotonicTime? {
      let vblank = MonotonicTime(nanoseconds: 1_000_000_000) + interval * k
      return clock.read(
        vblank + offset, requested: vblank - .milliseconds(9), now: vblank + .milliseconds(1), interval: interval)
    }
    for k in 0..<20 as Range<Int64> { _ = read(k, offBy: .milliseconds(-55)) }
    XCTAssertEqual(clock.offset, .milliseconds(56))
    for k in 20..<28 as Range<Int64> { _ = read(k, offBy: k == 22 ? interval : k == 23 ? .zero - interval : .zero) }
    XCTAssertEqual(clock.offset, .zero)
    XCTAssertNotNil(read(28, offBy: .zero))
  }

  /// A loop that is always busy hears of vblanks late, and their stamps are right.
  func testABusyLoopIsNoOtherClock() {
    onMain { stage in
      let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
      source.faults.lateWakeUps = 1
      source.faults.latestWakeUp = .milliseconds(60)
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      for _ in 0..<600 {
        stage.run(.milliseconds(20))
        XCTAssertNil(ticker.sourceFault)
      }
      XCTAssertGreaterThan(log.ticks.count, 200)
      link.invalidate()
    }
  }

  /// The display runs at another rate and does not tell: once it has settled its intervals were counted, with sequences or
  /// without.
  func testARateThatChangesUntold() {
    for hasSequences in [true, false] {
      for (first, second) in [(60, 144), (144, 60), (60, 48), (60, 240), (90, 120)] as [(Int64, Int64)] {
        // Without sequences a display that is four times as slow looks for some vblanks like one that loses events.
        let most = max(first, second) / min(first, second) > 3 ? 4 : 1
        onMain { stage in
          let source = SimulatedVBlankSource(refreshRate: .hertz(first), clock: stage.clock)
          if !hasSequences { source.faults.zeroSequences = 1 }
          let ticker = DisplayTicker(source: source)
          let (link, log) = stage.link(to: ticker)
          stage.run(.seconds(2))
          var changes = 0
          for actual in [second, first, second, first] {
            source.setRate(.hertz(first), actual: .hertz(actual))
            log.ticks = []
            stage.run(.seconds(2))
            changes += 1
            let name = "\(first) to \(actual) Hz, sequences \(hasSequences), change \(changes)"
            guard let last = log.ticks.last else { return XCTFail(name) }
            let truth = source.grid.vblank(after: last.timestamp + .milliseconds(1)) - 1
            XCTAssertEqual(
              Double(last.frameNumber), Double(truth), accuracy: hasSequences ? 0 : Double(changes * most), name)
            XCTAssertGreaterThan(log.ticks.count, Int(actual) * 2 - 8, name)
          }
          link.invalidate()
        }
      }
    }
  }

  /// Without sequences a variable display's vblanks are counted by the requests that they answer.
  func testAVariableDisplayWithoutSequences() {
    onMain { stage in
      let source = SimulatedVBlankSource(refreshRate: .hertz(144), slowestRate: .hertz(48), clock: stage.clock, seed: 7)
      source.faults.zeroSequences = 1
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      stage.run(.seconds(20))
      XCTAssertGreaterThan(log.ticks.count, 1300)
      XCTAssertEqual(log.ticks.last?.frameNumber, UInt64(log.ticks.count))
      link.invalidate()
    }
  }

  /// The stamps of two neighbours are swapped now and then: no tick lies in the future, and none is lost.
  func testSwappedStamps() {
    onMain { stage in
      let (source, ticker) = stage.countingTicker()
      let (link, log) = stage.link(to: ticker)
      let start = stage.time.now
      for k in 1...200 as ClosedRange<Int64> {
        stage.time.advance(to: start + .milliseconds(10) * k)
        let stamped = k % 20 == 10 ? k + 1 : k % 20 == 11 ? k - 1 : k
        source.send(VBlank(timestamp: start + .milliseconds(10) * stamped, sequence: UInt64(k)), on: stage.loop)
        stage.run(.milliseconds(6))
        XCTAssertLessThanOrEqual(log.ticks.last?.timestamp ?? .zero, stage.time.now)
      }
      XCTAssertEqual(log.ticks.map(\.frameNumber), (1...200).map { $0 })
      XCTAssertEqual(log.ticks.map(\.timestamp), (1...200).map { start + .milliseconds(10) * Int64($0) })
      link.invalidate()
    }
  }
}
