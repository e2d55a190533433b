import FrameTiming
import LinuxSystem
import Metering
import TestLength
import Testing

struct VBlankReportTests {
  private static let rate = RefreshRate.hertz60
  private static let start = MonotonicTime(nanoseconds: 5_000_000_000)

  /// Vblank `number` of a display whose clock is off by `ppm` millionths: above 0 it is fast. Delivered 100 µs later.
  private static func sample(_ number: Int64, ppm: Double = 0, jitter: Nanoseconds = 0) -> VBlankReport.Sample {
    let offset = Double(number) * 1e9 / 60 / (1 + ppm / 1e6)
    let time = start + Nanoseconds(Int64(offset.rounded())) + jitter
    return VBlankReport.Sample(
      vblank: VBlank(timestamp: time, sequence: UInt64(1000 + number)), arrival: time + .microseconds(100))
  }

  private static func report(_ samples: [VBlankReport.Sample]) -> VBlankReport {
    VBlankReport(samples, nominalRate: rate)
  }

  @Test(arguments: [0, 1, -1, 250, -5000] as [Double])
  func findsTheDrift(ppm: Double) throws {
    let report = Self.report((0..<600).map { Self.sample($0, ppm: ppm) })
    let (drift, rate) = (try #require(report.drift), try #require(report.rate))
    #expect(abs(drift - ppm) < 0.001, "\(drift)")
    #expect(abs(rate - 60 * (1 + ppm / 1e6)) < 1e-6, "\(rate)")
    #expect(try #require(report.driftUncertainty) < 0.001)
    #expect(try #require(report.jitter.maximum) <= 1)
    #expect(report.count == 600 && report.missed == 0 && report.rejected == 0)
    #expect(abs(report.duration.seconds - 599.0 / 60 / (1 + ppm / 1e6)) < 1e-8)
  }

  /// Stamps that are 50 µs early and late in turn: that is their jitter, and no drift.
  @Test func findsTheJitter() throws {
    let report = Self.report((0..<601).map { Self.sample($0, jitter: .microseconds($0 % 2 == 0 ? 50 : -50)) })
    for percent in [0.0, 50, 95, 99, 100] {
      let jitter = try #require(report.jitter.percentile(percent))
      #expect(abs(jitter.microseconds - 50) < 0.6, "p\(percent) \(jitter)")
    }
    #expect(abs(try #require(report.deviations.first).microseconds - 50) < 0.6)
    #expect(abs(report.deviations[1].microseconds + 50) < 0.6)
    #expect(abs(try #require(report.deviations.last).microseconds - 50) < 0.6)
    #expect(abs(try #require(report.drift)) < 0.001)
    // The line's slope is uncertain by jitter / √(Σ(n − n̄)²), and Σ(n − n̄)² is N(N² − 1)/12.
    let spread = 601.0 * (601.0 * 601.0 - 1) / 12
    let expected = 2 * 50e-6 / spread.squareRoot() * 60 * 1e6
    #expect(abs(try #require(report.driftUncertainty) / expected - 1) < 0.01)
  }

  /// If the jitter is random, the true drift lies within the uncertainty in 95 of 100 runs.
  @Test(arguments: some(1, of: [1, 2] as [UInt64]))
  func theUncertaintyIsWhatItSays(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    var within = 0
    for _ in 0..<1000 {
      let samples = (Int64(0)..<100).map { number in
        // Twelve even numbers make a normal one, near enough, of standard deviation 1.
        let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
        return Self.sample(number, ppm: 30, jitter: Nanoseconds(Int64(normal * 20_000)))
      }
      let report = Self.report(samples)
      if abs(try #require(report.drift) - 30) <= (try #require(report.driftUncertainty)) { within += 1 }
    }
    // 950 ± 3 · 7.
    #expect((930...975).contains(within), "seed \(seed): \(within) of 1000")
  }

  /// Vblanks that nobody was told of are missed, and move neither the drift nor the grid; sequences that stand still or count two
  /// for each vblank, as those of some drivers do, are not believed.
  @Test(arguments: [0, 1, 2] as [UInt64])
  func countsTheMissed(sequenceStep: UInt64) throws {
    let lost: Set<Int64> = [7, 100, 101, 102, 300]
    var samples = (0..<600).filter { !lost.contains($0) }.map { Self.sample($0, ppm: -40) }
    for index in samples.indices { samples[index].vblank.sequence *= sequenceStep }
    let report = Self.report(samples)
    #expect(report.count == 595)
    #expect(report.missed == 5)
    #expect(abs(try #require(report.drift) + 40) < 0.001)
    #expect(try #require(report.jitter.maximum) <= 1)
  }

  /// Stamps whose usual distance is no multiple of the nominal interval are counted by that distance.
  @Test(arguments: [25.2, 17.9, 12.4, 6.94, 41] as [Double])
  func aWrongNominalRateIsNotBelieved(period: Double) throws {
    let lost: Set<Int64> = [50, 51, 80]
    let samples = (Int64(0)..<120).filter { !lost.contains($0) }.map { number in
      let time = Self.start + .microseconds(Int64(Double(number) * period * 1000) + number % 3 * 20)
      return VBlankReport.Sample(vblank: VBlank(timestamp: time, sequence: 0), arrival: time + .microseconds(100))
    }
    let report = Self.report(samples)
    #expect(abs(try #require(report.rate) - 1000 / period) < 0.01)
    #expect(abs(try #require(report.drift) - (1000 / period / 60 - 1) * 1e6) < 100)
    #expect(report.missed == 3 && report.rejected == 0)
    #expect(try #require(report.jitter.maximum) < .microseconds(100))
  }

  /// The next vblank is foretold from those before it, and only the next: what came after a gap was not.
  @Test func findsTheErrorOfThePrediction() throws {
    let late: Int64 = 450
    let lost: Set<Int64> = [200, 201, 300]
    let samples = (Int64(0)..<600).filter { !lost.contains($0) }
      .map { Self.sample($0, ppm: 50, jitter: $0 == late ? .microseconds(100) : .zero) }
    let report = Self.report(samples)
    #expect(report.surprises.count == report.count - 1 - 2)
    #expect(abs(try #require(report.surprises.max()).microseconds - 100) < 1)
    #expect(report.predictionError.maximum == report.surprises.max())
    #expect(try #require(report.predictionError.percentile(95)) < .microseconds(1))
    // The stamp is off the grid by as much, but for what it moves the grid.
    #expect(abs(try #require(report.jitter.maximum).microseconds - 100) < 1)
  }

  /// Before the first and after the last vblank nothing is missed.
  @Test func whatIsRepeatedGoesBackOrLiesAheadIsRejected() {
    var samples = (0..<100).map { Self.sample($0) }
    var ahead = samples[70]
    ahead.vblank.timestamp += .milliseconds(500)
    samples.insert(ahead, at: 70)
    samples.insert(samples[3], at: 50)
    samples.insert(samples[10], at: 11)
    let report = Self.report(samples)
    #expect(report.rejected == 3)
    #expect(report.count == 100 && report.missed == 0)
    #expect(report.delays.count == 100 && report.delays.allSatisfy { $0 == .microseconds(100) })
  }

  /// A driver may stamp the end of a blanking time that has just begun.
  @Test func stampsMayBeAhead() throws {
    let samples = (Int64(0)..<100).map { number in
      var sample = Self.sample(number)
      sample.arrival = sample.vblank.timestamp - .microseconds(number)
      return sample
    }
    let report = Self.report(samples)
    #expect(report.rejected == 0)
    #expect(report.delays.min() == .microseconds(-99))
    #expect(report.arrival.percentile(50) == -49_500)
  }

  @Test func fewVBlanksSayLittle() {
    let none = Self.report([])
    #expect(none.count == 0 && none.missed == 0 && none.rate == nil && none.drift == nil && none.duration == .zero)
    let one = Self.report([Self.sample(0)])
    #expect(one.count == 1 && one.rate == nil && one.driftUncertainty == nil && one.deviations == [0])
    let two = Self.report([Self.sample(0), Self.sample(1)])
    #expect(two.rate != nil && two.driftUncertainty == nil)
    let few = Self.report((0..<19).map { Self.sample($0) })
    #expect(few.arrival.percentile(50) != nil && few.arrival.percentile(95) == nil && few.arrival.maximum != nil)
  }

  /// Stamps from outside may be anything.
  @Test(arguments: [1, 2] as [UInt64])
  func wildStampsDoNotTrap(seed: UInt64) {
    var random = SplitMix64(seed: seed)
    for _ in 0..<200 {
      let samples = (0..<20).map { _ in
        VBlankReport.Sample(
          vblank: VBlank(
            timestamp: MonotonicTime(nanoseconds: .random(in: .min ... .max, using: &random)),
            sequence: .random(in: 0 ... .max, using: &random)),
          arrival: MonotonicTime(nanoseconds: .random(in: .min ... .max, using: &random)))
      }
      let report = Self.report(samples)
      #expect(report.count + report.rejected == 20, "seed \(seed)")
    }
  }
}
