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
      let stage = Stage()
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

  /// The source's clock is set while it ticks.
  func testAClockThatIsSet() {
    for distance in [Nanoseconds.seconds(-5), .milliseconds(-25), .milliseconds(30), .seconds(5)] {
      let stage = Stage()
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

  /// The clock is set right, and by the distance that was learned each vblank was only a part of an interval before: it is
  /// forgotten.
  func testAClockThatIsSetByAnInterval() {
    for distance in stride(from: 9.0, through: 24, by: 0.5) {
      let stage = Stage()
      let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      for distance in [distance, -8 - distance] {
        source.faults.stampOffset = .seconds(distance / 1000)
        stage.run(.seconds(1))
        XCTAssertNotNil(ticker.sourceFault, "\(distance) ms")
        source.faults.stampOffset = .zero
        stage.run(.seconds(1))
        XCTAssertNil(ticker.sourceFault, "\(distance) ms")
        log.expectTargets(of: source, last: 30, "\(distance) ms")
      }
      XCTAssertEqual(log.ticks.count, 240, accuracy: 1, "\(distance) ms")
      link.invalidate()
    }
  }

  /// A driver stamps the vblank before. In another mode that is another distance, which is measured again.
  func testADriverThatStampsTheVBlankBeforeSetsAMode() {
    for (first, second) in [(144, 60), (60, 144), (60, 75), (75, 60), (60, 24), (24, 60)] as [(Int64, Int64)] {
      let stage = Stage()
      let source = SimulatedVBlankSource(refreshRate: .hertz(first), clock: stage.clock)
      source.faults.stampOffset = .zero - source.refreshRate.interval
      source.faults.latestDelivery = .microseconds(100)
      let ticker = DisplayTicker(source: source)
      let (link, log) = stage.link(to: ticker)
      for rate in [second, first] as [Int64] {
        stage.run(.seconds(2))
        source.refreshRate = .hertz(rate)
        source.faults.stampOffset = .zero - source.refreshRate.interval
        stage.run(.seconds(2))
        log.expectTargets(of: source, last: Int(rate), "\(first) and \(second) Hz, at \(rate) Hz")
      }
      link.invalidate()
    }
  }

  /// Stamps become right again, and two of the first are swapped: no distance of an interval remains.
  func testSwappedStampsWhileTheClockIsSet() {
    let interval = Nanoseconds.milliseconds(10)
    for swapped in 20..<28 as Range<Int64> {
      var clock = StampClock()
      func read(_ k: Int64, offBy offset: Nanoseconds) -> MonotonicTime? {
        let vblank = MonotonicTime(nanoseconds: 1_000_000_000) + interval * k
        return clock.read(
          vblank + offset, requested: vblank - .milliseconds(9), now: vblank + .milliseconds(1), interval: interval)
      }
      for k in 0..<20 as Range<Int64> { _ = read(k, offBy: .milliseconds(-55)) }
      XCTAssertEqual(clock.offset, .milliseconds(56))
      for k in 20..<30 as Range<Int64> {
        _ = read(k, offBy: k == swapped ? interval : k == swapped + 1 ? .zero - interval : .zero)
      }
      XCTAssertEqual(clock.offset, .zero, "\(swapped)")
      XCTAssertNotNil(read(30, offBy: .zero), "\(swapped)")
    }
  }

  /// The distance was learned while the loop was busy, from events that came milliseconds late. Later ones, which come before what
  /// it makes of their stamps, correct it; stamps that are wrong do not.
  func testADistanceLearnedFromLateEvents() {
    for seed in 0..<8 as Range<UInt64> {
      var random = SplitMix64(seed: seed)
      let hertz = [48, 60, 144, 240].randomElement(using: &random) ?? 0 as Int64
      let name = "seed \(seed), \(hertz) Hz"
      let interval = RefreshRate.hertz(hertz).interval
      var (clock, event) = (StampClock(), MonotonicTime.zero)
      let distance = Nanoseconds.seconds(Double.random(in: -9000...9000, using: &random))
      var errors: [Double] = []
      for k in 1...20_000 as ClosedRange<Int64> {
        let vblank = MonotonicTime(nanoseconds: 10_000_000_000_000) + interval * k
        let late = k < 100 ? Double.random(in: 0.2...0.5, using: &random) : Double.random(in: 0...0.02, using: &random)
        let isOutlier = Double.random(in: 0..<1, using: &random) < 0.02
        let noise = isOutlier ? 0.3 : 0.001
        let error = Double.random(in: -noise...noise, using: &random)
        let requested = event == .zero ? nil : event
        event = vblank + Nanoseconds(Int64(late * Double(interval.count)))
        let stamp = vblank - distance + Nanoseconds(Int64(error * Double(interval.count)))
        if let time = clock.read(stamp, requested: requested, now: event, interval: interval), k > 10, !isOutlier {
          errors.append(Double((time - vblank).count) / Double(interval.count))
        }
      }
      XCTAssertGreaterThan(errors[0], 0.19, name)
      XCTAssertLessThan(errors.suffix(1000).max() ?? 1, 0.03, name)
      XCTAssertGreaterThan(errors.min() ?? -1, -0.01, name)
      // A display's clock differs from its mode's by more: the model follows.
      XCTAssertLessThan(zip(errors, errors.dropFirst()).map { $0 - $1 }.max() ?? 1, 0.0022, name)
    }
  }

  /// The same with a link, which ticks at each vblank meanwhile.
  func testTicksWhileADistanceIsCorrected() {
    let stage = Stage()
    let source = SimulatedVBlankSource(refreshRate: .hertz60, clock: stage.clock)
    source.faults.stampOffset = .seconds(100)
    source.faults.noise = .microseconds(5)
    source.faults.latestDelivery = .microseconds(100)
    (source.faults.lateWakeUps, source.faults.latestWakeUp) = (1, .milliseconds(12))
    let ticker = DisplayTicker(source: source)
    let (link, log) = stage.link(to: ticker)
    stage.run(.seconds(1))
    source.faults.lateWakeUps = 0
    let before = ticker.stampOffset
    log.ticks = []
    stage.run(.seconds(60))
    XCTAssertLessThan(ticker.stampOffset, before)
    XCTAssertEqual(log.ticks.count, 3600, accuracy: 1)
    XCTAssertEqual(log.ticks.reduce(0) { $0 + $1.missed }, 0)
    let errors = log.ticks.suffix(600).map { tick in
      tick.targetTimestamp - source.grid.time(ofVBlank: source.grid.vblank(after: tick.timestamp + .milliseconds(8)))
    }
    XCTAssertLessThan(errors.max() ?? .seconds(1), .microseconds(200))
    XCTAssertGreaterThan(errors.min() ?? .seconds(-1), .microseconds(-50))
    link.invalidate()
  }

  /// A loop that is always busy hears of vblanks late, and their stamps are right.
  func testABusyLoopIsNoOtherClock() {
    let stage = Stage()
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

  /// The display runs at another rate and does not tell: once it has settled its intervals were counted, with sequences or
  /// without.
  func testARateThatChangesUntold() {
    for hasSequences in [true, false] {
      for (first, second) in [(60, 144), (144, 60), (60, 48), (60, 240), (90, 120)] as [(Int64, Int64)] {
        // Without sequences a display that is four times as slow looks for some vblanks like one that loses events.
        let most = max(first, second) / min(first, second) > 3 ? 4 : 1
        let stage = Stage()
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

  /// Without sequences a variable display's vblanks are counted by the requests that they answer.
  func testAVariableDisplayWithoutSequences() {
    let stage = Stage()
    let source = SimulatedVBlankSource(refreshRate: .hertz(144), slowestRate: .hertz(48), clock: stage.clock, seed: 7)
    source.faults.zeroSequences = 1
    let ticker = DisplayTicker(source: source)
    let (link, log) = stage.link(to: ticker)
    stage.run(.seconds(20))
    XCTAssertGreaterThan(log.ticks.count, 1300)
    XCTAssertEqual(log.ticks.last?.frameNumber, UInt64(log.ticks.count))
    link.invalidate()
  }

  /// The stamps of two neighbours are swapped now and then: no tick lies in the future, and none is lost.
  func testSwappedStamps() {
    let stage = Stage()
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

extension ManualLoopCase.TickLog {
  /// Expects that each of the last `count` ticks told when the next vblank would be, to a tenth of a millisecond.
  fileprivate func expectTargets(of source: SimulatedVBlankSource, last count: Int, _ name: String) {
    XCTAssertGreaterThanOrEqual(ticks.count, count, name)
    for tick in ticks.suffix(count) {
      let next = source.grid.time(ofVBlank: source.grid.vblank(after: tick.timestamp + tick.duration / 2))
      XCTAssertEqual(Double((tick.targetTimestamp - next).count), 0, accuracy: 100_000, "\(name), tick \(tick.frameNumber)")
    }
  }
}
