import FrameTiming
import LinuxSystem
import Testing

@Suite struct RefreshRateTests {
  static let rates: [RefreshRate] = [
    .hertz(60), .hertz(60000, over: 1001), .hertz(24000, over: 1001), .hertz(144), .hertz(148_500_000, over: 2_200 * 1_125),
    .hertz(1), .hertz(1000),
  ]

  /// The offset by 128-bit arithmetic, rounded half away from zero.
  private func exactOffset(_ k: Int64, _ rate: RefreshRate) -> Int64 {
    let product = Int128(k.magnitude) * Int128(rate.denominator) * 1_000_000_000
    let magnitude = Int64((2 * product + Int128(rate.numerator)) / (2 * Int128(rate.numerator)))
    return k < 0 ? -magnitude : magnitude
  }

  @Test(arguments: rates) func offsetIsTheExactFractionRoundedOnce(_ rate: RefreshRate) {
    let seed: UInt64 = 0xF00D
    var random = SplitMix64(seed: seed)
    var points: [Int64] = [0, 1, -1, 2, 3, 1_000_000, -1_000_000, 4_000_000_000]
    for _ in 0..<2000 { points.append(Int64.random(in: -5_000_000_000...5_000_000_000, using: &random)) }
    let wrong = points.filter { rate.offset(ofInterval: $0).count != exactOffset($0, rate) }
    #expect(wrong.isEmpty, "seed \(seed)")
  }

  @Test(arguments: rates) func intervalsIsTheInverseOnAndAroundEveryPoint(_ rate: RefreshRate) {
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

  @Test func wildValuesSaturateAndDoNotTrap() {
    let slow = RefreshRate.hertz(1)
    #expect(slow.offset(ofInterval: .max) == Nanoseconds(.max))
    #expect(slow.offset(ofInterval: .min) == Nanoseconds(-.max) || slow.offset(ofInterval: .min) == Nanoseconds(.min))
    for rate in [slow, .hertz(1000)] {
      #expect(rate.intervals(in: Nanoseconds(.max)) > 9_000_000_000)
      #expect(rate.intervals(in: Nanoseconds(.min)) < -9_000_000_000)
    }
    #expect(RefreshRate.hertz((1 << 33) * 60 - 1, over: 1 << 33).interval == Nanoseconds(16_666_667))
  }

  @Test func fractionsAreInLowestTermsAndChecked() {
    #expect(RefreshRate(numerator: 60_000, denominator: 1000) == RefreshRate(numerator: 60, denominator: 1))
    #expect(RefreshRate(hertz: 59.94) == RefreshRate(numerator: 2997, denominator: 50))
    let outside: [(Int64, Int64)] = [(0, 1), (60, 0), (60, -1), (1001, 1), (1, 2), (1_000_000_000_001, 100_000_000_000)]
    for (numerator, denominator) in outside { #expect(RefreshRate(numerator: numerator, denominator: denominator) == nil) }
    for hertz in [Double.nan, .infinity, 0.5] { #expect(RefreshRate(hertz: hertz) == nil) }
  }

  @Test func descriptionHasTwoDecimals() {
    #expect(RefreshRate.hertz(60000, over: 1001).description == "59.94 Hz")
    #expect(RefreshRate.hertz(60).description == "60.00 Hz")
    #expect(RefreshRate.hertz(24000, over: 1001).description == "23.98 Hz")
  }
}
