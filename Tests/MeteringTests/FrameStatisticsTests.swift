import FrameTiming
public import LinuxSystem
import Metering
import Testing

@Suite struct FrameStatisticsTests {
  @Test func percentilesByHand() {
    // Position 0.5 · 3 = 1.5: half-way from 20 to 40.
    let four = FrameStatistics([40, 10, 80, 20])
    #expect(four.percentile(50) == 30)
    #expect(four.maximum == 80)
    #expect(four.percentile(0) == 10)
    #expect(four.percentile(100) == 80)
    // 0.25 · 3 = 0.75: 10 + 0.75 · 10 = 17.5, rounded away from zero.
    #expect(four.percentile(25) == 18)

    // 1…100: p99 at 0.99 · 99 = 98.01, between 99 and 100.
    let hundred = FrameStatistics((1...100).map { Nanoseconds($0 * 1000) })
    #expect(hundred.percentile(99) == 99_010)
    #expect(hundred.percentile(95) == 95_050)
    #expect(hundred.percentile(50) == 50_500)
    #expect(hundred.percentile(1) == 1990)
  }

  @Test(arguments: [(50.0, 2), (95, 20), (99, 100), (99.9, 1000), (5, 20), (1, 100), (0, 1), (100, 1), (90, 10)])
  func tooFewFramesGiveNothing(_ percent: Double, _ required: Int) {
    #expect(PercentileRule.requiredCount(percent) == required)
    let enough = FrameStatistics((0..<required).map { Nanoseconds(Int64($0)) })
    let tooFew = FrameStatistics((0..<required - 1).map { Nanoseconds(Int64($0)) })
    #expect(enough.percentile(percent) != nil)
    #expect(tooFew.percentile(percent) == nil)
  }

  @Test func nothingIsKnownOfNoFrames() {
    let none = FrameStatistics([])
    #expect(none.count == 0)
    #expect(none.percentile(50) == nil)
    #expect(FrameStatistics([7]).percentile(.nan) == 7)
  }

  @Test func theHistogramAgreesWithTheExactFigures() throws {
    let seed: UInt64 = 31
    var random = SplitMix64(seed: seed)
    for scale in [100, 5_000, 1_000_000, 16_666_667, 3_000_000_000] as [Int64] {
      var values: [Nanoseconds] = []
      var histogram = DurationHistogram()
      for _ in 0..<5000 {
        let value = Nanoseconds(scale + Int64.random(in: -scale / 2...scale / 2, using: &random))
        values.append(value)
        histogram.add(value)
      }
      let exact = FrameStatistics(values)
      #expect(histogram.count == exact.count)
      #expect(histogram.maximum == exact.maximum)
      for percent in [0.0, 1, 5, 50, 90, 95, 99, 99.9, 100] {
        let expected = try #require(exact.percentile(percent))
        let found = try #require(histogram.percentile(percent))
        #expect(
          abs((found - expected).count) <= max(1, expected.count / 512),
          "p\(percent) of scale \(scale): \(found.count) for \(expected.count), seed \(seed)")
      }
      for percent in [0.1, 1, 10, 50, 99] {
        let expected = try #require(exact.longest(percent))
        let found = try #require(histogram.longest(percent))
        #expect(
          abs((found - expected).count) <= max(2, expected.count / 512 + 1),
          "the longest \(percent) % of scale \(scale): \(found.count) for \(expected.count), seed \(seed)")
      }
      #expect(histogram.standardDeviation == exact.standardDeviation)
    }
  }

  /// Ten seconds of 10 ms, with one frame of 100 ms: it is 1 % of the time, and a tenth of a per cent of the frames.
  @Test func lowsAreOfTheTime() throws {
    let values = Array(repeating: Nanoseconds.milliseconds(10), count: 990) + [.milliseconds(100)]
    var histogram = DurationHistogram()
    for value in values { histogram.add(value) }
    #expect(FrameStatistics(values).longest(1) == .milliseconds(100))
    #expect(histogram.longest(1) == .milliseconds(100))
    #expect(FrameStatistics(values).percentile(99) == .milliseconds(10))
    // 1 % of a little more is more than the frame.
    let more = values + Array(repeating: .milliseconds(10), count: 10)
    for _ in 0..<10 { histogram.add(.milliseconds(10)) }
    #expect(histogram.longest(1).map { abs(($0 - .milliseconds(10)).count) < 20_000 } == true)
    #expect(FrameStatistics(more).longest(1) == .milliseconds(10))
    #expect(FrameStatistics(more).longest(0.1) == .milliseconds(100))
    #expect(FrameStatistics(values.suffix(99)).longest(1) == nil)
    #expect(FrameStatistics(values.suffix(990)).longest(0.1) == nil)
    #expect(FrameStatistics([]).longest(1) == nil && DurationHistogram().longest(1) == nil)
  }

  @Test func theStandardDeviationIsOfASample() throws {
    // The deviations from 5 are -3, -1, -1, -1, 0, 0, 2, 4; their squares add up to 32.
    let values = [2, 4, 4, 4, 5, 5, 7, 9].map { Nanoseconds.milliseconds($0) }
    var histogram = DurationHistogram()
    for value in values { histogram.add(value) }
    let expected = Nanoseconds.seconds((32.0 / 7).squareRoot() / 1000)
    #expect(FrameStatistics(values).standardDeviation == expected)
    #expect(histogram.standardDeviation == expected)
    #expect(FrameStatistics([7]).standardDeviation == nil && FrameStatistics([7, 7]).standardDeviation == 0)
    // A microsecond beside a day.
    let far = (0..<1000).map { Nanoseconds.seconds(86_400) + .microseconds($0 % 2 == 0 ? 1 : -1) }
    #expect(abs((try #require(FrameStatistics(far).standardDeviation) - .microseconds(1)).count) <= 2)
  }

  @Test func theHistogramTakesEverything() {
    var histogram = DurationHistogram()
    for value in [-5, 0, 1, 511, 512, 1023, 1024, (1 << 36) - 1, 1 << 36, .max, .min] as [Int64] {
      histogram.add(Nanoseconds(value))
    }
    #expect(histogram.count == 11)
    #expect(histogram.maximum == Nanoseconds(.max))
    #expect(histogram.percentile(99) == nil)
    #expect(histogram.longest(50) == Nanoseconds(.max) && histogram.standardDeviation != nil)
    var small = DurationHistogram()
    for value in 0..<1024 as Range<Int64> { small.add(Nanoseconds(value)) }
    #expect(small.percentile(50) == 512)  // 511.5, rounded: every value below 1.024 µs is exact
    // Equal values are all of them exact.
    var even = DurationHistogram()
    for _ in 0..<1000 { even.add(RefreshRate.hertz60.interval) }
    for percent in [50, 99, 99.9] { #expect(even.percentile(percent) == RefreshRate.hertz60.interval) }
    for percent in [0.1, 1, 50] { #expect(even.longest(percent) == RefreshRate.hertz60.interval) }
  }
}

/// Figures that are compared are plain nanoseconds here; in a program a bare number would be taken for seconds.
extension Nanoseconds: ExpressibleByIntegerLiteral {
  public init(integerLiteral value: Int64) { self.init(value) }
}
