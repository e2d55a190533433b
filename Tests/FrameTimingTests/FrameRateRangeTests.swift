import LinuxSystem
import RunLoops
import Simulation
import TestLength
import Testing
import XCTest

@testable import FrameTiming

@Suite struct FrameDivisorTests {
  /// The rate that a range gives on a display, against all divisors tried one by one.
  @Test func itIsTheNearestOfAllDivisors() throws {
    let seed = UInt64.random(in: 0...999_999)
    print("frame divisors, seed \(seed)")
    var random = SplitMix64(seed: seed)
    for _ in 0..<(isLongRun ? 2_000 : 300) {
      let hertz = random.chance(0.3) ? 60_000.0 / 1001 : Double.random(in: 24...500, using: &random)
      let rate = try #require(RefreshRate(hertz: hertz))
      // Some ask for exactly one rate, that of a divisor in whole hertz.
      let whole = random.chance(0.2) ? (hertz / Double(Int.random(in: 1...10, using: &random))).rounded() : nil
      let minimum = whole ?? (random.chance(0.3) ? 0 : Double.random(in: 0...200, using: &random))
      let maximum = whole ?? (random.chance(0.3) ? .infinity : max(minimum + Double.random(in: 0...200, using: &random), 1))
      let preferred = random.chance(0.3) ? nil : Double.random(in: 0.5...600, using: &random)
      let range = FrameRateRange(minimum: minimum, maximum: maximum, preferred: preferred)
      let chosen = FrameDivisor(range, of: rate).count
      let all = (1...1000).filter {
        let divided = rate.hertz / Double($0)
        return divided >= minimum * 0.995 && divided <= maximum * 1.005
      }
      let wanted = range.preferred ?? .infinity
      let expected = all.min { first, second in
        let (one, other) = (rate.hertz / Double(first), rate.hertz / Double(second))
        if wanted == .infinity { return one > other }
        return (abs(one - wanted), first) < (abs(other - wanted), second)
      }
      if let expected {
        #expect(chosen == UInt64(expected), "seed \(seed): \(range) at \(rate.hertz)")
      } else {
        let above = (1...1000).last { rate.hertz / Double($0) >= minimum * 0.995 } ?? 1
        #expect(chosen == UInt64(above), "seed \(seed): \(range) at \(rate.hertz)")
      }
      // A least divisor makes it slower, as far as the minimum lets it.
      let least = UInt64.random(in: 1...12, using: &random)
      let slowest = (1...1000).last { rate.hertz / Double($0) >= minimum * 0.995 } ?? 1
      #expect(
        FrameDivisor(range, of: rate, least: least).count == max(chosen, min(least, UInt64(slowest))),
        "seed \(seed): \(range) at \(rate.hertz), every \(least) at least")
    }
  }

  @Test func anyNumbersGiveADivisor() {
    let odd: [Double] = [.nan, -.nan, .infinity, -.infinity, -1, 0, 1e-300, .leastNonzeroMagnitude, 1e300]
    for minimum in odd {
      for maximum in odd {
        for preferred in odd {
          let range = FrameRateRange(minimum: minimum, maximum: maximum, preferred: preferred)
          #expect(range.minimum <= range.maximum)
          let count = FrameDivisor(range, of: .hertz60).count
          #expect(count >= 1 && count <= 1_000_000)
        }
      }
    }
    #expect(FrameDivisor(.default, of: .hertz60, least: 3).count == 3)
  }

  @Test func intervalsBetweenAreCounted() {
    for count in 1...7 as ClosedRange<UInt64> {
      let range = FrameRateRange(minimum: 0, maximum: 60 / Double(count))
      let divisor = FrameDivisor(range, of: .hertz60)
      #expect(divisor.count == count)
      for first in 0..<30 as Range<UInt64> {
        for second in first..<30 {
          let expected = (first..<max(second, first)).dropFirst().filter { $0 % count == 0 }.count
          #expect(divisor.intervals(between: first, and: second) == UInt64(expected), "\(first) to \(second) of \(count)")
        }
      }
    }
  }
}

/// Links that want fewer ticks than the display has vblanks.
final class FrameRateRangeTests: ManualLoopCase {
  func testLinksOfTheSameRateTickTogether() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    var log: [String: [UInt64]] = [:]
    func link(_ name: String, _ hertz: Double) -> DisplayLink {
      let link = DisplayLink(ticker: ticker) { link in log[name, default: []].append(link.frameNumber) }
      link.preferredFrameRateRange = FrameRateRange(minimum: hertz, maximum: hertz)
      link.add(to: stage.loop, mode: .default)
      return link
    }
    let first = link("first", 50)
    stage.run(.milliseconds(35))
    // Begun in another interval.
    let second = link("second", 50)
    let slow = link("slow", 25)
    let all = link("all", 100)
    XCTAssertEqual([first, slow, all].map(\.intervalsPerTick), [2, 4, 1])
    stage.run(.milliseconds(165))
    XCTAssertEqual(log["first"], [2, 4, 6, 8, 10, 12, 14, 16, 18, 20])
    XCTAssertEqual(log["second"], [4, 6, 8, 10, 12, 14, 16, 18, 20])
    XCTAssertEqual(log["slow"], [4, 8, 12, 16, 20])
    XCTAssertEqual(log["all"], Array(4...20))
    XCTAssertEqual(first.tick?.missed, 0)
    XCTAssertEqual(first.duration, .milliseconds(10))
    // As CADisplayLink's: the time of the link's next tick.
    for link in [first, slow, all] {
      let next = Nanoseconds.milliseconds(10) * Int64(link.intervalsPerTick)
      XCTAssertEqual(link.targetTimestamp, link.timestamp + next)
      XCTAssertEqual(link.tick?.nextVBlank, link.timestamp + .milliseconds(10))
    }
    for link in [first, second, slow, all] { link.invalidate() }
  }

  /// Ticks that the link leaves out do not count.
  func testWhatIsMissedIsCountedInTheLinksIntervals() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    let (link, log) = stage.link(to: ticker) { if $0.frameNumber == 9 { stage.time.advance(by: .milliseconds(95)) } }
    link.preferredFrameRateRange = FrameRateRange(maximum: 34)
    stage.run(.milliseconds(305))
    XCTAssertEqual(log.ticks.map(\.frameNumber), [3, 6, 9, 21, 24, 27, 30])
    XCTAssertEqual(log.ticks.map(\.missed), [0, 0, 0, 3, 0, 0, 0])
    XCTAssertEqual(Set(log.ticks.map(\.intervalsPerTick)), [3])
    // At the end of the long callback, 5 ms after the last vblank that it missed: the two between are not the link's.
    XCTAssertEqual(log.ticks.map { $0.timestamp - $0.requested }.suffix(4), [25, 10, 10, 10].map(Nanoseconds.milliseconds))
    link.invalidate()
  }

  /// Nor do those that it left out before it wanted more.
  func testWhatWasLeftOutIsNotMissedLater() {
    let stage = Stage()
    let ticker = stage.clockTicker()
    let (link, log) = stage.link(to: ticker)
    link.preferredFrameRateRange = FrameRateRange(maximum: 34)
    stage.run(.milliseconds(65))
    // Interval 7 is over, 8 is the first that is wanted.
    stage.run(.milliseconds(10))
    link.preferredFrameRateRange = .default
    stage.run(.milliseconds(20))
    // The link leaves interval 10 out.
    link.preferredFrameRateRange = FrameRateRange(maximum: 34)
    stage.run(.milliseconds(30))
    XCTAssertEqual(log.ticks.map(\.frameNumber), [3, 6, 8, 9, 12])
    XCTAssertEqual(log.ticks.map(\.missed), [0, 0, 0, 0, 0])
    link.preferredFrameRateRange = .default
    stage.time.advance(by: .milliseconds(20))
    stage.run(.milliseconds(20))
    // 13 and 14, which it could still have wanted, passed with those that it left out.
    XCTAssertEqual(log.ticks.last?.missed, 0)
    stage.time.advance(by: .milliseconds(20))
    stage.run(.milliseconds(10))
    XCTAssertGreaterThan(log.ticks.map(\.missed).max() ?? 0, 0)
    link.invalidate()
  }

  /// A link of a third of the rate wants every interval, and the loop stands still for six times ten: what it had left out it misses in
  /// its new intervals.
  func testAStandstillAfterAChangeCountsInTheNewIntervals() {
    let stage = Stage()
    let (link, log) = stage.link(to: stage.clockTicker())
    link.preferredFrameRateRange = FrameRateRange(maximum: 34)
    stage.run(.milliseconds(65))
    XCTAssertEqual(log.ticks.last?.frameNumber, 6)
    link.preferredFrameRateRange = .default
    stage.time.advance(by: .milliseconds(60))
    stage.run(.milliseconds(10))
    guard let tick = log.ticks.first(where: { $0.frameNumber > 6 }) else { return XCTFail("no tick") }
    XCTAssertEqual(tick.intervalsPerTick, 1)
    // One of its longer intervals was missed, the one that ended at 9.
    XCTAssertEqual([tick.frameNumber, tick.missed], [12, 3])
    link.invalidate()
  }

  /// A link keeps its rate, as well as it can, when the display's becomes another.
  func testTheDivisorFollowsTheDisplaysRate() {
    let stage = Stage()
    let display = SimulatedVBlankSource(refreshRate: .hundred, clock: stage.clock)
    let ticker = DisplayTicker(source: display)
    let (link, log) = stage.link(to: ticker)
    link.preferredFrameRateRange = FrameRateRange(minimum: 20, maximum: 30)
    stage.run(.milliseconds(500))
    XCTAssertEqual(link.intervalsPerTick, 4)
    display.refreshRate = .hertz(50)
    let changed = stage.time.now
    stage.run(.milliseconds(500))
    XCTAssertEqual(link.intervalsPerTick, 2)
    let stamps = log.ticks.map(\.timestamp)
    for (first, second) in zip(stamps, stamps.dropFirst()) where first > changed || second <= changed {
      XCTAssertEqual(second - first, .milliseconds(40))
    }
    XCTAssertEqual(Double(stamps.count), 25, accuracy: 1)
    link.invalidate()
  }

  func testOnAVariableDisplayTicksKeepTheirDistance() {
    let stage = Stage()
    let display = SimulatedVBlankSource(.vrr, clock: stage.clock, seed: 3)
    let ticker = DisplayTicker(source: display)
    let (link, log) = stage.link(to: ticker)
    link.preferredFrameRateRange = FrameRateRange(maximum: 72)
    stage.run(.seconds(20))
    XCTAssertTrue(log.ticks.allSatisfy(\.isVariable))
    XCTAssertTrue(log.ticks.allSatisfy { $0.missed == 0 }, "the link leaves vblanks out, and misses none")
    let stamps = log.ticks.map(\.timestamp)
    let shortest = zip(stamps, stamps.dropFirst()).map { $1 - $0 }.min() ?? .zero
    XCTAssertGreaterThan(shortest, display.refreshRate.interval * 7 / 4)
    // The display goes down to 48 Hz, and is faster than 72 at times.
    XCTAssertGreaterThan(stamps.count, 20 * 40)
    XCTAssertLessThan(stamps.count, 20 * 72)
    link.invalidate()
  }
}
