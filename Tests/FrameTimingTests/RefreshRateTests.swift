import FrameTiming
import LinuxSystem
import Testing

@Suite struct RefreshRateTests {
  static let rates = [(60, 1), (60000, 1001), (24000, 1001), (144, 1), (148_500_000, 2_200 * 1_125), (1, 1), (1000, 1)]

  /// The offset by 128-bit arithmetic, rounded half away from zero.
  private func exactOffset(_ k: Int64, _ rate: RefreshRate) -> Int64 {
    let product = Int128(k.magnitude) * Int128(rate.denominator) * 1_000_000_000
    let magnitude = Int64((2 * product + Int128(rate.numerator)) / (2 * Int128(rate.numerator)))
    return k < 0 ? -magnitude : magnitude
  }

  @Test(arguments: rates) func offsetIsTheExactFractionRoundedOnce(_ fraction: (Int, Int)) throws {
    let rate = try #require(RefreshRate(numerator: Int64(fraction.0), denominator: Int64(fraction.1)))
    let seed: UInt64 = 0xF00D
    var random = SplitMix64(seed: seed)
    var points: [Int64] = [0, 1, -1, 2, 3, 1_000_000, -1_000_000, 4_000_000_000]
    for _ in 0..<2000 { points.append(Int64.random(in: -5_000_000_000...5_000_000_000, using: &random)) }
    let wrong = points.filter { rate.offset(ofInterval: $0).count != exactOffset($0, rate) }
    #expect(wrong.isEmpty, "seed \(seed)")
  }

  @Test(arguments: rates) func intervalsIsTheInverseOnAndAroundEveryPoint(_ fraction: (Int, Int)) throws {
    let rate = try #require(RefreshRate(numerator: Int64(fraction.0), denominator: Int64(fraction.1)))
    let seed: UInt64 = 0xBEEF
    var random = SplitMix64(seed: seed)
    var wrong: [Int64] = []
    for _ in 0..<2000 {
      let k = Int64.random(in: -3_000_000_000...3_000_000_000, using: &random)
      let offset = rate.offset(ofInterval: k)
      let around = [-1, 0, 1].map { rate.intervals(in: offset + Nanoseconds($0)) - k }
      if around != [-1, 0, 0] { wrong.append(k) }
    }
    #expect(wrong.isEmpty, "seed \(seed)")
  }

  @Test func wildValuesSaturateAndDoNotTrap() throws {
    let slow = try #require(RefreshRate(numerator: 1, denominator: 1))
    #expect(slow.offset(ofInterval: .max) == Nanoseconds(.max))
    #expect(slow.offset(ofInterval: .min) == Nanoseconds(-.max) || slow.offset(ofInterval: .min) == Nanoseconds(.min))
    for rate in [slow, try #require(RefreshRate(numerator: 1000, denominator: 1))] {
      #expect(rate.intervals(in: Nanoseconds(.max)) > 9_000_000_000)
      #expect(rate.intervals(in: Nanoseconds(.min)) < -9_000_000_000)
    }
    let large = try #require(RefreshRate(numerator: (1 << 33) * 60 - 1, denominator: 1 << 33))
    #expect(large.interval == Nanoseconds(16_666_667))
  }

  @Test func fractionsAreInLowestTermsAndChecked() {
    #expect(RefreshRate(numerator: 60_000, denominator: 1000) == RefreshRate(numerator: 60, denominator: 1))
    #expect(RefreshRate(hertz: 59.94) == RefreshRate(numerator: 2997, denominator: 50))
    #expect(RefreshRate(numerator: 0, denominator: 1) == nil)
    #expect(RefreshRate(numerator: 60, denominator: 0) == nil)
    #expect(RefreshRate(numerator: 60, denominator: -1) == nil)
    #expect(RefreshRate(numerator: 1001, denominator: 1) == nil)
    #expect(RefreshRate(numerator: 1, denominator: 2) == nil)
    #expect(RefreshRate(numerator: 1_000_000_000_001, denominator: 100_000_000_000) == nil)
    #expect(RefreshRate(hertz: .nan) == nil)
    #expect(RefreshRate(hertz: .infinity) == nil)
    #expect(RefreshRate(hertz: 0.5) == nil)
  }

  @Test func descriptionHasTwoDecimals() throws {
    #expect(try #require(RefreshRate(numerator: 60000, denominator: 1001)).description == "59.94 Hz")
    #expect(try #require(RefreshRate(numerator: 60, denominator: 1)).description == "60.00 Hz")
    #expect(try #require(RefreshRate(numerator: 24000, denominator: 1001)).description == "23.98 Hz")
  }
}
