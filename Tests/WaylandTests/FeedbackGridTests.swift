import FrameTiming
import Glibc
import LinuxSystem
import TestLength
import Testing

@testable import Wayland

/// A display on simulated time, and the ticks of a window on it that commits a frame at each.
private struct FeedbackRun {
  /// The rate that the compositor tells.
  var told = RefreshRate.hertz60
  /// The interval that it has, in nanoseconds.
  var period = 16_666_667.0
  /// The interval of the first hundred vblanks, in nanoseconds; nil for the same.
  var firstPeriod: Double?
  /// The standard deviation of stamps.
  var noise = 0.0
  /// How late the compositor's timer is, on average, in nanoseconds: each interval is longer by that.
  var lateness = 0.0
  /// The part of frames without an answer.
  var missing = 0.0
  /// How long after its vblank feedback comes.
  var delay = Nanoseconds.microseconds(200)
  var count = 600

  struct Result {
    /// From each delivered vblank to the nearest true one, in nanoseconds.
    var errors: [Double] = []
    var times: [MonotonicTime] = []
    var refreshRate = RefreshRate.hertz60

    /// A percentile of the errors of the last half.
    func percentile(_ part: Double) -> Double {
      let sorted = errors.suffix(errors.count / 2).map(abs).sorted()
      return sorted.isEmpty ? .infinity : sorted[min(Int(Double(sorted.count) * part), sorted.count - 1)]
    }
  }

  func run(seed: UInt64) -> Result {
    var random = SplitMix64(seed: seed)
    var grid = FeedbackGrid(told: told)
    var result = Result()
    let start = MonotonicTime.zero + .seconds(1000)
    let vblanks = makeVBlanks(from: start, &random)
    var now = start + .milliseconds(3)
    /// The stamps on their way: when they come, and what they say.
    var answers: [(arrival: MonotonicTime, stamp: MonotonicTime)] = []
    while result.errors.count < count {
      if let next = answers.first, next.arrival <= (grid.fireTime ?? now) {
        answers.removeFirst()
        now = max(now, next.arrival)
        if let vblank = grid.observe(next.stamp) { deliver(vblank) } else { continue }
      } else if let fireTime = grid.fireTime {
        now = max(now, fireTime + .microseconds(Int64.random(in: 0...80, using: &random)))
        guard let vblank = grid.fire(at: now) else { continue }
        deliver(vblank)
      }
      // The frame is committed, and seen at the next vblank.
      let seen = vblanks[index(after: now, in: vblanks)]
      if !random.chance(missing) {
        let stamp = seen + Nanoseconds(Int64(gaussian(&random) * noise))
        answers.append((max(seen, stamp) + delay, stamp))
      }
      _ = grid.request(at: now)
    }
    result.refreshRate = grid.refreshRate
    return result

    func deliver(_ vblank: MonotonicTime) {
      let next = index(after: vblank, in: vblanks)
      let before = next > 0 ? vblanks[next - 1] : start
      result.errors.append(Double(min(vblanks[next] - vblank, vblank - before).count))
      result.times.append(vblank)
    }
  }

  /// The true vblanks, many more than are delivered.
  private func makeVBlanks(from start: MonotonicTime, _ random: inout SplitMix64) -> [MonotonicTime] {
    var position = 0.0
    return (0..<4 * count).map { index in
      position += index < 100 ? firstPeriod ?? period : period
      position -= log(1 - Double.random(in: 0..<1, using: &random)) * lateness
      return start + Nanoseconds(Int64(position.rounded()))
    }
  }

  private func index(after time: MonotonicTime, in vblanks: [MonotonicTime]) -> Int {
    var (low, high) = (0, vblanks.count - 1)
    while low < high {
      let middle = (low + high) / 2
      if vblanks[middle] > time { high = middle } else { low = middle + 1 }
    }
    return low
  }

  private func gaussian(_ random: inout SplitMix64) -> Double {
    (-2 * log(Double.random(in: 1e-12...1, using: &random))).squareRoot()
      * cos(2 * .pi * Double.random(in: 0..<1, using: &random))
  }
}

@Suite struct FeedbackGridTests {
  /// The bounds are those for a screen's own stamps: a few times the noise at most, and none twice.
  @Test(arguments: [
    ("exact", FeedbackRun(), 100.0),
    ("a pixel clock of its own", FeedbackRun(period: 16_683_350), 1_000.0),
    ("noise of 30 us", FeedbackRun(period: 16_683_350, noise: 30_000), 90_000.0),
    ("noise of 200 us", FeedbackRun(period: 16_650_000, noise: 200_000), 600_000.0),
    ("every other answer is missing", FeedbackRun(period: 16_683_350, noise: 30_000, missing: 0.5), 90_000.0),
    ("nine of ten are missing", FeedbackRun(period: 16_683_350, noise: 30_000, missing: 0.9), 150_000.0),
    ("answers 2 ms late", FeedbackRun(period: 16_683_350, noise: 30_000, delay: .milliseconds(2)), 90_000.0),
    ("answers 12 ms late", FeedbackRun(period: 16_683_350, noise: 30_000, delay: .milliseconds(12)), 90_000.0),
    ("answers two intervals late", FeedbackRun(period: 16_683_350, noise: 30_000, delay: .milliseconds(33)), 90_000.0),
    ("answers late at another rate", FeedbackRun(period: 25_200_000, noise: 30_000, delay: .milliseconds(16)), 200_000.0),
    ("answers later than that", FeedbackRun(period: 25_200_000, noise: 30_000, delay: .milliseconds(30)), 200_000.0),
    ("answers late at a faster rate", FeedbackRun(period: 13_300_000, noise: 30_000, delay: .milliseconds(16)), 200_000.0),
    ("144 Hz", FeedbackRun(told: RefreshRate(hertz: 144) ?? .hertz60, period: 6_944_444, noise: 30_000), 90_000.0),
    ("a rate that is not the told one", FeedbackRun(period: 21_300_000, noise: 30_000), 200_000.0),
    ("two thirds of the told rate", FeedbackRun(period: 25_200_000, noise: 30_000), 200_000.0),
    ("a rate that becomes the told one", FeedbackRun(firstPeriod: 25_200_000, noise: 30_000), 90_000.0),
    ("the same, with late answers", FeedbackRun(firstPeriod: 25_200_000, noise: 30_000, delay: .milliseconds(20)), 90_000.0),
    ("a late timer", FeedbackRun(lateness: 500_000), 8_000_000.0),
    ("a late timer at another rate", FeedbackRun(period: 25_200_000, lateness: 3_000_000), 18_000_000.0),
  ])
  private func predictionsHold(_ name: String, _ run: FeedbackRun, _ bound: Double) {
    for index in 0..<(isLongRun ? 200 : 10) {
      let seed = UInt64(runSeed) &* 1000 &+ UInt64(index)
      let result = run.run(seed: seed)
      #expect(result.percentile(0.95) < bound, "\(name), seed \(seed): p95 of \(result.percentile(0.95)) ns")
      for (before, after) in zip(result.times, result.times.dropFirst()) {
        #expect(after - before > Nanoseconds(Int64(run.period / 4)), "\(name), seed \(seed): \(after) after \(before)")
      }
      let (measured, mean) = (1e9 / result.refreshRate.hertz, run.period + run.lateness)
      #expect(abs(measured - mean) < mean * (run.lateness > 0 ? 0.3 : 0.03), "\(name), seed \(seed): \(result.refreshRate)")
    }
  }

  @Test func beforeTheFirstFeedbackAVBlankComesAfterTheToldInterval() {
    var grid = FeedbackGrid(told: .hertz60)
    let now = MonotonicTime.zero + .seconds(5)
    let isNew = grid.request(at: now)
    let isNewAgain = grid.request(at: now)
    #expect(isNew && !isNewAgain)
    #expect(grid.fireTime == now + RefreshRate.hertz60.interval)
    let early = grid.fire(at: now)
    #expect(early == nil)
    #expect(grid.newest(at: now) == nil)
  }

  /// A loop that was busy hears of the newest vblank alone.
  @Test func aStallIsOneVBlank() {
    var grid = FeedbackGrid(told: .hertz60)
    let start = MonotonicTime.zero + .seconds(5)
    let interval = RefreshRate.hertz60.interval
    for number in 0..<60 as Range<Int64> { _ = grid.observe(start + interval * number) }
    _ = grid.request(at: start + interval * 59)
    let vblank = grid.fire(at: start + interval * 70 + .milliseconds(1))
    #expect(vblank?.isNear(start + interval * 70) == true)
  }

  /// No six distances in a row are even, as the model of vblanks wants it.
  @Test func aRateWithoutEvenDistancesIsFound() {
    var grid = FeedbackGrid(told: .hertz60)
    var time = MonotonicTime.zero + .seconds(5)
    for number in 0..<60 {
      time += .microseconds(25_200 + [0, 7000, 1000, 3000, 10_000][number % 5])
      _ = grid.observe(time)
    }
    #expect(abs(grid.refreshRate.hertz - 1e3 / 28.2) < 2, "\(grid.refreshRate)")
  }

  /// A window that is drawn at every second vblank, or every third, is on no slower output.
  @Test func multiplesAreNoOtherRate() {
    var grid = FeedbackGrid(told: .hertz60)
    var time = MonotonicTime.zero + .seconds(5)
    for number in 0..<120 as Range<Int64> {
      time += RefreshRate.hertz60.interval * (number % 5 == 0 ? 3 : 2)
      _ = grid.observe(time)
    }
    #expect(grid.refreshRate == .hertz60)
    #expect(abs((grid.interval - RefreshRate.hertz60.interval).count) < 1000, "\(grid.interval)")
  }

  @Test func anOutputOfAnotherRateIsFollowed() {
    var grid = FeedbackGrid(told: .hertz60)
    var time = MonotonicTime.zero + .seconds(5)
    for _ in 0..<60 {
      time += RefreshRate.hertz60.interval
      _ = grid.observe(time)
    }
    let fast = RefreshRate(hertz: 120) ?? .hertz60
    grid.tell(fast)
    for _ in 0..<60 {
      time += fast.interval
      _ = grid.observe(time)
    }
    #expect(grid.refreshRate == fast)
    _ = grid.request(at: time)
    #expect(grid.fireTime?.isNear(time + fast.interval) == true)
  }
}

extension MonotonicTime {
  fileprivate func isNear(_ other: MonotonicTime) -> Bool { abs((self - other).count) < 1000 }
}

@Suite struct CompositorClockTests {
  private let now = MonotonicTime.zero + .seconds(500)
  /// A clock that is 300 s behind ours.
  private func read(_ number: UInt32) -> MonotonicTime? { number == 4 ? now - .seconds(300) : nil }

  @Test func stampsOfOurClockAreLeftAsTheyAre() {
    let clock = PresentationClock(number: 1)
    #expect(clock.convert(now - .milliseconds(3), now: now, read: read) == now - .milliseconds(3))
  }

  @Test func stampsOfAnotherClockAreConverted() {
    let clock = PresentationClock(number: 4)
    let stamp = now - .seconds(300) - .milliseconds(3)
    let time = clock.convert(stamp, now: now, read: read)
    #expect(time == now - .milliseconds(3))
    #expect(clock.stamp(for: now - .milliseconds(3), now: now, read: read) == stamp)
  }

  @Test func aClockThatDoesNotExistTellsNothing() {
    #expect(PresentationClock(number: 77).convert(now, now: now, read: read) == nil)
    #expect(PresentationClock.read(99) == nil && PresentationClock.read(4) != nil)
  }

  @Test func stampsThatMeanNothing() {
    #expect(PresentationClock.stamp(secondsHigh: .max, secondsLow: .max, nanoseconds: 0) == nil)
    #expect(PresentationClock.stamp(secondsHigh: 0, secondsLow: 1, nanoseconds: 1_000_000_000) == nil)
    #expect(
      PresentationClock.stamp(secondsHigh: 1, secondsLow: 0, nanoseconds: 5)
        == MonotonicTime(nanoseconds: (1_000_000_000 << 32) + 5))
  }
}
